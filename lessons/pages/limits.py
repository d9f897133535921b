"""How much one visitor may ask and upload, so that nobody takes a shared installation for himself."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

import streamlit as st

from lessons.errors import LessonsError
from lessons.settings import settings

HOME = ("127.0.0.1", "localhost", "::1")
"""Addresses on which the app listens to its own machine only."""


@dataclass
class RateLimit:
    """At most `most` events of a visitor within `seconds`. Safe under threads; visitors who stay away are forgotten."""

    seconds: float
    clock: Callable[[], float] = monotonic
    _events: dict[str, deque[float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, visitor: str, most: int, number: int = 1) -> float:
        """Count `number` events and give 0; or count nothing, and give the seconds until they are allowed."""
        now = self.clock()
        with self._lock:
            for name in [name for name, events in self._events.items() if events[-1] <= now - self.seconds]:
                del self._events[name]
            events = self._events.get(visitor, deque())
            while events and events[0] <= now - self.seconds:
                events.popleft()
            if len(events) + number > most:
                late = max(0, min(len(events), len(events) + number - most) - 1)
                return events[late] + self.seconds - now if events else self.seconds
            if number:
                self._events[visitor] = events
                events.extend([now] * number)
            return 0.0


@st.cache_resource
def _limits() -> tuple[RateLimit, RateLimit]:
    return RateLimit(60), RateLimit(3_600)


def allow_questions(owner: str, number: int = 1) -> None:
    """Count questions of this visitor; LessonsError with the seconds to wait if there were too many in a minute."""
    most = settings().questions_a_minute * _generosity()
    if wait := _limits()[0].take(_visitor(owner), most, number):
        raise LessonsError(
            f"That is more than {most} answers a minute, which is what one visitor may ask for here; "
            f"ask again in {wait:.0f} seconds, or of fewer stages."
        )


def allow_uploads(owner: str, number: int) -> None:
    """Count uploaded files of this visitor; LessonsError with the minutes to wait if there were too many in an hour."""
    most = settings().uploads_an_hour * _generosity()
    if wait := _limits()[1].take(_visitor(owner), most, number):
        raise LessonsError(
            f"That is more than {most} files an hour, which is what one visitor may upload here; "
            f"upload again in {wait / 60:.0f} minutes, or fewer files."
        )


def is_shared() -> bool:
    """Whether other machines can reach the app."""
    return st.get_option("server.address") not in HOME


def _generosity() -> int:
    return 1 if is_shared() else settings().limits_at_home


def _visitor(owner: str) -> str:
    """An owner at an address: a reload of the page does not begin anew."""
    return f"{owner}@{st.context.ip_address or 'here'}"
