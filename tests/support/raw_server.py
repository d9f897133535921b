"""A server that says what no library would: any bytes, for as long as it likes."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

Say = Callable[[bytes], object]
"""Sends bytes; ConnectionError once the client has gone."""


def packet(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A whole HTTP reply that ends the connection."""
    lines = [f"HTTP/1.1 {status}", "Connection: close", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def raw_server(answer: Callable[[Say], object]) -> Iterator[str]:
    """The address of a server on loopback that gives this answer to any request, each in a thread of its own."""

    def serve(client: socket.socket) -> None:
        with closing(client), suppress(OSError):
            client.recv(65_536)
            answer(client.sendall)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        server.shutdown(socket.SHUT_RDWR)
