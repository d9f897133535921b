"""`check`: a learner's object on the cases of an exercise, and what to say about it; `hint`: help, step by step."""

import ctypes
import reprlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dis import get_instructions
from inspect import signature
from typing import Any

from lessons.agent import within
from lessons.exercises.cases import Case, Exercise, call
from lessons.exercises.catalog import exercise_named
from lessons.exercises.comparing import REFUSED, Nearly, kind, nearly, same
from lessons.exercises.progress_table import NOT_ATTEMPTED, Verdict, keep
from lessons.language import _
from lessons.settings import settings

_NOTHING = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}  # what a function does that does nothing


class Shown(reprlib.Repr):
    """Short forms of values: long ones are cut, numbers rounded."""

    def repr_float(self, number: float, level: int) -> str:
        return f"{number:.6g}"

    repr_float64 = repr_float  # NumPy's


SHOWN = Shown()
SHOWN.maxlist = SHOWN.maxtuple = SHOWN.maxdict = 8
SHOWN.maxstring = SHOWN.maxother = 80


def check(id_: str, learner: Any) -> Verdict:
    """Judge what was written for an exercise and keep the best verdict; LessonsError if there is no such exercise."""
    verdict = judge(exercise_named(id_), learner)
    if verdict.level != NOT_ATTEMPTED and not _in_solution():  # a notebook's own solution is nobody's progress
        keep(verdict)
    return verdict


def solved(id_: str, learner: Any) -> bool:
    """Whether an exercise is solved, for a cell that uses it; if not, that is printed in a line. Nothing is kept."""
    verdict = judge(exercise_named(id_), learner)
    if not verdict.right:
        print(_(f"Exercise {id_} comes first ({verdict.level}). Solve it, then run this cell again."))
    return verdict.right


def judge(exercise: Exercise, learner: Any) -> Verdict:
    """The verdict on an object; a starter that nobody has touched was not attempted."""
    if _untouched(learner):
        return Verdict(exercise.id, NOT_ATTEMPTED, f"The exercise expects {exercise.expects}.")
    attempt, seconds = Attempt(exercise, learner), exercise.seconds or settings().exercise_seconds
    try:
        problem = stopped_after(seconds, attempt.first_problem)
    except TimeoutError:
        problem = f"it had not finished after {seconds:g} seconds"
    if problem is None:
        return Verdict(exercise.id, "right", exercise.title)
    if attempt.plain and not isinstance(problem, Nearly):
        return Verdict(exercise.id, "wrong", f"The exercise expects {exercise.expects}. Here, {problem}.")
    if attempt.case.given is None:
        return Verdict(exercise.id, "nearly right", problem if problem.endswith("?") else f"{problem}.")
    return Verdict(exercise.id, "nearly right", f"It goes wrong when {attempt.case.when}: {problem}.")


def _untouched(learner: Any) -> bool:
    """Whether it is `...`, a function whose body is nothing else, or a class that has only such functions."""
    if isinstance(learner, type):
        functions = [each for each in vars(learner).values() if hasattr(each, "__code__")]
        return bool(functions) and all(map(_untouched, functions))
    code = getattr(learner, "__code__", None)
    if code is None:
        return learner is ...
    done, consts = {each.opname for each in get_instructions(code)}, {*code.co_consts}
    return consts <= {None, learner.__doc__} and done <= _NOTHING


