"""A TCP proxy that can fall silent: it still takes everything in, and passes nothing on."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress


class Proxy:
    """Forwards bytes between whoever connects to `port` and a server, until it is `silent`."""

    def __init__(self, listening: socket.socket, server: tuple[str, int]) -> None:
        self._listening, self._server = listening, server
        self.port = listening.getsockname()[1]
        self.silent = False

    def accept(self) -> None:
        """Serve whoever comes, each in threads of its own, until the listening socket is closed."""
        with suppress(OSError):
            while True:
                client, server = self._listening.accept()[0], socket.create_connection(self._server)
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError), closing(target):
            while sent := source.recv(65_536):
                if not self.silent:
                    target.sendall(sent)


@contextmanager
def proxy(host: str, port: int) -> Iterator[Proxy]:
    """A proxy on loopback in front of a server."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        opened = Proxy(listening, (host, port))
        threading.Thread(target=opened.accept, daemon=True).start()
        yield opened
        listening.shutdown(socket.SHUT_RDWR)
