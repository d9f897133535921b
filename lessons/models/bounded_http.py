"""An HTTP client for servers that may say anything: each reply may take so many seconds and bytes.

httpx's own time-out only bounds the wait for the next byte. Its transport does not let its connections be replaced, so
the one here hands requests to httpcore, whose network backend may be one's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from lessons.errors import ModelError


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
    def __init__(self, url: str, seconds: float, size: int) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            proxy=_proxy(url),
            max_connections=None,
            keepalive_expiry=5.0,  # seconds, as httpx has it: servers close idle connections
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


def proxy_address(url: str) -> str:
    """Return the proxy that the environment names for an address, "" without one. This machine is asked directly."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return ""
    proxies = getproxies()
    address = proxies.get(parts.scheme) or proxies.get("all") or ""
    return address if "//" in address or not address else f"http://{address}"


def _proxy(url: str) -> httpcore.Proxy | None:
    if not (address := proxy_address(url)):
        return None
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise ModelError(
            "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not an HTTP proxy; name another or unset it."
        )
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(address, auth=auth)
