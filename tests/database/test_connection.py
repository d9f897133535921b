"""Connections to an embedded and an external server: what works, and what each failure says."""

import os
import re
import socket
import subprocess
import threading
from contextlib import suppress
from time import sleep
from urllib.parse import quote

import psutil
import psycopg
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import make_url, text

from lessons.database import engine, erase, explained, server_info, stop
from lessons.database.cluster import keywords, last_address
from lessons.database.connection import PREPARE_AFTER
from lessons.database.messages import explain
from lessons.database.remote import psycopg_url
from lessons.errors import DatabaseError
from lessons.settings import Settings
from tests.conftest import PASSWORD
from tests.database.places import NOBODY, Place, wait_for


def sentence(url: str) -> str:
    """What the reader sees when DATABASE_URL is `url`."""
    with pytest.raises(DatabaseError) as caught:
        engine(Settings(database_url=url))
    said = str(caught.value)
    assert "\n" not in said
    return said


@pytest.fixture(scope="module")
def owner(tcp_server):
    """A connection of the second server's administrator, for each statement its own transaction."""
    with engine(Settings(database_url=tcp_server)).connect().execution_options(isolation_level="AUTOCOMMIT") as opened:
        yield lambda statement: opened.execute(text(statement))


@pytest.fixture(scope="module")
def guest(tcp_server, owner):
    """The URL of a user without rights in a database without the extension."""
    owner("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    owner("CREATE DATABASE plain")
    return make_url(tcp_server).set(username="guest", password="guest", database="plain").render_as_string(False)


def prepared(settings: Settings) -> int:
    """How many statements a connection has prepared that ran the same one over and over."""
    with engine(settings).connect() as connection:
        for number in range(2 * PREPARE_AFTER):
            connection.scalar(text("SELECT :number"), {"number": number})
        return connection.scalar(text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1%'"))


def test_statements_are_prepared_on_our_own_server_and_not_where_a_pooler_may_stand(
    database: Settings, tcp_server: str
) -> None:
    assert prepared(database) == 1
    assert prepared(Settings(database_url=tcp_server)) == 0


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2", "postgresql+asyncpg"])
def test_every_way_to_write_the_url_means_psycopg(tcp_server: str, scheme: str) -> None:
    made = engine(Settings(database_url=tcp_server.replace("postgresql", scheme, 1)))
    assert made.url.drivername == "postgresql+psycopg"
    with made.connect() as connection:
        assert connection.scalar(text("SELECT current_user")) == "owner"


def test_one_process_has_one_engine_for_a_database(any_database: Settings) -> None:
    assert engine(any_database) is engine(any_database)


def test_the_server_says_what_it_is_without_its_password(any_database: Settings) -> None:
    said = server_info(any_database)
    assert re.match(r"PostgreSQL 18\S* with pgvector 0\.\S*, ", said)
    assert (", at postgresql" in said) if any_database.database_url else said.endswith(", embedded")
    assert PASSWORD not in said
    assert quote(PASSWORD, safe="") not in said


def test_a_connection_that_was_cut_is_replaced(any_database: Settings) -> None:
    made = engine(any_database)
    with made.connect() as first, made.connect() as second:
        cut = first.scalar(text("SELECT pg_backend_pid()"))
        second.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": cut})
        sleep(0.1)
        with pytest.raises(DatabaseError, match="broke off"):
            first.execute(text("SELECT 1"))
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_a_forked_child_opens_connections_of_its_own(any_database: Settings) -> None:
    made = engine(any_database)
    with made.connect() as connection:
        here = connection.scalar(text("SELECT pg_backend_pid()"))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException), made.connect() as connection:
            os.write(writing, str(connection.scalar(text("SELECT pg_backend_pid()"))).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(reading, 20)) != here
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_threads_share_the_engine(database: Settings) -> None:
    made = engine(database)
    found = []

    def ask() -> None:
        with made.connect() as connection:
            found.append(connection.scalar(text("SELECT 1 FROM pg_sleep(0.05)")))

    threads = [threading.Thread(target=ask) for _ in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 15


def test_a_stopped_server_of_our_own_starts_again(tmp_path) -> None:
    chosen = Settings(data_dir=tmp_path)
    made = engine(chosen)
    with made.begin() as connection:
        connection.execute(text("CREATE TABLE kept AS SELECT 7 AS number"))
    stop(chosen)
    with engine(chosen).connect() as connection:
        assert connection.scalar(text("SELECT number FROM kept")) == 7
    with made.connect() as connection:
        assert connection.scalar(text("SELECT number FROM kept")) == 7
    made.dispose()
    erase(chosen)
    assert not (tmp_path / "postgres").exists()


def test_nothing_of_the_embedded_server_can_be_reached_by_others(database: Settings) -> None:
    made = engine(database)
    with made.connect() as connection:
        assert connection.scalar(text("SHOW listen_addresses")) == ""
        sockets = connection.scalar(text("SHOW unix_socket_directories"))
    assert os.stat(sockets).st_mode & 0o777 == 0o700


# What failures say


def test_a_wrong_password_is_named_as_such(tcp_server: str) -> None:
    said = sentence(make_url(tcp_server).set(password="secret-wrong").render_as_string(False))
    assert "does not accept the password of user owner" in said
    assert "secret-wrong" not in said


def test_a_missing_password_is_asked_for(tcp_server: str) -> None:
    assert "asks for a password" in sentence(tcp_server.replace(":" + quote(PASSWORD, safe="") + "@", "@"))


def test_a_port_where_nothing_listens_is_named() -> None:
    assert sentence("postgresql://me:secret@127.0.0.1:1/x").startswith("Nothing listens at 127.0.0.1, port 1:")


def test_an_unknown_host_is_named() -> None:
    assert sentence("postgresql://me:secret@nowhere.invalid/x").startswith("The host nowhere.invalid of the database")


def test_a_server_that_does_not_answer_is_given_up(tcp_server: str) -> None:
    """The listening socket takes the connection and then says nothing, as behind a silent firewall."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        said = sentence(f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2")
    assert "does not answer" in said


def test_a_database_that_does_not_exist_is_named(tcp_server: str) -> None:
    said = sentence(make_url(tcp_server).set(database="absent").render_as_string(False))
    assert said.startswith("There is no database absent at 127.0.0.1, port")


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_store_every_letter_is_refused(tcp_server: str, owner, encoding: str) -> None:
    owner(f"CREATE DATABASE {encoding} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'")
    said = sentence(make_url(tcp_server).set(database=encoding.lower()).render_as_string(False))
    assert "make one with `createdb --encoding=UTF8" in said


def test_an_unknown_option_is_named(tcp_server: str) -> None:
    assert 'invalid connection option "pgbouncer"' in sentence(f"{tcp_server}?pgbouncer=true")


@pytest.mark.parametrize("url", ["mysql://me:secret@host/x", "secret", "postgresql://me:secret@host:port/x"])
def test_what_is_no_url_is_not_repeated(url: str) -> None:
    said = sentence(url)
    assert said.startswith("DATABASE_URL cannot be read")
    assert "secret" not in said


def test_a_database_without_pgvector_says_how_to_get_it(tcp_server: str, owner) -> None:
    owner("CREATE DATABASE bare")
    owner("ALTER DATABASE bare SET extension_control_path = '/nonexistent'")
    chosen = Settings(database_url=make_url(tcp_server).set(database="bare").render_as_string(False))
    with pytest.raises(DatabaseError, match="has no pgvector: install it"):
        server_info(chosen)
    with (
        pytest.raises(DatabaseError, match="has no pgvector: install it"),
        explained(),
        engine(chosen).begin() as connection,
    ):
        connection.execute(text("CREATE EXTENSION vector"))


def test_too_many_connections_are_named(guest: str, owner) -> None:
    owner("ALTER ROLE guest CONNECTION LIMIT 0")
    try:
        assert "accepts no more connections" in sentence(guest)
    finally:
        owner("ALTER ROLE guest CONNECTION LIMIT -1")


def test_a_missing_right_is_named(guest: str) -> None:
    with (
        pytest.raises(DatabaseError, match="The database user lacks a right: permission denied for schema public"),
        explained(),
        engine(Settings(database_url=guest)).begin() as connection,
    ):
        connection.execute(text("CREATE TABLE public.mine (x int)"))


def test_a_read_only_database_is_named(tcp_server: str) -> None:
    with engine(Settings(database_url=tcp_server)).connect() as connection:
        connection.execute(text("SET TRANSACTION READ ONLY"))
        with pytest.raises(DatabaseError, match="read-only"), explained():
            connection.execute(text("CREATE TABLE mine (x int)"))


def test_a_mistake_in_a_statement_is_quoted_in_one_line(database: Settings) -> None:
    with (
        pytest.raises(DatabaseError) as caught,
        explained(),
        engine(database).connect() as connection,
    ):
        connection.execute(text("SELECT absent FROM pg_class"))
    assert str(caught.value) == 'The database could not do what it was asked: column "absent" does not exist.'


def test_a_server_that_is_shutting_down_says_try_again(ordinary_place: Place) -> None:
    client = ordinary_place.client()
    assert ordinary_place.answer(client) == "ok"
    words = keywords(last_address(ordinary_place.home))
    with psycopg.connect(**words):
        ordinary_place.server().terminate()  # SIGTERM: wait for the clients that are there, let no others in
        said = []

        def refused() -> bool:
            try:
                psycopg.connect(**words).close()
            except psycopg.OperationalError as error:
                said.append(str(explain(error)))
            return bool(said)

        assert wait_for(refused)
    assert said == ["The database is starting up or shutting down: try again in a few seconds."]


def test_a_disk_that_fills_up_is_named_and_the_server_recovers(ordinary_place: Place) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", f"size=90m,uid={NOBODY}", "none", str(ordinary_place.folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    try:
        client = ordinary_place.client()
        assert ordinary_place.answer(client) == "ok"
        with psycopg.connect(**keywords(last_address(ordinary_place.home)), autocommit=True) as connection:
            connection.execute("CREATE UNLOGGED TABLE filling (words text STORAGE PLAIN)")
            with pytest.raises(DatabaseError, match="The disk of the database is full"), explained():
                connection.execute("INSERT INTO filling SELECT repeat('x', 7000) FROM generate_series(1, 20000)")
        assert ordinary_place.answer(client) == "ok"
    finally:
        ordinary_place.close()
        subprocess.run(["umount", "-l", str(ordinary_place.folder)], check=True)


@examples(max_examples=25)
@given(st.text(min_size=8).filter(lambda word: len(set(word)) > 4))
def test_no_message_ever_holds_the_password(tcp_server: str, password: str) -> None:
    said = sentence(tcp_server.replace(quote(PASSWORD, safe=""), quote(password, safe="")))
    assert password not in said
    assert quote(password, safe="") not in said


@given(st.text() | st.text().map("postgresql://{}".format))
def test_any_text_is_a_url_or_a_sentence(url: str) -> None:
    with suppress(DatabaseError):
        assert psycopg_url(url).drivername == "postgresql+psycopg"


def test_a_crash_is_told_and_the_next_connection_waits_for_the_recovery(database: Settings) -> None:
    made = engine(database)
    with made.connect() as connection:
        backend = psutil.Process(connection.scalar(text("SELECT pg_backend_pid()")))
        backend.kill()
        psutil.wait_procs([backend], timeout=5)
        with pytest.raises(DatabaseError, match="broke off"):
            connection.execute(text("SELECT 1"))
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_an_error_for_the_log_does_not_hold_what_an_owner_wrote(database: Settings) -> None:
    with pytest.raises(DatabaseError) as caught, explained(), engine(database).connect() as connection:
        connection.execute(text("SELECT 1 / 0, cast(:said AS text)"), {"said": "a secret"})
    assert "a secret" not in str(caught.value.__cause__)
