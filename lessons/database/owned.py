"""Tables whose rows have an owner, each behind the wall of row-level security: made once for each version of them.

A table that was made carries the version of its definition as a comment. A process that finds this version, and the
wall as it should stand, has looked once and makes nothing. A table of an earlier version gets the columns and indexes
that it lacks; its rows stay. The cache of vectors has no owner, since it knows texts by their hash alone, and a run of
the evaluation only if a reader's own questions were asked.
"""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, FromClause, Table, inspect, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, DDLElement

from lessons.database.pgvector import reach
from lessons.database.problems import BROKEN_OFF
from lessons.database.row_security import explained, statuses
from lessons.database.walls import MAY_TAKE_ON, ROLE_NAME, Protected, inspect_row_security
from lessons.errors import DatabaseError

SCHEMA_LOCK = 7_260_514_892  # any number does, as long as nothing else in the database locks it
NO_SUCH_INSTRUCTION = (
    "The pgvector that comes with the workbook uses instructions that this processor does not have: "
    "set DATABASE_URL to a server with pgvector, for example the container image pgvector/pgvector."
)

OWNED = "user_id = nullif(current_setting('lessons.user_id', true), '')"
"""The condition on a row that has an owner; without a named owner it is never true."""

_MAKE_ROLE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {ROLE_NAME}) THEN
        EXECUTE 'CREATE ROLE ' || quote_ident({ROLE_NAME}) || ' NOLOGIN NOBYPASSRLS';
    END IF;
    IF NOT pg_has_role(current_user, {ROLE_NAME}, {MAY_TAKE_ON}) THEN
        EXECUTE 'GRANT ' || quote_ident({ROLE_NAME}) || ' TO CURRENT_USER';
    END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$"""

_GRANT_PGVECTOR = f"""
DO $$ DECLARE granted text; BEGIN
    FOR granted IN SELECT quote_ident(nspname) || ' TO ' || quote_ident(rolname)
        FROM pg_roles, pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE rolname = {ROLE_NAME} AND extname = 'vector'
            AND NOT has_schema_privilege(pg_roles.oid, extnamespace, 'USAGE')
    LOOP EXECUTE 'GRANT USAGE ON SCHEMA ' || granted; END LOOP;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$"""  # noqa: S608

_SEQUENCES = text("""
SELECT cast(objid AS regclass)::text FROM pg_depend
WHERE refobjid = cast(:quoted AS regclass) AND classid = 'pg_class'::regclass AND refobjsubid > 0
    AND deptype IN ('a', 'i') AND objid IN (SELECT oid FROM pg_class WHERE relkind = 'S')
""")

_first: WeakKeyDictionary[Engine, tuple[dict[str, Protected], set[tuple[str, ...]]]] = WeakKeyDictionary()
"""The tables that stood when this process first looked, and which of them it has asked for since."""


def ensure_schema(engine: Engine, create: Callable[[Connection], object]) -> None:
    """Switch pgvector on and call `create` with a connection, in one transaction that only one process runs at a time.

    `create` must do nothing where everything is in place (`CREATE TABLE IF NOT EXISTS`, `metadata.create_all`).
    DatabaseError, with one sentence on what to do; then nothing was created.
    """
    try:
        with explained(), engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": SCHEMA_LOCK})
            if not connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")):
                connection.execute(text("CREATE EXTENSION vector"))
            reach(connection)
            create(connection)
    except DatabaseError as error:
        log = engine.get_execution_options().get("log")
        if log and str(error) == BROKEN_OFF and _died_of_illegal_instruction(log):
            raise DatabaseError(NO_SUCH_INSTRUCTION) from error
        raise


def ensure_owned(engine: Engine, *tables: FromClause, force: bool = True) -> None:
    """Make what is missing of some tables and protect it, as `ensure_schema` and `protect` do."""
    made = [each for each in tables if isinstance(each, Table)]
    standing = _standing(engine, tuple(each.name for each in made))
    if not all(standing.get(each.name) == (version(each), force, True) for each in made):
        ensure_schema(engine, lambda connection: _create(connection, made, force))


def _standing(engine: Engine, names: tuple[str, ...]) -> dict[str, Protected]:
    """The tables behind the wall. A process looks at all of them at once, and again for what it asks for once more."""
    if engine not in _first:
        with explained(), engine.begin() as connection:
            wall, tables = inspect_row_security(connection)
        _first[engine] = tables, set()
        if wall.role:
            statuses.setdefault(engine, wall)
    tables, asked = _first[engine]
    if names in asked or not tables.keys() >= set(names):
        with explained(), engine.begin() as connection:
            return inspect_row_security(connection)[1]
    asked.add(names)
    return tables


def _create(connection: Connection, tables: Sequence[Table], force: bool) -> None:
    tables[0].metadata.create_all(connection, tables)
    quote = connection.dialect.identifier_preparer.quote
    for table in tables:
        known = protect(connection, table.name, force=force)
        if known is None or known.comment != version(table):  # only its owner may change and comment on a table
            there = {column["name"] for column in inspect(connection).get_columns(table.name)}
            for column in (each for each in table.columns if each.name not in there):
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {quote(table.name)} ADD COLUMN {added}")
            for index in table.indexes:
                index.create(connection, checkfirst=True)
            connection.exec_driver_sql(f"COMMENT ON TABLE {quote(table.name)} IS '{version(table)}'")


@cache
def version(table: Table) -> str:
    """What changes with the definition of a table: its columns, keys and indexes."""
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    parts: list[DDLElement] = [CreateTable(table), *map(CreateIndex, indexes)]
    defined = "".join(str(part.compile(dialect=postgresql.dialect())) for part in parts)
    return f"lessons {sha256(defined.encode()).hexdigest()[:16]}"


def make_role(connection: Connection) -> None:
    """Make the role that transactions take on, and let it use pgvector, where the user of the database may."""
    connection.exec_driver_sql(_MAKE_ROLE)
    connection.exec_driver_sql(_GRANT_PGVECTOR)


def protect(connection: Connection, table: str, condition: str = OWNED, force: bool = True) -> Protected | None:
    """Let the rows of a table be seen and written under `condition` only; where that is so, return the table's state.

    Runs within `ensure_schema`, or on a table that nobody else uses. `force=False` exempts the table's owner: workers
    and clean-ups deal with all rows.
    """
    make_role(connection)
    wall, tables = inspect_row_security(connection)
    known = tables.get(table)
    if known and known.forced == force and (known.granted or not wall.role):
        return known
    quote = connection.dialect.identifier_preparer.quote
    quoted = quote(table)
    for statement in (
        f"ALTER TABLE {quoted} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {quoted} {'FORCE' if force else 'NO FORCE'} ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS own_rows ON {quoted}",
        f"CREATE POLICY own_rows ON {quoted} USING ({condition}) WITH CHECK ({condition})",
    ):
        connection.exec_driver_sql(statement)
    if wall.role:
        role = quote(wall.role)
        connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted} TO {role}")
        for sequence in connection.scalars(_SEQUENCES, {"quoted": quoted}).all():
            connection.exec_driver_sql(f"GRANT USAGE ON SEQUENCE {sequence} TO {role}")
    return None


def _died_of_illegal_instruction(log: Path) -> bool:
    """Whether the server's log says so (signal 4 is SIGILL); it may do so a moment after the connection broke."""
    deadline = monotonic() + 1
    while monotonic() < deadline:
        if "terminated by signal 4" in log.read_text(errors="replace")[-20_000:]:
            return True
        sleep(0.05)
    return False
