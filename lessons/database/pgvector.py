"""pgvector in whichever schema of the database it is installed: Supabase, for example, has it in `extensions`.

Its types and operators are named without a schema, so its schema has to be on the search path. A connection gets it
when it is opened, and a transaction when it begins, since a pooler may hand each of them to another connection.
"""

from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, event

from lessons.errors import DatabaseError

# What a pooler's last client left as the path is not that of the user, who has the one that RESET would set.
_FIND = """
SELECT quote_ident(nspname), has_schema_privilege(pg_namespace.oid, 'USAGE'), quote_ident(current_user),
    CASE WHEN setting = reset_val AND nspname = ANY(current_schemas(true)) THEN ''
        ELSE concat_ws(', ', nullif(reset_val, ''), quote_ident(nspname)) END
FROM pg_settings, pg_namespace JOIN pg_extension ON extnamespace = pg_namespace.oid
WHERE pg_settings.name = 'search_path' AND extname = 'vector'
"""
_SET = "SELECT set_config('search_path', %s, %s)"

_paths: WeakKeyDictionary[Engine, str] = WeakKeyDictionary()
"""The search path that reaches pgvector; empty where that of the database's user does."""


def reach(connection: Connection) -> None:
    """Put the schema of pgvector on the transaction's search path, if there is pgvector.

    DatabaseError if the user of the database may not use that schema.
    """
    path = _paths.get(connection.engine)
    if path is None:
        if not (row := connection.exec_driver_sql(_FIND).one_or_none()):
            return
        schema, usable, user, path = row
        if not usable:
            raise DatabaseError(
                f"The database user may not use pgvector in the schema {schema}: "
                f"let an administrator run `GRANT USAGE ON SCHEMA {schema} TO {user}` once in this database."
            )
        _remember(connection.engine, path)
    if path:
        connection.exec_driver_sql(_SET, (path, True))


def reach_when_opened(engine: Engine, opened: psycopg.Connection) -> None:
    """Put the schema of pgvector on a connection's search path, for statements outside SQLAlchemy's transactions."""
    row = opened.execute(_FIND).fetchone()
    if row and row[1]:
        _remember(engine, row[-1])
        if row[-1]:
            opened.execute(_SET, (row[-1], False))
    opened.commit()


def _remember(engine: Engine, path: str) -> None:
    _paths[engine] = path
    if path and not event.contains(engine, "begin", reach):
        event.listen(engine, "begin", reach)
