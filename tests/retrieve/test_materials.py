"""Ranges in their order, and the state of materials."""

import pytest

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.ingest.queue import JobQueue, JobResult, claim_next
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.materials import Material, chunk_range, statistics, top_k_for
from lessons.settings import Settings
from tests.retrieve.conftest import Put


def texts(nodes: list) -> list[str]:
    return [node.get_content() for node in nodes]


def test_a_range_gives_its_chunks_in_their_order(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "zero", "one", "two", "three")
    assert texts(chunk_range(store, mina, "a.md", 1, 3)) == ["one", "two"]
    assert texts(chunk_range(store, mina, "a.md", 2, 99)) == ["two", "three"]
    assert texts(chunk_range(store, mina, "a.md", 3, 1)) == []


@pytest.mark.parametrize("name", ["his.md", "unknown.md", "b.md"])
def test_a_range_of_what_is_not_within_the_scope_is_refused(
    store: ChunkStore, put: Put, mina: Scope, joon: Scope, name: str
) -> None:
    put(joon, "his.md", "words"), put(mina, "a.md", "words"), put(mina, "b.md", "words")
    with pytest.raises(LessonsError, match="not among the materials"):
        chunk_range(store, mina.only(["a.md", "his.md"]), name, 0, 9)


def test_statistics_count_chunks_and_pages(store: ChunkStore, put: Put, mina: Scope, joon: Scope) -> None:
    put(mina, "a.md", "one", "two"), put(joon, "his.md", "three")
    first, his, unknown = statistics(store, mina, ["a.md", "his.md", "unknown.md"])
    assert (first.state, first.chunks, first.pages) == ("COMPLETED", 2, 2)
    assert (his, unknown) == (Material("his.md", "NOT_FOUND"), Material("unknown.md", "NOT_FOUND"))


def test_statistics_leave_out_what_is_not_within_the_scope(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "one"), put(mina, "b.md", "two")
    assert [material.state for material in statistics(store, mina.only(["a.md"]), ["a.md", "b.md"])] == [
        "COMPLETED",
        "NOT_FOUND",
    ]


def test_statistics_know_what_jobs_are_at(store: ChunkStore, mina: Scope, database: Settings) -> None:
    queue = JobQueue(engine(database))
    waiting = [(b"one", "waiting.md"), (b"two", "broken.md")]
    job, _ = queue.put(mina, ["states"], "toy_3", waiting, 10)
    states = [material.state for material in statistics(store, mina, ["waiting.md", "broken.md"])]
    assert states == ["PROCESSING", "PROCESSING"]
    with claim_next(queue.engine, ["states"], "toy_3", job) as taken:
        taken.record(JobResult("broken.md", "failed", reason="It cannot be read.", index="states"))
        taken.finish("COMPLETED")
    states = [material.state for material in statistics(store, mina, ["waiting.md", "broken.md"])]
    assert states == ["NOT_FOUND", "FAILED"]


def test_how_many_chunks_depends_on_the_purpose() -> None:
    assert [top_k_for(purpose) for purpose in ("chat", "plan", "session")] == [5, 10, 3]
