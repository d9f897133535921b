"""A PDF gives the words that its pages show, each page under its number."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fpdf import FPDF

from lessons.errors import ReadError
from lessons.ingest.read import read
from lessons.text import sentences
from tests.support.files import FONT, note, raw_pdf, write_pdf

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 4 0 R >> >>"
BODY = [
    "Mooring lines are checked at every change of the tide.",
    "도선사는 항구에 들어오는 배를 모두 맞이합니다.",
    "Crews sign the log before they go ashore.",
    "Fuel is sold at the east quay until dusk.",
    "Repairs are announced a week ahead on the board.",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.pdf"


def texts(path: Path) -> list[str]:
    return [page.text for page in read(path)]


def stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def shown(text: str, top: int = 700) -> str:
    """What draws a line, given as a PDF writes strings."""
    return f"BT /F 12 Tf 72 {top} Td {text} Tj ET"


def one_page(path: Path, content: str, *objects: str, font: str = HELVETICA, page: str = "", catalog: str = "") -> Path:
    """A PDF of one page; further objects are numbered from 6."""
    pages = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    own = f"{PAGE} /Contents 5 0 R {page} >>"
    return raw_pdf(path, f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", pages, own, font, stream(content), *objects)


def widget(kind: str, name: str, more: str) -> str:
    return f"<< /Type /Annot /Subtype /Widget /FT /{kind} /T ({name}) /P 3 0 R /Rect [72 500 300 520] {more} >>"


def form(path: Path, field: str) -> list[str]:
    """The lines of a form with one field."""
    one_page(path, shown("(Berth request)"), field, page="/Annots [6 0 R]", catalog="/AcroForm << /Fields [6 0 R] >>")
    return texts(path)[0].splitlines()


@pytest.mark.parametrize(
    ("kind", "more", "line"),
    [
        ("Tx", "/V (Gull II)", "boat: Gull II"),
        ("Tx", "/V <FEFFAC08B9E4AE30D638>", "boat: 갈매기호"),
        ("Tx", "/V (Gull II) /TU (Name of the boat)", "Name of the boat: Gull II"),
        ("Ch", "/Ff 131072 /Opt [(North) (South)] /V (South)", "boat: South"),
        ("Btn", "/V /Yes /AS /Yes /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>", "boat: Yes"),
    ],
)
def test_the_value_of_a_field_is_read_with_its_name(path: Path, kind: str, more: str, line: str) -> None:
    first, *_, last = form(path, widget(kind, "boat", more))
    assert (first, last) == ("Berth request", line)


@pytest.mark.parametrize(
    ("kind", "more"),
    [("Tx", ""), ("Tx", "/V ()"), ("Btn", "/V /Off /AS /Off /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>")],
)
def test_an_empty_field_is_left_out(path: Path, kind: str, more: str) -> None:
    assert form(path, widget(kind, "boat", more)) == ["Berth request"]


def test_a_note_on_a_page_is_read(path: Path) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.text(20, 20, "Berth request")
    pdf.text_annotation(20, 40, "Ask the pilot first")
    pdf.output(str(path))
    assert texts(path) == ["Berth request\nAsk the pilot first"]


def test_a_word_that_is_cut_at_the_end_of_a_line_is_joined(path: Path) -> None:
    write_pdf(path, "All boats leave the har-\nbour before the storm.")
    assert texts(path)[0].split() == ["All", "boats", "leave", "the", "harbour", "before", "the", "storm."]


def test_a_hyphen_that_belongs_to_a_word_stays(path: Path) -> None:
    write_pdf(path, "A twenty-ton crane.\nThe crane is a twenty-\nton one.")
    assert "twenty-ton one" in " ".join(texts(path)[0].split())


def letter_by_letter(path: Path, text: str, gap: float, blank: float) -> Path:
    """A line whose letters are drawn one at a time, this many points apart."""
    pdf = FPDF(unit="pt")
    pdf.add_page()
    pdf.add_font("Nanum", fname=str(FONT))
    pdf.set_font("Nanum", size=14)
    left = 50.0
    for letter in text:
        if letter != " ":
            pdf.text(left, 100, letter)
            left += pdf.get_string_width(letter) + gap
        else:
            left += blank
    pdf.output(str(path))
    return path


@pytest.mark.parametrize("text", ["배는 모두 항구를 떠났습니다", "Every boat has left the harbour"])
@pytest.mark.parametrize("gap", [2.0, 5.0])
def test_a_line_set_letter_by_letter_keeps_its_words(path: Path, text: str, gap: float) -> None:
    assert texts(letter_by_letter(path, text, gap, blank=12)) == [text]


def test_the_mark_of_a_note_neither_breaks_a_line_nor_runs_on_from_a_number(path: Path) -> None:
    pdf = FPDF(unit="pt")
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    raised = [("Swifts leave after 21 days.", "LINE"), ("1", "SUP"), (" The roof is 12 m", "LINE"), ("2", "SUP")]
    for text, position in [*raised, (" and the air has CO", "LINE"), ("2", "SUB"), (".", "LINE")]:
        pdf.char_vpos = position
        pdf.write(14, text)
    pdf.output(str(path))
    assert texts(path) == ["Swifts leave after 21 days.^1 The roof is 12 m^2 and the air has CO2."]
    assert sentences(texts(path)[0])[0] == "Swifts leave after 21 days.^1"


def ruled(path: Path, rows: list[list[str]], borders: str = "ALL", frame: bool = False) -> Path:
    """A PDF with a table between two sentences; '-' in a row is the column that the cell before it spans."""
    pdf = FPDF(unit="pt")
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    pdf.write(14, "All fees are in euros.\n")
    if frame:
        pdf.rect(20, 20, 550, 800)
    with pdf.table(borders_layout=borders, first_row_as_headings=False) as made:
        for row in rows:
            line = made.row()
            for at, cell in enumerate(row):
                if cell != "-":
                    line.cell(cell, colspan=2 if row[at + 1 : at + 2] == ["-"] else 1)
    pdf.write(14, "Dogs travel free.")
    pdf.output(str(path))
    return path


@pytest.mark.parametrize("frame", [False, True])
def test_a_ruled_table_is_read_cell_by_cell(path: Path, frame: bool) -> None:
    rows = [["Fees", "Adults", "-", "Dogs"], ["", "May", "June", ""], ["North pier", "12", "15", ""]]
    assert texts(ruled(path, rows, frame=frame))[0].splitlines() == [
        "All fees are in euros.", "", "| Fees | Adults May | Adults June | Dogs |", "| --- | --- | --- | --- |",
        "| North pier | 12 | 15 |  |", "", "Dogs travel free."
    ]  # fmt: skip


@pytest.mark.parametrize("borders", ["NONE", "HORIZONTAL_LINES"])
def test_a_table_without_rules_between_its_columns_is_read_line_by_line(path: Path, borders: str) -> None:
    read_lines = texts(ruled(path, [["Pier", "May", "June"], ["North", "12", "15"]], borders))[0].splitlines()
    assert read_lines == ["All fees are in euros.", "Pier May June", "North 12 15", "Dogs travel free."]


def test_text_in_a_frame_is_no_table(path: Path) -> None:
    assert "|" not in texts(ruled(path, [["The ferry leaves every hour."], ["It calls at the north pier."]]))[0]


def test_the_cells_of_a_table_are_not_joined(path: Path) -> None:
    assert texts(letter_by_letter(path, "4 7 1 9 3 8", gap=25, blank=0)) == ["4 7 1 9 3 8"]
    assert texts(letter_by_letter(path, "ABCDEF", gap=25, blank=0)) == ["A B C D E F"]


@pytest.mark.parametrize(
    ("encoding", "codec"), [("KSCms-UHC-H", "cp949"), ("KSC-EUC-H", "euc-kr"), ("UniKS-UCS2-H", "utf-16-be")]
)
def test_korean_letters_are_read_by_the_maps_of_the_format(path: Path, encoding: str, codec: str) -> None:
    system = "<< /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >>"
    inner = f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Batang /CIDSystemInfo {system} >>"
    font = f"<< /Type /Font /Subtype /Type0 /BaseFont /Batang /Encoding /{encoding} /DescendantFonts [{inner}] >>"
    one_page(path, shown(f"<{'배는 모두 항구를 떠났습니다.'.encode(codec).hex()}>"), font=font)
    assert texts(path) == ["배는 모두 항구를 떠났습니다."]


def test_a_letter_whose_code_no_map_explains_costs_no_other(path: Path) -> None:
    spaces = "2 begincodespacerange <00> <7F> <F0808080> <F7BFBFBF> endcodespacerange"
    codes = stream(f"begincmap {spaces} 2 begincidchar <41> 1 <F0A8A780> 2 endcidchar endcmap")
    system = "<< /Registry (Adobe) /Ordering (CNS) /Supplement 7 >>"
    inner = f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo {system} >>"
    font = f"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding 6 0 R /DescendantFonts [{inner}] >>"
    one_page(path, shown(f"<{'41' * 9}F0A8A780>"), codes, font=font)
    assert texts(path) == [f"{'A' * 9}\ufffd"]


@pytest.mark.parametrize("tail", [b"\n<!-- sent by a web server -->\n", b"\nlog line" * 3_000, bytes(9_000)])
def test_what_follows_the_end_of_a_file_is_no_matter(path: Path, tail: bytes) -> None:
    write_pdf(path, "Fuel is sold at dusk.")
    path.write_bytes(path.read_bytes() + tail)
    assert texts(path) == ["Fuel is sold at dusk."]
    assert note(path) is None


def pages_of(path: Path, *contents: str) -> Path:
    """A PDF whose pages have these contents."""
    first = 5 + len(contents)
    kids = " ".join(f"{first + at} 0 R" for at in range(len(contents)))
    own = [f"{PAGE} /Contents {5 + at} 0 R >>" for at in range(len(contents))]
    pages = f"<< /Type /Pages /Count {len(contents)} /Kids [{kids}] >>"
    return raw_pdf(path, "<< /Type /Catalog /Pages 2 0 R >>", pages, "<< >>", HELVETICA, *map(stream, contents), *own)


def test_a_page_that_is_broken_is_noted_and_the_others_are_read(path: Path) -> None:
    pages_of(path, shown("(First)"), shown("(Second)"))
    path.write_bytes(
        path.read_bytes().replace(b"[7 0 R 8 0 R]", b"[7 0 R 3 0 R 8 0 R]").replace(b"/Count 2", b"/Count 3")
    )
    assert [(page.metadata["page_number"], page.text) for page in read(path)] == [(1, "First"), (3, "Second")]
    assert note(path) == "Without text, and so not searched: page 2."


def test_pages_without_text_are_noted(path: Path) -> None:
    write_pdf(path, "First", "", "", "Fourth", "")
    assert note(path) == "Without text, and so not searched: page 2–3, 5."


def test_a_missing_end_is_noted(path: Path) -> None:
    whole = pages_of(path, shown("(First)"), shown("(Second)")).read_bytes()
    path.write_bytes(whole + b"9 0 obj\n<< /Length 9000 >>\nstream\n" + b"changed later " * 400)
    assert texts(path) == ["First", "Second"]
    assert note(path) == "The end of the file is missing, and pages with it."


def test_headers_footers_and_page_numbers_are_read_once_at_most(path: Path) -> None:
    write_pdf(path, *(f"Port of Dunmore\n{body}\nEdition 7\n- {at} -" for at, body in enumerate(BODY, start=1)))
    assert texts(path) == [f"Port of Dunmore\n{BODY[0]}\nEdition 7", *BODY[1:]]


def test_a_line_with_the_number_of_its_page_is_read_once(path: Path) -> None:
    write_pdf(path, *(f"항만 규정 {at}/5\n{body}" for at, body in enumerate(BODY, start=1)))
    assert texts(path) == [f"항만 규정 1/5\n{BODY[0]}", *BODY[1:]]


def test_a_title_that_recurs_in_other_chapters_is_not_lost(path: Path) -> None:
    pages = [f"Summary\n{body}" if at % 3 == 0 else body for at, body in enumerate(BODY * 2)]
    assert texts(write_pdf(path, *pages)) == pages


def test_a_page_that_holds_nothing_but_one_line_keeps_it(path: Path) -> None:
    assert texts(write_pdf(path, *["To be continued"] * 4)) == ["To be continued"] * 4


def test_a_damaged_file_costs_no_other_thread_its_own(tmp_path: Path) -> None:
    whole, damaged = write_pdf(tmp_path / "whole.pdf", "Fuel is sold at dusk."), tmp_path / "damaged.pdf"
    damaged.write_bytes(b"%PDF-1.7 and nothing else")

    def result(path: Path) -> list[str]:
        try:
            return texts(path)
        except ReadError:
            return []

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(result, [whole, damaged] * 20))
    assert found == [["Fuel is sold at dusk."], []] * 20


def test_text_of_several_boxes_is_read_in_their_order(path: Path) -> None:
    one_page(path, shown("(First)", 700) + "\n" + shown("(Second)", 600))
    assert texts(path) == ["First\nSecond"]


def test_a_bullet_of_a_symbol_font_begins_an_item(path: Path) -> None:
    symbols = "<< /Type /Encoding /Differences [33 /uniF0D8 /uniF0A7] >>"
    font = f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding {symbols} >>"
    one_page(path, shown("(! Fuel)") + shown('(" Water)', 680) + shown("(Nothing)", 660), font=font)
    assert texts(path) == ["- Fuel\n- Water\nNothing"]
