"""Keys that hold the owner, and tables of an earlier version, whose keys do not hold it yet.

A database distributed by owner has all rows of one owner on one server. It checks a key there if the key names the
owner, and follows a foreign key if both ends name it. PostgreSQL asks the same of a primary or unique key of a table
that is partitioned by owner (manual, chapter 5.12.2).
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, Engine, text

OWNER = "user_id"

# Of some tables, and of those that refer to them.
_FAMILY = """
WITH RECURSIVE family(oid) AS (
    SELECT cast(to_regclass(quote_ident(name)) AS oid) FROM unnest(cast(:tables AS text[])) name
    UNION SELECT conrelid FROM pg_constraint JOIN family ON confrelid = family.oid
)
"""

_KEYS = text(
    _FAMILY
    + """
SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(c.oid) AS definition
FROM pg_constraint c JOIN family ON conrelid = family.oid
WHERE contype IN ('p', 'u', 'f') AND conparentid = 0 ORDER BY contype, conrelid::regclass::text, conname
"""
)

_INDEXES = text(
    _FAMILY
    + """
SELECT indrelid::regclass::text AS table, indexrelid::regclass::text AS name,
    substring(pg_get_indexdef(indexrelid) FROM ' USING btree (.*)') AS definition
FROM pg_index JOIN family ON indrelid = family.oid
WHERE NOT indisunique AND pg_get_indexdef(indexrelid) LIKE '% USING btree %'
"""
)


def keys(engine: Engine, table: str) -> list[str]:
    """Foreign keys, primary keys and unique constraints of a table, and of those that refer to it, as SQL has them."""
    with engine.connect() as connection:
        return [each.definition for each in connection.execute(_KEYS, {"tables": [table]})]


def hold_owner(connection: Connection, tables: Sequence[str]) -> None:
    """Put the owner in front of the keys of tables and of those that refer to them; nothing happens where it is there.

    No row is changed, but every index of a key is built anew. An index that serves a foreign key is changed with it.
    One on the owner alone goes: the primary key begins with the owner now, and takes over what the index included.
    """
    named = {"tables": list(tables)}
    old = [key for key in connection.execute(_KEYS, named) if OWNER not in key.definition]
    if not old:
        return
    made, included = [], defaultdict(str)
    for index in connection.execute(_INDEXES, named).all():
        if of_owner := re.fullmatch(rf"\({OWNER}\)( INCLUDE .+)?", index.definition):
            included[index.table] = of_owner[1] or ""
        elif any(key.table == index.table and f"FOREIGN KEY {index.definition}" in key.definition for key in old):
            made.append(f"CREATE INDEX {index.name} ON {index.table} {_with_owner(index.definition)}")
        else:
            continue
        connection.exec_driver_sql(f"DROP INDEX {index.name}")
    for key in old:  # foreign keys first, and last below
        connection.exec_driver_sql(f"ALTER TABLE {key.table} DROP CONSTRAINT {key.name}")
    for key in reversed(old):
        more = included[key.table] if key.definition.startswith("PRIMARY") else ""
        made.append(f"ALTER TABLE {key.table} ADD {_with_owner(key.definition)}{more}")
    for statement in made:
        connection.exec_driver_sql(statement)


def _with_owner(definition: str) -> str:
    """`(id)` becomes `(user_id, id)`, wherever one column is listed."""
    return re.sub(r"\((\w+)\)", rf"({OWNER}, \1)", definition)
