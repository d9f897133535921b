"""Many writers and readers at once: no message is lost, none overtakes another of its writer, no limit is passed."""

import multiprocessing
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

from lessons.database import engine
from lessons.memory.messages import InMemoryStore, MessageStore, StoredMessages
from lessons.plan import Message
from lessons.rag.types import Scope
from lessons.settings import Settings

MINA = Scope("mina")
THREADS, PROCESSES = 16, 4
MESSAGES = 10_000
EACH = MESSAGES // (THREADS + PROCESSES)


def write(store: MessageStore, session: str, writer: int, count: int = EACH, together: int = 25) -> None:
    """Numbered messages of one writer, some of them in each call."""
    for first in range(0, count, together):
        numbers = range(first, min(first + together, count))
        store.add(MINA, session, *((f"writer {writer}", str(number)) for number in numbers))


def write_in_child(chosen: Settings, session: str, writer: int) -> None:
    write(StoredMessages(engine(chosen), limit=MESSAGES), session, writer)


def in_threads(work: Callable[[int], object], threads: int = THREADS) -> None:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))


def numbers_of(said: Iterable[Message], writer: int) -> list[int]:
    return [int(content) for role, content in said if role == f"writer {writer}"]


def test_threads_and_processes_that_write_to_one_session_lose_nothing(database: Settings, session: str) -> None:
    store = StoredMessages(engine(database), limit=MESSAGES)
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    context.set_forkserver_preload(["lessons.memory.messages"])
    children = [
        context.Process(target=write_in_child, args=(database, session, THREADS + number))
        for number in range(PROCESSES)
    ]
    for child in children:
        child.start()
    in_threads(partial(write, store, session))
    for child in children:
        child.join()
    said = store.get_or_create(MINA, session).history()
    assert len(said) == MESSAGES
    assert all(numbers_of(said, writer) == list(range(EACH)) for writer in range(THREADS + PROCESSES))
    assert all(len({role for role, _ in said[first : first + 25]}) == 1 for first in range(0, MESSAGES, 25))


def test_a_session_in_memory_loses_nothing_and_can_be_read_meanwhile(session: str) -> None:
    store = InMemoryStore(messages=MESSAGES)

    def write_and_read(writer: int) -> None:
        write(store, session, writer, MESSAGES // THREADS, together=1)
        seen = numbers_of(store.get_or_create(MINA, session).history(), writer)
        assert seen == list(range(MESSAGES // THREADS))

    in_threads(write_and_read)
    assert len(store.get_or_create(MINA, session).history()) == MESSAGES


def test_the_oldest_messages_go_first_under_load(store: MessageStore, session: str) -> None:
    def write_and_read(writer: int) -> None:
        for number in range(40):
            store.add(MINA, session, (f"writer {writer}", str(number)))
            seen = store.get_or_create(MINA, session).history()
            own = numbers_of(seen, writer)
            assert len(seen) <= 100
            assert own == list(range(number + 1 - len(own), number + 1))

    in_threads(write_and_read, 8)
    assert len(store.get_or_create(MINA, session).history()) == 100


def test_no_more_sessions_than_allowed_are_kept_under_load() -> None:
    store = InMemoryStore(sessions=20)

    def use(worker: int) -> None:
        random = Random(worker)
        for _ in range(2_000):
            store.add(MINA, str(random.randrange(100)), ("user", "hello"))
            store.get(MINA, str(random.randrange(100)))

    in_threads(use)
    assert store.clear(MINA) == 20
