"""Small instruct models of the Hugging Face hub: one file each, downloaded once, and compared with its checksum."""

import errno
import os
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

import httpx

from lessons.errors import ModelError


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


def download(model: HubModel, folder: Path) -> Path:
    """Return the model's file in a folder, downloaded first if it is not there yet; a download broken off continues.

    ModelError if the hub cannot be reached, or if the file is not the one expected.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub as hub  # an optional extra
        from huggingface_hub.file_download import http_get
    except ImportError as error:
        raise ModelError("Downloading a model needs the extra `local`: `uv sync --extra local`.") from error
    path = folder / f"{model.sha256[:12]}-{model.file}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    address = hub.hf_hub_url(model.repository, model.file, revision=model.revision)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("ab") as file:  # hf_hub_download would begin again in the next process
            http_get(address, file, resume_size=file.tell(), headers={}, expected_size=model.size)
    except (hub.utils.HfHubHTTPError, httpx.HTTPError, OSError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise ModelError(
            f"{model.file} could not be downloaded from {hub.constants.ENDPOINT}: is there a network? The same command "
            "continues later; or bring a GGUF file from elsewhere and name it."
        ) from error
    with part.open("rb") as file:
        checksum = file_digest(file, "sha256").hexdigest()
    if checksum != model.sha256:
        part.unlink()
        raise ModelError(f"{model.file} is not the file that was expected (checksum {checksum[:12]}…); it was deleted.")
    return part.replace(path)
