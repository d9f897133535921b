"""What a browser shows of a web page is read, line by line as it shows it."""

from pathlib import Path

import pytest

from lessons.errors import ReadError
from lessons.ingest.read import read
from tests.support.files import note


def text(path: Path, body: str) -> str:
    path.write_text(f"<!DOCTYPE html><html><body>{body}</body></html>", encoding="utf-8")
    (page,) = read(path)
    return page.text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.html"


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("p", "Boats of class B moor free until noon."),
        ("h2", "## Boats of class B moor free until noon."),
        ("li", "- Boats of class B moor free until noon."),
    ],
)
def test_inline_tags_are_read_through(path: Path, tag: str, expected: str) -> None:
    inner = "Boats of <b>class <i>B</i></b> moor <a href='/f'>fr</a>ee <span>until</span> <code>noon</code>."
    assert text(path, f"<{tag}>{inner}</{tag}>") == expected


def test_inline_tags_are_read_through_in_a_cell(path: Path) -> None:
    cells = "<tr><th>구<b>분</b></th><th>요금</th></tr><tr><td><em>소형</em> 선박</td><td><b>3</b>만 원</td></tr>"
    assert text(path, f"<table>{cells}</table>").splitlines()[::2] == ["| 구분 | 요금 |", "| 소형 선박 | 3만 원 |"]


def test_a_line_ends_at_br(path: Path) -> None:
    assert text(path, "<p>Harbour Office<br>3 Quay Street<br/>Dunmore</p>").split("\n") == [
        "Harbour Office", "3 Quay Street", "Dunmore"
    ]  # fmt: skip


def test_a_line_end_of_the_source_is_a_blank(path: Path) -> None:
    assert (
        text(path, "<p>The harbour\n   closes\nat <b>ten\no'clock</b>\n.</p>") == "The harbour closes at ten o'clock ."
    )


def test_preformatted_text_keeps_its_lines_and_blanks(path: Path) -> None:
    assert "if tide:\n    moor()\n\nsail()" in text(path, "<pre>if tide:\n    <b>moor</b>()\n\nsail()</pre>")


def test_all_of_several_mains_is_read(path: Path) -> None:
    body = "<main><p>Ferries leave hourly.</p></main><main><p>The last one sails at nine.</p></main>"
    assert text(path, body).split("\n\n") == ["Ferries leave hourly.", "The last one sails at nine."]


def test_the_header_of_the_page_is_read(path: Path) -> None:
    body = "<header><h1>Winter timetable</h1></header><main><p>Ferries leave hourly.</p></main>"
    assert text(path, body) == "# Winter timetable\n\nFerries leave hourly."


def test_what_stands_beside_an_empty_main_is_read(path: Path) -> None:
    assert text(path, "<main></main><div>Ferries leave hourly.</div>") == "Ferries leave hourly."


def test_an_empty_page_is_refused_without_a_word_about_scans(path: Path) -> None:
    with pytest.raises(ReadError, match="has no text to read; scanned pages and pictures"):
        text(path, "<main></main>")


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>Secret</p>",
        "<p style='display:none'>Secret</p>",
        "<p style='color: red; display: none;'>Secret</p>",
        "<p style='DISPLAY:NONE'>Secret</p>",
        "<p style='visibility: hidden'>Secret</p>",
        "<script>Secret</script>",
        "<style>Secret</style>",
        "<template><p>Secret</p></template>",
        "<!-- Secret -->",
    ],
)
def test_what_a_browser_hides_is_left_out(path: Path, hidden: str) -> None:
    assert text(path, f"<p>Shown</p>{hidden}<p>too</p>") == "Shown\n\ntoo"


def test_a_raised_number_is_no_digit_of_the_one_before(path: Path) -> None:
    assert text(path, "<p>Back within 21 days<sup>1</sup> or on the 3<sup>rd</sup></p>") == (
        "Back within 21 days^1 or on the 3rd"
    )


def test_menus_are_left_out_and_noted(path: Path) -> None:
    assert text(path, "<nav>Home</nav><p>Ferries leave hourly.</p><nav>Top</nav>") == "Ferries leave hourly."
    assert note(path) == "Navigation menus that were left out: 2."


def test_the_words_that_stand_for_a_picture_are_read_and_the_picture_is_noted(path: Path) -> None:
    assert text(path, "<p>Lid: <img src=l.png alt='four Torx T8 screws'> <img src=m.png></p>") == (
        "Lid: four Torx T8 screws"
    )
    assert note(path) == "Pictures that were not read: 2."


def test_frames_and_drawings_are_noted(path: Path) -> None:
    assert text(path, "<p>Map</p><iframe src=m title=map>Old browser</iframe><svg><text>A</text></svg>") == "Map"
    assert note(path) == "Frames, films and drawings that were left out: 2."


