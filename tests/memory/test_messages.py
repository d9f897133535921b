"""Conversations in PostgreSQL: in order, within their limit, and nobody else's."""

from uuid import uuid4

import pytest
from sqlalchemy import create_engine

from lessons.database import engine
from lessons.ingest.scope import Scope
from lessons.memory.conversation import Conversation
from lessons.memory.messages import StoredMessages
from lessons.settings import Settings, settings

MINA, JOON = Scope("mina"), Scope("joon")


@pytest.fixture
def messages(any_database: Settings) -> StoredMessages:
    return StoredMessages(engine(any_database))


@pytest.fixture
def session() -> str:
    return str(uuid4())


def test_the_last_turns_come_back_oldest_first(messages: StoredMessages, session: str) -> None:
    for turn in range(4):
        messages.add_turn(MINA, session, f"question {turn}", f"답 {turn}")
    assert messages.history(MINA, session, turns=2) == (
        ("user", "question 2"),
        ("assistant", "답 2"),
        ("user", "question 3"),
        ("assistant", "답 3"),
    )


def test_a_session_keeps_its_newest_messages_only(messages: StoredMessages, session: str) -> None:
    for turn in range(60):
        messages.add_turn(MINA, session, str(turn), str(turn))
    kept = messages.history(MINA, session, turns=100)
    assert len(kept) == settings().session_messages == 100
    assert kept[0] == ("user", "10")


def test_the_same_session_id_of_another_owner_is_another_session(messages: StoredMessages, session: str) -> None:
    messages.add_turn(MINA, session, "hers", "yes")
    assert messages.history(JOON, session, turns=5) == ()
    assert messages.clear(JOON, session) == 0
    assert len(messages.history(MINA, session, turns=5)) == 2


def test_a_cleared_session_is_forgotten(messages: StoredMessages, session: str) -> None:
    messages.add_turn(MINA, session, "a", "b")
    assert messages.clear(MINA, session) == 2
    assert messages.history(MINA, session, turns=5) == ()


def test_a_store_that_is_down_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    nowhere = create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    conversation = Conversation(nowhere, MINA, "s")
    conversation.remember("question", "answer")
    assert conversation.history() == ()
    assert "could not be stored" in caplog.text
