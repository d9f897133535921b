"""A model that hangs, refuses, or answers nonsense: every stage answers all the same, and says what was wrong."""

import pytest

from lessons.faults.lab import Lab
from lessons.faults.model import Fault, broken_model
from lessons.memory.conversation import Conversation, Window
from lessons.memory.messages import SessionMessages

QUESTION = "When does the kiosk open?"
SENTENCES: dict[Fault, str] = {
    "hangs": "did not answer in time",
    "too_many": "is limiting requests (429)",
    "truncated": "it said nothing",
    "wrong_schema": "sent no usable answer",
}
STAGES = ["naive", "smart", "reranked", "agentic"]


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("fault", SENTENCES)
def test_the_keyless_model_answers_in_place_of_a_broken_one(lab: Lab, fault: Fault, name: str) -> None:
    with broken_model(lab.workspace, fault):
        seen = lab.ask(name, QUESTION)
    (warning,) = seen.answer.warnings
    assert "7:30" in seen.answer.text
    assert seen.answer.citations
    assert SENTENCES[fault] in warning
    assert warning.endswith("answered by the keyless model")
    assert seen.answer.answered_by.startswith("answered by the keyless model, in place of ")
    assert not [line for line in seen.log if "traceback" in line]
    assert lab.ask(name, QUESTION).answer.warnings == []


@pytest.mark.parametrize("name", ["reranked", "agentic"])
def test_a_model_that_hangs_is_waited_for_twice_in_an_answer_and_again_in_the_next(lab: Lab, name: str) -> None:
    with broken_model(lab.workspace, "hangs") as server:
        lab.ask(name, QUESTION)
        assert len(server.requests) == 2
        lab.ask(name, QUESTION)
        assert len(server.requests) == 4


def test_an_endless_tool_loop_ends_after_five_searches_with_an_answer(lab: Lab) -> None:
    with broken_model(lab.workspace, "endless") as server:
        seen = lab.ask("agentic", QUESTION)
    asked_for_tools = [each for each in server.requests if len(each.get("tools", [])) == 2]
    assert "7:30" in seen.answer.text
    assert [step.name for step in seen.answer.trace].count("search_documents") == len(asked_for_tools) == 5


def test_half_an_answer_is_shown_with_a_warning(lab: Lab) -> None:
    with broken_model(lab.workspace, "breaks_off"):
        seen = lab.ask("naive", QUESTION)
    assert seen.answer.text == "The kiosk in the lobby opens"
    assert seen.answer.warnings[0] == "the answer broke off (its end did not arrive)"
    assert "keyless" not in seen.answer.answered_by


@pytest.mark.parametrize("fault", [*SENTENCES, "breaks_off"])
def test_a_conversation_goes_on_after_a_broken_model(lab: Lab, fault: Fault) -> None:
    said = SessionMessages()
    talk = Conversation(Window(said))
    with broken_model(lab.workspace, fault):
        talk.ask(lab.stage("smart"), QUESTION)
    assert "18:15" in talk.ask(lab.stage("smart"), "And when does it close?").text
    assert [role for role, _ in said.history()] == ["user", "assistant"] * 2
