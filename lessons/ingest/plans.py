"""Learning plans: the materials of a plan are fixed when it is made, and every search of it stays in them."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import TEXT, DateTime, Engine, PrimaryKeyConstraint, func, insert, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from lessons.database.owned import ensure_owned
from lessons.database.row_security import scoped
from lessons.errors import LessonsError
from lessons.rag.tables import Base, DocumentRow
from lessons.rag.types import Scope
from lessons.text import normalize

UNKNOWN = "There is no such plan of yours; make one, or check its id."


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
        named = set(map(normalize, ref_ids))
        if not named:
            raise LessonsError("A plan needs at least one material; name it.")
        mine = DocumentRow.user_id == scope.user_id, DocumentRow.source_file.in_(scope.only(named).ref_ids or [])
        with scoped(self._engine, scope.user_id) as connection:
            if missing := named.difference(connection.scalars(select(DocumentRow.source_file).where(*mine))):
                raise LessonsError(f"{min(missing)} is not among the materials of {scope.user_id}; ingest it first.")
            plan = insert(PlanRow).values(user_id=scope.user_id, ref_ids=sorted(named))
            return str(connection.scalar(plan.returning(PlanRow.id)))

    def plan_scope(self, plan_id: str, scope: Scope) -> Scope:
        """The scope narrowed to the plan's materials; LessonsError for an unknown plan and for another owner's."""
        try:
            known = UUID(plan_id)
        except ValueError:
            raise LessonsError(UNKNOWN) from None
        statement = select(PlanRow.ref_ids).where(PlanRow.id == known, PlanRow.user_id == scope.user_id)
        with scoped(self._engine, scope.user_id) as connection:
            ref_ids = connection.scalar(statement)
        if ref_ids is None:
            raise LessonsError(UNKNOWN)
        return scope.only(ref_ids)
