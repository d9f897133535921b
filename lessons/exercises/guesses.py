"""Predictions: `guess` stores one before the cell that answers it, and `settle` compares it with what was measured."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sqlalchemy import Column, Connection, Double, Executable, MetaData, Row, String, select, update
from sqlalchemy import Table as DatabaseTable
from sqlalchemy.dialects.postgresql import insert

from lessons.database import engine
from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.errors import DatabaseError, LessonsError
from lessons.evaluate.compare import interval
from lessons.evaluate.plots import canvas
from lessons.exercises.comparing import Text
from lessons.language import N_, _, language
from lessons.settings import ROOT, settings
from lessons.tables import Table

FILE = ROOT / "data" / "guesses.json"
STUB = N_('In place of the dots, write an option and the probability that it is right, such as "yes", sure=0.7.')
YES_OR_NO = {"yes": {"ko": "예"}, "no": {"ko": "아니요"}}
GUESSES = DatabaseTable(
    "guesses",
    MetaData(),
    Column("user_id", String, primary_key=True),
    Column("question", String, primary_key=True),
    Column("choice", String, nullable=False),
    Column("sure", Double, nullable=False),  # the probability that the choice is right
    Column("truth", String),  # the option that was measured; empty until then
)


@cache
def questions() -> dict[str, dict[str, Any]]:
    """Return the text and options of each question, in both languages, by ids such as '04.A'."""
    items: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {id_: {"options": YES_OR_NO, **item} for id_, item in items.items()}


def options(id_: str) -> dict[str, dict[str, str]]:
    """Return the options of a question as one writes them, with what they mean; LessonsError if there is none."""
    if id_ not in questions():
        raise LessonsError(f"There is nothing to predict under {id_!r}.")
    return questions()[id_]["options"]


def option(id_: str, value: Any) -> str:
    """Return the option that a value stands for: yes or no for True or False, the nearest one for a number.

    What an option means stands for it, too, in either language.
    """
    names = options(id_)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, str):
        with suppress(TypeError, ValueError):
            return min(names, key=lambda name: abs(float(name) - value))
    return next((name for name, meanings in names.items() if value in meanings.values()), str(value))


def guess(id_: str, choice: Any = ..., sure: Any = ...) -> Table:
    """Show a question; with a choice and the probability that it is right (0 to 1), store them as the prediction.

    It may be changed until it is settled. LessonsError if the choice is no option, or `sure` no probability.
    """
    head, rows = [id_, _text(id_)], [[name, text.get(language(), "")] for name, text in options(id_).items()]
    if choice is ... or sure is ...:
        return Table(head, [*rows, ["", _(STUB)]])
    if (chosen := option(id_, choice)) not in options(id_):
        raise LessonsError(f"{choice!r} is not an option; write one of {', '.join(options(id_))}.")
    if not 0 <= sure <= 1:
        raise LessonsError(f"How sure you are is a number from 0 to 1, such as 0.7, not {sure!r}.")
    new = {"choice": chosen, "sure": float(sure)}
    row = insert(GUESSES).values(user_id=settings().user, question=id_, **new)
    unsettled = row.on_conflict_do_update(GUESSES.primary_key, set_=new, where=GUESSES.c.truth.is_(None))
    note = Text("The database does not answer, so this prediction is not stored.")
    for stored in _guesses(id_, unsettled):
        first = "You know the answer; your first prediction stays: {0}, {1} sure."
        note = Text(first if stored.truth else "Your prediction: {0}, {1} sure.", stored.choice, f"{stored.sure:.0%}")
    return Table(head, [*rows, ["", note]])


def settle(id_: str, truth: Any) -> None:
    """Print whether a prediction agrees with what was measured; nothing if none was made. The first result stays.

    True and False are yes and no; where the options are numbers, the nearest one is right.
    """
    measured = update(GUESSES).values(truth=option(id_, truth))
    for row in _guesses(id_, measured.where(GUESSES.c.question == id_, GUESSES.c.truth.is_(None))):
        print(f"{id_} {_outcome(row)}")


def _outcome(row: Row[Any]) -> Text:
    if row.choice == row.truth:
        return Text("✓ right: {0}; you were {1} sure", row.choice, f"{row.sure:.0%}")
    return Text("✗ wrong: it is {0}; you said {1} and were {2} sure", row.truth, row.choice, f"{row.sure:.0%}")


def prediction_rows(notebook: str | None) -> list[list[str]]:
    """Return rows for `progress`: a summary of the settled predictions of a notebook or of all, and each wrong one."""
    rows, sure, right = _settled(notebook or "")
    if not rows:
        return []
    summary = Text("predictions: {0}, right: {1}, on average {2} sure", len(rows), right.sum(), f"{sure.mean():.0%}")
    score = Text("Brier score {0} (perfect: 0, a coin: 0.25)", f"{brier(sure, right):.2f}")
    wrong = sorted((row for row in rows if row.choice != row.truth), key=lambda row: -row.sure)
    shown = [[row.question, _text(row.question), _outcome(row)] for row in wrong]
    return [["", summary, score], *shown]


def brier(sure: np.ndarray, right: np.ndarray) -> float:
    """Return the mean squared difference between probability and outcome, from 0 (best) to 1.

    Brier (1950), Verification of forecasts expressed in terms of probability, adds up both outcomes: twice as much.
    """
    return float(np.mean((sure - right) ** 2))


def calibration() -> Figure:
    """Draw how often predictions were right, with 95 % interval and their number, over how sure one was."""
    _rows, sure, right = _settled("")
    figure, axes = canvas(4.5, 4)
    axes.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1)
    tenths = np.minimum(sure * 10, 9).astype(int)
    for chosen in (tenths == tenth for tenth in np.unique(tenths)):
        x, share = sure[chosen].mean(), right[chosen].mean()
        axes.vlines(x, *interval(right[chosen]), color="#4c78a8")
        axes.plot(x, share, "o", color="#4c78a8")
        axes.annotate(str(chosen.sum()), (x, share), xytext=(6, -4), textcoords="offset points")
    axes.set(xlim=(0, 1.05), ylim=(-0.05, 1.05), xlabel="how sure you were", ylabel="share that was right")
    axes.set_title("How sure you were, and how often right" if len(sure) else "No predictions yet")
    return figure


def _text(id_: str) -> str:
    text: dict[str, str] = questions()[id_]["question"]
    return text[language()]


def _settled(prefix: str) -> tuple[list[Row[Any]], np.ndarray, np.ndarray]:
    """Return the settled predictions, how sure one was of each, and which were right."""
    rows = [row for row in _guesses(prefix) if row.truth]
    return rows, np.array([row.sure for row in rows]), np.array([row.choice == row.truth for row in rows], dtype=bool)


def _guesses(prefix: str, change: Executable | None = None) -> list[Row[Any]]:
    """Make a change, and return the reader's predictions whose question begins so; none if the database is away."""
    own = select(GUESSES).where(GUESSES.c.user_id == settings().user, GUESSES.c.question.startswith(prefix))
    with suppress(DatabaseError), learner_transaction(GUESSES) as connection:
        if change is not None:
            connection.execute(change)
        return [row for row in connection.execute(own.order_by(GUESSES.c.question)) if row.question in questions()]
    return []


@contextmanager
def learner_transaction(table: DatabaseTable) -> Iterator[Connection]:
    """Open a transaction on the learner's rows of a table, which is made if it is missing."""
    database = engine(settings())
    ensure_owned(database, table)
    with owner_transaction(database, settings().user) as connection:
        yield connection
