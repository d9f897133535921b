"""What a check says, and a learner's progress: the best verdict of each exercise, kept in the database."""

import html
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Column, Engine, Integer, MetaData, String, Table, func, select
from sqlalchemy.dialects.postgresql import insert

from lessons.database import engine
from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.errors import DatabaseError
from lessons.exercises.catalog import NOTEBOOKS, exercises
from lessons.language import _
from lessons.settings import settings
from lessons.tables import html_table

Level = Literal["not attempted", "wrong", "nearly right", "right"]
NOT_ATTEMPTED: Level = "not attempted"
MARKS: dict[Level, tuple[str, str]] = {
    "not attempted": ("·", "#6e7781"),
    "wrong": ("✗", "#b3261e"),
    "nearly right": ("≈", "#9a6700"),
    "right": ("✓", "#1a7f37"),
}
LEVELS = tuple(MARKS)[1:]  # what is kept, from worst to best
DONE = Table(
    "exercises_done",
    MetaData(),
    Column("user_id", String, primary_key=True),
    Column("exercise", String, primary_key=True),
    Column("best", Integer, nullable=False),  # the best verdict of the learner, as its place in `LEVELS`
)


@dataclass(frozen=True, repr=False)
class Verdict:
    """How an exercise was done, with a sentence on what to look at if it is not right."""

    exercise: str
    level: Level
    said: str = ""

    @property
    def right(self) -> bool:
        return self.level == "right"

    @property
    def _head(self) -> str:
        return f"{MARKS[self.level][0]} {self.exercise} {_(self.level)}"

    def __repr__(self) -> str:
        return self._head + (f": {_(self.said)}" if self.said else "")

    def _repr_html_(self) -> str:
        style = f"border-left:4px solid {MARKS[self.level][1]};padding:2px 10px"
        return f"<div style='{style}'><b>{html.escape(self._head)}</b><br>{html.escape(_(self.said))}</div>"


@dataclass(frozen=True, repr=False)
class Progress:
    """A row for each exercise of a notebook, or for each notebook. `problem` says why nothing is known."""

    rows: Sequence[tuple[str, str, str]]
    problem: str = ""

    def __repr__(self) -> str:
        rows = self._shown
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        lines = [f"{first:{widths[0]}}  {middle:{widths[1]}}  {last}" for first, middle, last in rows]
        return "\n".join([*lines, _(self.problem)]).strip()

    def _repr_html_(self) -> str:
        table = html_table([_("exercise"), "", _("best so far")], self._shown)
        return table + f"<p>{html.escape(_(self.problem))}</p>"

    @property
    def _shown(self) -> list[list[str]]:
        return [[_(cell) for cell in row] for row in self.rows]


def progress(notebook: str | None = None) -> Progress:
    """How far the learner has come in a notebook such as '04', or in all of them."""
    known, problem = dict[str, Level](), ""
    try:
        mine = select(DONE.c.exercise, DONE.c.best).where(DONE.c.user_id == settings().user)
        with owner_transaction(_opened(), settings().user) as connection:
            known = {row.exercise: LEVELS[row.best] for row in connection.execute(mine)}
    except DatabaseError as error:
        problem = str(error)
    if notebook:
        best = [(each.id, each.title, known.get(each.id, NOT_ATTEMPTED)) for each in exercises(notebook)]
        return Progress(best, problem)
    rows = []
    for number in NOTEBOOKS:
        levels = [known.get(each.id, NOT_ATTEMPTED) for each in exercises(number)]
        signs = " ".join(MARKS[level][0] for level in levels)
        rows.append((number, signs, _("{right} of {all}", right=levels.count("right"), all=len(levels))))
    return Progress(rows, problem)


def keep(verdict: Verdict) -> None:
    """Remember a verdict if it is the best so far. Without a database nothing is kept, and nothing breaks."""
    best = LEVELS.index(verdict.level)
    row = insert(DONE).values(user_id=settings().user, exercise=verdict.exercise, best=best)
    better = {"best": func.greatest(DONE.c.best, best)}
    with suppress(DatabaseError), owner_transaction(_opened(), settings().user) as connection:
        connection.execute(row.on_conflict_do_update(index_elements=["user_id", "exercise"], set_=better))


def _opened() -> Engine:
    database = engine(settings())
    ensure_owned(database, DONE)
    return database