def test_hidden_words_are_counted_in_a_note(path: Path) -> None:
    tabs = "<div>Ferries leave hourly.</div><div style='display: none'>Dogs travel <b hidden>for</b> free.</div>"
    assert text(path, f"{tabs}<script>var ferry = 1</script>") == "Ferries leave hourly."
    assert note(path) == "Hidden words that were left out: 4."


@pytest.mark.parametrize("tag", ["iframe", "video", "audio"])
def test_an_embedded_page_or_film_leaves_no_address(path: Path, tag: str) -> None:
    assert text(path, f"<p>Shown</p><{tag} src='https://example.org/x'></{tag}><p>too</p>") == "Shown\n\ntoo"


def test_what_follows_the_end_of_the_page_is_read(path: Path) -> None:
    path.write_text("<html><head><title>T</title></head></html><body><p>One</p></body></html><p>Two</p>")
    assert read(path)[0].text == "One\n\nTwo"


def test_a_cell_that_spans_rows_stands_in_each(path: Path) -> None:
    rows = (
        "<tr><th rowspan=2>Pier</th><th colspan=2>Fee</th></tr><tr><th>May</th><th>June</th></tr>"
        f"<tr><td>North</td><td rowspan=3>12</td><td>15</td></tr><tr><td>South</td><td rowspan=2>{'x' * 300}</td></tr>"
        "<tr><td rowspan=zero>West</td></tr>"
    )
    assert text(path, f"<table>{rows}</table>").splitlines() == [
        "| Pier | Fee May | Fee June |", "| --- | --- | --- |",
        "| North | 12 | 15 |", f"| South | 12 | {'x' * 300} |", "| West | 12 |  |"
    ]  # fmt: skip


def test_what_spans_a_table_stands_above_it_and_a_name_in_each_of_its_columns(path: Path) -> None:
    rows = "<tr><td colspan=3><h2>Fees in 2026</h2>From May:</td></tr><tr><th>Pier</th><th colspan=2>Contact</th></tr>"
    rows += "<tr><td>North</td><td>Kim</td><td>010</td></tr><tr><td colspan=3>All piers open in May.</td></tr>"
    assert text(path, f"<table>{rows}</table>").splitlines() == [
        "## Fees in 2026", "", "From May:", "", "| Pier | Contact | Contact |", "| --- | --- | --- |",
        "| North | Kim | 010 |",
        "| All piers open in May. | | |"
    ]  # fmt: skip


def test_a_table_that_lays_out_the_page_is_read_cell_by_cell(path: Path) -> None:
    inner = "<table><tr><th>Pier</th><th>Fee</th></tr><tr><td>North</td><td>12</td></tr></table>"
    body = f"<table><tr><td><h2>Fees</h2><p>From May:</p></td><td>{inner}</td></tr></table>"
    assert text(path, body) == "## Fees\n\nFrom May:\n\n| Pier | Fee |\n| --- | --- |\n| North | 12 |"


def test_nested_lists_keep_their_depth_and_numbers(path: Path) -> None:
    body = "<ol><li>Moor<ul><li>bow</li><li>stern</li></ul></li><li>Pay</li></ol>"
    assert text(path, body).split("\n") == ["1. Moor", "   - bow", "   - stern", "2. Pay"]


def test_the_heading_that_begins_an_item_has_no_signs(path: Path) -> None:
    body = "<h2>Fees</h2><ol><li><h3>North pier</h3><p>12 euros</p></li><li>South pier</li></ol>"
    assert text(path, body) == "## Fees\n\n1. North pier\n\n   12 euros\n\n2. South pier"


def test_terms_and_their_definitions_are_read(path: Path) -> None:
    found = text(path, "<dl><dt>Neap</dt><dd>The <b>lowest</b> tide</dd><dt>Spring</dt><dd>The highest one</dd></dl>")
    assert [line.lstrip(": ") for line in found.split("\n") if line] == [
        "Neap", "The lowest tide", "Spring", "The highest one"
    ]  # fmt: skip


def test_a_picture_within_the_page_is_left_out(path: Path) -> None:
    picture = f"<img alt='Map' src='data:image/png;base64,{'iVBORw0K' * 500}'>"
    assert len(text(path, f"<p>See the map.</p>{picture}<p>It is new.</p>")) < 50


def test_signs_of_markdown_in_the_text_stay_as_they_are(path: Path) -> None:
    assert text(path, "<p>Pier_1 * 2 costs [5] € # or <tt>a_b</tt></p>") == "Pier_1 * 2 costs [5] € # or a_b"


def test_a_paragraph_of_a_cell_ends_no_row(path: Path) -> None:
    body = (
        "<table><tr><th>Pier</th><th>Note</th></tr><tr><td>North</td><td><p>Closed</p><p>in May</p></td></tr></table>"
    )
    row = text(path, body).splitlines()[2]
    assert row.startswith("| North | Closed")
    assert row.endswith("in May |")


def test_chosen_and_typed_values_of_a_form_are_read(path: Path) -> None:
    assert "Gull" in text(path, "<p>Boat:</p><select><option>Gull</option></select>")
