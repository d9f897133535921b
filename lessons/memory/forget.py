"""'Forget me': everything that conversations left behind about one user."""

from dataclasses import dataclass

from sqlalchemy import Engine, delete, func, select

from lessons.database.row_security import scoped
from lessons.memory.tables import SessionRow, SlotRow, opened
from lessons.memory.types import MessageStore
from lessons.rag.types import Scope


@dataclass(frozen=True)
class Known:
    """How much is known of a user: sessions in a long-term memory with their turns, and facts."""

    sessions: int
    facts: int


def known_of(engine: Engine, scope: Scope) -> Known:
    """What `forget_user` would delete besides the messages."""
    with scoped(opened(engine), scope.user_id) as connection:
        rows = SessionRow, SlotRow
        counts = [
            connection.scalar(select(func.count()).select_from(row).where(row.user_id == scope.user_id)) for row in rows
        ]
    return Known(*(count or 0 for count in counts))


def forget_user(engine: Engine, scope: Scope, messages: MessageStore) -> None:
    """Delete a user's conversations, summaries, entities and profile for good. DatabaseError if it cannot be done."""
    with scoped(opened(engine), scope.user_id) as connection:
        for row in (SessionRow, SlotRow):
            connection.execute(delete(row).where(row.user_id == scope.user_id))
    messages.clear(scope)
