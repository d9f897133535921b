"""Deleted documents: no search finds them, they come back as they were, and after a while they do not."""

from datetime import timedelta
from typing import Any

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import func, select, text, update

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.ingest import trash as trash_module
from lessons.ingest.trash import TRASHED_CHUNKS, TRASHED_DOCUMENTS, Trash
from lessons.rag.catalog import catalog
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.materials import chunk_range, statistics
from lessons.settings import Settings

MINA, JOON = Scope("trash-mina"), Scope("trash-joon")
FILE = "노트.txt"
CLEAR = (
    "DELETE FROM documents WHERE index_table = :name",  # other tests of this process have documents in other indexes
    "DELETE FROM trashed_documents WHERE index_table = :name",
)


def chunk(words: str, scope: Scope, position: int) -> TextNode:
    place = {"source_file": FILE, "page_number": 1, "user_id": scope.user_id, "chunk_index": position}
    return TextNode(
        id_=f"{scope.user_id}-{position}", text=words, embedding=[0.1 + position, 1 / 3, 1e-7], metadata=place
    )


def trash_of(*stores: ChunkStore) -> Trash:
    return Trash(stores[0].engine, stores)


@pytest.fixture
def store(database: Settings) -> ChunkStore:
    """Two owners with a document of the same name and words."""
    store = ChunkStore(engine(database), "trash", "toy", 3)
    trash_of(store).purge()
    store._make_tables()
    with store.engine.begin() as connection:
        for clear in CLEAR:
            connection.execute(text(clear), {"name": store.table_name})
    for scope in (MINA, JOON):
        nodes = [chunk(f"고양이는 {hour}시에 먹는다", scope, hour) for hour in range(3)]
        store.replace_document(scope, FILE, "v1", nodes, scope.user_id.encode())
    return store


def everything(store: ChunkStore, scope: Scope) -> dict[str, object]:
    """What every way to look at an owner's chunks gives."""
    vector = store.query(VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=9), scope=scope)
    words = store.keyword_search(["고양"], 9, scope)
    return {
        "nearest": list(zip(vector.ids, vector.similarities, strict=True)),
        "keyword": list(zip(words.ids, words.similarities, strict=True)),
        "nodes": [(node.node_id, node.get_content(), node.metadata) for node in store.get_nodes(scope=scope)],
        "by id": store.get_nodes([f"{scope.user_id}-1"], scope=scope),
        "content": store.content(scope, FILE),
        "documents": [(row.id, row.source_file, row.sha256, row.ingested_at) for row in store.documents(scope)],
        "terms": store.document_frequencies(["고양"], scope),
        "catalog": catalog(store, scope),
        "version": store.version(scope),
        "statistics": [each.state for each in statistics(store, scope, [FILE])],
    }


def test_no_way_to_look_finds_a_deleted_document_and_nothing_else_is_touched(store: ChunkStore) -> None:
    his = everything(store, JOON)
    assert trash_of(store).delete(MINA, FILE)
    hers = everything(store, MINA)
    assert not any(hers[way] for way in ("nearest", "keyword", "nodes", "by id", "content", "documents", "catalog"))
    assert hers["statistics"] == ["NOT_FOUND"]
    with pytest.raises(LessonsError, match="not among the materials"):
        chunk_range(store, MINA, FILE, 0, 9)
    assert set(hers["terms"].values()) == {0}
    assert everything(store, JOON) == his


def test_a_document_that_is_brought_back_is_what_it_was(store: ChunkStore) -> None:
    before = everything(store, MINA)
    trash = trash_of(store)
    trash.delete(MINA, FILE)
    assert trash.deleted_names(MINA) == {FILE}
    assert trash.restore(MINA, FILE)
    assert everything(store, MINA) == before
    assert (trash.deleted_names(MINA), trash.restore(MINA, FILE)) == (set(), False)


def test_nobody_brings_back_or_sees_what_another_owner_deleted(store: ChunkStore) -> None:
    trash = trash_of(store)
    trash.delete(MINA, FILE)
    assert (trash.deleted_names(JOON), trash.restore(JOON, FILE)) == (set(), False)
    assert not trash.delete(Scope("trash-nobody"), FILE)


def test_a_document_is_not_brought_back_over_a_newer_one(store: ChunkStore) -> None:
    trash = trash_of(store)
    trash.delete(MINA, FILE)
    store.replace_document(MINA, FILE, "v2", [chunk("새 글", MINA, 0)])
    with pytest.raises(LessonsError, match="ingested again since"):
        trash.restore(MINA, FILE)
    assert [node.get_content() for node in store.get_nodes(scope=MINA)] == ["새 글"]


def test_of_two_deleted_versions_the_later_one_comes_back(store: ChunkStore) -> None:
    trash = trash_of(store)
    trash.delete(MINA, FILE)
    store.replace_document(MINA, FILE, "v2", [chunk("새 글", MINA, 0)])
    trash.delete(MINA, FILE)
    trash.restore(MINA, FILE)
    assert [node.get_content() for node in store.get_nodes(scope=MINA)] == ["새 글"]


def test_after_the_days_of_the_setting_the_words_are_gone_and_the_name_is_known(store: ChunkStore) -> None:
    trash = trash_of(store)
    trash.delete(MINA, FILE)
    with store.engine.begin() as connection:
        connection.execute(update(TRASHED_DOCUMENTS).values(deleted_at=func.now() - timedelta(days=7, seconds=1)))
    assert (trash.deleted_names(MINA), trash.restore(MINA, FILE)) == ({FILE}, False)
    with store.engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(TRASHED_CHUNKS)) == 0
        assert set(connection.scalars(select(TRASHED_DOCUMENTS.c.content))) == {None}


def test_one_deletion_empties_every_index(store: ChunkStore) -> None:
    other = ChunkStore(store.engine, "trash2", "toy", 3)
    other.replace_document(MINA, FILE, "v1", [chunk("다른 색인", MINA, 0)])
    trash = trash_of(store, other)
    trash.delete(MINA, FILE)
    assert (store.documents(MINA), other.documents(MINA)) == ([], [])
    trash.restore(MINA, FILE)
    assert (len(store.get_nodes(scope=MINA)), len(other.get_nodes(scope=MINA))) == (3, 1)


def test_a_second_deletion_leaves_what_the_first_one_kept(store: ChunkStore) -> None:
    trash = trash_of(store)
    assert (trash.delete(MINA, FILE), trash.delete(MINA, FILE)) == (True, False)
    assert trash.restore(MINA, FILE)


def test_an_index_that_is_filled_during_a_deletion_loses_nothing(
    store: ChunkStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, rows = ChunkStore(store.engine, "trash2", "toy", 3), trash_module._rows
    other.delete_document(MINA, FILE)

    def filled_meanwhile(connection: Any, statement: str, values: dict[str, Any]) -> list[Any]:
        found = rows(connection, statement, values)
        if statement.startswith("SELECT id, index_table FROM documents"):
            other.replace_document(MINA, FILE, "v1", [chunk("다른 색인", MINA, 0)])
        return found

    monkeypatch.setattr(trash_module, "_rows", filled_meanwhile)
    trash = trash_of(store, other)
    assert trash.delete(MINA, FILE)
    trash.restore(MINA, FILE)
    assert (len(store.get_nodes(scope=MINA)), len(other.get_nodes(scope=MINA))) == (3, 1)
