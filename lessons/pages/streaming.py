"""Several answers at once: each stage works in its own thread, and only the page's thread draws."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Event

from lessons.agent.telling import telling
from lessons.errors import LessonsError
from lessons.rag.answer import Answer
from lessons.rag.stages import AnswerStream
from lessons.trace import Step

logger = logging.getLogger(__name__)

UNEXPECTED = "This stage broke off for an unexpected reason; the log has the details."

Outcome = Answer | LessonsError
Pieces = SimpleQueue[tuple[int, str | Step | Outcome]]

_PATIENCE = 0.5  # seconds without a word of any stage until the page is drawn again, so that it can be left
_FAREWELL = 1.0  # seconds that a page which is left waits for the work to end


def answers_of(
    streams: Sequence[AnswerStream],
    show: Callable[[int, str], object],
    done: Callable[[int, Outcome], object] = lambda number, outcome: None,
) -> list[Outcome]:
    """Read all streams in parallel, telling `show` the number of the stream and its text so far.

    Before an agent's text begins, that is what it is doing. `done` hears of each stream as it ends: with its answer, or
    with the error that broke it off, which does not disturb the others. An error of `show` or `done`, or a page that is
    left, ends the work of all.
    """
    pieces: Pieces = SimpleQueue()
    texts, shown, left = [""] * len(streams), [""] * len(streams), Event()
    outcomes: dict[int, Outcome] = {}
    pool = ThreadPoolExecutor(max_workers=max(1, len(streams)))
    work = [pool.submit(_read, number, stream, pieces, left) for number, stream in enumerate(streams)]
    try:
        while len(outcomes) < len(streams):
            number, event = _next(pieces) or (min(set(range(len(streams))) - set(outcomes)), None)
            if isinstance(event, Outcome):
                outcomes[number] = event
                done(number, event)
                continue
            if isinstance(event, str):
                shown[number] = texts[number] = texts[number] + event
            elif event:
                shown[number] = telling(event)
            show(number, shown[number])
    finally:
        left.set()
        wait(work, _FAREWELL)
        pool.shutdown(wait=False)
    return [outcomes[number] for number in range(len(streams))]


def _next(pieces: Pieces) -> tuple[int, str | Step | Outcome] | None:
    """The next piece of any stream; None if none came for a while."""
    try:
        return pieces.get(timeout=_PATIENCE)
    except Empty:
        return None


def _read(number: int, stream: AnswerStream, pieces: Pieces, left: Event) -> None:
    outcome: Outcome = LessonsError(UNEXPECTED)
    try:
        with closing(stream):
            for event in stream.events():
                if left.is_set():
                    break
                pieces.put((number, event))
        outcome = stream.answer
    except LessonsError as error:
        outcome = error
    except Exception:
        logger.exception("a stage broke off")
    finally:
        pieces.put((number, outcome))
