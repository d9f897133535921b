"""What PDFium reads of a PDF, in a process of its own: a hostile file may crash it, never end, or ask for all memory.

This file is run as a script, which imports nothing of the package. For each path that it is given it prints a line of
JSON: an object about the file and the lines of each page.
"""

import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ctypes import byref, c_double, c_int, c_uint16, create_string_buffer
from itertools import pairwise
from math import hypot
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

Line = tuple[str, float, bool]
"""Its text, the size of its letters in points, and whether they are bold."""

MEMORY = 2_000_000_000  # bytes that this process may map, where the system can limit them
SAMPLES = 7  # characters of a line whose font is looked at
SPACED = 0.7  # share of single letters, of Latin ones of pairs, too, among the words of a line set letter by letter
WIDER = 1.6  # times the gap between two letters: the gap between two words of such a line
SOFT_HYPHEN = "\u00ad"
_HYPHENS = dict.fromkeys(map(ord, "\ufffe\x02"), SOFT_HYPHEN)  # as PDFium writes one at the end of a line


def main() -> None:
    """Read the files whose paths come in, each with the most pages that it may have, and print a line for each."""
    with suppress(ImportError, ValueError, OSError):  # Windows has none of this
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, and its end ends this process
    for line in sys.stdin:
        try:
            print(json.dumps(_read(*json.loads(line))), flush=True)
        except pdfium.PdfiumError as error:  # PDFium would give this code for the next file, too, so it ends here
            print(json.dumps([{"error": error.err_code}]), flush=True)
            return


def _read(path: str, most_pages: int) -> list[Any]:
    """Return what the file holds, then the lines of each page; no page of a file that has too many.

    A page that is broken has no lines, since others may not be. PdfiumError if the file cannot be opened.
    """
    pdf = pdfium.PdfDocument(path)
    pdf.init_forms()
    pages: list[Any] = [{"pages": len(pdf), "outline": list(_outline(pdf)), **pdf.get_metadata_dict(skip_empty=True)}]
    for number in range(len(pdf) if len(pdf) <= most_pages else 0):
        try:
            pages.append(list(_page(pdf, number)))
        except (pdfium.PdfiumError, ValueError):
            pages.append([])
    pdf.close()
    return pages


def _page(pdf: pdfium.PdfDocument, number: int) -> list[Line]:
    """Read the lines of a page, then those of its form fields and notes that are not among them.

    Flattened, a page shows what its annotations draw, but some pages lose text by it.
    """
    page = pdf[number]
    lines, notes = list(_lines(page.get_textpage())), []
    if raw.FPDFPage_GetAnnotCount(page):
        notes = list(_annotations(page, pdf.formenv))
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page.close()
        # Where a page lost the meaning of its codes, it has signs in place of letters and digits.
        flat = list(_lines(pdf[number].get_textpage()))
        lines = max(lines, flat, key=lambda lines: sum(map(str.isalnum, "".join(line[0] for line in lines))))
    text = "\n".join(line[0] for line in lines)
    return [*lines, *((note, 0.0, False) for note in notes if note not in text)]


def _outline(pdf: pdfium.PdfDocument) -> Iterator[tuple[int, str, int]]:
    """Yield page (0-based), title and depth from 1 of each bookmark that leads to a page."""
    with suppress(pdfium.PdfiumError, ValueError):
        for bookmark in pdf.get_toc():
            target = bookmark.get_dest()
            if target is not None and target.get_index() is not None:
                yield target.get_index(), bookmark.get_title(), bookmark.level + 1


def _lines(text: pdfium.PdfTextPage) -> Iterator[Line]:
    """Yield text, size in points and weight of each line, as most of its letters are drawn."""
    line: list[int] = []
    codes = (raw.FPDFText_GetUnicode(text, index) for index in range(text.count_chars()))
    letters = [chr(code) if code <= sys.maxunicode else "\ufffd" for code in codes]
    for index, letter in enumerate([*letters, "\n"]):
        if letter not in "\r\n":
            line.append(index)
        elif letter == "\n" and line and not _goes_on(text, letters, index):
            yield _line(text, letters, line)
            line = []


