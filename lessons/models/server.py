"""Talking to an OpenAI-compatible server: a bounded client, errors as sentences, and what a server says of a model."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx
import openai
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from lessons.errors import ModelError, TooLongError
from lessons.settings import Settings
from lessons.text import normalize


class StoppedError(ModelError):
    """The model is being recorded and has stopped answering; the keyless one does not go on in its place."""


OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 5.0  # seconds
_MOST_REFUSED = 8  # parts of a request
_NO_REFUSAL = (401, 403, 404, 429)  # of what was sent: of a key, a model, the moment
_back_off = wait_random_exponential(multiplier=0.5, max=8)


class _Wire(httpcore.NetworkStream):
    """A connection whose every reply is bounded: the client's own time-out only bounds the wait for the next byte."""

    def __init__(self, wire: httpcore.NetworkStream, seconds: float, size: int) -> None:
        self._wire, self._seconds, self._size = wire, seconds, size
        self._ends, self._left = monotonic() + seconds, size

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._ends, self._left = monotonic() + self._seconds, self._size
        self._wire.write(buffer, timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        part = self._wire.read(max_bytes, timeout)
        self._left -= len(part)
        if monotonic() > self._ends:
            raise ModelError(f"its reply took more than {self._seconds:g} seconds; LESSONS_REPLY_SECONDS allows more")
        if self._left < 0:
            raise ModelError("its reply was larger than LESSONS_REPLY_BYTES allows")
        return part

    def start_tls(self, *args: Any, **kwargs: Any) -> "_Wire":
        return _Wire(self._wire.start_tls(*args, **kwargs), self._seconds, self._size)

    def close(self) -> None:
        self._wire.close()

    def get_extra_info(self, info: str) -> Any:
        return self._wire.get_extra_info(info)


class _Wires(httpcore.SyncBackend):
    def __init__(self, seconds: float, size: int) -> None:
        self._bounds = seconds, size

    def connect_tcp(self, *args: Any, **kwargs: Any) -> _Wire:
        return _Wire(super().connect_tcp(*args, **kwargs), *self._bounds)


def bounded_http(url: str, timeout: float | httpx.Timeout, seconds: float, size: int) -> httpx.Client:
    """A client whose replies take at most so many seconds and bytes, for a server that may be anything.

    A compressed reply is refused, since it may unfold to any size, and no redirect is followed: key and documents are
    for the server that the reader named. A server on this machine is asked without a proxy. ModelError if the
    environment names a proxy that cannot be used.
    """

    plain, hooks = {"Accept-Encoding": "identity"}, {"response": [_refuse_packed]}
    how: dict[str, Any] = {"timeout": timeout, "follow_redirects": False, "headers": plain, "event_hooks": hooks}
    with _proxies_explained():
        http = openai.DefaultHttpxClient(**how, trust_env=not is_loopback(url))
    for transport in filter(None, [http._transport, *http._mounts.values()]):  # itself, and those of proxies
        transport._pool._network_backend = _Wires(seconds, size)  # type: ignore[attr-defined]
    return http


def _refuse_packed(reply: httpx.Response) -> None:
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise ModelError("its reply is compressed, which it was asked not to be")


@contextmanager
def _proxies_explained() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ModelError("ALL_PROXY names a SOCKS proxy: install socksio, or unset it to go without.") from error
    except (ValueError, httpx.InvalidURL) as error:
        raise ModelError("the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be read; correct it.") from error


def is_loopback(url: str) -> bool:
    """Whether the address is of this machine."""
    with suppress(ValueError):
        name = urlsplit(url).hostname or ""
        return name == "localhost" or name.endswith(".localhost") or ip_address(name).is_loopback
    return False


def _proxy(url: str) -> str:
    """Host and port of the proxy that the environment names for an address; empty without one."""
    to = urlsplit(url)
    if is_loopback(url) or proxy_bypass(to.hostname or ""):
        return ""
    named = getproxies()
    return (named.get(to.scheme) or named.get("all") or "").rpartition("@")[2].rpartition("//")[2].rstrip("/")


_ESSENTIAL = {
    "model",
    "messages",
    "input",
    "stream",
    "tools",
    "response_format",
    "dimensions",
}  # others may be left out
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
    said = body.get("message") or body.get("detail") or body.get("error") or error.message
    return " ".join(normalize(str(said)).split())[:300]


def refused_part(error: openai.APIStatusError, sent: dict[str, Any]) -> str:
    """The field, or `system` for that role, that an error names and without which the request can be sent."""
    words = f"{error.body or ''} {error.message}"
    if error.status_code in _NO_REFUSAL:
        return ""
    named = (name for name in sorted(sent, key=len, reverse=True) if re.search(rf"(?<!\w){re.escape(name)}\b", words))
    if _REFUSES.search(words) and (field := next((name for name in named if name not in _ESSENTIAL), "")):
        return field
    roles = [message.get("role") for message in sent.get("messages", [])]
    return "system" if _NO_SYSTEM.search(words) and "system" in roles else ""


def without_part(sent: dict[str, Any], part: str) -> dict[str, Any]:
    """The request without a field, or with its system text at the head of what the user says."""
    if part == "max_tokens" and part in sent:
        sent = sent | {"max_completion_tokens": sent[part]}  # its newer name
    if part != "system":
        return {name: value for name, value in sent.items() if name != part}
    messages = [dict(message) for message in sent.get("messages", [])]
    system = "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system")
    others = [message for message in messages if message["role"] != "system"]
    if system and others and others[0]["role"] == "user":
        others[0]["content"] = f"{system}\n\n{others[0]['content']}"
    elif system:
        others.insert(0, {"role": "user", "content": system})
    return sent | {"messages": others}


