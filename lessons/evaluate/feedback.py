"""What readers say of answers, 👍 or 👎, and how a rated answer becomes a question of their own set."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, DateTime, Engine, PrimaryKeyConstraint, delete, func, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, mapped_column

from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.models.replies import normalized
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.rag.served_words import is_refusal
from lessons.rag.tables import Base
from lessons.rag.types import Scope

_CITED = re.compile(rf"(?<!\s)\s*{CITATION.pattern}")


class RatingRow(Base):
    """A rating of an owner's. Its id is a digest of what is rated, so that another rating of it takes its place."""

    __tablename__ = "ratings"
    __table_args__ = (PrimaryKeyConstraint("user_id", "id"),)

    user_id: Mapped[str]
    id: Mapped[str]
    rating: Mapped[dict[str, Any]] = mapped_column(JSONB)
    rated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


@dataclass(frozen=True)
class Rating:
    """An answer and whether it is good. `right` is what it should have said, `passages` are pairs of file and quote."""

    question: str
    stage: str
    answer: str
    is_good: bool
    right: str = ""
    passages: tuple[tuple[str, str], ...] = ()
    history: tuple[str, ...] = ()  # what was said before, user and assistant in turn

    @classmethod
    def of(cls, answer: Answer, is_good: bool, right: str = "", history: Iterable[str] = ()) -> "Rating":
        """Rate an answer, with the passages that it cites."""
        passages = dict.fromkeys((citation.source_file, citation.quote) for citation in answer.citations)
        return cls(answer.question, answer.stage, answer.text, is_good, right.strip(), tuple(passages), tuple(history))

    @property
    def id(self) -> str:
        """The same for every rating of this answer."""
        rated = [self.question, self.stage, self.answer, *self.history]
        return sha256("\x1f".join(rated).encode(errors="replace")).hexdigest()

    @property
    def expected(self) -> str | None:
        """What is known to be right: what somebody wrote, or a good answer that has a source; None if neither.

        It is "" if a refusal is good: then the question has no answer.
        """
        if self.right or not self.is_good:
            return self.right or None
        if self.passages:
            return _CITED.sub("", self.answer).strip()
        return "" if is_refusal(self.answer) else None


class Ratings:
    """The ratings of an owner. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine, owner: str | Scope) -> None:
        self._engine, self._owner = engine, Scope.of(owner).user_id
        ensure_owned(engine, RatingRow.__table__)

    def rate(self, rating: Rating) -> None:
        """Keep a rating; an earlier one of the same answer goes."""
        values = {"rating": asdict(rating), "rated_at": func.clock_timestamp()}
        row = insert(RatingRow).values(user_id=self._owner, id=rating.id, **values)
        with owner_transaction(self._engine, self._owner) as connection:
            connection.execute(row.on_conflict_do_update(index_elements=["user_id", "id"], set_=values))

    def take_back(self, id: str) -> None:
        self.forget(RatingRow.id == id)

    def forget(self, *which: ColumnElement[bool]) -> None:
        """Delete all of them, or those that meet these conditions."""
        with owner_transaction(self._engine, self._owner) as connection:
            connection.execute(delete(RatingRow).where(RatingRow.user_id == self._owner, *which))

    def all(self) -> list[Rating]:
        """List the ratings, the latest first."""
        rows = select(RatingRow.rating).where(RatingRow.user_id == self._owner)
        with owner_transaction(self._engine, self._owner) as connection:
            ratings = connection.scalars(rows.order_by(RatingRow.rated_at.desc())).all()
        return TypeAdapter(list[Rating]).validate_python(ratings)


def question_lines(ratings: Iterable[Rating]) -> str:
    """Write the rated questions whose right answer is known, as `read_questions` takes them: a JSON object a line."""
    lines = []
    for rating in (rating for rating in ratings if rating.expected is not None):
        line: dict[str, Any] = {"question": rating.question, "answer": rating.expected}
        if rating.is_good and rating.passages:  # what a bad answer cites is no evidence
            line["source_file"], line["evidence"] = rating.passages[0]
        line |= {"history": list(rating.history)} if rating.history else {}
        lines.append(json.dumps(normalized(line), ensure_ascii=False))
    return "\n".join(lines)
