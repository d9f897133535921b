"""Several answers at once: each stage works in its own thread, and only the page's thread draws."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from lessons.answer.answer import Answer
from lessons.stages import AnswerStream


def answers_of(streams: Sequence[AnswerStream], show: Callable[[int, str], object]) -> list[Answer]:
    """Read all streams in parallel, telling `show` the number of the stream and its text so far.

    The first error of a stream is raised once the others are done.
    """
    pieces: SimpleQueue[tuple[int, str] | None] = SimpleQueue()
    texts = [""] * len(streams)
    with ThreadPoolExecutor(max_workers=len(streams)) as pool:
        work = [pool.submit(_read, number, stream, pieces) for number, stream in enumerate(streams)]
        running = len(streams)
        while running:
            if (piece := pieces.get()) is None:
                running -= 1
            else:
                number, text = piece
                texts[number] += text
                show(number, texts[number])
    for each in work:
        each.result()
    return [stream.answer for stream in streams]


def _read(number: int, stream: AnswerStream, pieces: SimpleQueue) -> None:
    try:
        for piece in stream:
            pieces.put((number, piece))
    finally:
        pieces.put(None)
