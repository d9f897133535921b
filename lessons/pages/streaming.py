"""Several answers at once: each stage works in its own thread, and only the page's thread draws."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from queue import SimpleQueue
from threading import Event

from lessons.agent.telling import telling
from lessons.answer.answer import Answer
from lessons.stages import AnswerStream
from lessons.trace import Step

Pieces = SimpleQueue[tuple[int, str | Step] | None]


def answers_of(streams: Sequence[AnswerStream], show: Callable[[int, str], object]) -> list[Answer]:
    """Read all streams in parallel, telling `show` the number of the stream and its text so far.

    Before an agent's text begins, that is what it is doing. The first error of a stream is raised once the others are
    done; an error of `show`, or a page that is left, ends the work of all.
    """
    pieces: Pieces = SimpleQueue()
    texts, left = [""] * len(streams), Event()
    with ThreadPoolExecutor(max_workers=len(streams)) as pool:
        work = [pool.submit(_read, number, stream, pieces, left) for number, stream in enumerate(streams)]
        try:
            running = len(streams)
            while running:
                if (piece := pieces.get()) is None:
                    running -= 1
                    continue
                number, event = piece
                if isinstance(event, str):
                    texts[number] += event
                show(number, texts[number] if isinstance(event, str) else telling(event))
        finally:
            left.set()
    for each in work:
        each.result()
    return [stream.answer for stream in streams]


def _read(number: int, stream: AnswerStream, pieces: Pieces, left: Event) -> None:
    try:
        with closing(stream):
            for event in stream.events():
                if left.is_set():
                    break
                pieces.put((number, event))
    finally:
        pieces.put(None)
