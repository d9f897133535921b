"""PgBouncer in transaction mode stands between: a client's next transaction may run on another client's connection."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import text

from lessons.database import engine, stop
from lessons.ingest.index import naive_index
from lessons.ingest.jobs import Jobs
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings
from tests.conftest import new_tenant
from tests.ingest.jobs_place import until_workers_are_gone
from tests.ingest.test_store import chunk
from tests.support.pgbouncer import pgbouncer

OWNERS = Scope("mina"), Scope("joon")
DRAWN = random.Random(5)


@pytest.fixture(scope="module")
def direct(tcp_server: str) -> Iterator[Settings]:
    """A database of its own."""
    made = new_tenant(tcp_server, "CREATEROLE")
    yield made
    stop(made)


@pytest.fixture(scope="module")
def pooled(direct: Settings) -> Iterator[Settings]:
    """The same database behind the pooler."""
    with pgbouncer(direct.database_url.get_secret_value()) as url:
        made = Settings(database_url=url)
        yield made
        stop(made)


def vector() -> list[float]:
    return [DRAWN.gauss() for _ in range(8)]


def chunks_of(scope: Scope) -> list[TextNode]:
    return [chunk(f"{scope.user_id} {number}", vector(), scope, number) for number in range(200)]


def found(store: ChunkStore, scope: Scope, asked: list[float]) -> tuple[str, list[str]]:
    result = store.query(VectorStoreQuery(query_embedding=asked, similarity_top_k=5), scope=scope)
    return result.search_plan, [node.text for node in result.nodes]


def test_searches_of_many_clients_stay_apart_and_complete(
    direct: Settings, pooled: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "exact_search_chunks", 50)
    monkeypatch.setattr(settings(), "exact_filtered_chunks", 50)
    behind, before = (ChunkStore(engine(each), "pooled", "toy", 8) for each in (pooled, direct))
    for owner in OWNERS:
        behind.add(chunks_of(owner))
    behind.optimize(400)
    asked = [(owner, vector()) for owner in OWNERS * 20]
    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda each: found(behind, *each), asked))
    assert {search_plan for search_plan, _ in answers} == {"hnsw"}
    assert answers == [found(before, *each) for each in asked]
    assert all(
        each.startswith(owner.user_id) for (owner, _), (_, texts) in zip(asked, answers, strict=True) for each in texts
    )


def test_nothing_that_a_transaction_set_is_left_for_the_next_one(pooled: Settings) -> None:
    left = text(
        "SELECT current_setting('enable_sort'), coalesce(current_setting('lessons.user_id', true), ''),"
        " current_setting('role'), coalesce(current_setting('hnsw.ef_search', true), '40')"
    )
    with engine(pooled).connect() as one, engine(pooled).connect() as other:
        seen = {tuple(one.execute(left).one()), tuple(other.execute(left).one())}
    assert seen == {("on", "", "none", "40")}


def test_a_background_job_holds_its_claim_and_ends(pooled: Settings, tmp_path: Path) -> None:
    (tmp_path / "kiosk.md").write_text("# Kiosk\n\nThe kiosk opens at 7:30.")
    place, owner = Workspace.open(pooled.model_copy(update={"data_dir": tmp_path})), Scope("pooled-jobs")
    jobs = Jobs(place, {"naive": naive_index()})
    job = jobs.submit([(tmp_path / "kiosk.md", "kiosk.md")], owner)
    assert jobs.wait(job, owner, timeout=60).status == "COMPLETED"
    assert [row.source_file for row in place.store(naive_index()).documents(owner)] == ["kiosk.md"]
    until_workers_are_gone()
