"""An answer of every stage about the shipped documents, by the keyless models."""

import pytest

from lessons.evaluate.golden import golden_questions
from lessons.rag.workspace import Workspace
from lessons.stages import stage_named, stages
from tests.benchmarks.conftest import Timed


@pytest.mark.parametrize("name", stages())
def test_answer(timed: Timed, corpus: Workspace, name: str) -> None:
    others = list(stages()).index(name)  # what an earlier stage was asked is found faster
    golden, stage = golden_questions("dev")[others :: len(stages())], stage_named(name)
    assert timed(lambda number: stage.ask(golden[number].question, user=golden[number].owner), rounds=10).text
