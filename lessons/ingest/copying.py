"""Many rows to the database by COPY, the fastest way in.

COPY itself does not write into tables with row-level security, so the rows arrive in a temporary table, and an INSERT
that the policies check takes them over. Both end with the transaction, so a pooler may stand in between.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table


@contextmanager
def copied(connection: Connection, columns: Sequence[Column], rows: Iterable[Sequence]) -> Iterator[Table]:
    """A temporary table with such columns that holds the rows; it is gone after the block."""
    copies = [Column(column.name, column.type) for column in columns]
    incoming = Table("incoming", MetaData(), *copies, prefixes=["TEMPORARY"], postgresql_on_commit="DROP")
    incoming.create(connection)
    names = ", ".join(map(connection.dialect.identifier_preparer.quote, incoming.columns.keys()))
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY incoming ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([_written(value) for value in row])
    yield incoming
    incoming.drop(connection)


def _written(value: Any) -> Any:
    """Vectors and metadata as JSON, which PostgreSQL reads as either."""
    return json.dumps(value, default=float) if isinstance(value, list | dict) else value
