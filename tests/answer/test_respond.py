"""The question that is answered is the one that the conversation completes, and the trace shows it."""

import pytest

from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.search.transforms import Condense
from lessons.settings import Settings
from lessons.stages import stage_named

REPORTS = [
    RetrievedDocument(f"r{quarter}", f"Revenue was KRW {revenue} billion.", 1.0, f"marlow-foods-2024-q{quarter}.pdf")
    for quarter, revenue in ((2, 41.2), (3, 44.7))
]


class Both:
    """Finds the two reports, whatever is asked."""

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        return REPORTS


@pytest.fixture(scope="module")
def stage(database: Settings) -> Stage:
    return stage_named("naive").but("both", query=(Condense(),), retriever=Both(), workspace=Workspace.open(database))


HISTORY = (("user", "What was the revenue of Marlow Foods in Q2 2024?"), ("assistant", "KRW 41.2 billion [1]."))


def test_a_follow_up_is_answered_as_the_question_it_stands_for(stage: Stage) -> None:
    answer = stage.ask("And in Q3?", history=HISTORY)
    assert "44.7" in answer.text
    assert "41.2" not in answer.text
    assert answer.question == "And in Q3?"
    assert answer.trace["answer"].input == answer.trace["Condense"].output[0] != answer.question


def test_a_correction_is_answered_as_the_question_that_was_meant(stage: Stage) -> None:
    answer = stage.ask("I meant Q3, not Q2.", history=HISTORY)
    assert answer.trace["answer"].input == "What was the revenue of Marlow Foods in Q3 2024?"
    assert "44.7" in answer.text


def test_a_question_that_stands_alone_is_answered_as_it_is(stage: Stage) -> None:
    answer = stage.ask("What was the revenue of Marlow Foods in Q2 2024?", history=HISTORY)
    assert "41.2" in answer.text
    assert answer.trace["answer"].input == answer.question


@pytest.mark.parametrize("said", ["My name is Mia and I work at a bakery.", "제 이름은 미아입니다.", "Thank you!"])
def test_what_is_only_taken_note_of_needs_no_source(stage: Stage, said: str) -> None:
    answer = stage.ask(said)
    assert answer.found
    assert answer.context.documents
    assert answer.warnings == []
