"""DATABASE_URL with several hosts, and work that is done again when the database breaks it off."""

import pytest
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import event, text

from lessons.database import engine
from lessons.database.connection import psycopg_url
from lessons.database.replicas import again_if_broken_off, single
from lessons.errors import BrokenOffError
from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.settings import Settings
from tests.ingest.test_store import chunk


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgres://me:p%40ss@one:5433,two/db?sslmode=require", "one,two", "5433,"),
        ("postgresql://one,two,three/db", "one,two,three", None),
        ("postgresql:///db?host=/tmp/a,/tmp/b&port=1,2", "/tmp/a,/tmp/b", "1,2"),
    ],
)
def test_a_url_may_name_several_servers(url: str, host: str, port: str | None) -> None:
    read = psycopg_url(url)
    assert (read.query["host"], read.query.get("port"), read.database) == (host, port, "db")
    assert not single(read)
    assert "me" not in url or (read.username, read.password, read.query["sslmode"]) == ("me", "p@ss", "require")


@pytest.mark.parametrize("url", ["postgresql://me:a,b@one:5433/db", "postgresql://[::1]/db", "postgresql:///db"])
def test_a_comma_elsewhere_names_no_second_server(url: str) -> None:
    assert single(psycopg_url(url))


def test_a_search_whose_connection_is_cut_is_made_again(database: Settings) -> None:
    made, scope = engine(database), Scope("cut")
    store = ChunkStore(made, "cut", "toy", 3)
    store.add([chunk("kept", [1, 0, 0], scope)])
    cut = []

    def cut_once(connection, cursor, statement, *_) -> None:
        if "embedding <=>" in statement and not cut:
            cut.append(connection.connection.driver_connection.info.backend_pid)
            with made.connect() as other:
                other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": cut[0]})

    event.listen(made, "before_cursor_execute", cut_once)
    try:
        found = store.query(VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=1), scope=scope)
    finally:
        event.remove(made, "before_cursor_execute", cut_once)
    assert cut
    assert [node.text for node in found.nodes] == ["kept"]


def test_work_that_breaks_off_every_time_is_given_up() -> None:
    tried = []

    @again_if_broken_off
    def work() -> None:
        tried.append(1)
        raise BrokenOffError("The connection broke off.")

    with pytest.raises(BrokenOffError):
        work()
    assert len(tried) == 3
