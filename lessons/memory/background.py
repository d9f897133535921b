"""Work that is done after an answer, behind the reader's back, by a few threads of this process."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from lessons.errors import LessonsError

logger = logging.getLogger(__name__)

_WORKERS = 2


def hand_over(work: Callable[[], None]) -> Future[None]:
    """Do the work soon. What goes wrong is logged: it is done with the next turn."""
    return _pool().submit(_done_or_logged, work)


def _done_or_logged(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:
        known = isinstance(error, LessonsError)
        logger.warning("a memory could not be updated and is with the next turn: %s", error, exc_info=not known)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WORKERS, "memory")
