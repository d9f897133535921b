"""The second wall: a transaction sees the rows of the owner it named, whatever its statements forget."""

import logging
from collections.abc import Callable

import pytest
from sqlalchemy import Connection, Engine, text

from lessons.database import engine, ensure_schema
from lessons.database.owners import owner_transaction, read_transaction, set_owner
from lessons.database.row_security import row_security_status
from lessons.database.schema import protect
from lessons.errors import DatabaseError

CREATE = text("CREATE TABLE IF NOT EXISTS walled (id bigserial PRIMARY KEY, user_id text, secret text)")
INSERT = text("INSERT INTO walled (user_id, secret) VALUES (:owner, :owner)")


def make(connection: Connection) -> None:
    connection.execute(CREATE)
    protect(connection, "walled")


def walled(database: Engine) -> Engine:
    """A table with one row of mina and one of joon."""
    ensure_schema(database, make)
    with database.begin() as connection:
        connection.execute(text("TRUNCATE walled"))
    for owner in ("mina", "joon"):
        with owner_transaction(database, owner) as connection:
            connection.execute(INSERT, {"owner": owner})
    return database


def secrets(connection: Connection) -> list[str]:
    """What a statement sees that forgot its WHERE."""
    return list(connection.scalars(text("SELECT secret FROM walled ORDER BY id")))


USERS = {"administrator": "SUPERUSER", "role maker": "CREATEROLE BYPASSRLS", "owner of the tables": ""}


@pytest.fixture(params=["embedded", *USERS])
def any_wall(request: pytest.FixtureRequest) -> Engine:
    """A walled table on each kind of database, for each kind of user for whom the wall stands."""
    if request.param == "embedded":
        return walled(engine(request.getfixturevalue("database")))
    return walled(request.getfixturevalue("tenant")(USERS[request.param]))


def test_a_forgotten_where_shows_only_the_owners_rows(any_wall: Engine) -> None:
    with owner_transaction(any_wall, "mina") as connection:
        assert secrets(connection) == ["mina"]


@pytest.mark.parametrize("nobody", ["", "stranger", "mina' OR '1'='1", "MINA", "mina "])
def test_whoever_owns_nothing_sees_nothing(any_wall: Engine, nobody: str) -> None:
    with owner_transaction(any_wall, nobody) as connection:
        assert secrets(connection) == []


def test_a_transaction_that_named_an_owner_leaves_nothing_to_the_next(any_wall: Engine) -> None:
    with any_wall.connect() as connection:
        with connection.begin():
            set_owner(connection, "mina")
        with connection.begin():
            assert not connection.scalar(text("SELECT current_setting('lessons.user_id', true)"))
            assert connection.scalar(text("SELECT current_user = session_user"))


def test_rows_of_another_owner_cannot_be_written_changed_or_deleted(any_wall: Engine) -> None:
    with pytest.raises(DatabaseError, match="rows of another owner"), owner_transaction(any_wall, "mina") as connection:
        connection.execute(INSERT, {"owner": "joon"})
    with pytest.raises(DatabaseError, match="rows of another owner"), owner_transaction(any_wall, "mina") as connection:
        connection.execute(text("UPDATE walled SET user_id = 'joon'"))
    with owner_transaction(any_wall, "mina") as connection:
        connection.execute(text("UPDATE walled SET secret = 'changed'"))
        connection.execute(text("DELETE FROM walled"))
    with owner_transaction(any_wall, "joon") as connection:
        assert secrets(connection) == ["joon"]


def test_a_search_that_fails_within_a_shared_transaction_is_told(any_wall: Engine) -> None:
    with pytest.raises(DatabaseError), read_transaction(any_wall, "mina") as connection:
        connection.execute(text("SELECT 1 / 0"))


def test_making_it_again_changes_nothing(any_wall: Engine) -> None:
    """A table that is in use must not be locked by each process that opens it."""
    marks = text("SELECT xmin::text FROM pg_policy WHERE polrelid = 'walled'::regclass")
    with any_wall.connect() as connection:
        before = connection.scalar(marks)
    ensure_schema(any_wall, make)
    with any_wall.connect() as connection:
        assert connection.scalar(marks) == before


def test_a_role_that_owns_nothing_is_taken_on_where_one_may_be_made(tenant: Callable[[str], Engine]) -> None:
    database = walled(tenant("CREATEROLE"))
    with owner_transaction(database, "mina") as connection:
        assert connection.scalar(text("SELECT current_user")) == f"lessons_scope_{database.url.database}"
    with pytest.raises(DatabaseError), owner_transaction(database, "mina") as connection:
        connection.execute(text("ALTER TABLE walled DISABLE ROW LEVEL SECURITY"))


def test_without_such_a_role_the_policies_stand_alone(tenant: Callable[[str], Engine]) -> None:
    database = walled(tenant(""))
    assert (row_security_status(database).role, row_security_status(database).stands) == (None, True)
    with database.connect() as connection:
        assert secrets(connection) == []


def test_a_user_who_bypasses_it_is_warned_once(
    tenant: Callable[[str], Engine], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        database = walled(tenant("BYPASSRLS"))
    assert not row_security_status(database).stands
    assert "only each statement's WHERE keeps owners apart" in str(row_security_status(database))
    assert [record.message for record in caplog.records if "bypasses" in record.message] == [
        str(row_security_status(database))
    ]
