"""A disk that is full, as far as the database can tell.

To fill a real disk takes an administrator's rights, or a disk that nobody needs. What the workbook has to live with is
the same either way: in the middle of a transaction PostgreSQL refuses a row with error 53100, `disk_full`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, inspect, text

from lessons.database import explained

REFUSE = """CREATE FUNCTION refuse_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF (SELECT count(*) FROM {table}) >= {rows} THEN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
  END IF;
  RETURN NEW;
END $$"""


@contextmanager
def full_disk(engine: Engine, room: int = 0) -> Iterator[None]:
    """While the block runs, each table of chunks takes up `room` chunks more, and the next one finds the disk full."""
    tables = [name for name in inspect(engine).get_table_names() if "chunks_" in name]
    try:
        for table in tables:
            _refuse(engine, table, room)
        yield
    finally:
        with explained(), engine.begin() as connection:
            for table in tables:
                connection.execute(text(f"DROP FUNCTION IF EXISTS refuse_{table} CASCADE"))


def _refuse(engine: Engine, table: str, room: int) -> None:
    with explained(), engine.begin() as connection:
        rows = connection.scalar(text(f"SELECT count(*) FROM {table}")) + room  # noqa: S608 - a table of our own
        connection.execute(text(REFUSE.format(table=table, rows=rows)))
        when = f"BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_{table}()"
        connection.execute(text(f"CREATE TRIGGER refuse {when}"))
