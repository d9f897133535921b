"""An evaluation in the background of the app: one at a time for the whole process, watched and stopped from any tab."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.run import Watcher
from lessons.evaluate.runs import save
from lessons.pages.common import plain
from lessons.workspace import Workspace

logger = logging.getLogger(__name__)

UNEXPECTED = "The evaluation broke off for an unexpected reason; the log has the details."


class _StoppedError(Exception):
    """The reader has stopped the evaluation."""


@dataclass
class Running:
    """How far an evaluation is. `number` is that of the stored run once it is done, `problem` why it broke off."""

    label: str = "Beginning"
    share: float = 0.0  # from 0 to 1
    owner: str | None = None  # of a private run
    number: int | None = None
    problem: str | None = None
    ended: bool = False
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """End after the question that is being asked; nothing of the run is stored."""
        self._stop.set()

    def watch(self, label: str, done: int, total: int) -> None:
        """Take note of the progress; ends the work if the reader has stopped it."""
        if self._stop.is_set():
            raise _StoppedError
        self.label, self.share = f"{label}, {done} of {total}", done / total


Work = Callable[[Watcher], Evaluation]


def begin(work: Work, place: Workspace, owner: str | None = None) -> Running:
    """Do `work` in a thread of its own and store the run when it is done; with an `owner` it is private."""
    running = Running(owner=owner)
    threading.Thread(target=_measure, args=(running, work, place), daemon=True).start()
    return running


def _measure(running: Running, work: Work, place: Workspace) -> None:
    try:
        running.number = save(work(running.watch), place.engine, running.owner)
    except _StoppedError:
        running.problem = "The evaluation was stopped; nothing of it was stored."
    except LessonsError as error:
        running.problem = str(error)
    except Exception:
        logger.exception("an evaluation broke off")
        running.problem = UNEXPECTED
    finally:
        running.ended = True


@st.cache_resource
def current() -> list[Running]:
    """The evaluation of this process, the same for every tab; empty if there is none."""
    return []


def follow(key: str, owner: str | None = None) -> bool:
    """Show the evaluation that is running, if one is. Once it has ended, its outcome is told on its own page.

    The number of its run is then in the session's state under `key`. Another owner's run may be seen, not stopped.
    """
    if not (found := current()):
        return False
    running = found[0]
    if not running.ended:
        _progress(running.owner in (None, owner))
        return True
    if running.owner == owner:
        found.remove(running)
        if running.problem:
            st.warning(plain(running.problem))
        else:
            st.session_state[key] = running.number
            st.success(f"Stored as run {running.number}.")
    return False


def start(work: Work, place: Workspace, owner: str | None = None) -> None:
    """Begin, unless another tab was faster, and draw the page anew."""
    found = current()
    if not found or found[0].ended:
        found[:] = [begin(work, place, owner)]
    st.rerun()


@st.fragment(run_every=1.0)
def _progress(may_stop: bool) -> None:
    """How far the evaluation is, looked at every second without drawing the rest of the page again."""
    found = current()
    if not found or found[0].ended:
        st.rerun()
    st.progress(found[0].share, plain(found[0].label))
    if may_stop and st.button("Stop measuring"):
        found[0].stop()
