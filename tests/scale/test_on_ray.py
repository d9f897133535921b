"""Ingestion on a cluster of two machines' worth of workers: the rows of the local path, whatever dies on the way."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from lessons.database import stop
from lessons.errors import DatabaseError, LessonsError, ModelError
from lessons.ingest.index import Index, enhanced_index, naive_index
from lessons.ingest.pipeline import FileResult, ingest
from lessons.rag.tables import term_table
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.scale.on_ray import cluster, ingest_on_ray, refuse_unreachable
from lessons.settings import Settings
from tests.conftest import new_tenant
from tests.support.files import write_pdf
from tests.support.openai_server import Server
from tests.test_cli import lessons

Files = list[tuple[Path, str]]


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Ray, with two nodes of one worker each."""
    os.environ |= {"RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    ray = pytest.importorskip("ray", reason="needs the extra: uv sync --extra scale")
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1)
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
        yield ray
    finally:
        with suppress(Exception):
            ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Four documents of two languages and three formats, one of them twice, and one that is none."""
    (tmp_path / "kiosk.md").write_text("# Kiosk\n\nThe kiosk opens at 7:30.\n\n## Prices\n\nCoffee costs 2 euros.")
    (tmp_path / "도서관.txt").write_text("도서관은 평일 오전 9시에 문을 엽니다. 책은 다섯 권까지 빌릴 수 있습니다.")
    (tmp_path / "plan.html").write_text("<h1>Plan</h1><p>It ends in May.</p><h2>Later</h2><p>Nothing is planned.</p>")
    write_pdf(tmp_path / "report.pdf", "Sales rose by 4 percent.", "환불은 14일 이내에 신청하실 수 있습니다.")
    (tmp_path / "twin.md").write_bytes((tmp_path / "kiosk.md").read_bytes())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 cut")
    return [(path, path.name) for path in sorted(tmp_path.iterdir(), key=lambda path: path.name == "twin.md")]


@pytest.fixture
def served(database: Settings, server: Server) -> Settings:
    """Settings whose embedding, and nothing else, is asked from the server, and has never been asked before."""
    return database.model_copy(update={"openai_base_url": server.url, "embedding_model": f"toy-{uuid4().hex}"})


def rows(place: Workspace, index: Index, scope: Scope) -> list[tuple]:
    """All that is stored of an owner's chunks and their terms, but for the numbers that a sequence gave."""
    store = place.store(index)
    chunks, postings = store.chunks, term_table(store.chunks)
    columns = [column for column in chunks.columns if column.name not in ("id", "document_id", "embedding")]
    found = store.rows(select(*columns, chunks.c.embedding).where(chunks.c.user_id == scope.user_id), scope)
    terms = select(postings.c.term, postings.c.frequency, postings.c.length, chunks.c.node_id)
    terms = terms.join_from(postings, chunks).where(postings.c.user_id == scope.user_id)
    documents = [(row.source_file, row.sha256, row.pages, row.chunks) for row in store.documents(scope)]
    everything = [*found, *store.rows(terms, scope), *documents]
    return sorted((tuple(map(str, row)) for row in everything), key=str)


def told(results: list[FileResult]) -> dict[str, tuple]:
    return {each.source_file: (each.status, each.chunks, each.reason, each.llm_calls) for each in results}


@pytest.fixture
def elsewhere(tcp_server: str) -> Iterator[Settings]:
    """A database that has seen nothing, so that no vector comes from a cache."""
    settings = new_tenant(tcp_server, "CREATEROLE")
    yield settings
    stop(settings)


@pytest.mark.parametrize("index", [naive_index(), enhanced_index()], ids=lambda index: index.name)
def test_a_cluster_stores_the_rows_and_vectors_of_the_local_path(
    workers: Any, database: Settings, elsewhere: Settings, files: Files, index: Index
) -> None:
    scope = Scope(f"ray-{uuid4().hex[:8]}")
    here, there = Workspace.open(database), Workspace.open(elsewhere)
    spread = list(ingest_on_ray(files, index, there, scope, "full"))
    local = index.enriched("full", here.llm)
    alone = list(ingest(files, local, here.store(index), here.embedding, scope))
    assert told(spread) == told(alone)
    assert [each.status for each in alone].count("added") == 4
    assert rows(there, index, scope) == rows(here, index, scope)


def test_two_runs_at_once_leave_every_row_once(workers: Any, served: Settings, files: Files) -> None:
    place, index, scope = Workspace.open(served), naive_index(), Scope("ray-twice")
    one, other = zip(*zip(*(ingest_on_ray(files, index, place, scope) for _ in range(2)), strict=True), strict=True)
    both = {each.source_file for each in one if each.status == "added"}
    assert both & {each.source_file for each in other if each.status in ("added", "replaced")}
    stored = rows(place, index, scope)
    again = told(list(ingest_on_ray(files, index, place, scope)))
    assert {status for status, *_ in again.values()} == {"unchanged", "duplicate", "failed"}
    for _, name in files:
        place.store(index).delete_document(scope, name)
    list(ingest(files, index, place.store(index), place.embedding, scope))
    assert rows(place, index, scope) == stored


