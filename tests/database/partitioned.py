"""Tables partitioned by owner: PostgreSQL has the rule for their keys that a database distributed by owner has."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import DDL, Connection, Table, event

PARTS = 4
_PART = re.compile(r"\bon \w+_part(\d)\b")


@contextmanager
def partitioned() -> Iterator[None]:
    """Every table with an owner in its primary key is partitioned by owner if it is created within the block."""
    event.listen(Table, "before_create", _partition)
    event.listen(Table, "after_create", _add_parts)
    try:
        yield
    finally:
        event.remove(Table, "before_create", _partition)
        event.remove(Table, "after_create", _add_parts)


def parts(connection: Connection, statement: str, values: Any) -> set[str]:
    """The numbers of the partitions that a statement would touch, of whichever tables."""
    plan = connection.exec_driver_sql(f"EXPLAIN {statement}", values).scalars()
    return set(_PART.findall("\n".join(plan)))


def _partition(table: Table, *_: Any, **__: Any) -> None:
    if "user_id" in table.primary_key.columns:
        table.dialect_options["postgresql"]["partition_by"] = "HASH (user_id)"


def _add_parts(table: Table, connection: Connection, **_: Any) -> None:
    if table.dialect_options["postgresql"]["partition_by"]:
        table.dialect_options["postgresql"]["partition_by"] = None
        for number in range(PARTS):
            part = f'CREATE TABLE "{table.name}_part{number}" PARTITION OF "{table.name}" FOR VALUES'
            connection.execute(DDL(f"{part} WITH (MODULUS {PARTS}, REMAINDER {number})"))
