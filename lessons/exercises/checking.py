"""`check` judges a submission on the cases of an exercise; `hint` helps step by step; `progress` sums up."""

import ctypes
import html
import reprlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from dis import get_instructions
from inspect import signature
from typing import Any, Literal

from sqlalchemy import Column, Integer, MetaData, String, func, select
from sqlalchemy import Table as DatabaseTable
from sqlalchemy.dialects.postgresql import insert

from lessons.agent import within
from lessons.errors import DatabaseError
from lessons.exercises.cases import Case, Exercise, call
from lessons.exercises.catalog import NOTEBOOKS, exercise_named, exercises
from lessons.exercises.comparing import REFUSED, Nearly, Text, Wrong, kind, nearly, same
from lessons.exercises.guesses import learner_transaction, prediction_rows
from lessons.language import _
from lessons.settings import settings
from lessons.tables import Table

Level = Literal["not attempted", "wrong", "nearly right", "right"]
NOT_ATTEMPTED: Level = "not attempted"
SECONDS = 10.0  # for all cases on which a learner's object is tried
MARKS: dict[Level, tuple[str, str]] = {
    "not attempted": ("·", "#6e7781"),
    "wrong": ("✗", "#b3261e"),
    "nearly right": ("≈", "#9a6700"),
    "right": ("✓", "#1a7f37"),
}
LEVELS = tuple(MARKS)[1:]  # those that are stored, from worst to best
DONE = DatabaseTable(
    "exercises_done",
    MetaData(),
    Column("user_id", String, primary_key=True),
    Column("exercise", String, primary_key=True),
    Column("best", Integer, nullable=False),  # the best verdict of the learner, as its index in `LEVELS`
)
_EMPTY_BODY = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}  # all instructions of a function with no body


class ShortRepr(reprlib.Repr):
    """Short forms of values: long ones are cut, numbers rounded."""

    def repr_float(self, number: float, level: int) -> str:
        """Round a number to six digits."""
        return f"{number:.6g}"

    repr_float64 = repr_float  # NumPy's


_short_repr = ShortRepr()
_short_repr.maxlist = _short_repr.maxtuple = _short_repr.maxdict = 8
_short_repr.maxstring = _short_repr.maxother = 80


@dataclass(frozen=True, repr=False)
class Verdict:
    """A judged exercise, with a sentence on what to look at if it is not right."""

    exercise: str
    level: Level
    message: str

    @property
    def right(self) -> bool:
        return self.level == "right"

    @property
    def _heading(self) -> str:
        return f"{MARKS[self.level][0]} {self.exercise} {_(self.level)}"

    def __repr__(self) -> str:
        return f"{self._heading}: {self.message}"

    def _repr_html_(self) -> str:
        style = f"border-left:4px solid {MARKS[self.level][1]};padding:2px 10px"
        heading, message = html.escape(self._heading), html.escape(self.message)
        return f"<div style='{style}'><b>{heading}</b><br>{message}</div>"


def check(id_: str, submission: Any) -> Verdict:
    """Judge what was written for an exercise and store the best verdict; LessonsError if there is no such exercise."""
    verdict = judge(exercise_named(id_), submission)
    if verdict.level != NOT_ATTEMPTED and not _in_solution():  # a notebook's own solution is nobody's progress
        _store(verdict)
    return verdict


def solved(id_: str, submission: Any) -> bool:
    """Return whether an exercise is solved, for a cell that uses it; if not, print that. Nothing is stored."""
    verdict = judge(exercise_named(id_), submission)
    if not verdict.right:
        message = "Exercise {0} comes first ({1}). Solve it, then run this cell again."
        print(Text(message, id_, verdict.level))
    return verdict.right


def judge(exercise: Exercise, submission: Any) -> Verdict:
    """Return the verdict on a submission; a starter that nobody has changed was not attempted."""
    if _is_untouched(submission):
        return Verdict(exercise.id, NOT_ATTEMPTED, Text("The exercise expects {0}.", exercise.expects))
    attempt, seconds = Attempt(exercise, submission), exercise.seconds or SECONDS
    try:
        problem = run_for(seconds, attempt.first_problem)
    except TimeoutError:
        problem = Text("it had not finished after {0} seconds", f"{seconds:g}")
    if problem is None:
        return Verdict(exercise.id, "right", Text("{0}", exercise.title))
    if isinstance(problem, Wrong) or (attempt.plain and not isinstance(problem, Nearly)):
        message = Text("The exercise expects {0}. Here, {1}.", exercise.expects, problem)
        return Verdict(exercise.id, "wrong", message)
    if attempt.case.arguments is None:
        return Verdict(exercise.id, "nearly right", Text("{0}" if problem.endswith("?") else "{0}.", problem))
    return Verdict(exercise.id, "nearly right", Text("It goes wrong when {0}: {1}.", attempt.case.when, problem))


