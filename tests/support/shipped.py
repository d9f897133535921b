"""The shipped documents in a database of their own: other tests count on none in the one they share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lessons.faults.database import SpareDatabase
from lessons.ingest.index import Index
from lessons.library import load_corpus
from lessons.rag.workspace import Workspace


@contextmanager
def shipped_corpus(targets: Sequence[Index]) -> Iterator[Workspace]:
    """A workspace whose indexes hold the documents; the database is gone after the block."""
    spare = SpareDatabase()
    try:
        place = Workspace.open(spare.settings)
        load_corpus(place, targets=targets)
        yield place
    finally:
        spare.erase()
