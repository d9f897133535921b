"""What PDFium reads of a PDF, in a process of its own: a hostile file may crash it, never end, or ask for all memory.

This file is run as a script, which imports nothing of the package. For each path that it is given it prints a line of
JSON: an object about the file and the lines of each page.
"""

import json
import signal
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ctypes import byref, c_double, c_float, c_int, c_uint16, create_string_buffer
from itertools import islice, pairwise
from math import hypot
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

Point = tuple[float, float]
Cell = tuple[int, int]  # its row and its column; of merged cells, those of the first
Rows = list[list[str | None]]  # of a table; None stands in a column that the cell before it spans
OUTSIDE = -1, (-1, -1)  # the number of a grid, and a cell: of what stands in none
Line = tuple[str | Rows, float, bool]
"""Its text, or the rows of a table; the size of its letters in points, and whether they are bold."""

MEMORY = 2_000_000_000  # bytes that this process may map, where the system can limit them
SAMPLES = 7  # characters of a line whose font is looked at
SPACED = 0.7  # share of single letters, of Latin ones of pairs, too, among the words of a line set letter by letter
WIDER = 1.6  # times the gap between two letters: the gap between two words of such a line
NEAR = 3.0  # points between ends of lines that are drawn to meet
MOST_LINES = 2  # of text in cells that stand side by side; with more, rows are not ruled off
MOST_STROKES = 20_000  # of a page that are looked at
MOST_RULES = 500  # straight lines on a page; with more it is a drawing
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
    lines, notes = list(_lines(page)), []
    if raw.FPDFPage_GetAnnotCount(page):
        notes = list(_annotations(page, pdf.formenv))
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page.close()
        # Where a page lost the meaning of its codes, it has signs in place of letters and digits.
        flat = list(_lines(pdf[number]))
        lines = max(lines, flat, key=lambda lines: sum(map(str.isalnum, "".join(map(_words, lines)))))
    text = "\n".join(map(_words, lines))
    return [*lines, *((note, 0.0, False) for note in notes if note not in text)]


def _words(line: Line) -> str:
    return line[0] if isinstance(line[0], str) else "\n".join(cell for row in line[0] for cell in row if cell)


def _outline(pdf: pdfium.PdfDocument) -> Iterator[tuple[int, str, int]]:
    """Yield page (0-based), title and depth from 1 of each bookmark that leads to a page."""
    with suppress(pdfium.PdfiumError, ValueError):
        for bookmark in pdf.get_toc():
            target = bookmark.get_dest()
            if target is not None and target.get_index() is not None:
                yield target.get_index(), bookmark.get_title(), bookmark.level + 1


def _lines(page: pdfium.PdfPage) -> Iterator[Line]:
    """Yield text, size in points and weight of each line, as most of its letters are drawn, and each table as rows."""
    text, line = page.get_textpage(), list[int]()
    codes = (raw.FPDFText_GetUnicode(text, index) for index in range(text.count_chars()))
    letters = [chr(code) if code <= sys.maxunicode else "\ufffd" for code in codes]
    tables, numbers = _tables(page, text, letters)
    for index, letter in enumerate([*letters, "\n"]):
        number = numbers.get(index)
        if number is None and letter not in "\r\n":
            line.append(index)
        elif line and (number is not None or (letter == "\n" and not _goes_on(text, letters, index))):
            yield _line(text, letters, line)
            line = []
        if number in tables:
            yield tables.pop(number), 0.0, False


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


# Tables, by the lines that are drawn between their cells


class Rule(NamedTuple):
    """A straight line on a page: the coordinate that it keeps, and from where to where it runs, in points."""

    at: float
    start: float
    end: float

    def crosses(self, rule: "Rule") -> bool:
        """Tell whether a rule of the other direction meets this one."""
        return self.start - NEAR <= rule.at <= self.end + NEAR and rule.start - NEAR <= self.at <= rule.end + NEAR


class Grid:
    """The cells between horizontal and vertical rules, row by row from the top; where no rule is, cells are one."""

    def __init__(self, across: Sequence[Rule], down: Sequence[Rule]) -> None:
        left, right = min(rule.start for rule in across), max(rule.end for rule in across)
        bottom, top = min(rule.start for rule in down), max(rule.end for rule in down)
        self.columns = _borders([left, *(rule.at for rule in down), right])
        self.rows = _borders([bottom, *(rule.at for rule in across), top])[::-1]
        self.texts: dict[Cell, str] = {}
        self.baselines: dict[Cell, set[int]] = {}
        self._cells = [[(at, column) for column in range(len(self.columns) - 1)] for at in range(len(self.rows) - 1)]
        self._is_spanned = [[False] * len(row) for row in self._cells]
        for at, row in enumerate(self._cells):
            y = (self.rows[at] + self.rows[at + 1]) / 2
            for column in range(len(row)):
                x = (self.columns[column] + self.columns[column + 1]) / 2
                if column and not _is_drawn(down, self.columns[column], y):
                    row[column], self._is_spanned[at][column] = row[column - 1], True
                elif at and not _is_drawn(across, self.rows[at], x):
                    row[column] = self._cells[at - 1][column]

    def add(self, cell: Cell, letter: str, y: float) -> None:
        """Add a letter, behind a blank if a word begins with it, and the height of its line to a cell."""
        words = self.texts.get(cell, "")
        self.texts[cell] = words + letter if words else letter.strip()
        self.baselines.setdefault(cell, set()).add(round(y / NEAR))

    def cell(self, x: float, y: float) -> Cell | None:
        """Return the cell at a point of the page, None outside."""
        column, at = bisect_right(self.columns, x) - 1, bisect_right([-row for row in self.rows], -y) - 1
        is_inside = 0 <= column < len(self.columns) - 1 and 0 <= at < len(self._cells)
        return self._cells[at][column] if is_inside else None

    @property
    def is_table(self) -> bool:
        """Whether it has rows and columns with text, and a rule below each row: else several share their cells."""
        texts = [[cell for cell in row if self.texts.get(cell, "").strip()] for row in self._cells]
        crowded = (sum(len(self.baselines[cell]) > MOST_LINES for cell in set(row)) for row in texts)
        return sum(len(set(row)) > 1 for row in texts) > 1 and max(crowded, default=0) < 2

    def written(self) -> Rows:
        """Return the text of each cell; None in a column that the cell before it spans."""
        return [
            [None if spanned else self.texts.get(cell, "") for cell, spanned in zip(row, spans, strict=True)]
            for row, spans in zip(self._cells, self._is_spanned, strict=True)
        ]


