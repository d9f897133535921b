"""A model from the hub: `lessons.models.hub` against a small hub on this machine, through the hub's own client."""

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lessons.cli import serve
from lessons.errors import ModelError
from lessons.models.hub import MODELS, HubModel
from tests.support.ports import free_port

pytest.importorskip("huggingface_hub", reason="needs the extra `local`")

WEIGHTS = b"GGUF" + bytes(range(256)) * 4_096
MODEL = HubModel("maker/tiny", "a" * 40, "tiny.gguf", len(WEIGHTS), hashlib.sha256(WEIGHTS).hexdigest(), "Apache-2.0")
CODE = """
import sys
from pathlib import Path
from lessons.errors import ModelError
from huggingface_hub import constants
from lessons.models.hub import HubModel, download
constants.DOWNLOAD_CHUNK_SIZE = 65_536  # what is written at a time; 10 MB are more than this file has
try:
    print(download(HubModel({fields}), Path({folder!r})))
except ModelError as error:
    sys.exit(str(error))
"""


class Hub(ThreadingHTTPServer):
    """The endpoint of a file, as the hub has it: its checksum and commit in the head, and parts of it on request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = WEIGHTS
        self.most = len(WEIGHTS)  # bytes of the file that are sent before every connection is closed
        self.ranges: list[str] = []  # of each request for the content
        self.agents: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._start(0)

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.server.ranges.append(wanted)
        self.server.agents.append(self.headers.get("User-Agent", ""))
        start = int(match[1]) if (match := re.fullmatch(r"bytes=(\d+)-.*", wanted)) else 0
        self._start(start)
        self.wfile.write(self.server.content[start : self.server.most])
        self.close_connection = True

    def _start(self, start: int) -> None:
        if self.path != f"/{MODEL.repository}/resolve/{MODEL.revision}/{MODEL.file}":
            self.send_error(404)
            return
        size = len(self.server.content)
        self.send_response(206 if start else 200)
        self.send_header("ETag", f'"{MODEL.sha256}"')
        self.send_header("X-Repo-Commit", MODEL.revision)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(size - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def download(url: str, folder: Path, model: HubModel = MODEL) -> subprocess.CompletedProcess[str]:
    """Download in a process of its own: the client reads its settings when it is imported."""
    fields = ", ".join(map(repr, vars(model).values()))
    environment = os.environ | {"HF_ENDPOINT": url}
    command = [sys.executable, "-c", CODE.format(fields=fields, folder=str(folder))]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)


def test_a_model_is_downloaded_once(hub: Hub, tmp_path: Path) -> None:
    first, second = download(hub.url, tmp_path), download(hub.url, tmp_path)
    assert first.returncode == 0, first.stderr
    assert Path(first.stdout.strip()).read_bytes() == WEIGHTS
    assert second.stdout == first.stdout
    assert len(hub.ranges) == 1


def test_it_says_nothing_of_the_reader(hub: Hub, tmp_path: Path) -> None:
    download(hub.url, tmp_path)
    assert [agent for agent in hub.agents if "telemetry" in agent or "session" in agent] == []


def test_an_interrupted_download_continues(hub: Hub, tmp_path: Path) -> None:
    hub.most = len(WEIGHTS) // 2
    broken = download(hub.url, tmp_path)
    assert broken.returncode == 1
    assert "The same command continues later" in broken.stderr
    hub.most, hub.ranges = len(WEIGHTS), []
    whole = download(hub.url, tmp_path)
    assert Path(whole.stdout.strip()).read_bytes() == WEIGHTS
    assert [int(each.strip("bytes=-")) for each in hub.ranges] == [len(WEIGHTS) // 2 // 65_536 * 65_536]


def test_a_file_with_another_checksum_is_deleted(hub: Hub, tmp_path: Path) -> None:
    hub.content = WEIGHTS[::-1]
    done = download(hub.url, tmp_path)
    assert done.returncode == 1
    assert "tiny.gguf is not the file that was expected" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_without_a_network_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    done = download(f"http://127.0.0.1:{free_port()}", tmp_path)
    assert done.returncode == 1
    assert "is there a network?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_revision_that_is_gone_is_told_in_a_sentence(hub: Hub, tmp_path: Path) -> None:
    done = download(hub.url, tmp_path, replace(MODEL, revision="b" * 40))
    assert done.returncode == 1
    assert "could not be downloaded" in done.stderr


def test_nothing_is_downloaded_where_no_server_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr("lessons.models.hub.download", lambda *_: pytest.fail("it was downloaded"))
    with pytest.raises(ModelError, match="uv sync --extra local"):
        serve.serve_model(next(iter(MODELS)), 0, 4_096)


def test_a_model_is_told_with_its_size_and_licence_before_it_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(model: HubModel, folder: Path) -> Path:
        raise ModelError("stopped here")

    monkeypatch.setattr("lessons.models.local_server.import_server", lambda: None)
    monkeypatch.setattr("lessons.models.hub.download", stop)
    with pytest.raises(ModelError, match="stopped here"):
        serve.serve_model("qwen2.5-1.5b", 0, 4_096)
    told = capsys.readouterr().out
    assert "qwen2.5-1.5b-instruct-q4_k_m.gguf of Qwen/Qwen2.5-1.5B-Instruct-GGUF, 1.1 GB, licence Apache-2.0" in told


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_model_is_pinned_to_a_commit_and_a_checksum(model: HubModel) -> None:
    assert re.fullmatch("[0-9a-f]{40}", model.revision)
    assert re.fullmatch("[0-9a-f]{64}", model.sha256)
    assert model.file.endswith(".gguf")
