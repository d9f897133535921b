"""A page of a PDF as a picture, with passages marked on it.

PDFium, which also draws PDFs in Chromium, may crash on a hostile file, never end, or ask for all memory. So a child
process draws: it runs this module as a script, which imports nothing of the package, and draws one page within limits.
"""

import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Semaphore
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfPage

SECONDS = 15  # for one page
MEMORY = 1_500_000_000  # bytes that the child may map, where the system can limit them
WIDTH, MAX_AREA, MAX_SIDE = 1_200, 4_000_000, 4_000  # of a picture, in pixels
MAX_CHARS = 100_000  # of a page that are searched for a passage
MARKS = "#bfdcf5", "#ffd9b3", "#c5e8bd", "#e3cff0"  # the colours of the passages in turn
PNG = b"\x89PNG"

Box = tuple[int, int, int, int]  # left, top, right and bottom in pixels

_at_once = Semaphore(2)


class PdfPicture(NamedTuple):
    """A page as PNG, and how many pages its PDF has."""

    png: bytes
    pages: int


def draw_page(pdf: bytes, number: int, passages: Sequence[str], first: int = 1) -> PdfPicture | None:
    """Draw the page with this 1-based number, its passages marked and numbered from `first`; None if that fails."""
    task = json.dumps({"number": number, "passages": list(passages), "first": first}).encode()
    command = [sys.executable, "-P", __file__]
    with _at_once, suppress(OSError, subprocess.TimeoutExpired):
        child = subprocess.run(command, input=task + b"\n" + pdf, capture_output=True, timeout=SECONDS)
        pages, _, picture = child.stdout.partition(b"\n")
        if child.returncode == 0 and picture.startswith(PNG):
            return PdfPicture(picture, int(pages))
    return None


def _draw() -> None:
    """Read a line of JSON and a PDF from the input; write a number of pages and a PNG to the output."""
    _limit_resources()
    from pypdfium2 import PdfDocument

    task = json.loads(sys.stdin.buffer.readline())
    pdf = PdfDocument(sys.stdin.buffer.read())
    picture, boxes = _render(pdf[task["number"] - 1], task["passages"])
    for at, lines in enumerate(boxes):
        picture = _mark(picture, lines, MARKS[at % len(MARKS)])
    for number, lines in enumerate(boxes, start=task["first"]):
        _write_number(picture, lines, number)
    sys.stdout.buffer.write(b"%d\n" % len(pdf))
    picture.save(sys.stdout.buffer, "PNG")


def _limit_resources() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has none of this
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _render(page: "PdfPage", passages: Sequence[str]) -> tuple["Image", list[list[Box]]]:
    """Render the page and find the boxes of each passage's lines. A page may be of any size; the picture is not."""
    from pypdfium2.raw import FPDFText_GetUnicode

    width, height = (max(1.0, side) for side in page.get_size())
    scale = min(WIDTH / width, (MAX_AREA / width / height) ** 0.5, MAX_SIDE / height)
    bitmap = page.render(scale=scale)
    to_pixels, words = bitmap.get_posconv(page).to_bitmap, page.get_textpage()
    chars = (chr(FPDFText_GetUnicode(words, at)) for at in range(min(MAX_CHARS, words.count_chars())))
    letters = [_letters(char) for char in chars]
    boxes: list[list[Box]] = []
    for passage in passages:
        boxes.append([])
        for first, count in _ranges(letters, passage):
            for at in range(words.count_rects(first, count)):
                left, bottom, right, top = words.get_rect(at)
                (x0, y0), (x1, y1) = to_pixels(left, top), to_pixels(right, bottom)
                boxes[-1].append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
    return bitmap.to_pil().convert("RGB"), boxes


def _letters(text: str) -> str:
    """Drop white space, and spell ligatures and Hangul, in syllables or in single letters, in one way."""
    return "".join("".join(unicodedata.normalize("NFKD", char) for char in text).split())


def _ranges(page: Sequence[str], passage: str) -> Iterator[tuple[int, int]]:
    """Yield first character and number of characters of the passage, else of each of its lines that is found."""
    letters = "".join(page)
    positions = [at for at, spelling in enumerate(page) for _ in spelling]  # the number of each letter's character
    wanted_letters, end = _letters(passage), 0
    for line in [wanted_letters] if wanted_letters in letters else map(_letters, passage.splitlines()):
        if line and (at := letters.find(line, end)) >= 0:
            end = at + len(line)
            yield positions[at], positions[end - 1] + 1 - positions[at]


def _mark(picture: "Image", boxes: Sequence[Box], colour: str) -> "Image":
    """Mark boxes as by a felt pen: what is darker stays, and where two passages meet the colours mix."""
    from PIL import Image, ImageChops, ImageDraw

    pen = Image.new("RGB", picture.size, "white")
    for box in boxes:
        ImageDraw.Draw(pen).rectangle(box, colour)
    return ImageChops.multiply(picture, pen)


def _write_number(picture: "Image", boxes: Sequence[Box], number: int) -> None:
    """Write the number of a passage into the margin, beside its first line."""
    from PIL import ImageDraw, ImageFont

    if boxes:
        (_, top, _, bottom), left = boxes[0], min(box[0] for box in boxes)
        font = ImageFont.load_default(22)
        position = max(0, left - 12), (top + bottom) // 2
        ImageDraw.Draw(picture).text(position, str(number), "#333333", font, anchor="rm")


if __name__ == "__main__":
    _draw()