_refused: dict[tuple[str, str], list[str]] = {}  # parts that a server and its model do not take


class BoundedClient(openai.OpenAI):
    """The official client; instead of its retries and LlamaIndex's, `max_retries` before `request_timeout` is over."""

    def __init__(self, settings: Settings) -> None:
        access = credentials(settings)
        timeout = openai.Timeout(settings.request_timeout, connect=min(CONNECT_TIMEOUT, settings.request_timeout))
        http = bounded_http(access["base_url"], timeout, settings.reply_seconds, settings.reply_bytes)
        try:
            urlsplit(access["base_url"])  # which finds more wrong than httpx
            super().__init__(**access, timeout=timeout, max_retries=0, http_client=http)
        except (httpx.InvalidURL, ValueError) as error:
            raise ModelError(f"OPENAI_BASE_URL cannot be read ({error}): write it as http://host:port/v1.") from error
        self._attempts = settings.max_retries + 1
        self._patience = settings.request_timeout

    def request(self, *args: Any, **kwargs: Any) -> Any:
        stop = stop_after_attempt(self._attempts) | stop_before_delay(self._patience)
        retrying = Retrying(stop=stop, wait=_wait, retry=retry_if_exception(is_transient), reraise=True)
        reply = retrying(self._without_refused, *args, **kwargs)
        return _pieces(reply) if kwargs.get("stream") else reply

    def _without_refused(self, cast_to: Any, options: Any, **kwargs: Any) -> Any:
        """The reply to a request without the parts that the server refuses, as its errors name them."""
        if not isinstance(sent := options.json_data, dict):
            return super().request(cast_to, options, **kwargs)
        refused = _refused.setdefault((str(self.base_url), str(sent.get("model"))), [])
        while True:
            asked = sent
            for part in refused:
                asked = without_part(asked, part)
            try:
                return super().request(cast_to, options.model_copy(update={"json_data": asked}), **kwargs)
            except openai.APIStatusError as error:
                part = refused_part(error, asked)
                if not part or part in refused or len(refused) >= _MOST_REFUSED:
                    raise
                refused.append(part)


def _pieces(stream: openai.Stream[Any]) -> Generator[Any, None, None]:
    """The pieces of a streamed reply. The client's own stream refers to itself, so it would not close at once."""
    with stream:
        yield from stream


