"""Tables with owners are made once; what is missing of a table or its protection is made good."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import (
    BIGINT,
    Column,
    Engine,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    event,
    inspect,
    text,
)

from lessons.database import engine, schema
from lessons.database.schema import ensure_owned
from lessons.settings import Settings


def notes(*more: Column | Index) -> Table:
    key = PrimaryKeyConstraint("user_id", "id")
    return Table("owned_notes", MetaData(), Column("user_id", String), Column("id", BIGINT), *more, key)


@pytest.fixture
def made(database: Settings) -> Iterator[Engine]:
    opened = engine(database)
    schema._ensured.pop(opened, None)
    ensure_owned(opened, notes())
    yield opened
    with opened.begin() as connection:
        connection.execute(text("DROP TABLE owned_notes"))


@contextmanager
def statements(of: Engine) -> Iterator[list[str]]:
    """What a process sends that has not yet asked for the table."""
    schema._ensured.pop(of, None)
    sent: list[str] = []

    def send(connection, cursor, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(of, "before_cursor_execute", send)
    yield sent
    event.remove(of, "before_cursor_execute", send)


CHANGES = ("ALTER", "CREATE", "DROP", "GRANT", "COMMENT")


def walled(made: Engine) -> bool:
    with made.connect() as connection:
        return bool(connection.scalar(text("SELECT relrowsecurity FROM pg_class WHERE relname = 'owned_notes'")))


def test_a_table_that_stands_is_looked_at_once_and_left_alone(made: Engine) -> None:
    with statements(made) as sent:
        ensure_owned(made, notes())
        assert sent
        assert not [statement for statement in sent if statement.startswith(CHANGES)]
        sent.clear()
        ensure_owned(made, notes())
    assert not sent


@pytest.mark.parametrize(
    "broken",
    [
        "ALTER TABLE owned_notes DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE owned_notes NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_rows ON owned_notes",
        "REVOKE DELETE ON owned_notes FROM lessons_scope_postgres",
    ],
)
def test_a_wall_that_was_broken_is_built_again(made: Engine, broken: str) -> None:
    with made.begin() as connection:
        connection.exec_driver_sql(broken)
    with statements(made) as sent:
        ensure_owned(made, notes())
    assert [statement for statement in sent if statement.startswith("ALTER")]
    assert walled(made)


def test_a_table_of_an_earlier_version_keeps_its_rows_and_gets_what_is_new(made: Engine) -> None:
    with made.begin() as connection:
        connection.execute(text("INSERT INTO owned_notes VALUES ('mina', 1)"))
    words = Column("words", String, nullable=False, server_default="none yet")
    later = notes(words, Index("owned_notes_words", words))
    with statements(made):
        ensure_owned(made, later)
    with made.connect() as connection:
        assert connection.execute(later.select()).all() == [("mina", 1, "none yet")]
        assert [index["name"] for index in inspect(connection).get_indexes("owned_notes")] == ["owned_notes_words"]
