"""Tables whose rows have an owner, each behind the wall of row-level security: made once for each version of them.

A table that was made carries the version of its definition as a comment. A process that finds this version, and the
wall as it should stand, has looked once and makes nothing.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256

from sqlalchemy import Connection, Engine, FromClause, Table, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable, DDLElement

from lessons.database.problems import explained
from lessons.database.row_security import ROLE_NAME, protect
from lessons.database.schema import ensure_schema

_IN_PLACE = text(f"""
SELECT coalesce(bool_and(coalesce(
    obj_description(c.oid, 'pg_class') = made.version AND relrowsecurity AND relforcerowsecurity = :force
    AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid)
    AND has_table_privilege(role.oid, c.oid, 'DELETE'), false)), false)
FROM unnest(cast(:names AS text[]), cast(:versions AS text[])) AS made (name, version)
LEFT JOIN pg_class c ON c.oid = to_regclass(quote_ident(made.name))
LEFT JOIN pg_roles role ON role.rolname = {ROLE_NAME}
""")  # noqa: S608
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
