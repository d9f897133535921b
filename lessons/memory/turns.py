"""The turns of a session that a long-term memory works on, and what it made of them so far.

A turn is written before anything is made of it, and `upto` says which turns went into a state. So a crash in between
loses nothing, and a state that somebody else has moved on meanwhile is not overwritten.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, Engine, delete, func, insert, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import SQLAlchemyError

from lessons.database import explained
from lessons.database.row_security import scoped
from lessons.errors import DatabaseError
from lessons.memory.entities import Entity
from lessons.memory.tables import SessionRow, StateRow, TurnRow, opened
from lessons.rag.types import Scope

LOCKS = 726_005
"""First key of the advisory locks of long-term memories; the second stands for the session."""

HOLD = text("SELECT pg_try_advisory_xact_lock(:space, hashtext(:session))").bindparams(space=LOCKS)
KEEP_HOLDING = text("SET LOCAL idle_in_transaction_session_timeout = 0")


@dataclass(frozen=True)
class Turn:
    """The turn `number` of a session, counted from 1."""

    number: int
    question: str
    answer: str

    @property
    def messages(self) -> tuple[tuple[str, str], tuple[str, str]]:
        return ("user", self.question), ("assistant", self.answer)


@dataclass(frozen=True)
class State:
    """What is known of the turns up to number `upto`."""

    upto: int = 0
    summary: str = ""
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True)
class Turns:
    """The turns of one session of an owner. Every method raises DatabaseError if the database cannot be used."""

    engine: Engine
    scope: Scope
    session_id: str

    def add(self, question: str, answer: str) -> None:
        """Write a turn down; sessions are numbered by their own row, which one writer at a time may count up."""
        session = upsert(SessionRow).values(self._key)
        moved = {"turns": SessionRow.turns + 1, "used_at": func.now()}
        counted = session.on_conflict_do_update(index_elements=list(self._key), set_=moved).returning(SessionRow.turns)
        number = counted.cte("counted")
        columns = [*self._key, "number", "question", "answer"]
        row = select(*map(literal, self._key.values()), number.c.turns, literal(question), literal(answer))
        with self._transaction() as connection:
            connection.execute(insert(TurnRow).from_select(columns, row))

    def count(self) -> int:
        """How many turns were written down since the session began, deleted ones included."""
        with self._transaction() as connection:
            return connection.scalar(select(SessionRow.turns).where(*self._is(SessionRow))) or 0

    def after(self, number: int) -> list[Turn]:
        """The turns behind a number, oldest first."""
        return self._read(TurnRow.number > number)

    def last(self, count: int) -> list[Turn]:
        """The newest turns, oldest first."""
        newest = select(SessionRow.turns).where(*self._is(SessionRow)).scalar_subquery()
        return self._read(TurnRow.number > newest - count)

    def before(self, number: int) -> Turn | None:
        """The turn before a number, if it is still there."""
        return next(iter(self._read(TurnRow.number == number - 1)), None)

    def state(self, memory: str) -> State:
        """The state of a memory; an empty one before its first update."""
        with self._transaction() as connection:
            wanted = select(StateRow.upto, StateRow.summary, StateRow.entities)
            row = connection.execute(wanted.where(*self._is(StateRow), StateRow.memory == memory)).one_or_none()
        return State(row.upto, row.summary, tuple(Entity(**each) for each in row.entities)) if row else State()

    def advance(self, memory: str, before: State, after: State) -> bool:
        """Put a state in the place of the one it was made from; False if that is gone or somebody was faster."""
        values = {"upto": after.upto, "summary": after.summary, "entities": [asdict(each) for each in after.entities]}
        with self._transaction() as connection:
            if before.upto:
                mine = *self._is(StateRow), StateRow.memory == memory, StateRow.upto == before.upto
                return connection.execute(update(StateRow).where(*mine).values(values)).rowcount == 1
            if not connection.scalar(select(SessionRow.turns).where(*self._is(SessionRow)).with_for_update(read=True)):
                return False  # forgotten meanwhile
            added = upsert(StateRow).values(**self._key, memory=memory, **values).on_conflict_do_nothing()
            return connection.scalar(added.returning(StateRow.upto)) is not None

    def drop_before(self, number: int) -> None:
        """Delete the turns before a number for good."""
        with self._transaction() as connection:
            connection.execute(delete(TurnRow).where(*self._is(TurnRow), TurnRow.number < number))

    def embed(self, vectors: Sequence[tuple[int, list[float]]], embedded_by: str) -> None:
        """Store the vectors of turns, by their numbers."""
        with self._transaction() as connection:
            for number, vector in vectors:
                mine = *self._is(TurnRow), TurnRow.number == number
                values = {"embedding": vector, "embedded_by": embedded_by}
                connection.execute(update(TurnRow).where(*mine).values(values))

    def nearest(self, vector: list[float], embedded_by: str, before: int, limit: int) -> list[Turn]:
        """The turns before a number that are nearest to a vector, nearest first."""
        distance = TurnRow.embedding.cosine_distance(vector)
        conditions = TurnRow.embedded_by == embedded_by, TurnRow.number < before
        return self._read(*conditions, order=(distance, TurnRow.number.desc()), limit=limit)

    def unembedded(self) -> list[Turn]:
        """The turns without a vector, oldest first."""
        return self._read(TurnRow.embedding.is_(None))

    def unlearned(self) -> list[Turn]:
        """The turns that the profile has not been told of, oldest first."""
        return self._read(~TurnRow.learned)

    def learned(self, number: int) -> None:
        """Note that the profile has been told of a turn."""
        with self._transaction() as connection:
            mine = *self._is(TurnRow), TurnRow.number == number
            connection.execute(update(TurnRow).where(*mine).values(learned=True))

    def forget(self) -> None:
        """Delete the session with everything that was made of it."""
        with self._transaction() as connection:
            connection.execute(delete(SessionRow).where(*self._is(SessionRow)))

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else, in any process, works on this session now; nobody else will until the block ends.

        A second connection holds the lock in an open transaction, so that a crash frees it.
        """
        with explained():
            hold = opened(self.engine).connect()
            try:
                session = f"{self.scope.user_id}\x1f{self.session_id}"
                mine = bool(hold.scalar(HOLD, {"session": session}))
                hold.execute(KEEP_HOLDING)
                yield mine
            finally:
                with suppress(SQLAlchemyError, DatabaseError):
                    hold.close()

    @property
    def _key(self) -> dict[str, str]:
        return {"user_id": self.scope.user_id, "session_id": self.session_id}

    def _is(self, row: type) -> tuple:
        return row.user_id == self.scope.user_id, row.session_id == self.session_id  # type: ignore[attr-defined]

    def _read(self, *conditions, order: tuple = (TurnRow.number,), limit: int | None = None) -> list[Turn]:
        columns = TurnRow.number, TurnRow.question, TurnRow.answer
        wanted = select(*columns).where(*self._is(TurnRow), *conditions).order_by(*order).limit(limit)
        with self._transaction() as connection:
            return [Turn(*row) for row in connection.execute(wanted)]

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with scoped(opened(self.engine), self.scope.user_id) as connection:
            yield connection
