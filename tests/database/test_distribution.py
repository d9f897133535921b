"""What a database distributed by owner asks: keys that hold the owner, and statements that name one.

Citus itself is not among the packages. PostgreSQL's own partitions by owner ask the same of the keys, and show which of
them a statement touches.
"""

import random
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import event, text

from lessons.context.cache import AnswerTable, CacheKey
from lessons.faults.lab import Lab
from lessons.ingest.trash import Trash
from lessons.library import indexes
from lessons.memory.messages import StoredMessages
from lessons.memory.profile import Profile
from lessons.memory.turns import State, Turns
from lessons.rag.filters import also
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.materials import Plans, chunk_range, statistics
from lessons.settings import settings
from lessons.stages import stages
from tests.database.partitioned import PARTS, partitioned, parts

OWNED = r"(?:chunks|terms|trashed|memory)_\w+|documents|plans|response_cache|conversation_messages|profile_slots"
TABLE = re.compile(rf'\b(?:FROM|JOIN|INTO|UPDATE|,)\s+"?({OWNED})\b')
KINDS = "SELECT", "INSERT", "UPDATE", "DELETE", "WITH"
HOUSEKEEPING = (
    "DELETE FROM trashed_chunks WHERE (",
    "UPDATE trashed_documents SET content = NULL WHERE",
    "DELETE FROM memory_sessions WHERE memory_sessions.used_at",
    "DELETE FROM conversation_messages WHERE (conversation_messages.user_id, conversation_messages.session_id) IN",
)
OTHER = Scope("other")
QUESTION = "When does the kiosk open?"


@dataclass
class Life:
    """A database in which documents came, were searched in every way, changed and went, for two owners."""

    lab: Lab
    seen: list[Any] = field(default_factory=list)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def note(self, connection, cursor, statement: str, values: Any, *_) -> None:
        kind = statement.split(maxsplit=1)[0]
        if kind in KINDS and TABLE.search(statement) and not statement.startswith(HOUSEKEEPING):
            self.asked.append((statement, values))

    def lead(self) -> None:
        self.lab.add({"kiosk.md": "# Kiosk\n\nThe kiosk opens at 8:00 now.\n"})
        self.look(self.lab.scope)
        stores = [self.lab.workspace.store(index) for index in indexes()]
        trash = Trash(self.lab.workspace.engine, stores)
        trash.delete(self.lab.scope, "kiosk.md")
        self.look(self.lab.scope)
        trash.restore(self.lab.scope, "kiosk.md")
        self.look(self.lab.scope)
        self.lab.scope, own = OTHER, self.lab.scope
        self.lab.add({"kiosk.md": "# Kiosk\n\nThe kiosk of the others opens at 11:00.\n"})
        self.look(OTHER)
        for store in stores:
            store.delete_document(OTHER, "kiosk.md")
        self.look(OTHER)
        self.look(own)
        self.lab.scope = own
        self.seen.append([chunk.text for chunk in chunk_range(stores[0], own, "kiosk.md", 0, 1)])
        self.seen.append([each.state for each in statistics(stores[0], own, ["kiosk.md", "parking.txt"])])
        self.remember(own)

    def look(self, scope: Scope) -> None:
        """What every stage answers and finds."""
        for name in stages():
            answer = self.lab.stage(name).ask(QUESTION, user=scope, filters=also("language", "en", None)).as_dict()
            self.seen.append((name, scope.user_id, answer["answer"], answer["citations"], answer["documents"]))

    def remember(self, scope: Scope) -> None:
        """The tables that do not hold documents."""
        engine = self.lab.workspace.engine
        plans, messages = Plans(engine), StoredMessages(engine, limit=2)
        planned = plans.plan_scope(plans.make_plan(scope, ["kiosk.md"]), scope)
        for number in range(3):
            messages.add(scope, "s", ("user", f"message {number}"))
        answers, cache_key = AnswerTable(engine), CacheKey(scope.user_id, "way", "table", "version")
        for hour in range(2):
            answers.put(cache_key, QUESTION, [1.0, 0.0], {"text": f"at {hour}"})
        found = answers.nearest(cache_key, [1.0, 0.0], 1)[0]
        answers.record_hit(cache_key, found.id)
        turns, profile = Turns(engine, scope, "s"), Profile(engine, scope)
        turns.add(QUESTION, "At 8:00.")
        turns.replace_state("summary", State(), State(1, "the kiosk"))
        profile.put("name", "Mina")
        self.seen += [planned, messages.last(scope, "s"), (found.answer, answers.counts(scope.user_id))]
        self.seen += [turns.last(1), turns.state("summary"), profile.slots()]
        turns.forget()


