"""Every stage with real weights: it answers in time, and each of its steps says whose output it went on with."""

import pytest

from lessons.faults.lab import Lab
from lessons.ingest.pipeline import ingest_each
from lessons.library import CORPUS, indexes, shipped_documents
from lessons.models.keyless import NOTHING_FOUND
from lessons.models.llm import KEYLESS
from lessons.rag.answer import Answer
from lessons.rag.types import Scope
from lessons.stages import stages
from lessons.trace import Step
from tests.served.conftest import ANSWER
from tests.served.llama_server import MODEL

QUESTIONS = {"en": "When does the kiosk open?", "ko": "사내 도서관은 몇 시에 문을 엽니까?"}
LONG_QUESTIONS = {
    "en": "How does single sign-on work, and what are the limits of connectors?",
    "ko": "커넥터를 연결하는 방법과 계정의 한도는 무엇입니까?",
}
LONGEST = ANSWER["answer_seconds"] + ANSWER["reply_seconds"] + 20  # seconds: the last call begins just in time
STAND_IN = "keyless model"


@pytest.fixture(scope="session")
def library(lab: Lab) -> Lab:
    """The lab with another owner's documents, which are longer than the window in either language."""
    paths = [each["path"] for each in shipped_documents() if each["world"] == "product" and each["path"].endswith("md")]
    list(ingest_each(lab.place, [(CORPUS / path, path) for path in paths], indexes(), Scope("library")))
    return lab


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("name", stages())
def test_every_stage_answers_in_time_and_every_step_says_who_answered(lab: Lab, name: str, language: str) -> None:
    answer = lab.ask(name, QUESTIONS[language]).answer
    assert answer.text
    assert_accounted(answer)
    assert {document.source for document in answer.context.documents}
    assert sum(answer.trace["answer"].answered.values()) == 1


def test_a_follow_up_is_completed_or_stays_as_it_was(lab: Lab) -> None:
    history = [("user", QUESTIONS["en"]), ("assistant", "The kiosk opens at 7:30 [1].")]
    answer = lab.ask("smart", "And when does it close?", history=history).answer
    assert answer.trace["Condense"].answered
    assert answer.trace["Condense"].output[0].strip()
    assert_accounted(answer)


@pytest.mark.parametrize("language", LONG_QUESTIONS)
def test_what_is_sent_of_long_documents_fits_the_window(library: Lab, language: str) -> None:
    answer = library.ask("reranked", LONG_QUESTIONS[language], user="library").answer
    assert len(answer.context.documents) > 1
    assert not [note for step in answer.trace for note in step.notes if "exceeds" in note]
    assert_accounted(answer)


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("name", ["naive", "enhanced"])
def test_where_nothing_is_found_no_model_is_asked(lab: Lab, name: str, language: str) -> None:
    answer = lab.ask(name, QUESTIONS[language], user="nobody").answer
    assert answer.text == NOTHING_FOUND[language]
    assert not answer.found
    assert answer.trace.llm_calls == 0


def assert_accounted(answer: Answer) -> None:
    """Within its time, and every call of a model was answered by the served one or its step has a note why not."""
    assert answer.trace.ms < LONGEST * 1_000
    assert answer.trace.answered[MODEL] + answer.trace.answered[KEYLESS] == answer.trace.answered.total()
    for step in answer.trace:
        assert_step_accounted(step)


def assert_step_accounted(step: Step) -> None:
    if KEYLESS in step.answered:
        assert any(STAND_IN in note for note in step.notes), step
    if step.llm_calls > step.answered.total():
        assert any("failed" in note for note in step.notes), step
    for part in step.parts:
        assert_step_accounted(part)
