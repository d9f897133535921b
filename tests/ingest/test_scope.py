"""The scope of a search: an owner always, and the materials that a plan fixed."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from llama_index.core.schema import TextNode
from sqlalchemy import Engine, func, select

from lessons.database import engine
from lessons.database.owners import owner_transaction
from lessons.errors import LessonsError
from lessons.evaluate.throwaway import drop_leftovers
from lessons.ingest.queue import JobQueue
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.search.materials import Plans
from lessons.settings import Settings


@pytest.fixture
def mina() -> Scope:
    return Scope(f"mina-{uuid4()}")


@pytest.fixture
def store(database: Settings) -> ChunkStore:
    return ChunkStore(engine(database), "scoped", "toy", 3)


@pytest.fixture
def plans(database: Settings) -> Plans:
    return Plans(engine(database))


def put(store: ChunkStore, scope: Scope, name: str, type: str = "document") -> None:
    place = {"source_file": name, "ref_id": name, "user_id": scope.user_id, "chunk_index": 0, "type": type}
    node = TextNode(id_=f"{scope.user_id}-{name}", text=name, embedding=[1, 0, 0], metadata=place)
    store.replace_document(scope, name, "", [node])


def found(store: ChunkStore, scope: Scope) -> set[str]:
    return {node.get_content() for node in store.get_nodes(scope=scope)}


@pytest.mark.parametrize("name", ["", " ", "mina\0", "\nmina", "mina\ud800"])
def test_an_owner_has_a_name_that_can_be_stored(name: str) -> None:
    with pytest.raises(LessonsError, match="name the owner"):
        Scope(name)


def test_narrowing_a_scope_never_makes_it_wider() -> None:
    narrow = Scope("mina", frozenset({"a", "b"})).only(["b", "c"])
    assert narrow == Scope("mina", frozenset({"b"}))
    assert Scope("mina").only([]).ref_ids == frozenset()


def test_a_search_stays_in_the_materials_and_the_type_of_its_scope(store: ChunkStore, mina: Scope) -> None:
    put(store, mina, "a.md"), put(store, mina, "b.md"), put(store, mina, "c.md", "note")
    assert found(store, mina) == {"a.md", "b.md", "c.md"}
    assert found(store, mina.only(["a.md", "unknown.md"])) == {"a.md"}
    assert found(store, Scope(mina.user_id, type="note")) == {"c.md"}
    assert found(store, mina.only([])) == set()


def test_materials_added_later_are_not_in_an_older_plan(store: ChunkStore, plans: Plans, mina: Scope) -> None:
    put(store, mina, "a.md")
    plan = plans.make_plan(mina, ["a.md"])
    put(store, mina, "b.md")
    assert found(store, plans.plan_scope(plan, mina)) == {"a.md"}


def test_a_plan_narrows_a_scope_that_is_narrow_already(store: ChunkStore, plans: Plans, mina: Scope) -> None:
    put(store, mina, "a.md"), put(store, mina, "b.md")
    plan = plans.make_plan(mina, ["a.md", "b.md"])
    assert plans.plan_scope(plan, mina.only(["b.md"])).ref_ids == {"b.md"}


@pytest.mark.parametrize("names", [["his.md"], ["hers.md", "nobody's.md"], []])
def test_a_plan_takes_only_materials_that_its_owner_has(
    store: ChunkStore, plans: Plans, mina: Scope, names: list[str]
) -> None:
    put(store, mina, "hers.md"), put(store, Scope(f"joon-{uuid4()}"), "his.md")
    with pytest.raises(LessonsError):
        plans.make_plan(mina, names)


def test_a_plan_cannot_reach_beyond_the_scope_it_is_made_in(store: ChunkStore, plans: Plans, mina: Scope) -> None:
    put(store, mina, "a.md"), put(store, mina, "b.md")
    with pytest.raises(LessonsError, match="not among the materials"):
        plans.make_plan(mina.only(["a.md"]), ["b.md"])


def test_another_owners_plan_is_as_unknown_as_one_that_never_was(store: ChunkStore, plans: Plans, mina: Scope) -> None:
    put(store, mina, "a.md")
    plan = plans.make_plan(mina, ["a.md"])
    said = set()
    for plan_id in (plan, str(uuid4()), "' OR '1'='1", "", "\0"):
        with pytest.raises(LessonsError) as caught:
            plans.plan_scope(plan_id, Scope("joon"))
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize("rights", ["", "CREATEROLE"])
def test_everything_works_for_a_user_who_is_no_administrator(tenant: Callable[[str], Engine], rights: str) -> None:
    """Such a user owns the tables and is held by their policies, so nothing may rely on passing them."""
    database = tenant(rights)
    store, plans, jobs = ChunkStore(database, "tmp_tenant", "toy", 3), Plans(database), JobQueue(database)
    mina, joon = Scope("mina"), Scope("joon")
    for owner in (mina, joon):
        put(store, owner, "a.md")
    store.optimize(10_000)
    assert [found.metadata["user_id"] for found in store.keyword_search(["md"], 5, joon).nodes] == ["joon"]
    assert plans.plan_scope(plans.make_plan(mina, ["a.md"]), mina).ref_ids == {"a.md"}
    job = jobs.put(Scope("mina"), ["index"], "toy_3", [(b"words", "b.md")], 10)[0]
    assert jobs.cancel(job, Scope("mina")).status == "CANCELLED"
    assert jobs.status(job, Scope("joon")).status == "NOT_FOUND"
    assert drop_leftovers(database, mina) == [store.table_name]
    with owner_transaction(database, "mina") as connection:
        assert connection.scalar(select(func.count()).select_from(DocumentRow)) == 0