def credentials(settings: Settings) -> dict[str, Any]:
    """`api_key` and `base_url` of the server. Servers without keys still want a header, so they get a made-up one."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    return {"api_key": key, "base_url": settings.openai_base_url or OPENAI_URL}


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    if isinstance(error.__cause__, ModelError):  # the next reply would not end either
        return False
    return isinstance(error, openai.APIConnectionError | openai.InternalServerError) and not is_too_long(error)


def is_for_the_reader(error: BaseException) -> bool:
    """Whether only the reader can help: a wrong key, a model or an address that does not exist, a dead server."""
    from_server = openai.AuthenticationError | openai.PermissionDeniedError | openai.NotFoundError
    return isinstance(error, StoppedError | from_server)


def is_timeout(error: BaseException) -> bool:
    """Whether the server was too slow for this request; it may be in time for a smaller one."""
    return isinstance(error, openai.APITimeoutError | httpx.TimeoutException)


def is_out_of_reach(error: BaseException) -> bool:
    """Whether the server cannot be reached at all."""
    too_long = isinstance(error.__cause__, ModelError)
    return isinstance(error, openai.APIConnectionError) and not is_timeout(error) and not too_long


def is_refused(error: BaseException) -> bool:
    """Whether the server takes requests, but not one of this form (400, 422, 501)."""
    return isinstance(error, openai.APIStatusError) and error.status_code in (400, 422, 501)


def is_too_long(error: BaseException) -> bool:
    """Whether the server says that a text is too long for it, which some say with status 500 or 413."""
    if not isinstance(error, openai.APIStatusError) or error.status_code in _NO_REFUSAL:
        return False
    return error.status_code == 413 or bool(_TOO_LONG.search(_words(error)))


def host(url: str | None) -> str:
    return urlsplit(url or OPENAI_URL).netloc or str(url)


def explain(error: BaseException, model: str, url: str | None) -> ModelError:
    """The error as one sentence that says what happened and what to do."""
    server = host(url)
    match error:
        case ModelError():
            return error
        case openai.APIError() if isinstance(error.__cause__, ModelError):
            return error.__cause__
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            said = f"{server} refused the key; check OPENAI_API_KEY."
        case openai.NotFoundError():
            said = f"{server} does not know the model {model!r}; check its name and OPENAI_BASE_URL."
        case openai.RateLimitError(code="insufficient_quota"):
            said = f"the account at {server} has no credit left; top it up or unset OPENAI_API_KEY."
        case openai.RateLimitError():
            said = f"{server} is limiting requests (429); wait a minute and ask again."
        case openai.APITimeoutError() | httpx.TimeoutException():
            said = f"{server} did not answer in time; try again or raise LESSONS_REQUEST_TIMEOUT."
        case openai.APIConnectionError() if proxy := _proxy(url or OPENAI_URL):
            said = f"{server} cannot be reached by the proxy {proxy}; check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY."
        case openai.APIConnectionError():
            said = f"{server} cannot be reached; start the server or check OPENAI_BASE_URL."
        case openai.APIStatusError() if is_too_long(error):
            return TooLongError(f"{server} refused the request: {_words(error)}")
        case openai.APIStatusError() if is_refused(error):
            said = f"{server} refused the request: {_words(error)}"
        case openai.APIStatusError():
            said = f"{server} answered with status {error.status_code}; try again or choose another model."
        case _:
            said = f"{server} sent no usable answer ({type(error).__name__}); try again or choose another model."
    return ModelError(said[0].upper() + said[1:] if said.startswith("the ") else said)


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: what the server asks for in Retry-After, else a random, doubling time."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, openai.APIStatusError):
        with suppress(KeyError, ValueError):
            return max(0.0, float(error.response.headers["retry-after"]))
    return _back_off(state)


OLLAMA_WINDOW = 4_096
UNKNOWN_WINDOW = 8_192
_WINDOW_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
_SECONDS, _BYTES = 5.0, 5_000_000  # that a server may take to describe a model
_QUANTISED = re.compile(
    r"(?i)(?<![A-Za-z0-9])(?:I?Q[1-8](?:_[A-Z0-9]+)*|BF16|F16|F32|FP8|AWQ|GPTQ|INT[48])(?![A-Za-z0-9])"
)
_MOST = 1_000_000_000  # tokens; what is beyond is no size


def asked_window(base_url: str, key: str, model: str, openai_window: int) -> int:
    """How many tokens a model reads at a time, as its server says; a careful guess if it does not.

    llama.cpp lists it as `meta.n_ctx`, vLLM as `max_model_len`, hosted services under the other `_WINDOW_NAMES`; Ollama
    says at `/api/ps` how a model was loaded, which is with 4,096 tokens on most machines, whatever it could read.
    """
    if base_url.rstrip("/") == OPENAI_URL:
        return openai_window
    entries = _entries(_get(f"{base_url.rstrip('/')}/models", key).get("data"))
    listed = _named(entries, "id", model) or (entries[0] if len(entries) == 1 else {})
    meta = listed.get("meta")
    named = [listed.get(name) for name in _WINDOW_NAMES]
    if said := next(filter(None, map(_size, [*named, meta.get("n_ctx") if isinstance(meta, dict) else None])), None):
        return said
    loaded = _get(urljoin(base_url, "/api/ps"), key).get("models")
    if not isinstance(loaded, list):
        return UNKNOWN_WINDOW
    return _size(_named(_entries(loaded), "name", model).get("context_length")) or OLLAMA_WINDOW


def asked_quantisation(base_url: str, key: str, model: str) -> str:
    """How weights are quantised, such as Q4_K_M, as Ollama, llama.cpp or the model's name says; else empty."""
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
        with bounded_http(url, _SECONDS, _SECONDS, _BYTES) as http:
            said = http.get(url, headers={"Authorization": f"Bearer {key}"}).json()
    except (httpx.HTTPError, ModelError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _entries(listed: Any) -> list[dict[str, Any]]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _named(entries: list[dict[str, Any]], field: str, model: str) -> dict[str, Any]:
    """The entry of the model; Ollama adds the tag `latest` to a name without one."""
    return next((each for each in entries if each.get(field) in (model, f"{model}:latest")), {})