def _line(text: pdfium.PdfTextPage, letters: Sequence[str], line: Sequence[int]) -> Line:
    content = "".join(letters[index] for index in line)
    words = content.split()
    single = sum(word.isalpha() and len(word) <= 1 + word.isascii() for word in words)
    if len(words) > 4 and single >= SPACED * len(words):
        content = _joined(text, letters, line)
    else:
        content = "".join(f"^{letters[at]}" if _is_raised(text, letters, at) else letters[at] for at in line)
    inked = [index for index in line if not letters[index].isspace()]
    styles = Counter(_style(text, index) for index in inked[:: max(1, len(inked) // SAMPLES)])
    size, bold = max(styles, key=styles.__getitem__, default=(0.0, False))
    joined = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # PDFium gives halves of a pair
    return joined.translate(_HYPHENS), size, bold


def _joined(text: pdfium.PdfTextPage, letters: Sequence[str], line: Sequence[int]) -> str:
    """Join a line that is set letter by letter, with blanks only where the gap is wider than between two letters."""
    inked, boxes = [index for index in line if not letters[index].isspace()], []
    for index in inked:
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(text, index, byref(box))
        boxes.append(box)
    gaps = [right.left - left.right for left, right in pairwise(boxes)]
    usual = sorted(gaps)[len(gaps) // 2]
    height = boxes[0].top - boxes[0].bottom
    if usual > 0.5 * height:
        return "".join(letters[index] for index in line)  # cells of a table
    apart = max(WIDER * usual, usual + 0.1 * height)
    return letters[inked[0]] + "".join(
        f" {letters[index]}" if gap > apart else letters[index] for index, gap in zip(inked[1:], gaps, strict=True)
    )


def _goes_on(text: pdfium.PdfTextPage, letters: Sequence[str], end: int) -> bool:
    """Tell whether the letter behind a line's end stands beside the last one: PDFium breaks a line at a raised mark."""
    following = next((at for at in range(end + 1, len(letters)) if not letters[at].isspace()), None)
    previous = next((at for at in range(end - 1, -1, -1) if not letters[at].isspace()), None)
    if following is None or previous is None:
        return False
    (size, x, y), (_, next_x, next_y) = _drawn(text, previous), _drawn(text, following)
    return 0.1 * size < abs(next_y - y) < size and 0 < next_x - x < 1.5 * size


def _is_raised(text: pdfium.PdfTextPage, letters: Sequence[str], index: int) -> bool:
    """Tell whether a digit begins an exponent or the mark of a note: smaller and higher than the letter before it."""
    if not ("0" <= letters[index] <= "9") or not index or letters[index - 1].isspace():
        return False
    (size, _, y), (size_before, _, y_before) = (_drawn(text, at) for at in (index, index - 1))
    return size < size_before and y > y_before


def _drawn(text: pdfium.PdfTextPage, index: int) -> tuple[float, float, float]:
    """Return the size of a letter and where on the page it begins, in points from the lower left."""
    x, y = c_double(), c_double()
    raw.FPDFText_GetCharOrigin(text, index, byref(x), byref(y))
    return _style(text, index)[0], x.value, y.value


def _style(text: pdfium.PdfTextPage, index: int) -> tuple[float, bool]:
    """Return the size in half points, and whether the font is called bold."""
    matrix, flags, name = raw.FS_MATRIX(), c_int(), create_string_buffer(128)
    raw.FPDFText_GetMatrix(text, index, byref(matrix))
    raw.FPDFText_GetFontInfo(text, index, name, len(name), byref(flags))
    size = raw.FPDFText_GetFontSize(text, index) * hypot(matrix.c, matrix.d)
    return round(2 * size) / 2, any(word in name.value.lower() for word in (b"bold", b"black", b"heavy"))


def _annotations(page: pdfium.PdfPage, form: Any) -> Iterator[str]:
    """Yield a line for each filled field of a form and for each note of a page."""
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind == raw.FPDF_ANNOT_WIDGET and form:
            line = _field(form, annotation)
        elif kind in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_WIDGET):
            line = ""
        else:
            line = _string(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
        raw.FPDFPage_CloseAnnot(annotation)
        yield from filter(str.strip, line.splitlines())


def _field(form: Any, annotation: Any) -> str:
    """Return the name and the value of a field; "" if nothing is filled in."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        is_set = raw.FPDFAnnot_IsChecked(form, annotation)
        value = _string(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation) if is_set else ""
    else:
        value = _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    name = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _string(raw.FPDFAnnot_GetFormFieldName, form, annotation)
    return f"{name}: {value}" if value.strip() and value != "Off" else ""


def _string(function: Callable[..., int], *arguments: Any) -> str:
    """Read a string that PDFium writes into a buffer: UTF-16 with a zero at its end."""
    size = function(*arguments, None, 0)
    buffer = (c_uint16 * (size // 2 + 1))()
    function(*arguments, buffer, size)
    return bytes(buffer)[:size].decode("utf-16-le", "replace").rstrip("\0")


if __name__ == "__main__":
    main()
