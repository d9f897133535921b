"""A database of a version whose keys did not hold the owner goes on working, with the keys of a new one."""

from collections.abc import Callable, Iterator

import pytest
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import Engine, text

from lessons.context.cache import AnswerTable
from lessons.database import engine, owned, stop
from lessons.ingest.plans import Plans
from lessons.ingest.trash import Trash
from lessons.memory.messages import StoredMessages
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from tests.conftest import new_tenant
from tests.database.old_layout import PLAN, make_old_layout

MINA, JOON = Scope("mina"), Scope("joon")

LAYOUT = text(r"""
SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE contype IN ('p', 'u', 'f') AND connamespace = 'public'::regnamespace
UNION ALL SELECT tablename, substring(indexdef FROM ' USING .*') FROM pg_indexes
WHERE schemaname = 'public' AND indexname !~ '_hnsw$' ORDER BY 1, 2
""")


@pytest.fixture
def databases(tcp_server: str) -> Iterator[Callable[[], Engine]]:
    """Makes new databases, whose user is no administrator."""
    made = []

    def new() -> Engine:
        made.append(new_tenant(tcp_server, "CREATEROLE"))
        return engine(made[-1])

    yield new
    for settings in made:
        stop(settings)


@pytest.fixture
def old(databases: Callable[[], Engine]) -> Engine:
    made = databases()
    with made.begin() as connection:
        make_old_layout(connection)
    return made


def opened(made: Engine) -> ChunkStore:
    """One of the two indexes, once each room has opened its tables."""
    first, second = (ChunkStore(made, name, "toy", 3) for name in ("one", "two"))
    for store in (first, second):
        store.documents(MINA)
    Trash(made, [first]).names(MINA)
    Plans(made)
    AnswerTable(made)
    StoredMessages(made).get(MINA, "s")
    return first


def layout(made: Engine) -> list[tuple]:
    with made.connect() as connection:
        return [tuple(row) for row in connection.execute(LAYOUT)]


def found(store: ChunkStore, scope: Scope) -> tuple[list[str], list[str]]:
    """By vector and by words."""
    near = store.query(VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=9), scope=scope)
    return near.ids, store.keyword_search(["refund"], 9, scope).ids


def test_it_gets_the_keys_and_indexes_of_a_new_one(old: Engine, databases: Callable[[], Engine]) -> None:
    fresh = databases()
    opened(fresh)
    assert layout(old) != layout(fresh)
    opened(old)
    assert layout(old) == layout(fresh)


def test_every_owners_documents_plans_and_messages_are_still_there(old: Engine) -> None:
    store = opened(old)
    for scope in (MINA, JOON):
        mine = [f"chunk of {scope.user_id}"]
        assert found(store, scope) == (mine, mine)
        assert [row.sha256 for row in store.documents(scope)] == ["old"]
    assert Plans(old).plan_scope(PLAN, MINA).ref_ids == frozenset({"a.txt"})
    assert StoredMessages(old).last(MINA, "s") == (("user", "hello"),)


def test_what_was_deleted_before_comes_back(old: Engine) -> None:
    store = opened(old)
    assert Trash(old, [store]).restore(MINA, "gone.txt")
    assert store.keyword_search(["deadlin"], 9, MINA).ids == ["gone"]


def test_a_deleted_document_takes_its_chunks_from_an_index_that_nobody_opened(old: Engine) -> None:
    store = ChunkStore(old, "one", "toy", 3)
    assert store.delete_document(JOON, "a.txt")
    with old.begin() as connection:
        connection.execute(text("ALTER TABLE documents NO FORCE ROW LEVEL SECURITY"))
        connection.execute(text("ALTER TABLE terms_two_toy NO FORCE ROW LEVEL SECURITY"))
        connection.execute(text("DELETE FROM documents WHERE user_id = 'joon'"))
        assert connection.scalars(text("SELECT user_id FROM terms_two_toy")).all() == ["mina"]
    assert found(store, JOON) == ([], [])


def test_a_change_that_broke_off_leaves_the_old_keys_and_is_made_by_the_next_opening(
    old: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = layout(old)
    with monkeypatch.context() as patch:
        patch.setattr(owned, "protect", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ChunkStore(old, "one", "toy", 3).documents(MINA)
    assert layout(old) == before
    assert found(opened(old), MINA)[0] == ["chunk of mina"]
