"""An evaluation in the background of the app: one at a time for the whole process, watched and stopped from any tab."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from lessons.errors import LessonsError
from lessons.evaluate.run import evaluate
from lessons.evaluate.runs import save
from lessons.stages import Stage
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


def begin(stages: Sequence[Stage], split: str, limit: int | None, place: Workspace) -> Running:
    """Measure the stages on a split of the golden set, in a thread of its own; the run is stored when it is done."""
    running = Running()
    threading.Thread(target=_measure, args=(running, stages, split, limit, place), daemon=True).start()
    return running


def _measure(running: Running, stages: Sequence[Stage], split: str, limit: int | None, place: Workspace) -> None:
    try:
        running.number = save(evaluate(stages, split, limit=limit, watch=running.watch, place=place), place.engine)
    except _StoppedError:
        running.problem = "The evaluation was stopped; nothing of it was stored."
    except LessonsError as error:
        running.problem = str(error)
    except Exception:
        logger.exception("an evaluation broke off")
        running.problem = UNEXPECTED
    finally:
        running.ended = True
