"""SQL that a model wrote reads one owner's rows of one table, whatever it tries."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors

from lessons.database.model_sql import reader_login, select
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.workbook import Workbook

Run = Callable[[str], list[tuple[Any, ...]]]

TABLES = """
CREATE SCHEMA made;
CREATE TABLE made.private (owner text);
INSERT INTO made.private VALUES ('mina');
CREATE TABLE made.readings (owner text, item text, litres int);
INSERT INTO made.readings VALUES ('mina', 'rain', 7), ('mina', 'well', 4), ('joon', 'rain', 9), ('joon', 'well', 8);
SET search_path = made"""


@pytest.fixture(scope="module")
def db(database: Settings) -> Iterator[psycopg.Connection]:
    """The administrator of the embedded server, with readings of mina and joon in a schema of their own."""
    opened = Workbook(Workspace.open(database)).connect()
    opened.execute(TABLES)
    yield opened
    opened.execute("DROP SCHEMA made CASCADE")
    opened.close()


@pytest.fixture(scope="module")
def run(db: psycopg.Connection) -> Run:
    """Runs a statement as the login that can read mina's readings."""
    login = reader_login(db, "readings", "mina")
    return lambda statement: select(login, statement)


def test_a_select_returns_its_rows(run: Run) -> None:
    assert run("SELECT item, litres FROM readings ORDER BY litres;") == [("well", 4), ("rain", 7)]


def test_a_statement_may_begin_with_with(run: Run) -> None:
    assert run("WITH most AS (SELECT max(litres) AS litres FROM readings) SELECT litres FROM most") == [(7,)]


def test_a_comment_at_its_end_hides_nothing(run: Run) -> None:
    assert run("SELECT count(*) FROM readings -- all of them") == [(2,)]


def test_percent_signs_and_braces_are_text(run: Run) -> None:
    assert run("SELECT '%s {} 7 %'") == [("%s {} 7 %",)]


def test_no_more_rows_come_than_the_limit(run: Run) -> None:
    assert run("SELECT * FROM generate_series(1, 100)") == [(1,), (2,), (3,), (4,), (5,)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT pg_ls_dir('.')",
        "SELECT lo_import('PG_VERSION')",
        "SELECT set_config('role', 'postgres', true), pg_read_file('PG_VERSION')",
        "SELECT word FROM (SELECT set_config('role', 'none', true)) AS s,"
        " ts_stat('SELECT to_tsvector(''simple'', pg_read_file(''PG_VERSION''))')",
    ],
)
def test_no_file_of_the_server_is_read(run: Run, statement: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege, match="permission denied for function"):
        run(statement)


@pytest.mark.parametrize("statement", ["COPY readings FROM PROGRAM 'id'", "COPY (SELECT 1) TO PROGRAM 'id'"])
def test_no_program_is_started(run: Run, statement: str) -> None:
    with pytest.raises(errors.SyntaxError):
        run(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT DISTINCT owner FROM readings",
        "SELECT DISTINCT owner FROM made.readings WHERE owner = 'joon' OR true",
        "SELECT DISTINCT owner FROM (SELECT set_config('lessons.user_id', 'joon', true)) AS s, readings",
    ],
)
def test_another_owners_rows_are_not_there(run: Run, statement: str) -> None:
    assert run(statement) == [("mina",)]


def test_a_policy_cannot_be_switched_off(run: Run) -> None:
    statement = (
        "SELECT word FROM (SELECT set_config('row_security', 'off', true)) AS s,"
        " ts_stat('SELECT to_tsvector(owner) FROM readings')"
    )
    with pytest.raises(errors.InsufficientPrivilege, match="row-level security policy"):
        run(statement)


@pytest.mark.parametrize("table", ["private", "pg_authid", "pg_largeobject"])
def test_another_table_is_not_read(run: Run, table: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege, match=f"permission denied for table {table}"):
        run(f"TABLE {table}")


@pytest.mark.parametrize("setting", ["role", "session_authorization"])
def test_the_login_cannot_become_somebody_else(run: Run, setting: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege, match="permission denied to set"):
        run(f"SELECT set_config('{setting}', 'postgres', true)")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM readings",
        "WITH gone AS (DELETE FROM readings RETURNING *) SELECT * FROM gone",
        "SELECT 1; DELETE FROM readings",
        "SELECT 1) AS answer; DELETE FROM readings; SELECT * FROM (SELECT 1",
        "SELECT lo_create(0)",
        "SELECT set_config('transaction_read_only', 'off', true)",
    ],
)
def test_nothing_is_written(run: Run, statement: str) -> None:
    with pytest.raises(psycopg.Error):
        run(statement)
    assert run("SELECT count(*) FROM readings") == [(2,)]


def test_a_statement_that_takes_too_long_is_cancelled(run: Run) -> None:
    with pytest.raises(errors.QueryCanceled):
        run("SELECT set_config('statement_timeout', '0', true), pg_sleep(60)")


def test_each_owner_reads_its_own_rows(db: psycopg.Connection, run: Run) -> None:
    logins = [reader_login(db, "readings", owner) for owner in ("joon", 'it\'s $$ "mina"' + "a" * 80)]
    assert [select(login, "SELECT DISTINCT owner FROM readings") for login in logins] == [[("joon",)], []]
    assert run("SELECT DISTINCT owner FROM readings") == [("mina",)]


def test_a_login_may_be_made_again(db: psycopg.Connection) -> None:
    first, second = (reader_login(db, "readings", "joon") for _ in range(2))
    assert select(second, "SELECT count(*) FROM readings") == [(2,)]
    assert first != second


def test_a_user_without_all_rights_can_make_a_login_too(tenant: Callable[[str], Any]) -> None:
    pooled = tenant("CREATEROLE").raw_connection()
    opened = pooled.driver_connection
    pooled.detach()
    opened.rollback()
    opened.autocommit = True
    opened.execute(TABLES)
    login = reader_login(opened, "readings", "mina")
    opened.close()
    assert select(login, "SELECT DISTINCT owner FROM readings") == [("mina",)]
