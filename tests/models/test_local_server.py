"""What `lessons serve` says of files, ports and machines that cannot serve; tests/served serves real weights."""

import re
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from lessons.errors import ModelError
from lessons.models.local_server import MAGIC, serve_weights


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read (No such file or directory); name a GGUF file, or qwen2.5-1.5b or qwen3-4b."),
        (b"", "is not a GGUF file"),
        (b"<html>not found</html>", "is not a GGUF file; download the weights in that format."),
    ],
)
def test_a_file_without_weights_is_named(tmp_path: Path, content: bytes | None, says: str) -> None:
    weights = tmp_path / "model.gguf"
    if content is not None:
        weights.write_bytes(content)
    with pytest.raises(ModelError, match=re.escape(says)):
        serve_weights(weights, 0, 4_096, "model")


def test_a_port_that_is_taken_and_a_missing_extra_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "model.gguf"
    weights.write_bytes(MAGIC)
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(ModelError, match="--port"):
        serve_weights(weights, taken.getsockname()[1], 4_096, "model")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match="uv sync --extra local"):
        serve_weights(weights, 0, 4_096, "model")
