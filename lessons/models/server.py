"""Talk to an OpenAI-compatible server: a bounded client, errors as sentences, and the window of a model."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from importlib.util import find_spec
from ipaddress import ip_address
from time import monotonic
from typing import Any, TypeGuard
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx
import openai
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from lessons.errors import ModelError, TooLongError
from lessons.settings import Settings
from lessons.text import normalize

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 5.0  # seconds


class StoppedError(ModelError):
    """The model is being recorded and has stopped answering; the keyless one does not go on in its place."""


# Bounds: httpx's own time-out only bounds the wait for the next byte


class _BoundedStream(httpcore.NetworkStream):
    """A connection on which each reply may take so many seconds and bytes."""

    def __init__(self, stream: httpcore.NetworkStream, seconds: float, size: int) -> None:
        self._stream, self._seconds, self._size = stream, seconds, size
        self._deadline, self._bytes_left = monotonic() + seconds, size

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._deadline, self._bytes_left = monotonic() + self._seconds, self._size  # a new request
        self._stream.write(buffer, timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        part = self._stream.read(max_bytes, timeout)
        self._bytes_left -= len(part)
        if monotonic() > self._deadline:
            raise ModelError(f"its reply took more than {self._seconds:g} seconds; LESSONS_REPLY_SECONDS allows more")
        if self._bytes_left < 0:
            raise ModelError("its reply was larger than LESSONS_REPLY_BYTES allows")
        return part

    def start_tls(self, *args: Any, **kwargs: Any) -> "_BoundedStream":
        return _BoundedStream(self._stream.start_tls(*args, **kwargs), self._seconds, self._size)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _BoundedBackend(httpcore.SyncBackend):
    def __init__(self, seconds: float, size: int) -> None:
        self._bounds = seconds, size

    def connect_tcp(self, *args: Any, **kwargs: Any) -> _BoundedStream:
        return _BoundedStream(super().connect_tcp(*args, **kwargs), *self._bounds)


class _BoundedTransport(httpx.BaseTransport):
    """httpx's own transport does not let its connections be replaced, so this one hands requests to httpcore itself."""

    def __init__(self, url: str, seconds: float, size: int) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            proxy=_proxy(url),
            max_connections=None,
            network_backend=_BoundedBackend(seconds, size),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        content: Any = request.stream
        forwarded = httpcore.Request(
            request.method, target, headers=request.headers.raw, content=content, extensions=request.extensions
        )
        with _as_httpx_errors():
            reply = self._pool.handle_request(forwarded)
        return httpx.Response(reply.status, headers=reply.headers, stream=_Body(reply), extensions=reply.extensions)

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx_errors():
            yield from self._reply.iter_stream()

    def close(self) -> None:
        self._reply.close()


@contextmanager
def _as_httpx_errors() -> Iterator[None]:
    """Raise httpcore's errors as those of httpx, which have the same names."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


def bounded_http(url: str, timeout: float | httpx.Timeout, seconds: float, size: int) -> httpx.Client:
    """Make a client whose replies take at most so many seconds and bytes, for a server that may be anything.

    A compressed reply is refused, since it may unfold to any size, and no redirect is followed: key and documents are
    for the server that the reader named. ModelError if the environment names a proxy that cannot be used.
    """
    return httpx.Client(
        transport=_BoundedTransport(url, seconds, size),
        timeout=timeout,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_refuse_compressed]},
    )


def _refuse_compressed(reply: httpx.Response) -> None:
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise ModelError("its reply is compressed, which it was asked not to be")


def is_loopback(url: str) -> bool:
    """Return True if the address is of this machine."""
    with suppress(ValueError):
        name = urlsplit(url).hostname or ""
        return name == "localhost" or name.endswith(".localhost") or ip_address(name).is_loopback
    return False


def _proxy_address(url: str) -> str:
    """Return the proxy that the environment names for an address, "" without one. This machine is asked directly."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return ""
    proxies = getproxies()
    address = proxies.get(parts.scheme) or proxies.get("all") or ""
    return address if "//" in address or not address else f"http://{address}"


def _proxy(url: str) -> httpcore.Proxy | None:
    if not (address := _proxy_address(url)):
        return None
    parts = urlsplit(address)
    if parts.scheme.startswith("socks") and not find_spec("socksio"):
        raise ModelError("ALL_PROXY names a SOCKS proxy: install socksio, or unset it to go without.")
    if parts.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ModelError("the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be read; correct it.")
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(address, auth=auth)


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
        case openai.APIConnectionError() if proxy := urlsplit(_proxy_address(url or OPENAI_URL)).netloc.rpartition("@")[
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
