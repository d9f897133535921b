"""`lessons app` as a process: where it listens, and that nothing of it is left once it is told to end."""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing

import psutil
import pytest

from lessons.cli import serve
from lessons.settings import ROOT, Settings, settings
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

Start = Callable[..., psutil.Popen]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the app on a free port and waits until it answers; whatever is left of it is killed in the end."""
    started: list[psutil.Process] = []

    def start(port: int) -> psutil.Popen:
        command = [sys.executable, "-c", "from lessons.cli import main; main()", "app", "--headless", f"--port={port}"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        process = psutil.Popen(command, cwd=ROOT, preexec_fn=hang_up_as_usual, **streams)
        started.append(process)
        assert process.stdout.readline() == f"The app is at http://127.0.0.1:{port} – Ctrl-C ends it.\n"
        until(lambda: answers(port))
        started.extend(process.children(recursive=True))
        return process

    yield start
    for process in started:
        if process.is_running():
            process.kill()


def hang_up_as_usual() -> None:
    """The tests themselves may run under `nohup`, which has every process below ignore SIGHUP."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def free_port() -> int:
    with closing(socket.socket()) as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def answers(port: int) -> bool:
    with closing(socket.socket()) as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGHUP", -1), ("SIGKILL", -9)])
def test_a_signal_ends_the_server_too_although_a_page_is_open(start: Start, name: str, code: int) -> None:
    port = free_port()
    process = start(port)
    family = [process, *process.children(recursive=True)]
    assert len(family) == 2
    with open_page(port):
        process.send_signal(signal.Signals[name])
        _, alive = psutil.wait_procs(family, 30)
    assert alive == []
    assert process.returncode == code
    assert not answers(port)


def open_page(port: int) -> closing:
    """A browser's connection, which stays open."""
    page = socket.create_connection(("127.0.0.1", port))
    page.sendall(
        b"GET /_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % port
    )
    assert b"101 Switching" in page.recv(1024)
    return closing(page)


def test_it_listens_to_this_machine_only_unless_told_otherwise() -> None:
    assert "--server.address=127.0.0.1" in serve.command(Settings().app_host, 8501, True)
    assert "--server.address=0.0.0.0" in serve.command("0.0.0.0", 8501, True)


def test_streamlit_is_told_the_limit_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "max_file_bytes", 3 * 2**20 + 1)
    assert "--server.maxUploadSize=4" in serve.command("127.0.0.1", 8501, True)
