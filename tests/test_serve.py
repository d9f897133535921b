"""`lessons app` as a process: where it listens, and that nothing of it is left once it is told to end."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing

import psutil
import pytest

from lessons.cli import serve
from lessons.errors import LessonsError
from lessons.settings import ROOT, Settings, settings
from tests.support.ports import free_port
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

Start = Callable[..., psutil.Popen]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the app on a free port and waits until it answers; whatever is left of it is killed in the end."""
    started: list[psutil.Process] = []

    def start(port: int) -> psutil.Popen:
        command = [sys.executable, "-c", "from lessons.cli import main; main()", "app", "--headless", f"--port={port}"]
        process = psutil.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(process)
        assert process.stdout.readline() == f"The app is at http://127.0.0.1:{port} – Ctrl-C ends it.\n"
        until(lambda: answers(port))
        started.extend(process.children(recursive=True))
        return process

    yield start
    for process in started:
        if process.is_running():
            process.kill()


def answers(port: int) -> bool:
    with closing(socket.socket()) as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGKILL", -9)])
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


def test_ctrl_c_in_a_terminal_which_reaches_both_processes_ends_in_a_sentence() -> None:
    code, port = "from lessons.cli import main; main()", free_port()
    command = [sys.executable, "-c", code, "app", "--headless", f"--port={port}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=-1, stderr=-1, text=True, start_new_session=True)
    try:
        until(lambda: answers(port))
        with open_page(port):
            os.killpg(process.pid, signal.SIGINT)
            _, told = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in told


def test_a_port_that_is_taken_is_said_before_anything_starts() -> None:
    said = r"cannot listen at 127\.0\.0\.1:\d+ \(Address already in use\); choose another with --port"
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(LessonsError, match=said):
        serve.serve("127.0.0.1", taken.getsockname()[1], True)


def open_page(port: int, host: bytes = b"127.0.0.1", answer: bytes = b"101 Switching") -> closing:
    """A browser's connection, which stays open, to the page that it knows by the name of a host."""
    page = socket.create_connection(("127.0.0.1", port))
    page.sendall(
        b"GET /_stcore/stream HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        b"Host: %b\r\nOrigin: http://%b\r\n\r\n" % (host, host)
    )
    assert answer in page.recv(1024)
    return closing(page)


def options(host: str) -> dict:
    return json.loads(serve.command(host, 8501, True)[-1])


def test_it_listens_to_this_machine_only_unless_told_otherwise() -> None:
    assert options(Settings().app_host)["server.address"] == "127.0.0.1"
    assert options("0.0.0.0")["server.address"] == "0.0.0.0"
    assert options("0.0.0.0")["server.allowedHosts"] == []


def test_streamlit_is_told_the_limit_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "max_file_bytes", 3 * 2**20 + 1)
    assert options("127.0.0.1")["server.maxUploadSize"] == 4
