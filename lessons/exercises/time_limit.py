"""A limit in time for what a learner wrote, which may never end."""

import ctypes
import threading
import time
from collections.abc import Callable

from lessons.agent.deadline import within


class TimeIsUp(BaseException):
    """Raised within a learner's endless loop; no `except Exception` of theirs catches it."""


def stopped_after(seconds: float, work: Callable[[], str | None]) -> str | None:
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
