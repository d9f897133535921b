"""The schema: pgvector within reach, tables made once, and rows that belong to an owner protected.

Everything here does nothing where all is in place, so every process may ask for it. A table of an earlier version gets
the columns and indexes that it lacks; its rows stay.

pgvector may be installed in any schema of the database (Supabase has it in `extensions`). Its types and operators are
named without a schema, so this one has to be on the search path: of a connection when it is opened, and of a
transaction when it begins, since a pooler may hand each of them to another connection.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, FromClause, Table, event, inspect, text
from sqlalchemy.schema import CreateColumn

from lessons.database.messages import BROKEN_OFF, explained
from lessons.database.owners import MAY_TAKE_ON, ROLE_NAME, ProtectedTable, inspect_row_security
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

# What a pooler's last client left as the path is not that of the user, who has the one that RESET would set.
_FIND_PGVECTOR = """
SELECT quote_ident(nspname), has_schema_privilege(pg_namespace.oid, 'USAGE'), quote_ident(current_user),
    CASE WHEN setting = reset_val AND nspname = ANY(current_schemas(true)) THEN ''
        ELSE concat_ws(', ', nullif(reset_val, ''), quote_ident(nspname)) END
FROM pg_settings, pg_namespace JOIN pg_extension ON extnamespace = pg_namespace.oid
WHERE pg_settings.name = 'search_path' AND extname = 'vector'
"""
_SET_PATH = "SELECT set_config('search_path', %s, %s)"

_COLUMNS = text("""
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY (:tables)
""")

_ensured: WeakKeyDictionary[Engine, set[str]] = WeakKeyDictionary()
"""The tables that this process has made or found in place."""

_search_paths: WeakKeyDictionary[Engine, str] = WeakKeyDictionary()
"""The search path that reaches pgvector; empty where that of the database's user does."""


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
            reach_pgvector(connection)
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


def reach_pgvector(connection: Connection) -> None:
    """Put the schema of pgvector on the transaction's search path, if there is pgvector.

    DatabaseError if the user of the database may not use that schema.
    """
    path = _search_paths.get(connection.engine)
    if path is None:
        if not (row := connection.exec_driver_sql(_FIND_PGVECTOR).one_or_none()):
            return
        schema, usable, user, path = row
        if not usable:
            raise DatabaseError(
                f"The database user may not use pgvector in the schema {schema}: "
                f"let an administrator run `GRANT USAGE ON SCHEMA {schema} TO {user}` once in this database."
            )
        _remember_path(connection.engine, path)
    if path:
        connection.exec_driver_sql(_SET_PATH, (path, True))


def reach_pgvector_when_opened(engine: Engine, connection: psycopg.Connection) -> None:
    """Put the schema of pgvector on a new connection's search path, for statements outside of transactions."""
    row = connection.execute(_FIND_PGVECTOR).fetchone()
    if row and row[1]:
        _remember_path(engine, row[-1])
        if row[-1]:
            connection.execute(_SET_PATH, (row[-1], False))
    connection.commit()


def _remember_path(engine: Engine, path: str) -> None:
    _search_paths[engine] = path
    if path and not event.contains(engine, "begin", reach_pgvector):
        event.listen(engine, "begin", reach_pgvector)


def _died_of_illegal_instruction(log: Path) -> bool:
    """Return True if the server's log names signal 4, SIGILL; it may do so a moment after the connection broke."""
    deadline = monotonic() + 1
    while monotonic() < deadline:
        if "terminated by signal 4" in log.read_text(errors="replace")[-20_000:]:
            return True
        sleep(0.05)
    return False
