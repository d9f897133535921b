"""Files from the internet, downloaded once and compared with their checksums; and small instruct models among them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import httpx

from lessons.errors import LessonsError


@dataclass(frozen=True)
class HubModel:
    """A file on the hub, in one revision of a repository. `size` is in bytes."""

    repository: str
    revision: str
    file: str
    size: int
    sha256: str
    licence: str

    def __str__(self) -> str:
        return f"{self.file} of {self.repository}, {self.size / 1e9:.1f} GB, licence {self.licence}"


MODELS = {
    "qwen2.5-1.5b": HubModel(
        repository="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        revision="91cad51170dc346986eccefdc2dd33a9da36ead9",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence="Apache-2.0",
    ),
    "qwen3-4b": HubModel(
        repository="Qwen/Qwen3-4B-GGUF",
        revision="bc640142c66e1fdd12af0bd68f40445458f3869b",
        file="Qwen3-4B-Q4_K_M.gguf",
        size=2_497_280_256,
        sha256="7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        licence="Apache-2.0",
    ),
}
"""By the name that `lessons serve` takes. Both were made by the publisher of the model and know Korean."""


Progress = Callable[[int, int], object]  # bytes that are there, bytes in all


def model_file(model: HubModel, folder: Path, progress: Progress) -> Path:
    """Return the model's file in a folder, downloaded first if it is not there yet. `HF_ENDPOINT` names a mirror."""
    path = folder / f"{model.sha256[:12]}-{model.file}"
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    if not path.exists():
        download(f"{hub}/{model.repository}/resolve/{model.revision}/{model.file}", path, progress, model.sha256)
    return path


def download(address: str, path: Path, progress: Progress = lambda done, total: None, checksum: str = "") -> None:
    """Download a file, in bytes; one broken off continues where it was. LessonsError if it is not the one pinned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partly = path.with_name(f"{path.name}.part")
    try:
        with partly.open("ab") as part:
            headers = {"Range": f"bytes={part.tell()}-", "Accept-Encoding": "identity"}
            with httpx.stream("GET", address, headers=headers, follow_redirects=True, timeout=30) as reply:
                if reply.status_code == httpx.codes.OK:  # all of it, from a server that knows no ranges
                    part.truncate(part.seek(0))
                if reply.status_code != httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:  # then nothing is missing
                    reply.raise_for_status()
                    total = part.tell() + int(reply.headers.get("Content-Length", 0))
                    for piece in reply.iter_bytes():
                        part.write(piece)
                        progress(part.tell(), total)
    except httpx.HTTPError as error:
        raise LessonsError(
            f"{address} could not be downloaded ({error or type(error).__name__}): is there a network? The same "
            f"command continues later; or save the file as {path}."
        ) from error
    with partly.open("rb") as file:
        actual = file_digest(file, "sha256").hexdigest()
    if checksum and actual != checksum:
        partly.unlink()
        raise LessonsError(
            f"{address} is not the file that was pinned: its SHA-256 is {actual}, not {checksum}. It was deleted; run "
            "the command again, and report it if it happens twice."
        )
    partly.replace(path)
