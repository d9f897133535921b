"""Several indexes are filled together: each file is read once, and each index holds what it would hold alone."""

import gc
from pathlib import Path
from unittest.mock import Mock

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.database import engine
from lessons.ingest import pipeline
from lessons.ingest.index import enhanced_index, naive_index
from lessons.ingest.pipeline import ingest_each
from lessons.ingest.read import read
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import Settings
from lessons.workbook import Workbook
from tests.support.files import write_pdf
from tests.support.openai_server import Server

INDEXES = [naive_index(), enhanced_index()]


@pytest.fixture
def place(database: Settings) -> Workspace:
    return Workspace(database, engine(database), MockEmbedding(3), OfflineLLM())


@pytest.fixture
def files(tmp_path: Path) -> list[tuple[Path, str]]:
    (tmp_path / "kiosk.md").write_text("# Kiosk\n\nThe kiosk opens at 7:30.\n\n## Prices\n\nCoffee costs 2 euros.\n")
    write_pdf(tmp_path / "plan.pdf", "The plan ends in May.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "도서관.txt").write_text("도서관은 평일 오전 9시에 문을 엽니다.", encoding="utf-8")
    return [(path, path.name) for path in sorted(tmp_path.iterdir())]


def both_faces(node: BaseNode) -> list[str]:
    return [node.get_content(mode) for mode in (MetadataMode.EMBED, MetadataMode.LLM)]


def test_each_file_is_read_once_for_all_indexes(
    place: Workspace, files: list[tuple[Path, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Mock(wraps=read)
    monkeypatch.setattr(pipeline, "read", reader)
    results = [(index.name, each.source_file) for index, each in ingest_each(place, files, INDEXES, Scope("once"))]
    assert results == [(index.name, name) for _, name in files for index in INDEXES]
    assert [call.args[1] for call in reader.call_args_list] == [name for _, name in files if name != "empty.txt"]


def test_an_index_cuts_what_another_has_cut_before_as_if_it_came_first(files: list[tuple[Path, str]]) -> None:
    for path, name in files[1:]:
        shared = read(path, name)
        for index in [*INDEXES, *INDEXES]:
            alone, after = (index.chunks(pages, "mina") for pages in (read(path, name), shared))
            for one, other in zip(alone, after, strict=True):
                assert (one.id_, one.metadata, both_faces(one)) == (other.id_, other.metadata, both_faces(other))


def test_a_file_too_long_for_the_embedding_server_fails_alone_and_in_its_words(
    database: Settings, files: list[tuple[Path, str]], server: Server, tmp_path: Path
) -> None:
    (tmp_path / "long.txt").write_text("word " * 100)
    server.longest_input = 300
    served = database.model_copy(update={"openai_base_url": server.url, "embedding_model": "any", "max_retries": 0})
    place = Workspace(served, engine(database), embedding_model(served), OfflineLLM())
    many = [(tmp_path / "long.txt", "long.txt"), *files[1:]]
    results = [result for _, result in ingest_each(place, many, INDEXES[:1], Scope("too-long"))]
    assert [result.status for result in results] == ["failed", "added", "added", "added"]
    assert "input (1371 tokens) is too large to process" in (results[0].reason or "")


def test_what_is_loaded_with_the_workspace_is_no_longer_searched_for_garbage(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "open", lambda chosen: place)
    gc.unfreeze()
    try:
        assert workspace.__wrapped__() is place
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_a_workbook_tells_what_became_of_a_folder_index_by_index(
    place: Workspace, files: list[tuple[Path, str]], tmp_path: Path
) -> None:
    told = [result.source_file for result in Workbook(place).ingest(tmp_path, "index-by-index")]
    assert told == [name for _, name in files] * len(INDEXES)


def test_a_connection_of_ones_own_outlives_the_pool_and_needs_no_commit(place: Workspace) -> None:
    one, other = Workbook(place).connect(), Workbook(place).connect()
    try:
        one.execute("CREATE TABLE own_rows (number int)")
        place.engine.dispose()
        one.execute("INSERT INTO own_rows VALUES (7)")
        assert other.execute("SELECT number FROM own_rows").fetchall() == [(7,)]
        one.execute("DROP TABLE own_rows")
    finally:
        one.close()
        other.close()
