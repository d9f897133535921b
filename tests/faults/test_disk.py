"""The disk fills up while documents are ingested: nothing half-done is seen, and with space again it goes on."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from lessons.database import engine, stop
from lessons.database.messages import FULL
from lessons.database.programs import am_root
from lessons.errors import DatabaseError
from lessons.faults.database import full_disk
from lessons.faults.lab import Lab, logged
from lessons.ingest.index import naive_index
from lessons.ingest.jobs import Jobs
from lessons.ingest.pipeline import ingest
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from tests.database.places import wait_for

LONG = "The archive holds many boxes. " * 150  # two chunks


def files_of(lab: Lab) -> set[str]:
    return {document.source_file for document in lab.workspace.store(naive_index()).documents(lab.scope)}


def put(place: Workspace, folder: Path) -> list[str]:
    """Ingest the long text as archive.txt; what became of it."""
    (folder / "archive.txt").write_text(LONG, encoding="utf-8")
    files, index = [(folder / "archive.txt", "archive.txt")], naive_index()
    return [each.status for each in ingest(files, index, place.store(index), place.embedding, Scope("reader"))]


def fill(path: Path) -> None:
    """Write until the disk is full."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def jobs_of(lab: Lab, attempts: int) -> Jobs:
    place = replace(lab.workspace, settings=lab.workspace.settings.model_copy(update={"ingestion_attempts": attempts}))
    return Jobs(place, {"naive": naive_index()})


def test_a_document_that_does_not_fit_leaves_no_trace_and_fits_later(lab: Lab, tmp_path: Path) -> None:
    before = files_of(lab)
    with full_disk(lab.workspace.engine, room=1), pytest.raises(DatabaseError) as told:
        put(lab.workspace, tmp_path)
    assert str(told.value) == FULL
    assert files_of(lab) == before
    assert put(lab.workspace, tmp_path) == ["added"]
    assert files_of(lab) == {*before, "archive.txt"}


def test_a_job_waits_for_space_and_completes(lab: Lab) -> None:
    jobs = jobs_of(lab, attempts=1000)
    with ExitStack() as full, logged() as log:
        full.enter_context(full_disk(lab.workspace.engine))
        job = jobs.submit([(b"The cellar is dry.", "cellar.txt")], lab.scope)
        assert wait_for(lambda: jobs.status(job, lab.scope).reason == FULL, 30)
        assert "cellar.txt" not in files_of(lab)
        assert "7:30" in lab.ask("naive", "When does the kiosk open?").answer.text
        full.close()
        assert jobs.wait(job, lab.scope, 60).status == "COMPLETED"
    assert f"WARNING ingestion waits: {FULL}" in log
    assert "cellar.txt" in files_of(lab)


def test_a_job_that_finds_no_space_again_and_again_failed_with_the_reason(lab: Lab) -> None:
    jobs = jobs_of(lab, attempts=1)
    with logged(), full_disk(lab.workspace.engine):
        job = jobs.submit([(b"The attic is hot.", "attic.txt")], lab.scope)
        ended = jobs.wait(job, lab.scope, 60)
    assert (ended.status, ended.reason) == ("FAILED", FULL)
    assert "attic.txt" not in files_of(lab)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 200 MB with the database of the data folder beside it; only an administrator can make one."""
    disk, data = tmp_path / "disk", tmp_path / "data"
    disk.mkdir()
    data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200m,mode=0711", "none", str(disk)]
    if not am_root() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    below = [each for each in (tmp_path, *tmp_path.parents) if each.name.startswith(("pytest-", "popen-", "test_"))]
    for folder in below:
        folder.chmod(0o711)  # the database's user must pass through
    (data / "postgres").symlink_to(disk)
    yield data
    stop(Settings(data_dir=data))
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_on_a_real_full_disk_ingestion_is_refused_with_a_sentence_and_works_again_with_space(
    lab: Lab, small_disk: Path, tmp_path: Path
) -> None:
    chosen = Settings(data_dir=small_disk)
    place = Workspace(chosen, engine(chosen), lab.workspace.embedding, lab.workspace.llm)
    store, ballast = place.store(naive_index()), tmp_path / "disk" / "ballast"
    assert store.documents(Scope("reader")) == []
    fill(ballast)
    with pytest.raises(DatabaseError) as told:
        put(place, tmp_path)
    assert str(told.value) == FULL
    assert store.documents(Scope("reader")) == []
    ballast.unlink()
    assert put(place, tmp_path) == ["added"]
