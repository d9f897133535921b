"""The three places where a conversation can be kept."""

from uuid import uuid4

import pytest

from lessons.database import engine
from lessons.memory.messages import InMemoryStore, MessageStore, StoredMessages
from lessons.settings import Settings


@pytest.fixture(params=["memory", "embedded", "tcp"])
def store(request: pytest.FixtureRequest) -> MessageStore:
    """A store in memory, or in each of the two databases."""
    if request.param == "memory":
        return InMemoryStore(messages=100)
    if request.param == "embedded":
        return StoredMessages(engine(request.getfixturevalue("database")))
    return StoredMessages(engine(Settings(database_url=request.getfixturevalue("tcp_server"))))


@pytest.fixture
def session() -> str:
    """The id of a session that no other test uses."""
    return str(uuid4())
