"""Eleven thousand hostile inputs: nothing of another owner, no SQL in a message, no statement but the intended."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import Engine, TextClause, create_engine, event, select, text, union_all

from lessons.database import engine
from lessons.database.embedded import log_of
from lessons.database.owners import owner_transaction
from lessons.errors import LessonsError
from lessons.ingest.queue import JobQueue
from lessons.memory.messages import StoredMessages
from lessons.rag.catalog import only_file, registered_file
from lessons.rag.filters import filter_sql
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.filter_text import parse_filter
from lessons.search.materials import Plans, chunk_range, statistics
from lessons.settings import Settings
from lessons.text import terms
from tests.retrieve.attacks import MARK, Attacker
from tests.retrieve.conftest import Put

OF_OUR_SQL = re.compile(r"chunks_retrieve|sqlalche|psycopg|current_setting\('lessons|\bselect .* from\b.*\bwhere\b")
BATCH = 100  # filters in one statement
INTENDED = re.compile(r"(SELECT|WITH (?:hit|asked) AS|BEGIN|COMMIT|ROLLBACK)\b")


@pytest.fixture(scope="module")
def watched(database: Settings) -> Iterator[Engine]:
    """An engine whose every statement the server writes into its log, without the values of its parameters."""
    url = engine(database).url
    options = "-c log_statement=all -c log_parameter_max_length=0"
    made = create_engine(url.update_query_dict({"options": options}), connect_args={"prepare_threshold": None})
    yield made
    made.dispose()


@cache
def rooms(database: Engine) -> tuple[StoredMessages, Plans, JobQueue]:
    return StoredMessages(database), Plans(database), JobQueue(database)


@pytest.fixture
def attacked(watched: Engine, store: ChunkStore, put: Put, mina: Scope, joon: Scope) -> Iterator[ChunkStore]:
    """The store through the watched engine; afterwards client and server agree on what was said, and it was meant."""
    put(mina, "a.md", "hers", year=2024, keywords=["cost"]), put(joon, "his.md", "his", year=2024, keywords=["cost"])
    StoredMessages(store.engine).add(joon, "monday", ("user", "his question"), ("assistant", "his answer"))
    there = ChunkStore(watched, "retrieve", "toy", 3)
    there.rows(select(there.chunks.c.id), mina), statistics(there, mina, ["missing"])
    rooms(watched)[0].last(mina, "opened"), rooms(watched)[2].status("", mina)
    sent: list[str] = []
    event.listen(watched, "after_cursor_execute", lambda *arguments: sent.append(arguments[2]))
    mark = f"attack {uuid4()}"
    with watched.connect() as connection:
        connection.execute(text(f"SELECT '{mark}'"))
    yield there
    said = logged(log_of(Settings().data_dir), mark)
    assert len([each for each in said if not each.startswith(("BEGIN", "COMMIT", "ROLLBACK"))]) == len(sent) - 1
    assert {each for each in said if not INTENDED.match(each)} == set()
    assert not any(MARK in each for each in [*said, *sent])


def logged(log: Path, mark: str) -> list[str]:
    """The statements that the server's log holds after the mark, of the connections that log any."""
    after = log.read_text(errors="replace").rpartition(mark)[2]
    found = re.findall(r"^\S+ \S+ \S+ \[\d+\] LOG:  (?:execute [^:]*|statement): ((?:.*)(?:\n\t.*)*)", after, re.M)
    return [statement.strip() for statement in found]


def tried(attempt: Callable[[], object]) -> object:
    """What an attempt gives, or None if it is refused in a sentence without SQL."""
    try:
        return attempt()
    except LessonsError as error:
        assert not OF_OUR_SQL.search(str(error)), error  # noqa: PT017 – either outcome is right
        return None


def condition(number: int, sql: str, values: dict) -> TextClause:
    """A filter whose values have names that no other one in the same statement has."""
    named = {f"of_{number}_{name}": value for name, value in values.items()}
    return text(re.sub(r":(filter_\d+)", rf":of_{number}_\1", sql)).bindparams(**named)


