"""Visitors who ask at the same time: no error, and nobody reads another's answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from tests.app.load import all_at_once, alone
from tests.app.load_memory import growth
from tests.support.served import served

OPENS = {"mina": "9:10", "joon": "10:20"}  # the reader's opens at 7:30
QUESTIONS = [
    "When does the kiosk open?",
    "When does the kiosk close?",
    "What does the kiosk rent?",
    "Until when is the kiosk open?",
]


@pytest.fixture
def kiosks(shop: None, tmp_path: Path) -> Iterator[None]:
    """A document of the same name in the indexes of three owners, who must not hear of each other's."""
    place = workspace()
    for owner, hour in OPENS.items():
        path = tmp_path / f"{owner}.md"
        path.write_text(f"# Kiosk\n\nThe kiosk opens at {hour}. The kiosk closes at 18:{hour[-2:]}.", encoding="utf-8")
        for index in indexes():
            list(ingest([(path, "kiosk.md")], index, place.store(index), place.embedding, Scope(owner)))
    yield
    for owner in OPENS:
        for index in indexes():
            place.store(index).delete_document(Scope(owner), "kiosk.md")


@pytest.mark.timeout(120)
def test_visitors_at_the_same_time_get_what_each_would_get_alone(kiosks: None) -> None:
    visitors = [("reader", "naive"), ("mina", "agentic"), ("joon", "smart"), ("mina", "reranked")]
    visits = [[alone(question, stage, owner) for question in QUESTIONS] for owner, stage in visitors]
    assert len({asked[0].expected for asked in visits[:3]}) == 3
    with served() as (address, _):
        assert [seen.problem for seen in all_at_once(address, visits) if seen.problem] == []


def test_memory_that_is_only_taken_at_the_beginning_is_no_growth() -> None:
    assert growth([100.0, 300.0, 500.0, *[600.0] * 9]) == 0
    assert growth([float(read) for read in range(400, 501)]) == pytest.approx(75)