def _is_untouched(submission: Any) -> bool:
    """Return whether it is `...`, a function with no other body, or a class that has only such functions."""
    if isinstance(submission, type):
        functions = [attribute for attribute in vars(submission).values() if hasattr(attribute, "__code__")]
        return bool(functions) and all(map(_is_untouched, functions))
    code = getattr(submission, "__code__", None)
    if code is None:
        return submission is ...
    instructions = {instruction.opname for instruction in get_instructions(code)}
    return {*code.co_consts} <= {None, submission.__doc__} and instructions <= _EMPTY_BODY


class Attempt:
    """A submission on its way through the cases: `case` is the current one, `plain` says if it is the first."""

    def __init__(self, exercise: Exercise, submission: Any) -> None:
        self.exercise, self.submission = exercise, submission
        self.case, self.plain = Case(""), True

    def first_problem(self) -> str | None:
        """Say in half a sentence what is wrong in the first case that fails; return None if all cases pass."""
        cases = self.exercise.cases
        for number, case in enumerate(cases() if callable(cases) else cases):
            self.case, self.plain = case, number == 0
            if problem := self._mistake(self.submission) if case.arguments is None else self._problem(case.arguments):
                return problem
        return None

    def _problem(self, arguments: tuple[Any, ...]) -> str | None:
        if problem := self._cannot_be_called(len(arguments)):
            return problem
        passed = deepcopy(arguments)
        try:
            result = self.exercise.use(self.submission, *passed)
        except (Exception, SystemExit) as error:
            message = error.args[0] if error.args and isinstance(error.args[0], Text) else _cut(str(error))
            return Text("it raises {0}: {1}", type(error).__name__, message)
        changed = None if same(passed, arguments) else Nearly("it changes what it is given; work on a copy")
        return self._mistake(result) or changed

    def _cannot_be_called(self, count: int) -> str | None:
        submitted, target, plainly = kind(self.submission), self.exercise.of, self.exercise.use is call
        if submitted == "nothing" and not plainly:
            return Text("this is still missing")
        if not (callable(self.submission) if target == "a function" else submitted == target):
            return Text("this is {0}", submitted)
        try:
            if plainly:
                signature(self.submission).bind(*range(count))
        except TypeError:
            singular = Text("it cannot be called with 1 argument")
            return singular if count == 1 else Text("it cannot be called with {0} arguments", count)
        except ValueError:  # built in, and its parameters are not known
            return None
        return None

    def _mistake(self, result: Any) -> str | None:
        """Say what is wrong with a result, None if nothing is; only a function's plain case shows the expected one."""
        case = self.case
        if (result is REFUSED) != (case.expected is REFUSED):
            if result is REFUSED:
                return Text("it raises ValueError, and a result is due")
            return Text("it returns {0}, and ValueError is due", kind(result).replace("nothing", "None"))
        if kind(result) == "nothing":
            if case.arguments and case.accept is None and case.expected is None:
                return None
            return Text("nothing has come back yet" if case.arguments else "there is no answer yet")
        accepted = _accept(case, result)
        if isinstance(accepted, str) or accepted:
            return accepted if isinstance(accepted, str) and accepted else None
        slip = self._slip(result) or nearly(result, case.expected)
        if not slip and case.expected is not None and kind(result) != kind(case.expected):
            return Text("what comes is {0}, not {1}", kind(result), kind(case.expected))
        return self._describe(result, slip)

    def _describe(self, result: Any, slip: str) -> str:
        case, returned, expected = self.case, _cut(_short_repr.repr(result)), _cut(_short_repr.repr(self.case.expected))
        if not case.arguments:
            return Nearly("{0} is not it yet: {1}", returned, slip) if slip else Text("{0} is not it", returned)
        arguments = self._show_arguments(case.arguments)
        message = Text("given {0}, it returns {1}", arguments, returned)
        if self.plain and not case.accept:
            message = Text("given {0}, it returns {1} instead of {2}", arguments, returned, expected)
        return Nearly(f"{slip} ({message})") if slip else message

    def _show_arguments(self, arguments: tuple[Any, ...]) -> str:
        """Show the arguments, under the names of the learner's parameters if the submission is called with them."""
        names: list[str] = []
        if self.exercise.use is call:
            with suppress(TypeError, ValueError):
                names = list(signature(self.submission).bind(*arguments).arguments)
        prefixes = [f"{name}=" for name in names] if len(names) == len(arguments) else [""] * len(arguments)
        pairs = zip(prefixes, arguments, strict=True)
        return ", ".join(prefix + _cut(_short_repr.repr(value)) for prefix, value in pairs)

    def _slip(self, result: Any) -> str:
        """Return the text of the exercise's known slip that has the same result in the plain case, "" if none has."""
        with suppress(Exception):  # a learner's object may refuse to be compared
            return next((text for text, slip in self.exercise.slips if self.plain and same(slip, result)), "")
        return ""


