"""On questions that nobody tuned on, the reader refuses what has no answer, and a follow-up loses nothing."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from data.make.frozen import count_outcomes
from lessons.library import indexes
from lessons.rag.workspace import Workspace
from lessons.stages import stages
from tests.support.shipped import shipped_corpus


@pytest.fixture(scope="module")
def library() -> Iterator[Workspace]:
    with shipped_corpus(indexes()) as place:
        yield place


def share(counts: Counter[tuple[str, str]], kind: str, *outcomes: str) -> float:
    """The share of the questions of a kind that have one of these outcomes."""
    return sum(counts[kind, each] for each in outcomes) / sum(n for (one, _), n in counts.items() if one == kind)


@pytest.mark.parametrize("name", ["naive", "smart"])
def test_questions_without_an_answer_are_refused(library: Workspace, name: str) -> None:
    counts = count_outcomes(replace(stages()[name], workspace=library), "unanswerable")
    assert share(counts, "far", "refused") >= 0.95
    assert share(counts, "near", "refused") >= 0.7


def test_follow_ups_are_right_or_refused(library: Workspace) -> None:
    counts = count_outcomes(replace(stages()["smart"], workspace=library), "followups")
    assert share(counts, "points", "right", "refused") >= 0.75
    assert share(counts, "topic_change", "right", "refused") >= 0.85
