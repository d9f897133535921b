"""A database distributed by owner sends a statement to one server, if each table in it is limited to that owner."""

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import event

from lessons.faults.lab import Lab
from lessons.ingest.filters import also
from lessons.ingest.trash import Trash
from lessons.library import indexes
from lessons.retrieve.materials import chunk_range, statistics
from lessons.stages import stages

TABLE = re.compile(
    r'\b(?:FROM|JOIN|INTO|UPDATE|,)\s+"?((?:chunks|terms|trashed)_\w+|trashed_documents|documents|plans)\b'
)


@pytest.fixture(scope="module")
def statements() -> Iterator[list[str]]:
    """All that a database is asked while documents come, are searched in every way, change and go."""
    made: list[str] = []

    def note(connection, cursor, statement, *_) -> None:
        made.append(statement)

    with Lab() as lab:
        event.listen(lab.place.engine, "before_cursor_execute", note)
        lab.add({"kiosk.md": "# Kiosk\n\nThe kiosk opens at 8:00 now.\n"})
        for name in stages():
            lab.stage(name).ask("When does the kiosk open?", filters=also("language", "en", None))
        stores = [lab.place.store(index) for index in indexes()]
        trash = Trash(lab.place.engine, stores)
        trash.delete(lab.scope, "kiosk.md")
        trash.restore(lab.scope, "kiosk.md")
        chunk_range(stores[0], lab.scope, "kiosk.md", 0, 1)
        statistics(stores[0], lab.scope, ["kiosk.md"])
        yield made


def limited(statement: str, table: str) -> bool:
    """Whether a statement names the owner of this table's rows, in a condition or among the columns it writes."""
    return bool(re.search(rf"\b{table}\.user_id (=|IN) |INSERT INTO {table} \([^)]*user_id", statement))


def test_every_statement_limits_each_of_its_tables_to_the_owner(statements: list[str]) -> None:
    purging = "DELETE FROM trashed_chunks WHERE trashed_chunks.document_id IN"  # what is too old, whosever it is
    asked = [
        each for each in statements if purging not in each and re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)", each)
    ]
    named = [(table, each) for each in asked for table in set(TABLE.findall(each))]
    assert {"documents", "trashed_documents"} < {table for table, _ in named}
    assert [each for table, each in named if not limited(each, table)] == []
