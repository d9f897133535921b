"""Reading what the store contains: a range of a document, a chunk between its neighbours, how far materials are."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal
from uuid import UUID, uuid4

from llama_index.core.schema import BaseNode
from sqlalchemy import TEXT, DateTime, Engine, PrimaryKeyConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql import func, insert, select

from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.errors import LessonsError
from lessons.ingest.queue import JobQueue, State
from lessons.rag.catalog import CHUNKS, catalog
from lessons.rag.store import ChunkStore
from lessons.rag.tables import Base, DocumentRow
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.text import normalize

Purpose = Literal["chat", "plan", "session"]

_queue = lru_cache(maxsize=8)(JobQueue)


def top_k_for(purpose: Purpose) -> int:
    """Return how many chunks to retrieve: some for a chat, an overview for a plan, few for a session."""
    return getattr(settings(), f"{purpose}_top_k")


@dataclass(frozen=True)
class Material:
    """A material and how far its ingestion is. Counts are 0 unless it is COMPLETED."""

    ref_id: str
    state: State
    chunks: int = 0
    pages: int = 0
    ingested_at: datetime | None = None


def chunk_range(store: ChunkStore, scope: Scope, ref_id: str, start: int, end: int) -> list[BaseNode]:
    """Return the chunks of a material with index `start` to `end` (exclusive). Raise LessonsError if it is unknown."""
    name = normalize(ref_id)
    nodes = store.get_nodes(scope=scope.only([name]), chunk_range=(start, end))
    if not nodes and name not in catalog(store, scope):
        raise LessonsError(f"{name[:100]} is not among the materials that may be read here; name another.")
    return nodes


def statistics(store: ChunkStore, scope: Scope, ref_ids: Iterable[str]) -> list[Material]:
    """Chunks, pages and state of each material; NOT_FOUND for what is unknown or not within the scope."""
    names = list(dict.fromkeys(map(normalize, ref_ids)))
    readable = scope.only(names).ref_ids or frozenset()
    readable_names = readable if scope.type is None else readable & catalog(store, scope).keys()
    columns = DocumentRow.source_file, DocumentRow.chunks, DocumentRow.pages, DocumentRow.ingested_at
    statement = select(*columns).where(*store.owned_by(scope.user_id), DocumentRow.source_file.in_(readable_names))
    stored = {name: Material(name, "COMPLETED", *counts) for name, *counts in store.rows(statement, scope)}
    missing = [name for name in readable if name not in stored]
    states = _queue(store.engine).file_states(scope, missing) if missing else {}
    return [stored.get(name) or Material(name, states.get(name, "NOT_FOUND")) for name in names]


@dataclass(frozen=True)
class Passage:
    """A chunk with its neighbours. `number` is its place in the document, from 1, of so many `chunks`."""

    source_file: str
    section: str
    number: int
    chunks: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def passage(store: ChunkStore, scope: Scope, chunk_id: str, around: int = 1) -> Passage | None:
    """Return a chunk of the scope with `around` neighbours on each side, or None if it is not there."""
    nodes_by_id = store.get_nodes([chunk_id], scope=scope)
    if not nodes_by_id:
        return None
    details = nodes_by_id[0].metadata
    name, chunk_index = details["source_file"], details["chunk_index"]
    nodes = chunk_range(store, scope, name, max(0, chunk_index - around), chunk_index + around + 1)
    texts = [node.get_content() for node in nodes]
    position = [node.node_id for node in nodes].index(chunk_id)
    section = details.get("section") or " · ".join(details.get("sections") or ())
    chunks, neighbours = catalog(store, scope)[name][CHUNKS], (tuple(texts[:position]), tuple(texts[position + 1 :]))
    return Passage(name, section, chunk_index + 1, chunks, texts[position], *neighbours)


NO_PLAN = "There is no such plan of yours; make one, or check its id."


class PlanRow(Base):
    """A plan with the names of its materials, as they were when it was made."""

    __tablename__ = "plans"
    __table_args__ = (PrimaryKeyConstraint("user_id", "id"),)

    id: Mapped[UUID] = mapped_column(default=uuid4)
    user_id: Mapped[str]
    ref_ids: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class Plans:
    """The plans of all owners. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        ensure_owned(engine, DocumentRow.__table__, PlanRow.__table__)

    def make_plan(self, scope: Scope, ref_ids: Iterable[str]) -> str:
        """Fix the materials of a new plan and give its id; LessonsError unless all of them are within the scope."""
        names = set(map(normalize, ref_ids))
        if not names:
            raise LessonsError("A plan needs at least one material; name it.")
        is_owned = DocumentRow.user_id == scope.user_id, DocumentRow.source_file.in_(scope.only(names).ref_ids or [])
        with owner_transaction(self._engine, scope.user_id) as connection:
            if missing := names.difference(connection.scalars(select(DocumentRow.source_file).where(*is_owned))):
                raise LessonsError(f"{min(missing)} is not among the materials of {scope.user_id}; ingest it first.")
            plan = insert(PlanRow).values(user_id=scope.user_id, ref_ids=sorted(names))
            return str(connection.scalar(plan.returning(PlanRow.id)))

    def plan_scope(self, plan_id: str, scope: Scope) -> Scope:
        """Narrow the scope to the materials of a plan. Raise LessonsError for an unknown plan or another owner's."""
        try:
            id_ = UUID(plan_id)
        except ValueError:
            raise LessonsError(NO_PLAN) from None
        statement = select(PlanRow.ref_ids).where(PlanRow.id == id_, PlanRow.user_id == scope.user_id)
        with owner_transaction(self._engine, scope.user_id) as connection:
            ref_ids = connection.scalar(statement)
        if ref_ids is None:
            raise LessonsError(NO_PLAN)
        return scope.only(ref_ids)
