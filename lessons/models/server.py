"""Talk to an OpenAI-compatible server: its client, errors as sentences, and the window of a model."""

import re
from collections.abc import Generator
from contextlib import suppress
from functools import reduce
from typing import Any, TypeGuard
from urllib.parse import urljoin, urlsplit

import httpx
import openai
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from lessons.errors import ModelError, TooLongError
from lessons.models.bounded_http import bounded_http, proxy_address
from lessons.settings import Settings
from lessons.text import normalize

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 5.0  # seconds


class StoppedError(ModelError):
    """The model is being recorded and has stopped answering; the keyless one does not go on in its place."""


# Requests: a part that a server refuses is left out

_MOST_REFUSED = 8
_NOT_ABOUT_REQUEST = (401, 403, 404, 429)  # but about a key, a model, the moment
_ESSENTIAL = {"model", "messages", "input", "stream", "tools", "response_format", "dimensions"}
_REFUSES = re.compile(
    r"(?i)not (?:be )?(?:support|permit|allow|enabl|accept|recogni)|n't (?:support|allow)|unsupported|only supports?\b"
    r"|(?:unknown|unexpected|unrecogni[sz]ed|invalid|extra)[ _](?:\w+ )?(?:param|field|arg|name|key|propert|forbidden)"
)
_NO_SYSTEM = re.compile(
    r"(?i)(?:system|developer)\W{0,2} (?:role|message|instruction|prompt)s?\b.{0,40}(?:\bnot?\b|n't|unsupported)"
    r"|role\W{0,3}(?:system|developer)\b|roles must alternate|only user and assistant|be 'user' or 'assistant'"
    r"|not support.{0,20} (?:system|developer) (?:role|message|instruction|prompt)"
)
_SUBJECT = r"(?:inputs?|contexts?|tokens?|length|batch size|prompt)\b"
_TOO_LONG = re.compile(
    rf"(?i)maximum context length|too many (?:input )?tokens|{_SUBJECT}.{{0,60}}(?:too (?:large|long|big)\b|exceed)"
    rf"|(?:exceed|too (?:large|long|big)\b).{{0,60}}{_SUBJECT}"
)


def _words(error: openai.APIStatusError) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    words = body.get("message") or body.get("detail") or body.get("error") or error.message
    return " ".join(normalize(str(words)).split())[:300]


def refused_part(error: openai.APIStatusError, sent: dict[str, Any]) -> str:
    """Return the field, or `system` for that role, that an error names and without which the request can be sent."""
    words = f"{error.body or ''} {error.message}"
    if error.status_code in _NOT_ABOUT_REQUEST:
        return ""
    optional = sorted(sent.keys() - _ESSENTIAL, key=len, reverse=True)
    fields = (name for name in optional if re.search(rf"(?<!\w){re.escape(name)}\b", words))
    if _REFUSES.search(words) and (field := next(fields, "")):
        return field
    roles = [message.get("role") for message in sent.get("messages", [])]
    return "system" if _NO_SYSTEM.search(words) and "system" in roles else ""


def without_part(sent: dict[str, Any], part: str) -> dict[str, Any]:
    """Leave a field out of a request, or move its system text to the head of what the user says."""
    if part == "max_tokens" and part in sent:
        sent = sent | {"max_completion_tokens": sent[part]}  # its newer name
    if part != "system":
        return {name: value for name, value in sent.items() if name != part}
    messages = [dict(message) for message in sent.get("messages", [])]
    system = "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system")
    conversation = [message for message in messages if message["role"] != "system"]
    if system and conversation and conversation[0]["role"] == "user":
        conversation[0]["content"] = f"{system}\n\n{conversation[0]['content']}"
    elif system:
        conversation.insert(0, {"role": "user", "content": system})
    return sent | {"messages": conversation}


