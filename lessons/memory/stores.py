"""Where conversations are kept: PostgreSQL where a database is there, else this process (row A4)."""

import logging
from datetime import timedelta
from functools import cache

from lessons.database import engine
from lessons.errors import DatabaseError
from lessons.memory.in_memory import InMemoryStore
from lessons.memory.messages import StoredMessages
from lessons.memory.types import MessageStore
from lessons.settings import Settings, settings

logger = logging.getLogger(__name__)


def choose_store(chosen: Settings) -> MessageStore:
    """The store that is configured. The choice is logged where it is not the one that lasts.

    Opening PostgreSQL forgets the sessions that nobody has gone on with for longer than the settings allow.
    """
    if chosen.message_store == "memory":
        return InMemoryStore()
    try:
        store = StoredMessages(engine(chosen))
        store.clean_up(timedelta(days=chosen.session_ttl_days))
    except DatabaseError as error:
        if chosen.message_store == "postgres":
            raise
        logger.warning("conversations are kept until this process ends: %s", error)
        return InMemoryStore()
    return store


@cache
def message_store() -> MessageStore:
    """The store of this process, opened on first use."""
    return choose_store(settings())