def _tables(
    page: pdfium.PdfPage, text: pdfium.PdfTextPage, letters: Sequence[str]
) -> tuple[dict[int, Rows], dict[int, int]]:
    """Return the rows of each table by its number, and the number of the table that a letter stands in."""
    grids = list(_grids(*_rules(page)))
    cells = _fill(grids, text, letters) if grids else []
    tables = {number: grid.written() for number, grid in enumerate(grids) if grid.is_table}
    return tables, {at: number for at, (number, _) in enumerate(cells) if number in tables}


def _fill(grids: Sequence[Grid], text: pdfium.PdfTextPage, letters: Sequence[str]) -> list[tuple[int, Cell]]:
    """Put the letters of a page into the cells that they stand in, and return each one's grid and cell."""
    cells, box = [OUTSIDE], raw.FS_RECTF()
    for index, letter in enumerate(letters):
        if letter.isspace():
            cells.append(cells[-1])
            continue
        raw.FPDFText_GetLooseCharBox(text, index, byref(box))
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        hits = ((number, cell) for number, grid in enumerate(grids) if (cell := grid.cell(x, y)))
        number, cell = next(hits, OUTSIDE)
        if number >= 0:
            begins = index == 0 or letters[index - 1].isspace() or (number, cell) != cells[-1]
            grids[number].add(cell, f" {letter}" if begins else letter, y)
        cells.append((number, cell))
    return cells[1:]


def _rules(page: pdfium.PdfPage) -> tuple[list[Rule], list[Rule]]:
    """Return the rules of a page across and down, those that continue each other as one."""
    across, down = list[Rule](), list[Rule]()
    for (x, y), (next_x, next_y) in islice(_strokes(page), MOST_STROKES):
        if abs(next_y - y) < 1 < abs(next_x - x):
            across.append(Rule(y, *sorted((x, next_x))))
        elif abs(next_x - x) < 1 < abs(next_y - y):
            down.append(Rule(x, *sorted((y, next_y))))
    return _joined_rules(across), _joined_rules(down)


def _strokes(page: pdfium.PdfPage) -> Iterator[tuple[Point, Point]]:
    """Yield the ends of each straight line that is drawn, edges of rectangles among them."""
    matrix, x, y = raw.FS_MATRIX(), c_float(), c_float()
    for path in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        raw.FPDFPageObj_GetMatrix(path, byref(matrix))
        first = last = (0.0, 0.0)
        for at in range(raw.FPDFPath_CountSegments(path)):
            segment = raw.FPDFPath_GetPathSegment(path, at)
            raw.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
            point = (
                matrix.a * x.value + matrix.c * y.value + matrix.e,
                matrix.b * x.value + matrix.d * y.value + matrix.f,
            )
            kind = raw.FPDFPathSegment_GetType(segment)
            first = point if kind == raw.FPDF_SEGMENT_MOVETO else first
            if kind == raw.FPDF_SEGMENT_LINETO:
                yield last, point
            if raw.FPDFPathSegment_GetClose(segment):
                yield point, first
            last = point


def _joined_rules(rules: list[Rule]) -> list[Rule]:
    """Join the rules that run on, or beside each other as the two edges of a thick one."""
    joined: list[Rule] = []
    heights = _borders([rule.at for rule in rules])
    for rule in sorted((heights[bisect_right(heights, rule.at) - 1], rule.start, rule.end) for rule in rules):
        last = joined[-1] if joined else None
        if last and last.at == rule[0] and rule[1] <= last.end + NEAR:
            joined[-1] = last._replace(end=max(last.end, rule[2]))
        else:
            joined.append(Rule(*rule))
    return joined


def _borders(values: Sequence[float]) -> list[float]:
    """Sort coordinates, and keep the first of those that lie near each other."""
    borders: list[float] = []
    for value in sorted(values):
        if not borders or value > borders[-1] + NEAR:
            borders.append(value)
    return borders


def _is_drawn(rules: Sequence[Rule], at: float, point: float) -> bool:
    return any(abs(rule.at - at) <= NEAR and rule.start - NEAR <= point <= rule.end + NEAR for rule in rules)


def _grids(across: Sequence[Rule], down: Sequence[Rule]) -> Iterator[Grid]:
    """Yield a grid for each group of rules that meet, if they can hold two rows and two columns."""
    remaining = set(range(len(down))) if len(across) + len(down) <= MOST_RULES else set()
    while remaining:
        columns, rows = set[int](), set[int]()
        frontier = {remaining.pop()}
        while frontier:
            columns |= frontier
            rows |= {at for at, rule in enumerate(across) if any(rule.crosses(down[column]) for column in frontier)}
            frontier = {column for column in remaining if any(down[column].crosses(across[row]) for row in rows)}
            remaining -= frontier
        if len(rows) > 1 and len(columns) > 1 and len(rows) + len(columns) > 4:
            yield Grid([across[row] for row in rows], [down[column] for column in columns])


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
