"""DATABASE_URL with several hosts, and work that is done again when the database breaks it off."""

import pytest
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import event, func, select, text

from lessons.database import engine
from lessons.database.owners import retry_on_disconnect
from lessons.database.remote import names_one_server, psycopg_url
from lessons.errors import BrokenOffError
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.ingest.test_store import chunk


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgres://me:p%40ss@one:5433,two/db?sslmode=require", "one,two", "5433,"),
        ("postgresql://one,two,three/db", "one,two,three", None),
        ("postgresql://you@[::1]:5432,[::2]:5433/db", "::1,::2", "5432,5433"),
        ("postgresql:///db?host=/tmp/a,/tmp/b&port=1,2", "/tmp/a,/tmp/b", "1,2"),
    ],
)
def test_a_url_may_name_several_servers(url: str, host: str, port: str | None) -> None:
    read = psycopg_url(url)
    assert (read.query["host"], read.query.get("port"), read.database) == (host, port, "db")
    assert not names_one_server(read)
    assert "me" not in url or (read.username, read.password, read.query["sslmode"]) == ("me", "p@ss", "require")


@pytest.mark.parametrize("url", ["postgresql://me:a,b@one:5433/db", "postgresql://[::1]/db", "postgresql:///db"])
def test_a_comma_elsewhere_names_no_second_server(url: str) -> None:
    assert names_one_server(psycopg_url(url))


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


def test_searches_that_share_a_transaction_are_all_made_again(database: Settings) -> None:
    made, scope = engine(database), Scope("cut together")
    store = ChunkStore(made, "cut", "toy", 3)
    store.add([chunk("kept", [1, 0, 0], scope)])
    seen: list[list[int]] = []

    @retry_on_disconnect
    def two_searches() -> list[int]:
        seen.append([])
        with store.reading(scope):
            for _ in range(2):
                seen[-1].append(store.rows(select(func.pg_backend_pid()), scope)[0][0])
                if len(seen) == 1:
                    with made.connect() as other:
                        other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": seen[0][0]})
        return seen[-1]

    first, second = two_searches()
    assert first == second != seen[0][0]
    assert [len(pids) for pids in seen] == [1, 2]


def test_only_searches_of_the_same_owner_share_a_transaction(database: Settings) -> None:
    store, mina, joon = ChunkStore(engine(database), "cut", "toy", 3), Scope("shares"), Scope("shares not")

    def transaction(scope: Scope) -> int:
        return store.rows(select(func.pg_current_xact_id()), scope)[0][0]

    with store.reading(mina):
        assert transaction(mina) == transaction(mina) != transaction(joon)
    assert transaction(mina) != transaction(mina)


def test_work_that_breaks_off_every_time_is_given_up() -> None:
    tried = []

    @retry_on_disconnect
    def work() -> None:
        tried.append(1)
        raise BrokenOffError("The connection broke off.")

    with pytest.raises(BrokenOffError):
        work()
    assert len(tried) == 3
