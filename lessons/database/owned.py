"""Tables whose rows have an owner: each behind the wall, with keys that hold the owner."""

from typing import cast

from sqlalchemy import Connection, FromClause, Table

from lessons.database.owner_keys import hold_owner
from lessons.database.row_security import protect


def create_owned(connection: Connection, *tables: FromClause, force: bool = True) -> None:
    """Create what is missing of some tables of one room, and bring those of an earlier version up to date.

    Runs within `ensure_schema`. `force` as for `protect`.
    """
    made = [cast(Table, table) for table in tables]
    hold_owner(connection, [table.name for table in made])
    made[0].metadata.create_all(connection, made)
    for table in made:
        protect(connection, table.name, force=force)
