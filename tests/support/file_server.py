"""A server of files on loopback, which knows ranges as most do, and may break off."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Files(ThreadingHTTPServer):
    """Serves files by path, also from a byte on; `breaks_after` so many bytes of a reply the connection ends."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked, self.breaks_after, self.knows_ranges = files, list[str](), None, True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    server: Files

    def do_GET(self) -> None:
        content = self.server.files.get(self.path.lstrip("/"))
        begin = int(re.findall(r"\d+", self.headers["Range"])[0]) if self.server.knows_ranges else 0
        self.server.asked.append(f"{self.path} {begin}")
        if content is None or begin >= len(content) > 0:
            self.send_error(404 if content is None else 416)
            return
        self.send_response(206 if self.server.knows_ranges else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        self.wfile.write(content[begin:][: self.server.breaks_after])

    def log_message(self, *arguments: object) -> None:
        """Say nothing on stderr, which the tests read."""


@contextmanager
def served(files: dict[str, bytes]) -> Iterator[Files]:
    with Files(files) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
