"""A limit in time for work that cannot be stopped from outside."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What the work gives; TimeoutError if it takes longer, and then it is left behind to end by itself."""
    given: Future[Result] = Future()
    context = copy_context()

    def run() -> None:
        try:
            given.set_result(context.run(work))
        except BaseException as error:
            given.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return given.result(seconds)
