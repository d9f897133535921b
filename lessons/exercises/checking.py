"""`check`: a learner's object on fresh cases, and what to say about it."""

import ctypes
import reprlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from inspect import signature
from random import Random
from typing import Any

from lessons.agent.deadline import within
from lessons.exercises.progress_table import keep
from lessons.exercises.registry import Case, Exercise, call, exercise_named
from lessons.exercises.same import kind, same
from lessons.exercises.verdict import Verdict

SHOWN = reprlib.Repr()
SHOWN.maxlist = SHOWN.maxtuple = SHOWN.maxdict = 8
SHOWN.maxstring = SHOWN.maxother = 80


class TimeIsUp(BaseException):
    """Raised within a learner's endless loop; no `except Exception` of theirs catches it."""


def check(id_: str, learner: Any) -> Verdict:
    """Judge what was written for the exercise `id_`, on cases drawn anew, and keep the best verdict.

    LessonsError if there is no such exercise; whatever is wrong with the learner's object is said in the verdict.
    """
    verdict = judge(exercise_named(id_), learner, Random())
    keep(verdict)
    return verdict


def judge(exercise: Exercise, learner: Any, fresh: Random) -> Verdict:
    """The verdict on an object. The cases of the first round are always the same, so that a message stays the same."""
    attempt = Attempt(exercise, learner)
    draws = [Random(exercise.id), *(Random(fresh.random()) for _ in range(exercise.rounds - 1))]
    try:
        problem = _stopped_after(exercise.seconds, lambda: attempt.first_problem(draws))
    except TimeoutError:
        problem = f"it had not finished after {exercise.seconds:g} seconds"
    if problem is None:
        return Verdict(exercise.id, "right", exercise.title)
    if attempt.plain:
        return Verdict(exercise.id, "wrong", f"The exercise expects {exercise.expects}. Here, {problem}.")
    return Verdict(exercise.id, "nearly right", f"It goes wrong when {attempt.case.when}: {problem}.")


class Attempt:
    """A learner's object on its way through the cases; `case` is the one it is at, `plain` says if it is the first."""

    def __init__(self, exercise: Exercise, learner: Any) -> None:
        self.exercise, self.learner = exercise, learner
        self.case, self.plain = Case(""), True

    def first_problem(self, draws: list[Random]) -> str | None:
        """What is wrong in the first case that fails, as half a sentence; None if all cases pass."""
        for random in draws:
            for number, case in enumerate(self.exercise.cases(random)):
                self.case, self.plain = case, number == 0
                if problem := self._problem(case):
                    return problem
        return None

    def _problem(self, case: Case) -> str | None:
        if case.given is None:
            return _mistake(case, "this", self.learner)
        if problem := self._cannot_be_called(case.given):
            return problem
        given = deepcopy(case.given)
        try:
            returned = self.exercise.use(self.learner, *given)
        except (Exception, SystemExit) as error:
            return f"it raises {type(error).__name__}: {_short(str(error))}"
        if problem := _mistake(case, f"given {_arguments(case.given)}, it returns", returned):
            return problem
        return None if same(given, case.given) else "it changes what it is given; work on a copy"

    def _cannot_be_called(self, given: tuple[Any, ...]) -> str | None:
        if self.exercise.use is not call:
            return "this is still missing" if kind(self.learner) == "nothing" else None
        if not callable(self.learner):
            return f"this is {kind(self.learner)}"
        try:
            signature(self.learner).bind(*given)
        except TypeError:
            return f"it cannot be called with {len(given)} argument{'s' * (len(given) != 1)}"
        except ValueError:
            return None
        return None


def _mistake(case: Case, so: str, returned: Any) -> str | None:
    """What is wrong with what came out, without what should have; None if nothing is."""
    if kind(returned) == "nothing":
        if case.given and case.accept is None and case.expected is None:
            return None
        return "nothing has come back yet" if case.given else "there is no answer yet"
    accepted: bool | str = False
    if case.accept is None:
        if kind(returned) != kind(case.expected):
            return f"what comes is {kind(returned)}, not {kind(case.expected)}"
        accepted = same(returned, case.expected)
    else:
        with suppress(Exception):
            accepted = case.accept(returned)
    if isinstance(accepted, str):
        return accepted or None
    shown = _short(SHOWN.repr(returned))
    return None if accepted else f"{so} {shown}" if case.given else f"{shown} is not it"


def _arguments(given: tuple[Any, ...]) -> str:
    return ", ".join(_short(SHOWN.repr(each)) for each in given)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _stopped_after(seconds: float, work: Callable[[], str | None]) -> str | None:
    """What the work gives; after so many seconds it is broken off, and TimeoutError raised."""
    workers: list[int] = []

    def run() -> str | None:
        workers.append(threading.get_ident())
        return work()

    try:
        return within(seconds, run)
    except TimeoutError:
        _break_off(workers)
        raise


def _break_off(workers: list[int]) -> None:
    """Raise `TimeIsUp` in the threads until they are gone; a callback of the interpreter may swallow the first ones."""
    for _ in range(20):
        alive = [worker for worker in workers if any(each.ident == worker for each in threading.enumerate())]
        for worker in alive:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker), ctypes.py_object(TimeIsUp))
        if not alive:
            return
        time.sleep(0.05)
