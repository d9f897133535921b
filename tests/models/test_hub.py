"""Downloads, and a model from a small hub on this machine."""

import hashlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lessons.cli import serve
from lessons.errors import LessonsError, ModelError
from lessons.models.hub import MODELS, HubModel, Progress, download, model_file
from tests.support.file_server import Files, served

WEIGHTS = b"GGUF" + bytes(range(256)) * 4_096
MODEL = HubModel("maker/tiny", "a" * 40, "tiny.gguf", len(WEIGHTS), hashlib.sha256(WEIGHTS).hexdigest(), "Apache-2.0")
ADDRESS = f"{MODEL.repository}/resolve/{MODEL.revision}/{MODEL.file}"


def from_hub(
    hub: Files,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: HubModel = MODEL,
    progress: Progress = lambda done, total: None,
) -> Path:
    monkeypatch.setenv("HF_ENDPOINT", hub.address.rstrip("/"))
    return model_file(model, folder, progress)


def test_a_model_is_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served({ADDRESS: WEIGHTS}) as hub:
        seen = list[tuple[int, int]]()
        path = from_hub(hub, tmp_path, monkeypatch, progress=lambda *counts: seen.append(counts))
        assert seen[-1] == (len(WEIGHTS), len(WEIGHTS))
        assert path.read_bytes() == WEIGHTS
        assert from_hub(hub, tmp_path, monkeypatch) == path
    assert len(hub.asked) == 1


def test_a_revision_that_is_gone_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served({ADDRESS: WEIGHTS}) as hub, pytest.raises(LessonsError, match=r"could not be downloaded .*404"):
        from_hub(hub, tmp_path, monkeypatch, replace(MODEL, revision="b" * 40))


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_download_that_breaks_off_says_so_and_continues_where_it_was(knows_ranges: bool, tmp_path: Path) -> None:
    content, checksum = bytes(range(256)) * 400, hashlib.sha256(bytes(range(256)) * 400).hexdigest()
    with served({"a b": content}) as server:
        server.breaks_after, server.knows_ranges = 1_000, knows_ranges
        address, path, seen = f"{server.address}a%20b", tmp_path / "deep" / "a b", list[tuple[int, int]]()
        server.files["a%20b"] = content
        with pytest.raises(LessonsError, match=r"could not be downloaded .* is there a network\? .* continues later"):
            download(address, path, checksum=checksum)
        assert not path.exists()
        server.breaks_after = None
        download(address, path, lambda done, total: seen.append((done, total)), checksum)
    assert path.read_bytes() == content
    assert [asked.split()[1] for asked in server.asked] == ["0", "1000" if knows_ranges else "0"]
    assert seen[-1] == (len(content), len(content))
    assert [file.name for file in path.parent.iterdir()] == ["a b"]


def test_a_download_that_was_whole_when_it_stopped_is_kept_if_it_is_the_one_pinned(tmp_path: Path) -> None:
    with served({"a": b"all of it"}) as server:
        (tmp_path / "a.part").write_bytes(b"all of it")
        download(f"{server.address}a", tmp_path / "a", checksum=hashlib.sha256(b"all of it").hexdigest())
        assert (tmp_path / "a").read_bytes() == b"all of it"
        (tmp_path / "b.part").write_bytes(b"longer than all of it")
        with pytest.raises(LessonsError, match="not the file that was pinned"):
            download(f"{server.address}a", tmp_path / "b", checksum="0" * 64)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_nothing_is_downloaded_where_no_server_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr("lessons.models.hub.model_file", lambda *_: pytest.fail("it was downloaded"))
    with pytest.raises(ModelError, match="uv sync --extra local"):
        serve.serve_model(next(iter(MODELS)), 0, 4_096)


def test_a_model_is_told_with_its_size_and_licence_before_it_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(model: HubModel, folder: Path, progress: Progress) -> Path:
        raise ModelError("stopped here")

    monkeypatch.setattr("lessons.models.local_server.import_server", lambda: None)
    monkeypatch.setattr("lessons.models.hub.model_file", stop)
    with pytest.raises(ModelError, match="stopped here"):
        serve.serve_model("qwen2.5-1.5b", 0, 4_096)
    told = capsys.readouterr().out
    assert "qwen2.5-1.5b-instruct-q4_k_m.gguf of Qwen/Qwen2.5-1.5B-Instruct-GGUF, 1.1 GB, licence Apache-2.0" in told


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_model_is_pinned_to_a_commit_and_a_checksum(model: HubModel) -> None:
    assert re.fullmatch("[0-9a-f]{40}", model.revision)
    assert re.fullmatch("[0-9a-f]{64}", model.sha256)
    assert model.file.endswith(".gguf")
