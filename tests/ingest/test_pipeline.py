"""A folder of files becomes chunks: each file has a result of its own, and a bad one does not stop the others."""

import pytest
from llama_index.core.embeddings import MockEmbedding

from lessons.database import engine
from lessons.ingest.index import naive_index
from lessons.ingest.pipeline import FileResult, ingest
from lessons.ingest.read import list_files
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.support.files import write_pdf

KOREAN = "환불은 결제일로부터 14일 이내에 신청하실 수 있습니다."


@pytest.fixture(scope="module")
def results(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FileResult]:
    """What became of a folder of good and bad files, by name."""
    folder, owner = tmp_path_factory.mktemp("folder"), Scope("pipeline-reader")
    (folder / "a.pdf").write_bytes(b"%PDF-1.7 cut")
    (folder / "b.txt").write_text(KOREAN, encoding="cp949")
    write_pdf(folder / "c.docx", "A report")
    (folder / "d.txt").symlink_to("/etc/hostname")
    write_pdf(folder / "e.pdf", "A page")
    (folder / 'it\'s "e"\n한.md').write_text("# Plan\n\nIt ends in May.", encoding="utf-8")
    store = ChunkStore(engine(database), "pipeline", "toy", 3)
    found = ingest(list_files([folder]), naive_index(), store, MockEmbedding(3), owner)
    return {result.source_file: result for result in found}


def test_a_bad_file_is_reported_and_the_others_go_on(results: dict[str, FileResult]) -> None:
    statuses = {name: result.status for name, result in results.items()}
    assert statuses == {
        "a.pdf": "failed", "b.txt": "added", "c.docx": "failed", "d.txt": "failed", "e.pdf": "added",
        "it's \"e\" 한.md": "added"
    }  # fmt: skip


def test_the_bytes_of_a_pdf_are_kept_for_its_owner_and_of_nothing_else(
    results: dict[str, FileResult], database: Settings
) -> None:
    store, owner = ChunkStore(engine(database), "pipeline", "toy", 3), Scope("pipeline-reader")
    content = store.content(owner, "e.pdf")
    assert content
    assert content.startswith(b"%PDF-")
    assert [store.content(owner, name) for name in ("b.txt", "nowhere.pdf")] == [None, None]
    assert store.content(Scope("pipeline-other"), "e.pdf") is None


def test_a_file_that_took_a_guess_to_read_says_so(results: dict[str, FileResult]) -> None:
    assert (results["b.txt"].reason, results['it\'s "e" 한.md'].reason) == ("It was read as CP949.", None)
