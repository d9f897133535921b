"""pgvector is used from whichever schema it was installed in, by each kind of user of the database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, make_url, text

from lessons.database import engine, ensure_schema, stop
from lessons.database.owners import owner_transaction
from lessons.database.row_security import row_security_status
from lessons.errors import DatabaseError
from lessons.ingest.pipeline import ingest_each
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.stages import stage_named
from tests.support.pgbouncer import pgbouncer

SCHEMAS = ["extensions", 'My "Extras", 확장']
Made = Callable[..., Settings]


def run(url: str, *statements: str) -> None:
    there = Settings(database_url=url)
    with engine(there).connect().execution_options(isolation_level="AUTOCOMMIT") as administrator:
        for statement in statements:
            administrator.execute(text(statement))
    stop(there)


@pytest.fixture
def made(tcp_server: str) -> Iterator[Made]:
    """Makes a user who owns a new database in which the administrator put pgvector into a schema."""
    opened: list[Settings] = []

    def made(schema: str, rights: str, *more: str) -> Settings:
        name, server = f"s{uuid4().hex[:8]}", make_url(tcp_server)
        run(tcp_server, f"CREATE ROLE {name} LOGIN PASSWORD 'word' {rights}", f"CREATE DATABASE {name} OWNER {name}")
        quoted = '"' + schema.replace('"', '""') + '"'
        statements = [f"CREATE SCHEMA {quoted}", f"CREATE EXTENSION vector WITH SCHEMA {quoted}", *more]
        there = server.set(database=name)
        run(there.render_as_string(False), *(each.format(schema=quoted, user=name) for each in statements))
        url = there.set(username=name, password="word").render_as_string(False)
        opened.append(Settings(database_url=url))
        return opened[-1]

    yield made
    for chosen in opened:
        stop(chosen)


def answered(chosen: Settings, folder: Path) -> str:
    place, stage = Workspace.open(chosen), stage_named("smart")
    (folder / "ferry.md").write_text("# Ferry\n\nThe last ferry leaves at 22:40 from the northern quay of the town.\n")
    ((_, result),) = ingest_each(place, [(folder / "ferry.md", "ferry.md")], [stage.index], Scope("mina"))
    assert result.status == "added", result
    return stage.but("smart", workspace=place).ask("When does the last ferry leave?", user="mina").text


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("rights", ["SUPERUSER", "NOSUPERUSER CREATEROLE", "NOSUPERUSER"])
def test_documents_are_read_and_asked(made: Made, schema: str, rights: str, tmp_path: Path) -> None:
    chosen = made(schema, rights, "GRANT USAGE ON SCHEMA {schema} TO {user} WITH GRANT OPTION")
    assert "22:40" in answered(chosen, tmp_path)
    found = row_security_status(engine(chosen))
    assert (found.stands, bool(found.role)) == (True, rights != "NOSUPERUSER")


def test_a_role_that_cannot_be_let_into_the_schema_is_not_taken_on(made: Made, tmp_path: Path) -> None:
    chosen = made("extensions", "CREATEROLE", "GRANT USAGE ON SCHEMA {schema} TO {user}")
    assert "22:40" in answered(chosen, tmp_path)
    found = row_security_status(engine(chosen))
    assert (found.stands, found.role) == (True, None)


def test_an_extension_of_the_embedded_server_that_was_moved_is_found_again(database: Settings, tmp_path: Path) -> None:
    with engine(database).connect().execution_options(isolation_level="AUTOCOMMIT") as administrator:
        administrator.execute(text("CREATE DATABASE moved"))
    url = engine(database).url.set(database="moved", drivername="postgresql").render_as_string(False)
    first = Settings(database_url=url)
    assert "22:40" in answered(first, tmp_path)
    stop(first)
    run(url, "CREATE SCHEMA extensions", "ALTER EXTENSION vector SET SCHEMA extensions")
    try:
        place, stage = Workspace.open(first), stage_named("smart")
        assert "22:40" in stage.but("smart", workspace=place).ask("When does the last ferry leave?", user="mina").text
        assert row_security_status(place.engine).role == "lessons_scope_moved"
    finally:
        stop(first)


def test_every_kind_of_connection_reaches_it(made: Made) -> None:
    there: Engine = engine(made("extensions", "SUPERUSER"))
    ensure_schema(there, lambda connection: None)
    distance = "SELECT '[1,0]'::vector <=> '[0,1]'"
    with there.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert connection.scalar(text(distance)) == 1
    with owner_transaction(there, "mina") as connection:
        assert connection.scalar(text(distance)) == 1
    raw = there.raw_connection()
    assert raw.cursor().execute(distance).fetchone() == (1,)
    raw.close()


def test_behind_a_pooler_that_forgets_the_path_each_transaction_reaches_it(made: Made, tmp_path: Path) -> None:
    direct = made("extensions", "CREATEROLE", "GRANT USAGE ON SCHEMA {schema} TO {user} WITH GRANT OPTION")
    assert direct.database_url
    with pgbouncer(direct.database_url.get_secret_value()) as url:
        pooled = Settings(database_url=url)
        try:
            assert "22:40" in answered(pooled, tmp_path)
            with engine(pooled).begin() as first:
                first.execute(text("SELECT set_config('search_path', 'pg_catalog', false)"))
            with engine(pooled).begin() as second:
                assert second.scalar(text("SELECT '[1,0]'::vector <=> '[0,1]'")) == 1
        finally:
            stop(pooled)


def test_a_user_who_may_not_use_the_schema_is_told_what_to_grant(made: Made) -> None:
    with pytest.raises(DatabaseError, match=r'`GRANT USAGE ON SCHEMA "Ext" TO s[0-9a-f]{8}`'):
        ensure_schema(engine(made("Ext", "NOSUPERUSER")), lambda connection: None)
