"""Conversations are kept in order, within their limits, and apart from everybody else's, wherever they are kept."""

from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert, text

from lessons.database import engine, stop
from lessons.errors import DatabaseError
from lessons.memory import messages
from lessons.memory.conversation import Conversation, Window
from lessons.memory.messages import (
    CLEANED_EVERY,
    InMemoryStore,
    MessageRow,
    MessageStore,
    SessionMessages,
    StoredMessages,
    choose_store,
)
from lessons.models.tokens import TokenEstimator
from lessons.rag.types import Scope
from lessons.settings import Settings, settings

MINA, JOON = Scope("mina"), Scope("joon")
NOWHERE = "postgresql://nobody@127.0.0.1:1/none"


def test_what_was_said_comes_back_oldest_first(store: MessageStore, session: str) -> None:
    messages = store.get_or_create(MINA, session)
    messages.add(("user", "first"), ("assistant", "하나"))
    messages.add(("user", "second"), ("assistant", "둘"))
    said = (("user", "first"), ("assistant", "하나"), ("user", "second"), ("assistant", "둘"))
    assert messages.history() == said
    assert messages.history(3) == said[1:]
    assert messages.history(0) == ()


def test_the_oldest_messages_are_dropped_beyond_the_limit(store: MessageStore, session: str) -> None:
    for number in range(120):
        store.add(MINA, session, ("user", str(number)))
    assert [content for _, content in store.get_or_create(MINA, session).history()] == list(map(str, range(20, 120)))


def test_a_conversation_in_memory_keeps_fifty_messages_and_a_stored_one_a_hundred() -> None:
    chosen = settings()
    assert (chosen.conversation_messages, chosen.session_messages, chosen.sessions_in_memory) == (50, 100, 1_000)
    messages = SessionMessages()
    messages.add(*(("user", str(number)) for number in range(60)))
    assert [content for _, content in messages.history()] == list(map(str, range(10, 60)))


def test_a_session_is_there_once_something_was_said_in_it(store: MessageStore, session: str) -> None:
    assert store.get(MINA, session) is None
    store.add(MINA, session, ("user", "hello"))
    found = store.get(MINA, session)
    assert found is not None
    assert found.history() == (("user", "hello"),)


def test_the_same_session_id_of_another_owner_is_another_session(store: MessageStore, session: str) -> None:
    store.add(MINA, session, ("user", "hers"))
    assert store.get(JOON, session) is None
    assert not store.remove(JOON, session)
    store.add(JOON, session, ("user", "his"))
    assert store.get_or_create(MINA, session).history() == (("user", "hers"),)


def test_a_removed_session_is_forgotten(store: MessageStore, session: str) -> None:
    store.add(MINA, session, ("user", "a"))
    assert store.remove(MINA, session)
    assert not store.remove(MINA, session)
    assert store.get_or_create(MINA, session).history() == ()


def test_a_cleared_session_can_go_on(store: MessageStore, session: str) -> None:
    messages = store.get_or_create(MINA, session)
    messages.add(("user", "a"))
    messages.clear()
    messages.add(("user", "b"))
    assert messages.history() == (("user", "b"),)


def test_clearing_forgets_all_sessions_of_one_owner(store: MessageStore) -> None:
    kim, lee = Scope(f"kim-{uuid4()}"), Scope(f"lee-{uuid4()}")
    for scope, session in ((kim, "1"), (kim, "1"), (kim, "2"), (lee, "1")):
        store.add(scope, session, ("user", "hello"))
    assert store.clear(kim) == 2
    assert store.get(kim, "1") is None
    assert store.get(lee, "1") is not None


def test_the_newest_messages_that_fit_come_back_oldest_first(store: MessageStore, session: str) -> None:
    messages = store.get_or_create(MINA, session)
    messages.add(("user", "hello"), ("assistant", "안녕하세요"), ("user", "hello hello"))  # 2, 4 and 3 tokens
    assert [len(messages.within(tokens, TokenEstimator())) for tokens in range(10)] == [0, 0, 0, 1, 1, 1, 1, 2, 2, 3]
    assert messages.within(7, TokenEstimator()) == (("assistant", "안녕하세요"), ("user", "hello hello"))


