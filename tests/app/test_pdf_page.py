"""A page of a PDF as a picture: passages are marked where they stand, and no file takes the app down."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from fpdf import FPDF
from matplotlib.image import imread

from lessons.ingest.read import read
from lessons.pages import pdf_page
from lessons.pages.pdf_page import MAX_AREA, MAX_SIDE, draw_page
from lessons.settings import ROOT
from tests.support.files import write_pdf

CORPUS = ROOT / "data" / "corpus"
BLUE, ORANGE = (tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in pdf_page.MARKS[:2])


def drawn(pdf: bytes, number: int = 1, *passages: str) -> np.ndarray:
    """The picture's rows of pixels, 0 to 255."""
    found = draw_page(pdf, number, passages)
    assert found
    return np.round(imread(BytesIO(found.png))[..., :3] * 255).astype(int)


def rows(picture: np.ndarray, colour: tuple[int, ...]) -> list[int]:
    """The rows in which a colour is seen."""
    return np.flatnonzero((picture == colour).all(axis=2).any(axis=1)).tolist()


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Two pages, with letters of which some have two spellings in Unicode."""
    pages = "The kiosk opens at nine.\nIt rents 우산 for 9 euros.\nIt closes at six.", "The second page."
    return write_pdf(tmp_path_factory.mktemp("pdf") / "letter.pdf", *pages).read_bytes()


def test_a_page_is_drawn_and_no_other(letter: bytes) -> None:
    first, second = drawn(letter, 1), drawn(letter, 2)
    assert first.shape[1] == pdf_page.WIDTH
    assert (first < 128).sum() > (second < 128).sum() > 0
    assert [found and found.pages for found in (draw_page(letter, at, []) for at in (2, 3))] == [2, None]


def test_each_passage_is_marked_where_it_stands_in_a_colour_of_its_own(letter: bytes) -> None:
    picture = drawn(letter, 1, "The kiosk opens at nine.", "It closes\nat six.")
    assert 0 < max(rows(picture, BLUE)) < min(rows(picture, ORANGE))
    assert not rows(drawn(letter, 1, "Nothing of this is on the page."), BLUE)


def test_spelling_and_line_breaks_make_no_difference(letter: bytes) -> None:
    composed = rows(drawn(letter, 1, "It rents 우산 for 9 euros."), BLUE)
    assert composed
    assert rows(drawn(letter, 1, "It rents\n우산 for 9\neuros."), BLUE) == composed


@pytest.mark.parametrize("name", ["product/guide_connect_altis_en.pdf", "courses/joon/db_syllabus_ko.pdf"])
def test_what_the_reader_reads_of_a_shipped_page_is_marked_on_it(name: str) -> None:
    page = read(CORPUS / name)[0]
    picture, plain = (drawn((CORPUS / name).read_bytes(), 1, *texts) for texts in ([page.text], []))
    dark = (plain.sum(axis=2) < 300).any(axis=1)  # rows with letters
    assert np.isin(np.flatnonzero(dark), rows(picture, BLUE)).mean() > 0.9


def page_of_size(width: float, height: float) -> bytes:
    pdf = FPDF(unit="pt", format=(width, height))
    pdf.add_page()
    return bytes(pdf.output())


@pytest.mark.parametrize("size", [(1e6, 1e6), (1, 1e6), (1e6, 1), (0.01, 0.01), (3e7, 5)])
def test_a_page_box_of_any_size_makes_a_picture_of_bounded_size(size: tuple[float, float]) -> None:
    height, width, _ = drawn(page_of_size(*size)).shape
    assert max(height, width) <= MAX_SIDE
    assert height * width <= MAX_AREA * 1.01


HUGE_PICTURE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj
4 0 obj<</Length 28>>stream
q 500 0 0 500 0 0 cm /I Do Q
endstream endobj
5 0 obj<</Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8/Length 5>>stream
hello
endstream endobj
trailer<</Root 1 0 R>>
%%EOF"""


def hostile(letter: bytes) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "no PDF", b"<html>"
    yield "cut off", letter[: len(letter) // 2]
    yield "zeros", letter[:200] + bytes(5_000) + letter[5_200:]
    yield "a picture bomb", HUGE_PICTURE
    yield "many pages", letter.replace(b"/Count 2", b"/Count 9")


@pytest.mark.parametrize("what", ["empty", "no PDF", "cut off", "zeros", "a picture bomb", "many pages"])
def test_a_hostile_file_ends_with_a_picture_or_with_none(letter: bytes, what: str) -> None:
    found = draw_page(dict(hostile(letter))[what], 1, ["The kiosk opens at nine."])
    assert found is None or found.png.startswith(pdf_page.PNG)


@pytest.mark.parametrize("script", ["import time; time.sleep(60)", "import os; os.abort()", "print('no picture')"])
def test_a_drawing_that_hangs_or_crashes_is_given_up(
    letter: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    (stuck := tmp_path / "stuck.py").write_text(script)
    monkeypatch.setattr(pdf_page, "__file__", str(stuck))
    monkeypatch.setattr(pdf_page, "SECONDS", 0.5)
    begun = monotonic()
    assert draw_page(letter, 1, []) is None
    assert monotonic() - begun < 30