class Attempt:
    """A learner's object on its way through the cases; `case` is the one it is at, `plain` says if it is the first."""

    def __init__(self, exercise: Exercise, learner: Any) -> None:
        self.exercise, self.learner = exercise, learner
        self.case, self.plain = Case(""), True

    def first_problem(self) -> str | None:
        """What is wrong in the first case that fails, as half a sentence; None if all cases pass."""
        cases = self.exercise.cases
        for number, case in enumerate(cases() if callable(cases) else cases):
            self.case, self.plain = case, number == 0
            if problem := self._mistake(self.learner) if case.given is None else self._problem(case.given):
                return problem
        return None

    def _problem(self, given: tuple[Any, ...]) -> str | None:
        if problem := self._cannot_be_called(len(given)):
            return problem
        own = deepcopy(given)
        try:
            returned = self.exercise.use(self.learner, *own)
        except (Exception, SystemExit) as error:
            return f"it raises {type(error).__name__}: {_short(str(error))}"
        changed = None if same(own, given) else Nearly("it changes what it is given; work on a copy")
        return self._mistake(returned) or changed

    def _cannot_be_called(self, arguments: int) -> str | None:
        what, of, plainly = kind(self.learner), self.exercise.of, self.exercise.use is call
        if what == "nothing" and not plainly:
            return "this is still missing"
        if not (callable(self.learner) if of == "a function" else what == of):
            return f"this is {what}"
        try:
            if plainly:
                signature(self.learner).bind(*range(arguments))
        except TypeError:
            one = "it cannot be called with 1 argument"
            return one if arguments == 1 else f"it cannot be called with {arguments} arguments"
        except ValueError:  # built in, and its arguments are not known
            return None
        return None

    def _mistake(self, returned: Any) -> str | None:
        """What is wrong with what came out; what should have only in a function's plain case. None if nothing is."""
        case = self.case
        if (returned is REFUSED) != (case.expected is REFUSED):
            if returned is REFUSED:
                return "it raises ValueError, and a result is due"
            return f"it returns {kind(returned).replace('nothing', 'None')}, and ValueError is due"
        if kind(returned) == "nothing":
            nothing = "nothing has come back yet" if case.given else "there is no answer yet"
            return None if case.given and case.accept is None and case.expected is None else nothing
        accepted = _accepted(case, returned)
        if isinstance(accepted, str) or accepted:
            return accepted if isinstance(accepted, str) and accepted else None
        shown = _short(SHOWN.repr(returned))
        so = f"given {self._arguments(case.given)}, it returns {shown}" if case.given else f"{shown} is not it"
        if case.given and self.plain and case.accept is None:
            so += f" instead of {_short(SHOWN.repr(case.expected))}"
        if off := self._slip(returned) or nearly(returned, case.expected):
            return Nearly(f"{off} ({so})" if case.given else f"{so} yet: {off}")
        if case.expected is not None and kind(returned) != kind(case.expected):
            return f"what comes is {kind(returned)}, not {kind(case.expected)}"
        return so

    def _arguments(self, given: tuple[Any, ...]) -> str:
        """What is given, under the names of the learner's parameters if these are called with it."""
        names: list[str] = []
        if self.exercise.use is call:
            with suppress(TypeError, ValueError):
                names = list(signature(self.learner).bind(*given).arguments)
        named = [f"{name}=" for name in names] if len(names) == len(given) else [""] * len(given)
        return ", ".join(name + _short(SHOWN.repr(each)) for name, each in zip(named, given, strict=True))

    def _slip(self, returned: Any) -> str:
        """Which of the exercise's known slips gives the same in the plain case; empty if none does."""
        with suppress(Exception):  # a learner's object may refuse to be compared
            found = (off for off, slip in self.exercise.slips.items() if self.plain and same(slip, returned))
            return next(found, "")
        return ""


def _accepted(case: Case, returned: Any) -> bool | str:
    """Whether a result is right, or half a sentence on why not; one of another kind never is."""
    if case.accept is None:
        return same(returned, case.expected)
    if case.expected is None or kind(returned) == kind(case.expected):
        with suppress(Exception):
            return case.accept(returned)
    return False


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _in_solution() -> bool:
    """Whether a cell tagged as a solution runs. JupyterLab sends a cell's tags along; elsewhere nobody knows."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    request: dict[str, Any] = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return "solution" in request.get("metadata", {}).get("tags", [])


class TimeIsUp(BaseException):
    """Raised within a learner's endless loop; no `except Exception` of theirs catches it."""


def stopped_after(seconds: float, work: Callable[[], str | None]) -> str | None:
    """What the work gives; after so many seconds it is broken off, and TimeoutError raised."""
    workers: list[threading.Thread] = []

    def run() -> str | None:
        workers.append(threading.current_thread())
        return work()

    try:
        return within(seconds, run)
    except TimeoutError:
        for _ in range(20):  # a callback of the interpreter may swallow the first ones
            for worker in filter(threading.Thread.is_alive, workers):
                ident, error = ctypes.c_ulong(worker.ident or 0), ctypes.py_object(TimeIsUp)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, error)
                time.sleep(0.05)
        raise


_asked = Counter[str]()


class Hint(str):
    """A text that a notebook shows without quotation marks."""

    __repr__ = str.__str__


def hint(id_: str) -> Hint:
    """The next hint for the exercise `id_`; after the last one, the first comes again."""
    hints = exercise_named(id_).hints
    step = _asked[id_] % len(hints)
    _asked[id_] += 1
    return Hint(_(f"{id_}, hint {step + 1} of {len(hints)}: {hints[step]}"))
