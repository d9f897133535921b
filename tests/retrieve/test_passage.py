"""A chunk between its neighbours, for its owner only."""

from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.materials import chunk_range, passage
from tests.retrieve.conftest import Put


def ids(store: ChunkStore, scope: Scope, name: str) -> list[str]:
    return [node.node_id for node in chunk_range(store, scope, name, 0, 9)]


def test_a_chunk_is_found_with_its_neighbours(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "zero", "one", "two", "three")
    found = passage(store, mina, ids(store, mina, "a.md")[2])
    assert found is not None
    assert (found.before, found.text, found.after) == (("one",), "two", ("three",))
    assert (found.source_file, found.number, found.chunks) == ("a.md", 3, 4)


def test_the_first_chunk_has_none_before_it(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "zero", "one")
    found = passage(store, mina, ids(store, mina, "a.md")[0], around=2)
    assert found is not None
    assert (found.before, found.text, found.after) == ((), "zero", ("one",))


def test_another_owners_chunk_is_not_shown(store: ChunkStore, put: Put, mina: Scope, joon: Scope) -> None:
    put(mina, "a.md", "zero")
    assert passage(store, joon, ids(store, mina, "a.md")[0]) is None
