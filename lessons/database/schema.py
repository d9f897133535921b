"""The schema: pgvector within reach, tables made once, and rows that belong to an owner protected.

Everything here does nothing where all is in place, so every process may ask for it. A table of an earlier version gets
the columns and indexes that it lacks; its rows stay.

pgvector may be installed in any schema of the database (Supabase has it in `extensions`). Its types and operators are
named without a schema, so this one has to be on the search path of a connection, for statements outside transactions,
and of each transaction, which a pooler may hand to another connection.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, FromClause, Table, event, inspect, text
from sqlalchemy.schema import CreateColumn

from lessons.database.messages import BROKEN_OFF
from lessons.database.owners import explained
from lessons.database.remote import replica_engine
from lessons.database.row_security import MAY_TAKE_ON, ROLE_NAME, ProtectedTable, inspect_row_security
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

# `reset_val` is the path of the database's user; a pooler may have left that of another client.
_PGVECTOR = text("""
SELECT to_regtype('vector') IS NOT NULL AS is_reached, has_schema_privilege(extnamespace, 'USAGE') AS is_usable,
    quote_ident(nspname) AS schema, quote_ident(current_user) AS user,
    concat_ws(', ', nullif(reset_val, ''), quote_ident(nspname)) AS path
FROM pg_settings, pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
WHERE pg_settings.name = 'search_path' AND extname = 'vector'
""")
_SET_PATH = "SELECT set_config('search_path', %s, %s)"

_COLUMNS = text("""
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY (:tables)
    AND to_regtype('vector') IS NOT NULL -- else nothing is in place
""")

_ensured: WeakKeyDictionary[Engine, set[str]] = WeakKeyDictionary()
"""The tables that this process has made or found in place."""


def ensure_schema(engine: Engine, create: Callable[[Connection], object]) -> None:
    """Switch pgvector on and call `create` with a connection, in one transaction that only one process runs at a time.

    `create` must do nothing where everything is in place (`CREATE TABLE IF NOT EXISTS`, `metadata.create_all`).
    DatabaseError, with one sentence on what to do; then nothing was created.
    """
    try:
        with explained(), engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": SCHEMA_LOCK})
            if not (row := connection.execute(_PGVECTOR).one_or_none()):
                connection.execute(text("CREATE EXTENSION vector"))
            elif not row.is_reached:
                if not row.is_usable:
                    raise DatabaseError(
                        f"The database user may not use pgvector in the schema {row.schema}: let an administrator run "
                        f"`GRANT USAGE ON SCHEMA {row.schema} TO {row.user}` once in this database."
                    )
                _reach_pgvector(connection, row.path)
            create(connection)
    except DatabaseError as error:
        log = engine.get_execution_options().get("log")
        if log and str(error) == BROKEN_OFF and _died_of_illegal_instruction(log):
            raise DatabaseError(NO_SUCH_INSTRUCTION) from error
        raise


def ensure_owned(engine: Engine, *tables: FromClause, force: bool = True) -> None:
    """Make what is missing of some tables and protect their rows by owner, once for each process and table."""
    ensured = _ensured.setdefault(engine, set())
    missing = [table for table in tables if isinstance(table, Table) and table.name not in ensured]
    if missing:
        if not _in_place(engine, missing, force):
            ensure_schema(engine, lambda connection: _create(connection, missing, force))
        ensured.update(table.name for table in missing)


def _in_place(engine: Engine, tables: Sequence[Table], force: bool) -> bool:
    """Return True if the tables have their columns and protection: two statements, where making sure takes dozens."""
    with explained(), engine.connect() as connection:
        rows = connection.execute(_COLUMNS, {"tables": [table.name for table in tables]})
        columns = {(row.table_name, row.column_name) for row in rows}
        status, protected = inspect_row_security(connection)
    # A role that lost its rights, as when pgvector was moved to another schema, is to get them again.
    return status.stands and all(
        {(table.name, column.name) for column in table.columns} <= columns
        and _is_protected(protected.get(table.name), status.role, force)
        for table in tables
    )


def _is_protected(table: ProtectedTable | None, role: str | None, force: bool) -> bool:
    """Return True if a policy binds the table's owner as `force` says, and the role, if there is one, may write."""
    return table is not None and table.forced == force and (table.granted or not role)


def _create(connection: Connection, tables: Sequence[Table], force: bool) -> None:
    tables[0].metadata.create_all(connection, tables)
    inspector = inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    for table in tables:
        existing = {column["name"] for column in inspector.get_columns(table.name)}
        for column in (column for column in table.columns if column.name not in existing):
            definition = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {quote(table.name)} ADD COLUMN {definition}")
        for index in table.indexes:
            index.create(connection, checkfirst=True)
        protect(connection, table.name, force=force)


def make_role(connection: Connection) -> None:
    """Make the role that transactions take on, and let it use pgvector, where the user of the database may."""
    connection.exec_driver_sql(_MAKE_ROLE)
    connection.exec_driver_sql(_GRANT_PGVECTOR)


def protect(connection: Connection, table: str, condition: str = OWNED, force: bool = True) -> None:
    """Let the rows of a table be seen and written under `condition` only; do nothing where that is so.

    Runs within `ensure_schema`, or on a table that nobody else uses. `force=False` exempts the table's owner: workers
    and clean-ups deal with all rows.
    """
    make_role(connection)
    status, tables = inspect_row_security(connection)
    if _is_protected(tables.get(table), status.role, force):
        return
    quote = connection.dialect.identifier_preparer.quote
    quoted = quote(table)
    for statement in (
        f"ALTER TABLE {quoted} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {quoted} {'FORCE' if force else 'NO FORCE'} ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS own_rows ON {quoted}",
        f"CREATE POLICY own_rows ON {quoted} USING ({condition}) WITH CHECK ({condition})",
    ):
        connection.exec_driver_sql(statement)
    if status.role:
        role = quote(status.role)
        connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted} TO {role}")
        for sequence in connection.scalars(_SEQUENCES, {"quoted": quoted}).all():
            connection.exec_driver_sql(f"GRANT USAGE ON SEQUENCE {sequence} TO {role}")


def _reach_pgvector(connection: Connection, path: str) -> None:
    """Set the search path of this transaction, and of what its engine and that of the replicas open from now on."""

    def when_connected(opened: psycopg.Connection, record: object) -> None:
        opened.execute(_SET_PATH, (path, False))
        opened.commit()

    def when_begun(begun: Connection) -> None:
        begun.exec_driver_sql(_SET_PATH, (path, True))

    when_begun(connection)
    for engine in {connection.engine, replica_engine(connection.engine)}:
        event.listen(engine, "connect", when_connected)
        event.listen(engine, "begin", when_begun)
        engine.dispose()


def _died_of_illegal_instruction(log: Path) -> bool:
    """Return True if the server's log names signal 4, SIGILL; it may do so a moment after the connection broke."""
    deadline = monotonic() + 1
    while monotonic() < deadline:
        if "terminated by signal 4" in log.read_text(errors="replace")[-20_000:]:
            return True
        sleep(0.05)
    return False