class BoundedClient(openai.OpenAI):
    """OpenAI's client; instead of its retries and LlamaIndex's, `max_retries` before `request_timeout` is over."""

    def __init__(self, settings: Settings) -> None:
        access = credentials(settings)
        timeout = openai.Timeout(settings.request_timeout, connect=min(CONNECT_TIMEOUT, settings.request_timeout))
        try:
            http = bounded_http(access["base_url"], timeout, settings.reply_seconds, settings.reply_bytes)
            super().__init__(**access, timeout=timeout, max_retries=0, http_client=http)
        except (httpx.InvalidURL, ValueError) as error:
            raise ModelError(f"OPENAI_BASE_URL cannot be read ({error}): write it as http://host:port/v1.") from error
        self._attempts = settings.max_retries + 1
        self._seconds = settings.request_timeout
        self._refused: list[str] = []  # parts of a request that the server does not take

    def request(self, *args: Any, **kwargs: Any) -> Any:
        stop = stop_after_attempt(self._attempts) | stop_before_delay(self._seconds)
        retrying = Retrying(stop=stop, wait=_wait, retry=retry_if_exception(is_transient), reraise=True)
        reply = retrying(self._without_refused, *args, **kwargs)
        return _pieces(reply) if kwargs.get("stream") else reply

    def _without_refused(self, cast_to: Any, options: Any, **kwargs: Any) -> Any:
        """Send a request without the parts that the server refuses, as its errors name them."""
        if not isinstance(options.json_data, dict):
            return super().request(cast_to, options, **kwargs)
        while True:
            sent = reduce(without_part, self._refused, options.json_data)
            try:
                return super().request(cast_to, options.model_copy(update={"json_data": sent}), **kwargs)
            except openai.APIStatusError as error:
                part = refused_part(error, sent)
                if not part or part in self._refused or len(self._refused) >= _MOST_REFUSED:
                    raise
                self._refused.append(part)


def _pieces(stream: openai.Stream[Any]) -> Generator[Any, None, None]:
    """Yield the pieces of a streamed reply. The client's own stream refers to itself, so it would not close at once."""
    with stream:
        yield from stream


def credentials(settings: Settings) -> dict[str, Any]:
    """Return `api_key` and `base_url`. Servers without keys still want a header, so they get a made-up one."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    return {"api_key": key, "base_url": settings.openai_base_url or OPENAI_URL}


def is_transient(error: BaseException) -> bool:
    """Return True if the same request may succeed a moment later."""
    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    if isinstance(error.__cause__, ModelError):  # the next reply would not end either
        return False
    return isinstance(error, openai.APIConnectionError | openai.InternalServerError) and not is_too_long(error)


def is_for_the_reader(error: BaseException) -> bool:
    """Return True if only the reader can help: a wrong key, a model or an address that does not exist."""
    from_server = openai.AuthenticationError | openai.PermissionDeniedError | openai.NotFoundError
    return isinstance(error, StoppedError | from_server)


def is_timeout(error: BaseException) -> bool:
    """Return True if the server was too slow for this request; it may be in time for a smaller one."""
    return isinstance(error, openai.APITimeoutError | httpx.TimeoutException)


def is_out_of_reach(error: BaseException) -> bool:
    """Return True if the server cannot be reached at all."""
    is_bounded = isinstance(error.__cause__, ModelError)  # it was reached, and said too much
    return isinstance(error, openai.APIConnectionError) and not is_timeout(error) and not is_bounded


def is_refused(error: BaseException) -> bool:
    """Return True if the server takes requests, but not one of this form."""
    return isinstance(error, openai.APIStatusError) and error.status_code in (400, 422, 501)


def is_too_long(error: BaseException) -> bool:
    """Return True if the server says that a text is too long for it, which some say with status 500 or 413."""
    if not isinstance(error, openai.APIStatusError) or error.status_code in _NOT_ABOUT_REQUEST:
        return False
    return error.status_code == 413 or bool(_TOO_LONG.search(_words(error)))


def host(url: str | None) -> str:
    return urlsplit(url or OPENAI_URL).netloc or str(url)


def explain(error: BaseException, model: str, url: str | None) -> ModelError:
    """Turn an error into one sentence that says what happened and what to do."""
    server = host(url)
    match error:
        case ModelError():
            return error
        case openai.APIError() if isinstance(error.__cause__, ModelError):
            return error.__cause__
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            sentence = f"{server} refused the key; check OPENAI_API_KEY."
        case openai.NotFoundError():
            sentence = f"{server} does not know the model {model!r}; check its name and OPENAI_BASE_URL."
        case openai.RateLimitError(code="insufficient_quota"):
            sentence = f"the account at {server} has no credit left; top it up or unset OPENAI_API_KEY."
        case openai.RateLimitError():
            sentence = f"{server} is limiting requests (429); wait a minute and ask again."
        case openai.APITimeoutError() | httpx.TimeoutException():
            sentence = f"{server} did not answer in time; try again or raise LESSONS_REQUEST_TIMEOUT."
        case openai.APIConnectionError() if proxy := urlsplit(proxy_address(url or OPENAI_URL)).netloc.rpartition("@")[
            2
        ]:
            sentence = f"{server} cannot be reached by the proxy {proxy}; check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY."
        case openai.APIConnectionError():
            sentence = f"{server} cannot be reached; start the server or check OPENAI_BASE_URL."
        case openai.APIStatusError() if is_too_long(error):
            return TooLongError(f"{server} refused the request: {_words(error)}")
        case openai.APIStatusError() if is_refused(error):
            sentence = f"{server} refused the request: {_words(error)}"
        case openai.APIStatusError():
            sentence = f"{server} answered with status {error.status_code}; try again or choose another model."
        case _:
            sentence = f"{server} sent no usable answer ({type(error).__name__}); try again or choose another model."
    return ModelError(sentence[0].upper() + sentence[1:] if sentence.startswith("the ") else sentence)


def _wait(state: RetryCallState) -> float:
    """Return seconds until the next attempt: what the server asks for in Retry-After, else a random, doubling time."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, openai.APIStatusError):
        with suppress(KeyError, ValueError):
            return max(0.0, float(error.response.headers["retry-after"]))
    return wait_random_exponential(multiplier=0.5, max=8)(state)


