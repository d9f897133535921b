"""How many tokens a served model reads at a time, as its server says.

llama.cpp lists it as `meta.n_ctx`, vLLM as `max_model_len`, hosted services as `context_length`, `context_window` or
`max_context_length`. Ollama says it of a model that is loaded (`/api/ps`) and reads 4,096 tokens unless it is told
otherwise, whatever the model could read.
"""

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
_MOST = 1_000_000_000  # tokens; what is beyond is no size


def asked_window(base_url: str, key: str, model: str, openai_window: int) -> int:
    """The window of a model in tokens; a careful guess if its server does not say."""
    if base_url.rstrip("/") == OPENAI_URL:
        return openai_window
    listed = _entry(_get(f"{base_url.rstrip('/')}/models", key).get("data"), "id", model)
    meta = listed.get("meta")
    named = [listed.get(name) for name in _NAMES]
    said = next(filter(None, map(_size, [*named, meta.get("n_ctx") if isinstance(meta, dict) else None])), None)
    if said or listed.get("owned_by") != "library":
        return said or UNKNOWN_WINDOW
    loaded = _entry(_get(urljoin(base_url, "/api/ps"), key).get("models"), "name", model)
    return _size(loaded.get("context_length")) or OLLAMA_WINDOW


def _size(said: Any) -> int | None:
    return said if type(said) is int and 0 < said < _MOST else None


def _get(url: str, key: str) -> dict[str, Any]:
    try:
        with bounded_http(_SECONDS, _SECONDS, _BYTES) as http:
            said = http.get(url, headers={"Authorization": f"Bearer {key}"}).json()
    except (httpx.HTTPError, ModelError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _entry(listed: Any, field: str, name: str) -> dict[str, Any]:
    """The entry of that name, or the only one there is."""
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    named = [each for each in entries if each.get(field) == name]
    return (named or (entries if len(entries) == 1 else []) or [{}])[0]