def lived(creating: AbstractContextManager) -> Iterator[Life]:
    with ExitStack() as tidying:
        with creating:
            life = Life(tidying.enter_context(Lab()))
            event.listen(life.lab.workspace.engine, "before_cursor_execute", life.note)
            life.lead()
        yield life


@pytest.fixture(scope="module")
def plain() -> Iterator[Life]:
    yield from lived(nullcontext())


@pytest.fixture(scope="module")
def spread() -> Iterator[Life]:
    yield from lived(partitioned())


def limited(statement: str, table: str) -> bool:
    """Whether a statement names the owner of this table's rows, in a condition or among the columns it writes."""
    if re.search(rf'\b{table}\.user_id\W+(=|IN) |INSERT INTO "?{table}"? \([^)]*user_id', statement):
        return True
    queries = [own_query(statement, found.end()) for found in re.finditer(rf'\b(?:FROM|JOIN)\s+"?{table}\b', statement)]
    return bool(queries) and all(re.search(r"\buser_id\W+(=|IN) ", query) for query in queries)


def own_query(statement: str, start: int) -> str:
    """From a place in a query to its end, without the queries in brackets that it holds."""
    kept, depth = "", 0
    for character in statement[start:]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        kept += character if depth == 0 else ""
    return kept


def test_every_statement_limits_each_of_its_tables_to_the_owner(plain: Life) -> None:
    named = [(table, each) for each, _ in plain.asked for table in set(TABLE.findall(each))]
    assert {"documents", "trashed_documents", "plans", "memory_turns", "response_cache"} < {table for table, _ in named}
    assert [each for table, each in named if not limited(each, table)] == []


def test_partitioned_by_owner_everything_goes_as_in_plain_tables(plain: Life, spread: Life) -> None:
    with spread.lab.workspace.engine.connect() as connection:
        counted = connection.scalars(text("SELECT relname FROM pg_class WHERE relkind = 'p'")).all()
    assert set(map(str, counted)) == {table for each, _ in spread.asked for table in TABLE.findall(each)}
    assert spread.seen == plain.seen


def test_a_statement_touches_one_partition(spread: Life) -> None:
    looked = 0
    with spread.lab.workspace.engine.connect() as connection:  # as an administrator, so that no policy does it
        for statement, values in spread.asked:
            if "incoming" not in statement and not isinstance(values, list):
                touched = parts(connection, statement, values)
                assert len(touched) <= 1, statement
                looked += len(touched)
    assert looked > 100


def test_a_vector_index_of_each_partition_is_walked(spread: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("exact_search_chunks", "exact_filtered_chunks"):
        monkeypatch.setattr(settings(), limit, 50)
    chance = random.Random(1)
    with partitioned():
        store = ChunkStore(spread.lab.workspace.engine, "walked", "toy", 8)
        owners = [f"owner {number}" for number in range(2 * PARTS)]
        for owner in owners:
            store.replace_document(Scope(owner), "a.txt", "", [chunk(owner, place, chance) for place in range(100)])
        store.optimize(100 * len(owners))
    asked = VectorStoreQuery(query_embedding=[1.0] * 8, similarity_top_k=10)
    spread.asked.clear()
    walked = {owner: store.query(asked, scope=Scope(owner)) for owner in owners}
    assert {found.search_plan for found in walked.values()} == {"hnsw"}
    assert all(node.metadata["user_id"] == owner for owner, found in walked.items() for node in found.nodes or [])
    searches = [each for each in spread.asked if "AS nearest" in each[0]]
    with store.engine.connect() as connection:
        connection.execute(text("SET enable_sort = off"))
        assert [len(parts(connection, *search)) for search in searches] == [1, 1] * len(owners)
        plan = connection.exec_driver_sql(f"EXPLAIN {searches[1][0]}", searches[1][1]).scalars()  # [0] asks if few
        assert "embedding_idx" in "\n".join(plan)


def chunk(owner: str, place: int, chance: random.Random) -> TextNode:
    where = {"source_file": "a.txt", "user_id": owner, "chunk_index": place}
    vector = [chance.gauss(0, 1) for _ in range(8)]
    return TextNode(id_=str(place), text=f"{owner} {place}", metadata=where, embedding=vector)