def _accept(case: Case, result: Any) -> bool | str:
    """Return whether a result is right, or half a sentence on why not; one of another kind never is."""
    if case.accept is None:
        return same(result, case.expected)
    if case.expected is None or kind(result) == kind(case.expected):
        with suppress(Exception):
            return case.accept(result)
    return False


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _in_solution() -> bool:
    """Return whether a cell tagged as a solution runs. Only JupyterLab sends a cell's tags along."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    request: dict[str, Any] = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return "solution" in request.get("metadata", {}).get("tags", [])


class TimeIsUp(BaseException):
    """Raised within a learner's endless loop; no `except Exception` of theirs catches it."""


def run_for(seconds: float, work: Callable[[], str | None]) -> str | None:
    """Return the result of the work; stop it after so many seconds, and raise TimeoutError."""
    workers: list[threading.Thread] = []

    def run() -> str | None:
        workers.append(threading.current_thread())
        return work()

    try:
        return within(seconds, run)
    except TimeoutError:
        for _attempt in range(20):  # a callback of the interpreter may swallow the first ones
            for worker in filter(threading.Thread.is_alive, workers):
                ident, error = ctypes.c_ulong(worker.ident or 0), ctypes.py_object(TimeIsUp)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, error)
                time.sleep(0.05)
        raise


_hints_shown = Counter[str]()


def hint(id_: str) -> Text:
    """Return the next hint for the exercise `id_`; after the last one, the first comes again."""
    hints = exercise_named(id_).hints
    step = _hints_shown[id_] % len(hints)
    _hints_shown[id_] += 1
    return Text("{0}, hint {1} of {2}: {3}", id_, step + 1, len(hints), hints[step])


def progress(notebook: str | None = None) -> Table:
    """Show how far the learner has come in a notebook such as '04', or in all of them, and which predictions failed."""
    best, problem = dict[str, Level](), ""
    try:
        query = select(DONE.c.exercise, DONE.c.best).where(DONE.c.user_id == settings().user)
        with learner_transaction(DONE) as connection:
            best = {row.exercise: LEVELS[row.best] for row in connection.execute(query)}
    except DatabaseError as error:
        problem = _(str(error))
    levels = {exercise.id: best.get(exercise.id, NOT_ATTEMPTED) for exercise in exercises(notebook)}
    if notebook:
        rows = [[item.id, item.title, _(levels[item.id])] for item in exercises(notebook)]
    else:
        rows = []
        for number in NOTEBOOKS:
            own = [level for id_, level in levels.items() if id_.startswith(number)]
            right = _("{right} of {all}", right=own.count("right"), all=len(own))
            rows.append([number, " ".join(MARKS[level][0] for level in own), right])
    return Table([_("exercise"), "", _("best so far")], rows + prediction_rows(notebook), problem)


def _store(verdict: Verdict) -> None:
    """Store a verdict if it is the best so far. Without a database nothing is stored, and nothing breaks."""
    best = LEVELS.index(verdict.level)
    row = insert(DONE).values(user_id=settings().user, exercise=verdict.exercise, best=best)
    better = {"best": func.greatest(DONE.c.best, best)}
    with suppress(DatabaseError), learner_transaction(DONE) as connection:
        connection.execute(row.on_conflict_do_update(index_elements=["user_id", "exercise"], set_=better))
