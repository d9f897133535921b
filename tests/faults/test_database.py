"""The database goes away before, during and after a retrieval, and comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lessons.faults.lab import Lab, logged
from lessons.memory.conversation import Conversation, Window
from lessons.memory.messages import StoredMessages
from lessons.rag.prompts import NOT_SEARCHED
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.stages import stages

QUESTION = "When does the kiosk open?"
GONE = "Nothing listens at <address>: start the database there, or correct DATABASE_URL."


@dataclass(frozen=True)
class Around:
    """A retriever with something that happens before or after it, once."""

    retriever: Any
    before: Any = None
    after: Any = None

    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        if self.before:
            self.before()
        found = self.retriever.search(queries, query, resources)
        if self.after:
            self.after()
        return found


@pytest.mark.parametrize("name", stages())
def test_a_database_that_is_down_is_a_sentence_and_the_next_question_is_answered(lab: Lab, name: str) -> None:
    with lab.database.stopped():
        seen = lab.ask(name, QUESTION)
        assert (seen.answer.text, seen.answer.found) == (NOT_SEARCHED["en"], False)
        assert f"warning  Nothing could be retrieved: {GONE}" in repr(seen).splitlines()
        assert seen.log[-1] == f"ERROR retrieval failed: {GONE}"
    assert "7:30" in lab.ask(name, QUESTION).answer.text


def test_a_question_in_korean_is_told_in_korean(lab: Lab) -> None:
    with lab.database.stopped():
        assert lab.ask("smart", "도서관은 몇 시에 열어요?").answer.text == NOT_SEARCHED["ko"]


def test_what_is_known_of_the_conversation_still_answers(lab: Lab) -> None:
    with lab.database.stopped():
        known = "- name: Mina"
        answers = [
            lab.stage("naive").ask(f"What is my {what}?", user=lab.scope, memory=known) for what in ("name", "age")
        ]
    assert "Mina" in answers[0].text
    assert answers[1].text == NOT_SEARCHED["en"]
    assert all("Nothing could be retrieved" in str(answer.warnings) for answer in answers)


@pytest.mark.parametrize("name", stages())
def test_a_database_that_goes_away_during_retrieval_is_a_sentence_too(lab: Lab, name: str) -> None:
    stage = lab.stage(name)
    seen = lab.ask(stage.but(name, retriever=Around(stage.retriever, before=lab.database.stop)), QUESTION)
    assert seen.answer.text == NOT_SEARCHED["en"]
    assert not [line for line in seen.log if "traceback" in line]
    lab.database.start()
    assert "7:30" in lab.ask(name, QUESTION).answer.text


@pytest.mark.parametrize("name", stages())
def test_a_database_that_goes_away_after_retrieval_costs_no_answer(lab: Lab, name: str) -> None:
    stage = lab.stage(name)
    seen = lab.ask(stage.but(name, retriever=Around(stage.retriever, after=lab.database.stop)), QUESTION)
    lab.database.start()
    assert "7:30" in seen.answer.text
    assert seen.answer.citations
    assert (seen.answer.warnings, seen.log) == ([], [])


def conversation(lab: Lab, session: str) -> Conversation:
    return Conversation(Window(StoredMessages(lab.workspace.engine).get_or_create(lab.scope, session)))


def said(lab: Lab, session: str) -> list[str]:
    return [content for _, content in StoredMessages(lab.workspace.engine).last(lab.scope, session)]


def test_a_question_that_could_not_be_searched_is_no_turn_of_the_conversation(lab: Lab) -> None:
    talk = conversation(lab, "unsearched")
    with lab.database.stopped(), logged():
        talk.ask(lab.stage("naive"), QUESTION)
    talk.ask(lab.stage("naive"), "What does coffee cost?")
    assert said(lab, "unsearched")[::2] == ["What does coffee cost?"]


def test_a_turn_that_could_not_be_stored_is_stored_with_the_next_one(lab: Lab) -> None:
    talk, stage = conversation(lab, "late"), lab.stage("smart")
    with logged() as log:
        talk.ask(stage.but("smart", retriever=Around(stage.retriever, after=lab.database.stop)), QUESTION)
    assert log[-1] == f"WARNING the conversation could not be remembered: {GONE}"
    lab.database.start()
    answer = talk.ask(stage, "And when does it close?")
    assert "18:15" in answer.text
    assert "kiosk" in answer.trace["Condense"].output[0]
    assert said(lab, "late")[::2] == [QUESTION, "And when does it close?"]


def test_a_turn_that_could_not_be_stored_is_known_while_the_database_is_away(lab: Lab) -> None:
    talk, stage = conversation(lab, "away"), lab.stage("naive")
    with logged():
        talk.ask(stage.but("naive", retriever=Around(stage.retriever, after=lab.database.stop)), QUESTION)
        assert talk.recall("And when does it close?").history[0][1] == QUESTION
    lab.database.start()