# The window of a model

OLLAMA_WINDOW = 4_096
UNKNOWN_WINDOW = 8_192
_WINDOW_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
_SECONDS, _BYTES = 5.0, 5_000_000  # that a server may take to describe a model
_MOST_TOKENS = 1_000_000_000


def query_window(base_url: str, key: str, model: str, openai_window: int) -> int:
    """Ask the server how many tokens a model reads at a time; return a careful guess if it does not say.

    llama.cpp lists it as `meta.n_ctx`, vLLM as `max_model_len`, hosted services under the other `_WINDOW_NAMES`; Ollama
    says at `/api/ps` how a model was loaded, which is with 4,096 tokens on most machines, whatever it could read.
    """
    if base_url.rstrip("/") == OPENAI_URL:
        return openai_window
    models = _dicts(_get(f"{base_url.rstrip('/')}/models", key).get("data"))
    listed = _entry(models, "id", model) or (models[0] if len(models) == 1 else {})
    meta = listed.get("meta")
    sizes = [*(listed.get(name) for name in _WINDOW_NAMES), meta.get("n_ctx") if isinstance(meta, dict) else None]
    if window := next(filter(_is_window, sizes), None):
        return window
    loaded = _get(urljoin(base_url, "/api/ps"), key).get("models")
    if not isinstance(loaded, list):
        return UNKNOWN_WINDOW
    window = _entry(_dicts(loaded), "name", model).get("context_length")
    return window if _is_window(window) else OLLAMA_WINDOW


def _is_window(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 < value < _MOST_TOKENS


def _get(url: str, key: str) -> dict[str, Any]:
    try:
        with bounded_http(url, _SECONDS, _SECONDS, _BYTES) as http:
            reply = http.get(url, headers={"Authorization": f"Bearer {key}"}).json()
    except (httpx.HTTPError, ModelError, ValueError, RecursionError):
        return {}
    return reply if isinstance(reply, dict) else {}


def _dicts(listed: Any) -> list[dict[str, Any]]:
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _entry(entries: list[dict[str, Any]], field: str, model: str) -> dict[str, Any]:
    """Return the entry of the model; Ollama adds the tag `latest` to a name without one."""
    return next((entry for entry in entries if entry.get(field) in (model, f"{model}:latest")), {})