def test_a_file_whose_worker_was_killed_is_done_by_another(
    workers: Any, served: Settings, server: Server, files: Files
) -> None:
    place, index, scope = Workspace.open(served), naive_index(), Scope("ray-killed")
    place.store(index)  # asks for the length of the vectors
    server.behave("kill", "answer")
    assert [each.status for each in ingest_on_ray(files, index, place, scope)].count("added") == 4
    assert len({row[0] for row in place.store(index).rows(select(place.store(index).chunks.c.node_id), scope)}) == 5


def test_a_file_over_which_workers_die_too_often_fails_and_the_run_goes_on(
    workers: Any, served: Settings, server: Server, files: Files
) -> None:
    one_by_one = served.model_copy(update={"ingestion_attempts": 1, "cluster_requests": 1})
    place, index = Workspace.open(one_by_one), naive_index()
    place.store(index)
    server.behave("kill", "answer")
    kiosk, plan = (next(each for each in files if each[1].startswith(name)) for name in ("kiosk", "plan"))
    results = told(list(ingest_on_ray([kiosk, plan], index, place, Scope("ray-given-up"))))
    assert results["kiosk.md"][0] == "failed"
    assert results["kiosk.md"][2].startswith("Work on it broke off 1 times and was given up")
    assert results["plan.html"][0] == "added"


def test_the_models_never_have_more_requests_than_the_setting_allows(
    workers: Any, served: Settings, server: Server, files: Files
) -> None:
    place = Workspace.open(served.model_copy(update={"cluster_requests": 1, "embedding_batch_size": 1}))
    long = files[0][0].with_name("long.md")
    long.write_text("\n\n".join(f"## Part {part}\n\n{'The kiosk sells tea. ' * 80}" for part in range(4)))
    server.behave("slow")
    results = list(ingest_on_ray([*files, (long, long.name)], enhanced_index(), place, Scope("ray-pressure"), "full"))
    assert [each.status for each in results].count("added") == 5
    assert max(each.chunks for each in results) == 4
    assert {"messages", "input"} <= {key for request in server.requests for key in request}
    assert server.most_under_way == 1


def test_a_model_that_refuses_ends_the_run_with_its_sentence(
    workers: Any, served: Settings, server: Server, files: Files
) -> None:
    place, index = Workspace.open(served.model_copy(update={"max_retries": 0})), naive_index()
    place.store(index)
    server.behave("quota")
    with pytest.raises(ModelError) as caught:
        list(ingest_on_ray(files, index, place, Scope("ray-refused")))
    assert "\n" not in str(caught.value)


def test_the_command_ingests_on_the_cluster(workers: Any, database: Settings, files: Files) -> None:
    kiosk = next(str(path) for path, name in files if name == "kiosk.md")
    done = lessons("ingest", kiosk, "--user", "ray-command", "--engine", "ray", "--index", "naive")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "added     kiosk.md [naive] 1 chunk\n"


def test_without_ray_the_command_says_how_to_get_it(
    database: Settings, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = lessons("ingest", str(files[0][0]), "--engine", "ray")
    assert (done.returncode, done.stdout) == (1, "")
    error = "Ray is not installed: run `uv sync --extra scale`, or ingest without `--engine ray`."
    assert done.stderr.splitlines() == ["Opening the database …", error]


@pytest.fixture
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Something in the place of Ray whose cluster lets nobody in."""

    def init(**_: Any) -> None:
        raise ConnectionError("Failed to connect to Ray cluster at here:6379")

    made = SimpleNamespace(is_initialized=lambda: False, init=init)
    monkeypatch.setitem(sys.modules, "ray", made)
    return made


def test_an_address_where_no_cluster_answers_is_told_at_once(
    no_cluster: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens there
        monkeypatch.setenv("RAY_ADDRESS", address := f"127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(LessonsError, match=f"No Ray cluster answers at {address}: start it"), cluster(Settings()):
            pass


def test_a_cluster_that_lets_nobody_in_without_its_token_says_how_to_show_it(
    no_cluster: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as head:
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{head.getsockname()[1]}")
        with pytest.raises(LessonsError) as caught, cluster(Settings()):
            pass
    assert "Failed to connect to Ray cluster at here:6379. Check RAY_ADDRESS" in str(caught.value)
    assert "set RAY_AUTH_MODE=token and copy ~/.ray/auth_token" in str(caught.value)


def test_machines_that_cannot_reach_the_embedded_database_are_refused() -> None:
    refuse_unreachable(Settings(), {"10.0.0.1"})
    refuse_unreachable(Settings(database_url="postgresql://somewhere/db"), {"10.0.0.1", "10.0.0.2"})
    with pytest.raises(DatabaseError, match="set DATABASE_URL to a PostgreSQL that every machine reaches"):
        refuse_unreachable(Settings(), {"10.0.0.1", "10.0.0.2"})
