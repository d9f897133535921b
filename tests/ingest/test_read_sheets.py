"""Spreadsheets and CSV: every row is a line in which each value stands beside its head."""

from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from lessons.errors import ReadError
from lessons.ingest.read import read
from lessons.settings import settings
from tests.support.files import note, with_parts


def lines(path: Path) -> list[str]:
    (page,) = read(path)
    return page.text.splitlines()


def workbook(path: Path, *rows: list[object], form: str = "General") -> Path:
    """One sheet, called Sheet; all its numbers in this format."""
    made = Workbook()
    for row in rows:
        made.active.append(row)
    for cell in (cell for row in made.active for cell in row if isinstance(cell.value, int | float)):
        cell.number_format = form
    made.save(path)
    return path


def csv(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding=encoding)
    return path


def test_each_value_stands_beside_its_head(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Ferry", "Seats"], ["Gull", 120], ["Tern", 84])
    assert lines(path)[1:] == ["Ferry | Seats", "Ferry: Gull | Seats: 120", "Ferry: Tern | Seats: 84"]


def test_a_head_without_values_is_kept(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["품목", "수량", "비고"], ["나사", 40, None])
    assert lines(path)[1:] == ["품목 | 수량 | 비고", "품목: 나사 | 수량: 40"]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.0825, "0.0%", "8.2%"),
        (1234567, "#,##0", "1,234,567"),
        (2.5, "0.00", "2.50"),
        (0.1 + 0.2, "General", "0.3"),
        (datetime(2023, 11, 5), "General", "2023-11-05"),
        (datetime(2023, 11, 5, 17, 30), "General", "2023-11-05 17:30"),
        (True, "General", "True"),
    ],
)
def test_a_value_is_shown_as_the_sheet_shows_it(tmp_path: Path, value: object, form: str, shown: str) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Key", "Value"], ["one", value], form=form)
    assert lines(path)[-1] == f"Key: one | Value: {shown}"


def test_each_sheet_is_a_page_with_its_name(tmp_path: Path) -> None:
    made = Workbook()
    made.active.append(["Deck"])
    made.create_sheet("화물").append(["Hold"])
    made.save(tmp_path / "a.xlsx")
    pages = read(tmp_path / "a.xlsx")
    assert [(page.metadata["page_number"], page.text) for page in pages] == [(1, "# Sheet\nDeck"), (2, "# 화물\nHold")]


def test_a_hidden_sheet_is_left_out_and_noted(tmp_path: Path) -> None:
    made = Workbook()
    made.active.append(["Shown"])
    made.create_sheet("Draft").append(["Secret"])
    made["Draft"].sheet_state = "hidden"
    made.save(tmp_path / "a.xlsx")
    assert lines(tmp_path / "a.xlsx") == ["# Sheet", "Shown"]
    assert note(tmp_path / "a.xlsx") == "Hidden sheets that were left out: Draft."


@pytest.mark.parametrize("load", ["35", "heavy"])
def test_a_table_below_another_has_its_own_heads(tmp_path: Path, load: str) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Dock", "Depth"], ["East", 9], [], ["Crane", "Load"], ["Blue", load])
    assert lines(path)[3:] == ["Crane | Load", f"Crane: Blue | Load: {load}"]


def test_a_blank_row_within_a_table_ends_no_heads(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Dock", "Use"], ["East", "fuel"], [], ["West", "repairs"], ["North", "ice"])
    assert lines(path)[3:] == ["Dock: West | Use: repairs", "Dock: North | Use: ice"]


def test_a_title_stands_above_the_heads(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Berths in May"], ["Dock", "Depth"], ["East", 9])
    assert lines(path)[1:] == ["Berths in May", "Dock | Depth", "Dock: East | Depth: 9"]


def test_a_cell_of_several_lines_leaves_its_row_on_one_line(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Dock", "Depth"], ["East\n(new)", 9])
    assert lines(path)[-1] == "Dock: East (new) | Depth: 9"


def test_a_wrong_dimension_hides_no_cell(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Dock", "Depth"], ["East", 9])
    with_parts(path, lambda name, part: part.replace(b'ref="A1:B2"', b'ref="A1:A1"'))
    assert lines(path)[-1] == "Dock: East | Depth: 9"


def test_blank_cells_do_not_count_against_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Workbook()
    made.active["CV1"] = "far right"
    made.save(tmp_path / "a.xlsx")
    monkeypatch.setattr(settings(), "max_pieces", 10)
    assert lines(tmp_path / "a.xlsx") == ["# Sheet", "far right"]


def test_more_cells_than_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "max_pieces", 3)
    with pytest.raises(ReadError, match="more than 3 cells"):
        read(workbook(tmp_path / "a.xlsx", ["Dock", "Depth"], ["East", 9]))


def test_rows_that_never_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "a.xlsx", ["Dock"], ["East"])
    with_parts(path, lambda name, part: part.replace(b'<row r="2"', b'<row r="9999999999"'))
    monkeypatch.setattr(settings(), "max_read_seconds", 0.2)
    with pytest.raises(ReadError, match="takes more than"):
        read(path)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_of_csv_is_told_from_its_lines(tmp_path: Path, separator: str) -> None:
    path = csv(tmp_path / "a.csv", "Dock,Depth\nEast,9\nWest,11\n".replace(",", separator))
    assert lines(path)[1:] == ["Dock: East | Depth: 9", "Dock: West | Depth: 11"]


def test_csv_is_read_in_the_code_page_of_korean_windows(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "부두,수심\n동쪽 부두,9\n서쪽 부두,11\n", "cp949")
    assert lines(path)[1:] == ["부두: 동쪽 부두 | 수심: 9", "부두: 서쪽 부두 | 수심: 11"]


def test_a_quoted_cell_of_csv_may_hold_separators_and_line_ends(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", 'Dock,Depth\n"East,\nbehind the mole",9\n')
    assert lines(path)[1:] == ["Dock: East, behind the mole | Depth: 9"]
