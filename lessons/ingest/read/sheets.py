"""Spreadsheets and CSV: each sheet a page, each row a line in which every value has its head."""

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime, time
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import Any

from lessons.ingest.read.package import Package
from lessons.ingest.read.page import Block, Content, FileError, Page, page
from lessons.ingest.read.text import text_of
from lessons.settings import settings

_NUMBER = re.compile(r"[^\w\s]{0,2}\d[\d.,:/\s-]*[^\w\s]?\w{0,3}")
_SNIFFED = 20_000  # characters by which the separator of a CSV file is told

Row = dict[int, str]
"""The cells of a row that are filled, by column."""


def read_xlsx(path: Path) -> Content:
    """Read a page for each visible sheet, under its name, with the values that were computed last."""
    from openpyxl import load_workbook

    Package(path, "xl/", "Spreadsheet (XLSX)")
    with closing(load_workbook(path, read_only=True, data_only=True)) as workbook:
        sheets = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        pages = [_sheet(number, sheet) for number, sheet in enumerate(sheets, start=1)]
        hidden = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state != "visible"]
        properties = workbook.properties
        created = properties.created.date() if properties.created else None
    notes = (f"Hidden sheets that were left out: {', '.join(hidden)}.",) if hidden else ()
    return Content(pages, properties.title, created, notes)


def read_csv(path: Path) -> Content:
    """Read one page. The separator is a comma, a semicolon, a tab or a bar, as the first lines tell."""
    text, notes = text_of(path)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:_SNIFFED], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    rows = csv.reader(text.splitlines(keepends=True), dialect)
    cells = ({at: line for at, cell in enumerate(row) if (line := _one_line(cell))} for row in rows)
    return Content([page(None, map(Block, _lines(cells)))], notes=notes)


def _sheet(number: int, sheet: Any) -> Page:
    lines = list(_lines(_rows(sheet)))
    return page(number, [Block(f"# {sheet.title}", 1, sheet.title), *map(Block, lines)] if lines else [])


def _rows(sheet: Any) -> Iterator[Row]:
    """Yield each row as it is shown. FileError for too many cells, or rows so far apart that they never end."""
    sheet.reset_dimensions()  # programs write wrong ones
    cells, end = 0, monotonic() + settings().max_read_seconds
    for row in sheet.iter_rows():
        filled = {at: text for at, cell in enumerate(row) if cell.value is not None and (text := _formatted(cell))}
        cells += len(filled)
        if cells > settings().max_pieces:
            raise FileError(f"has more than {settings().max_pieces:,} cells; split it into several files.")
        if monotonic() > end:
            limit = settings().max_read_seconds
            raise FileError(f"takes more than {limit:.0f} seconds to read; split it into several files.")
        yield filled


def _formatted(cell: Any) -> str:
    """Format a value as the sheet does: dates without a time of midnight, percentages and thousands."""
    value, form = cell.value, (cell.number_format or "").split(";")[0]
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d" if value.time() == time() else "%Y-%m-%d %H:%M")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _one_line(str(value))
    decimals = len(match[1]) if (match := re.search(r"\.([0#?]+)", form)) else 0
    if "%" in form:
        return f"{value:.{decimals}%}"
    if "0" not in form:
        return f"{value:.15g}"  # the digits that a sheet keeps
    return f"{value:{',' if ',' in form else ''}.{decimals}f}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    """Write a line for each row. The first row of words above a table gives the heads; blank rows part tables."""
    heads: Row = {}
    previous: Row = {}
    for block in (list(group) for is_filled, group in groupby(rows, key=bool) if is_filled):
        may_begin = True
        for row, following in zip(block, [*block[1:], {}], strict=True):
            if may_begin and _is_head(row, following, previous):
                heads, may_begin = row, False
                yield " | ".join(row.values())
                continue
            may_begin = may_begin and len(row) < 2  # a title may stand above the heads
            previous = row if heads else {}
            yield " | ".join(f"{heads[at]}: {value}" if at in heads else value for at, value in row.items())


def _is_head(row: Row, following: Row, previous: Row) -> bool:
    """Return True for names of columns: words only, at least two; below other rows only if numbers follow or end."""
    if len(row) < 2 or any(map(_NUMBER.fullmatch, row.values())) or not 0 < len(following) <= len(row):
        return False
    ended = (value for at, value in previous.items() if at in row)
    return not previous or any(map(_NUMBER.fullmatch, [*following.values(), *ended]))
