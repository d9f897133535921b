"""Tables whose rows have an owner, each behind the wall of row-level security: made once for each version of them.

A table that was made carries the version of its definition as a comment. A process that finds this version, and the
wall as it should stand, has looked once and makes nothing.

Protected is every table whose rows have an owner: documents, chunks with their terms, plans, messages, memories,
profiles, jobs, what was deleted. The cache of vectors is not, since it knows texts by their hash alone. A run of the
evaluation is everybody's, unless a reader's own questions were asked.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256

from sqlalchemy import Connection, Engine, FromClause, Table, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable, DDLElement

from lessons.database.row_security import MAY_TAKE_ON, ROLE_NAME, explained, look
from lessons.database.schema import ensure_schema

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

_IN_PLACE = text(f"""
SELECT coalesce(bool_and(coalesce(
    obj_description(c.oid, 'pg_class') = made.version AND relrowsecurity AND relforcerowsecurity = :force
    AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid)
    AND has_table_privilege(role.oid, c.oid, 'DELETE'), false)), false)
FROM unnest(cast(:names AS text[]), cast(:versions AS text[])) AS made (name, version)
LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(made.name))
LEFT JOIN pg_roles role ON role.rolname = {ROLE_NAME}
""")  # noqa: S608

_PROTECTED = text("""
SELECT relrowsecurity AND relforcerowsecurity = :force AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
    AND (cast(:role AS name) IS NULL OR has_table_privilege(:role, pg_class.oid, 'DELETE'))
FROM pg_class WHERE oid = cast(:quoted AS regclass)
""")

_SEQUENCES = text("""
SELECT cast(objid AS regclass)::text FROM pg_depend
WHERE refobjid = cast(:quoted AS regclass) AND classid = 'pg_class'::regclass AND refobjsubid > 0
    AND deptype IN ('a', 'i') AND objid IN (SELECT oid FROM pg_class WHERE relkind = 'S')
""")
_COMMENT = text("SELECT obj_description(to_regclass(quote_ident(:name)), 'pg_class')")


def ensure_owned(engine: Engine, *tables: FromClause, force: bool = True) -> None:
    """Make what is missing of some tables and protect it; `force` as for `protect`.

    DatabaseError, with one sentence on what to do; then nothing was made.
    """
    made = [each for each in tables if isinstance(each, Table)]
    with explained(), engine.begin() as connection:
        asked = {"names": [each.name for each in made], "versions": [version(each) for each in made], "force": force}
        in_place = connection.scalar(_IN_PLACE, asked)
    if not in_place:
        ensure_schema(engine, lambda connection: _create(connection, made, force))


def _create(connection: Connection, tables: Sequence[Table], force: bool) -> None:
    tables[0].metadata.create_all(connection, tables)
    quote = connection.dialect.identifier_preparer.quote
    for table in tables:
        protect(connection, table.name, force=force)
        if connection.scalar(_COMMENT, {"name": table.name}) != version(table):  # only its owner may comment on a table
            connection.exec_driver_sql(f"COMMENT ON TABLE {quote(table.name)} IS '{version(table)}'")


@cache
def version(table: Table) -> str:
    """What changes with the definition of a table: its columns, keys and indexes."""
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    parts: list[DDLElement] = [CreateTable(table), *map(CreateIndex, indexes)]
    defined = "".join(str(part.compile(dialect=postgresql.dialect())) for part in parts)
    return f"lessons {sha256(defined.encode()).hexdigest()[:16]}"


def make_role(connection: Connection) -> None:
    """Make the role that transactions take on, if it is missing and the user of the database may."""
    connection.exec_driver_sql(_MAKE_ROLE)


def protect(connection: Connection, table: str, condition: str = OWNED, force: bool = True) -> None:
    """Let the rows of a table be seen and written under `condition` only; nothing happens where that is in place.

    Runs within `ensure_schema`. `force=False` leaves out whoever owns the table, for workers and clean-ups that have
    business with every owner's rows.
    """
    make_role(connection)
    quote = connection.dialect.identifier_preparer.quote
    quoted, role = quote(table), look(connection).role
    if connection.scalar(_PROTECTED, {"quoted": quoted, "force": force, "role": role}):
        return
    for statement in (
        f"ALTER TABLE {quoted} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {quoted} {'FORCE' if force else 'NO FORCE'} ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS own_rows ON {quoted}",
        f"CREATE POLICY own_rows ON {quoted} USING ({condition}) WITH CHECK ({condition})",
    ):
        connection.exec_driver_sql(statement)
    if role:
        connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted} TO {quote(role)}")
        for sequence in connection.scalars(_SEQUENCES, {"quoted": quoted}).all():
            connection.exec_driver_sql(f"GRANT USAGE ON SEQUENCE {sequence} TO {quote(role)}")
