"""How many tokens a served model reads at a time, and how far its weights were rounded, as its server says.

llama.cpp lists it as `meta.n_ctx`, vLLM as `max_model_len`, hosted services as `context_length`, `context_window` or
`max_context_length`. Ollama does not list it. It says it of a model that is loaded, by its full name, at `/api/ps`,
which no other server has, and reads 4,096 tokens on most machines unless it is set, whatever the model could read.
"""

import re
from typing import Any
from urllib.parse import urljoin

import httpx

from lessons.errors import ModelError
from lessons.models.server import OPENAI_URL, bounded_http

OLLAMA_WINDOW = 4_096
UNKNOWN_WINDOW = 8_192
_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
_SECONDS = 5.0
_BYTES = 5_000_000
_QUANTISED = re.compile(
    r"(?<![A-Za-z0-9])(?:I?Q[1-8](?:_[A-Z0-9]+)*|BF16|F16|F32|FP8|AWQ|GPTQ|INT[48])(?![A-Za-z0-9])", re.I
)
_MOST = 1_000_000_000  # tokens; what is beyond is no size


def asked_window(base_url: str, key: str, model: str, openai_window: int) -> int:
    """The window of a model in tokens; a careful guess if its server does not say."""
    if base_url.rstrip("/") == OPENAI_URL:
        return openai_window
    entries = _entries(_get(f"{base_url.rstrip('/')}/models", key).get("data"))
    listed = _named(entries, "id", model) or (entries[0] if len(entries) == 1 else {})
    meta = listed.get("meta")
    named = [listed.get(name) for name in _NAMES]
    said = next(filter(None, map(_size, [*named, meta.get("n_ctx") if isinstance(meta, dict) else None])), None)
    return said or _ollama_window(base_url, key, model) or UNKNOWN_WINDOW


def _ollama_window(base_url: str, key: str, model: str) -> int | None:
    """The window of a model that Ollama has loaded, its default for another one, and None of any other server."""
    loaded = _get(urljoin(base_url, "/api/ps"), key).get("models")
    if not isinstance(loaded, list):
        return None
    return _size(_named(_entries(loaded), "name", model).get("context_length")) or OLLAMA_WINDOW


def asked_quantisation(base_url: str, key: str, model: str) -> str:
    """How the weights of a model are quantised, such as Q4_K_M; empty if its server does not say.

    Ollama says it (`/api/ps`), llama.cpp names the file of the weights (`/props`), and it may be part of the name.
    """
    running = _entries(_get(urljoin(base_url, "/api/ps"), key).get("models"))
    loaded = _named(running, "name", model).get("details")
    if isinstance(loaded, dict) and isinstance(said := loaded.get("quantization_level"), str):
        return said
    file = _get(urljoin(base_url, "/props"), key).get("model_path")
    named = _QUANTISED.search(f"{model} {str(file).rpartition('/')[2]}")
    return named[0].upper() if named else ""


def _size(said: Any) -> int | None:
    return said if type(said) is int and 0 < said < _MOST else None


def _get(url: str, key: str) -> dict[str, Any]:
    try:
        with bounded_http(_SECONDS, _SECONDS, _BYTES) as http:
            said = http.get(url, headers={"Authorization": f"Bearer {key}"}).json()
    except (httpx.HTTPError, ModelError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _entries(listed: Any) -> list[dict[str, Any]]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _named(entries: list[dict[str, Any]], field: str, model: str) -> dict[str, Any]:
    """The entry of the model; Ollama adds the tag `latest` to a name without one."""
    return next((each for each in entries if each.get(field) in (model, f"{model}:latest")), {})
