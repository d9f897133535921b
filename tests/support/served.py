"""The app, started as a reader starts it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """The address and the id of the app's process, which ends with the block; its first page has not been asked."""
    port = free_port()
    command = [sys.executable, "-c", "from lessons.cli import main; main()", "app", "--headless", f"--port={port}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(240):
        with closing(socket.socket()) as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.25)
    raise TimeoutError("the app did not start within a minute")