@given(st.lists(st.text(max_size=20)), st.integers(0, 40))
def test_what_fits_is_the_longest_end_of_the_conversation_within_the_limit(contents: list[str], tokens: int) -> None:
    said = tuple(("user", content) for content in contents)
    messages = SessionMessages(1_000)
    messages.add(*said)
    kept = messages.within(tokens, TokenEstimator())
    cost = sum(TokenEstimator().count(content) for _, content in kept)
    assert said[len(said) - len(kept) :] == kept
    assert cost <= tokens
    assert kept == said or cost + TokenEstimator().count(said[len(said) - len(kept) - 1][1]) > tokens


def test_the_session_used_least_recently_is_dropped_first() -> None:
    store = InMemoryStore(sessions=3)
    for session in "abc":
        store.add(MINA, session, ("user", session))
    assert store.get(MINA, "a") is not None
    store.add(MINA, "d", ("user", "d"))
    assert [store.get(MINA, session) is not None for session in "abcd"] == [True, False, True, True]


def test_a_restart_keeps_every_conversation_in_the_database(database: Settings, session: str) -> None:
    StoredMessages(engine(database)).add(MINA, session, ("user", "still there?"))
    stop(database)
    assert StoredMessages(engine(database)).get_or_create(MINA, session).history() == (("user", "still there?"),)


def test_sessions_are_forgotten_when_their_last_message_is_too_old(any_database: Settings) -> None:
    scope, store = Scope(f"kim-{uuid4()}"), StoredMessages(engine(any_database))
    store.add(scope, "another", ("user", "now"))
    for session in ("asleep", "awake"):
        _said_long_ago(any_database, scope, session)
    store.add(scope, "awake", ("user", "now"))
    assert store.clean_up(timedelta(days=90)) == 2
    assert store.get(scope, "asleep") is None
    assert len(store.get_or_create(scope, "awake").history()) == 3


def test_a_running_process_forgets_old_sessions_within_the_hour(
    any_database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, store = Scope(f"kim-{uuid4()}"), StoredMessages(engine(any_database))
    store.add(scope, "another", ("user", "now"))
    _said_long_ago(any_database, scope, "asleep")
    later = monotonic() + CLEANED_EVERY
    monkeypatch.setattr(messages, "monotonic", lambda: later)
    store.add(scope, "another", ("user", "now"))
    assert store.get(scope, "asleep") is None


def test_messages_are_stored_once_though_old_ones_cannot_be_forgotten(
    any_database: Settings, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise DatabaseError("The connection broke off.")

    monkeypatch.setattr(messages, "_clean_up_hourly", broken)
    store = StoredMessages(engine(any_database))
    conversation = Conversation(Window(store.get_or_create(MINA, session)))
    conversation.remember("first", "one")
    conversation.remember("second", "two")
    assert [content for _, content in store.last(MINA, session)] == ["first", "one", "second", "two"]


def _said_long_ago(chosen: Settings, scope: Scope, session: str) -> None:
    old = datetime.now(UTC) - timedelta(days=91)
    with engine(chosen).begin() as connection:
        row = {"user_id": scope.user_id, "session_id": session, "role": "user", "content": "then"}
        connection.execute(insert(MessageRow), [row | {"timestamp": old}] * 2)


def test_a_statement_that_forgets_the_owner_sees_no_message_of_anybody_else(any_database: Settings) -> None:
    store, kim = StoredMessages(engine(any_database)), Scope(f"kim-{uuid4()}")
    store.add(kim, "1", ("user", "hers"))
    with store._transaction(JOON) as connection:
        seen = connection.execute(text("SELECT content FROM conversation_messages WHERE session_id = '1'")).all()
    assert "hers" not in [row.content for row in seen]


def test_conversations_are_kept_in_the_database_that_is_there(any_database: Settings) -> None:
    assert isinstance(choose_store(any_database), StoredMessages)


def test_without_a_database_conversations_are_kept_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    assert isinstance(choose_store(Settings(database_url=NOWHERE)), InMemoryStore)
    assert "until this process ends" in caplog.text


def test_the_configured_store_wins(database: Settings) -> None:
    assert isinstance(choose_store(database.model_copy(update={"message_store": "memory"})), InMemoryStore)
    with pytest.raises(DatabaseError):
        choose_store(Settings(database_url=NOWHERE, message_store="postgres"))


def test_a_store_is_built_before_its_database_answers() -> None:
    store = StoredMessages(create_engine(NOWHERE.replace("://", "+psycopg://")))
    with pytest.raises(DatabaseError):
        store.add(MINA, "s", ("user", "hello"))
