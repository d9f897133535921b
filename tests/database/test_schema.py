"""The schema is made once, whole or not at all, by however many processes."""

import multiprocessing
import threading

import psutil
import pytest
from sqlalchemy import make_url, text

from lessons.database import engine, ensure_schema, erase
from lessons.database.schema import NO_SUCH_INSTRUCTION
from lessons.errors import DatabaseError
from lessons.settings import Settings
from tests.database.places import wait_for


@pytest.fixture(scope="module")
def owner(tcp_server):
    """Runs a statement as the second server's administrator, in a transaction of its own."""
    with engine(Settings(database_url=tcp_server)).connect().execution_options(isolation_level="AUTOCOMMIT") as opened:
        yield lambda statement: opened.execute(text(statement))


def url_of(tcp_server: str, **parts: str) -> str:
    return make_url(tcp_server).set(**parts).render_as_string(False)


def test_four_processes_may_make_it_at_once(tcp_server: str, owner) -> None:
    owner("CREATE DATABASE race")
    made = engine(Settings(database_url=url_of(tcp_server, database="race")))
    processes = multiprocessing.get_context("fork")
    barrier, results = processes.Barrier(4), processes.Queue()

    def race() -> None:
        with made.connect():  # so that nobody is late for the start
            barrier.wait()
        ensure_schema(made, lambda connection: connection.execute(text("CREATE TABLE IF NOT EXISTS t (at vector(3))")))
        results.put("made")

    racers = [processes.Process(target=race) for _ in range(4)]
    for racer in racers:
        racer.start()
    assert [results.get(timeout=60) for _ in racers] == ["made"] * 4
    for racer in racers:
        racer.join()
        assert racer.exitcode == 0


def test_it_brings_the_vector_type(any_database: Settings) -> None:
    made = engine(any_database)
    ensure_schema(made, lambda connection: connection.execute(text("CREATE TABLE IF NOT EXISTS v (at vector(2))")))
    with made.connect() as connection:
        assert connection.scalar(text("SELECT '[1,0]'::vector <=> '[0,1]'")) == 1


def test_a_failure_leaves_nothing_behind(any_database: Settings) -> None:
    made = engine(any_database)

    def half(connection) -> None:
        connection.execute(text("CREATE TABLE half_made (x int)"))
        connection.execute(text("CREATE TABLE half_made (x int)"))

    with pytest.raises(DatabaseError, match="half_made"):
        ensure_schema(made, half)
    with made.connect() as connection:
        assert connection.scalar(text("SELECT to_regclass('half_made')")) is None


def test_a_user_who_may_not_switch_pgvector_on_is_told_who_can(tcp_server: str, owner) -> None:
    owner("CREATE ROLE visitor LOGIN PASSWORD 'visitor'")
    owner("CREATE DATABASE visited")
    made = engine(Settings(database_url=url_of(tcp_server, username="visitor", password="visitor", database="visited")))
    with pytest.raises(DatabaseError, match="let an administrator run `CREATE EXTENSION vector` once"):
        ensure_schema(made, lambda connection: None)


def test_a_user_without_rights_works_where_pgvector_is_switched_on(tcp_server: str, owner) -> None:
    owner("CREATE ROLE tenant LOGIN PASSWORD 'tenant'")
    owner("CREATE DATABASE rented OWNER tenant")
    with engine(Settings(database_url=url_of(tcp_server, database="rented"))).begin() as connection:
        connection.execute(text("CREATE EXTENSION vector"))
    made = engine(Settings(database_url=url_of(tcp_server, username="tenant", password="tenant", database="rented")))
    ensure_schema(made, lambda connection: connection.execute(text("CREATE TABLE mine (at vector(2))")))
    with made.connect() as connection:
        assert connection.scalar(text("SELECT to_regclass('mine')")) == "mine"


def test_an_illegal_instruction_is_named(tmp_path) -> None:
    """As pgvector would cause it on an old processor: the server's process dies of signal 4 at work."""
    chosen = Settings(data_dir=tmp_path)
    made = engine(chosen)
    backends: list[int] = []

    def work(connection) -> None:
        backends.append(connection.scalar(text("SELECT pg_backend_pid()")))
        connection.execute(text("SELECT pg_sleep(30)"))

    killer = threading.Thread(target=lambda: wait_for(lambda: backends) and psutil.Process(backends[0]).send_signal(4))
    killer.start()
    with pytest.raises(DatabaseError) as caught:
        ensure_schema(made, work)
    killer.join()
    assert str(caught.value) == NO_SUCH_INSTRUCTION
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    made.dispose()
    erase(chosen)