def test_seven_thousand_filters_show_nothing_of_another_owner(attacked: ChunkStore, mina: Scope, joon: Scope) -> None:
    """Without the WHERE on the owner: the wall alone must hold, whatever the filter says."""
    attacker, chunks = Attacker(5, joon.user_id), attacked.chunks.c
    expressions = [attacker.expression() for _ in range(3_500)]
    parsed = [tried(lambda text=text: parse_filter(text)) for text in expressions]
    built = [attacker.filters() for _ in range(3_500)]
    bound = [tried(lambda each=each: filter_sql(each)) for each in [*parsed, *built] if each]
    conditions = [condition(number, *each) for number, each in enumerate(bound) if each is not None]
    assert len(conditions) > 1_500  # many are refused or run; enough must really run
    shown: set[str] = set()
    for first in range(0, len(conditions), BATCH):
        parts = [select(chunks.user_id).where(each) for each in conditions[first : first + BATCH]]
        with owner_transaction(attacked.engine, mina.user_id) as connection:
            shown.update(connection.scalars(union_all(*parts)))
    assert shown == {mina.user_id}


def test_owners_that_are_only_like_another_see_nothing(attacked: ChunkStore, joon: Scope) -> None:
    attacker = Attacker(6, joon.user_id)
    names = [name for name in attacker.texts(1_000) if name != joon.user_id]
    scopes = [tried(lambda name=name: Scope(name)) for name in names]
    found = [attacked.rows(select(attacked.chunks.c.text), scope) for scope in scopes if isinstance(scope, Scope)]
    assert len(found) > 300
    assert not any(found)


def test_file_names_and_tool_arguments_reach_nothing_of_another_owner(
    attacked: ChunkStore, mina: Scope, joon: Scope
) -> None:
    for name in ["a.md", "his.md", *Attacker(7, joon.user_id, "his.md").texts(1_000)]:
        limited = tried(lambda name=name: only_file(name, None, attacked, mina))
        assert limited is None or limited[0] is None or limited[0].filters[0].value == "a.md"
        tool = tried(lambda name=name: registered_file(name, None, attacked, mina))
        assert tool is None or tool.filters[0].value == "a.md"


def test_ranges_and_statistics_reach_nothing_of_another_owner(attacked: ChunkStore, mina: Scope, joon: Scope) -> None:
    names = ["a.md", "his.md", *Attacker(8, joon.user_id, "his.md").texts(1_000)]
    read = {name: tried(lambda name=name: chunk_range(attacked, mina, name, 0, 99)) or [] for name in names}
    assert read["a.md"]
    assert {chunk.metadata["user_id"] for chunks in read.values() for chunk in chunks} == {mina.user_id}
    found = {material.ref_id: material.state for material in statistics(attacked, mina, names)}
    assert found.pop("a.md") == "COMPLETED"
    assert set(found.values()) == {"NOT_FOUND"}


def test_sessions_plans_and_jobs_reach_nothing_of_another_owner(attacked: ChunkStore, mina: Scope, joon: Scope) -> None:
    messages, plans, jobs = rooms(attacked.engine)
    for word in ["monday", *Attacker(9, joon.user_id, "monday").texts(1_000)]:
        assert not tried(lambda word=word: messages.last(mina, word))
        assert tried(lambda word=word: plans.plan_scope(word, mina)) is None
        assert tried(lambda word=word: plans.make_plan(mina, [word, "his.md"])) is None
        found = tried(lambda word=word: jobs.status(word, mina))
        assert found is None or found.status == "NOT_FOUND"


def test_questions_and_filters_find_nothing_of_another_owner_by_meaning_or_by_word(
    attacked: ChunkStore, mina: Scope, joon: Scope
) -> None:
    attacker = Attacker(10, joon.user_id, "his")
    for question in attacker.texts(500):
        filters = attacker.filters()
        wanted = VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=5, filters=filters)
        words = terms(f"{question} his")
        near = tried(lambda wanted=wanted: attacked.query(wanted, scope=mina).nodes) or []
        worded = tried(lambda words=words: attacked.keyword_search(words, 5, mina).nodes) or []
        assert {node.metadata["user_id"] for node in [*near, *worded]} <= {mina.user_id}
