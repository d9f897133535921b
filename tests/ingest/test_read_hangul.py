"""Hangul files in the open format are read; older ones are refused with the format to save them in."""

from pathlib import Path

import pytest

from lessons.errors import ReadError
from lessons.ingest.read import list_files, read, unreadable_files
from lessons.ingest.read.package import MOST_ADDRESSED
from tests.support.files import note, write_hwpx


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.hwpx"


def p(text: str, style: str = "0") -> str:
    return f'<hp:p styleIDRef="{style}"><hp:run charPrIDRef="0"><hp:t>{text}</hp:t></hp:run></hp:p>'


def cell(text: str, row: int, column: int, rows: int = 1, columns: int = 1) -> str:
    place = f'<hp:cellAddr colAddr="{column}" rowAddr="{row}"/><hp:cellSpan colSpan="{columns}" rowSpan="{rows}"/>'
    return f"<hp:tc><hp:subList>{p(text)}</hp:subList>{place}</hp:tc>"


def table(*rows: str) -> str:
    inner = "".join(f"<hp:tr>{row}</hp:tr>" for row in rows)
    return f'<hp:p styleIDRef="0"><hp:run><hp:tbl>{inner}</hp:tbl></hp:run></hp:p>'


def blocks(path: Path) -> list[str]:
    (page,) = read(path)
    return page.text.split("\n\n")


def test_the_paragraphs_of_all_sections_are_read_in_order(path: Path) -> None:
    write_hwpx(path, p("등산로는 해가 지면 닫습니다.") + p("입산 신고를 하십시오."), p("대피소는 두 곳입니다."))
    assert blocks(path) == ["등산로는 해가 지면 닫습니다.", "입산 신고를 하십시오.", "대피소는 두 곳입니다."]


def test_a_tenth_section_comes_after_the_second(path: Path) -> None:
    write_hwpx(path, *[p(f"절 {number}") for number in range(11)])
    assert blocks(path) == [f"절 {number}" for number in range(11)]


def test_headings_are_told_by_the_style_of_the_outline(path: Path) -> None:
    write_hwpx(
        path,
        p("등산로", "1") + p("통제 구간", "2") + p("본문입니다.", "0"),
        styles={"0": "바탕글", "1": "개요 1", "2": "개요 2"},
    )
    assert blocks(path) == ["# 등산로", "## 통제 구간", "본문입니다."]


def test_merged_cells_stand_in_each_row_that_they_span(path: Path) -> None:
    rows = (
        cell("구간", 0, 0) + cell("거리", 0, 1),
        cell("북릉", 1, 0, rows=2) + cell("3.2km", 1, 1),
        cell("우회 4.1km", 2, 1),
    )
    write_hwpx(path, table(*rows))
    assert blocks(path)[0].splitlines() == [
        "| 구간 | 거리 |", "| --- | --- |", "| 북릉 | 3.2km |", "| 북릉 | 우회 4.1km |"
    ]  # fmt: skip


def test_an_address_far_outside_does_not_make_a_row_of_a_million_cells(path: Path) -> None:
    write_hwpx(path, table(cell("구간", 0, 0) + cell("거리", 0, 900_000_000)))
    first = blocks(path)[0].splitlines()[0]
    assert first.strip("| ").split()[0] == "구간"
    assert first.endswith("거리 |")
    assert first.count("|") <= MOST_ADDRESSED + 3


def test_a_cell_over_several_columns_moves_none(path: Path) -> None:
    write_hwpx(
        path,
        table(
            cell("구간", 0, 0, columns=2) + cell("거리", 0, 2), "".join(cell(n, 1, at) for at, n in enumerate("가나다"))
        ),
    )
    assert blocks(path)[0].splitlines()[::2] == ["| 구간 |  | 거리 |", "| 가 | 나 | 다 |"]


def test_the_header_of_the_pages_is_read(path: Path) -> None:
    header = f"<hp:ctrl><hp:header><hp:subList>{p('국립공원 안내')}</hp:subList></hp:header></hp:ctrl>"
    write_hwpx(path, f"<hp:p><hp:run>{header}</hp:run></hp:p>{p('등산로는 해가 지면 닫습니다.')}")
    assert blocks(path) == ["국립공원 안내", "등산로는 해가 지면 닫습니다."]


def test_signs_within_a_text_part_words(path: Path) -> None:
    write_hwpx(path, p("북릉<hp:tab/>3.2km<hp:lineBreak/>남릉<hp:fwSpace/>2.8km"))
    assert read(path)[0].text == "북릉 3.2km\n남릉 2.8km"


def test_a_footnote_and_a_text_box_are_read(path: Path) -> None:
    inner = "".join(f"<hp:{tag}><hp:subList>{p(text)}</hp:subList></hp:{tag}>" for tag, text in
                    (("footNote", "겨울 제외"), ("drawText", "산불 조심")))  # fmt: skip
    write_hwpx(path, f'<hp:p styleIDRef="0"><hp:run><hp:t>연중 개방</hp:t>{inner}</hp:run></hp:p>')
    assert blocks(path) == ["연중 개방", "겨울 제외", "산불 조심"]


def test_the_declared_title_serves_and_pictures_are_noted(path: Path) -> None:
    write_hwpx(path, p("등산로는 해가 지면 닫습니다. " * 9) + "<hp:pic/>", title="탐방 안내")
    assert read(path)[0].metadata["structure"]["title"] == "탐방 안내"
    assert note(path) == "Pictures that were not read: 1."


@pytest.mark.parametrize(
    ("name", "newer"),
    [("a.hwp", ".hwpx"), ("a.doc", ".docx"), ("a.xls", ".xlsx"), ("a.PPT", ".pptx"), ("a.odt", ".docx")],
)
def test_an_older_format_is_refused_with_what_to_save_it_as(tmp_path: Path, name: str, newer: str) -> None:
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(ReadError, match=rf"cannot be read .*; save it as {newer} in the program that made it\."):
        read(tmp_path / name)


def test_the_lock_files_of_open_documents_are_nobodys(tmp_path: Path) -> None:
    write_hwpx(tmp_path / "a.hwpx", p("등산로"))
    for name in ("~$a.docx", "~$b.xlsx"):
        (tmp_path / name).write_bytes(bytes(162))
    assert [name for _, name in list_files([tmp_path])] == ["a.hwpx"]
    assert unreadable_files([tmp_path]) == []
