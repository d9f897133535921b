"""A document knows its title, its date and where its headings stand."""

from datetime import datetime
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx import Presentation
from pypdf import PdfWriter

from lessons.ingest.index import naive_index
from lessons.ingest.read import read
from tests.support.files import write_pdf, write_sized_pdf


def structure(path: Path) -> dict:
    return read(path)[0].metadata["structure"]


def headings(path: Path) -> list[tuple[int, str]]:
    """Levels and texts, over all pages, after a check that each stands where it says."""
    found = []
    for page in read(path):
        for start, end, level, text in page.metadata["structure"]["headings"]:
            assert text.split()[-1] in page.text[start:end].replace("*", "")
            assert page.text[:start].endswith("\n") or start == 0
            found.append((level, text))
    return found


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_markdown_headings_are_found_outside_of_code(tmp_path: Path) -> None:
    text = "\n\n# 환불 **규정** #\n\nIntro\n=====\n\n```sh\n# no heading\n```\n\n- item\n---\n\n#Nothing\n### `Fees`\n"
    assert headings(written(tmp_path / "a.md", text)) == [(1, "환불 규정"), (1, "Intro"), (3, "Fees")]


def test_front_matter_gives_title_and_date_and_no_heading(tmp_path: Path) -> None:
    path = written(tmp_path / "a.md", "---\ntitle: Rules\ndate: 2024-03-12\n---\nJust text, and more of it.\n")
    assert (structure(path)["title"], structure(path)["date"], headings(path)) == ("Rules", "2024-03-12", [])


def test_html_headings_are_one_line_each(tmp_path: Path) -> None:
    body = "<main><article><header><h1>The <em>plan</em></h1></header><p>Text</p><h3>다음\n단계</h3></article></main>"
    path = written(tmp_path / "a.html", f"<title>Site</title><header><h1>Site</h1></header>{body}")
    assert headings(path) == [(1, "Site"), (1, "The plan"), (3, "다음 단계")]


def test_word_headings_are_told_by_style_by_outline_level_and_in_korean(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Title", 0)
    document.add_heading("Limits", 1)
    document.styles.add_style("제목 2", 1).base_style = document.styles["Normal"]
    document.add_paragraph("한도", style="제목 2")
    document.add_paragraph("Outlined")._p.get_or_add_pPr().append(
        parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="2"/>')
    )
    document.add_paragraph("Text.")
    document.save(str(tmp_path / "a.docx"))
    assert headings(tmp_path / "a.docx") == [(1, "Title"), (2, "Limits"), (3, "한도"), (4, "Outlined")]


def test_the_title_of_a_slide_is_its_heading(tmp_path: Path) -> None:
    slides = Presentation()
    for title in ("분기 실적", "매출"):
        slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = title
    slides.save(str(tmp_path / "a.pptx"))
    assert headings(tmp_path / "a.pptx") == [(1, "분기 실적"), (2, "매출")]
    assert [page.metadata["structure"]["title"] for page in read(tmp_path / "a.pptx")] == ["분기 실적"] * 2


BODY = (11.0, "매출은 1년 전보다 늘었고 비용은 줄었습니다. Sales grew while costs fell, as they did a year ago. " * 6)
PAGES = [
    [(9.0, "ACME report 2024"), (22.0, "A year of\nsteady growth"), BODY, (15.0, "Sales"), BODY],
    [(9.0, "ACME report 2024"), (15.0, "2. 비용"), BODY, (12.5, "2.1 Staff"), BODY],
    [(9.0, "ACME report 2024"), (15.0, "Outlook"), BODY],
]


@pytest.mark.parametrize("bookmarks", [True, False])
def test_larger_letters_of_a_pdf_are_headings_and_what_repeats_is_not(tmp_path: Path, bookmarks: bool) -> None:
    path = write_sized_pdf(tmp_path / "a.pdf", *PAGES, bookmarks=bookmarks)
    expected = [(2, "Sales"), (2, "2. 비용"), (3, "2.1 Staff"), (2, "Outlook")]
    found = headings(path)
    assert [text for _, text in found] == ["A year of steady growth", *(text for _, text in expected)]
    assert bookmarks or found[1:] == expected
    assert structure(path)["title"] == "A year of steady growth"


def test_bold_letters_of_a_pdf_are_headings(tmp_path: Path) -> None:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    for style, text in (
        ("B", "Scope"),
        ("", "It holds for all plans. " * 20),
        ("B", "Fees"),
        ("", "None are due. " * 20),
    ):
        pdf.set_font("Helvetica", style, 11)
        pdf.multi_cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
    pdf.output(str(tmp_path / "a.pdf"))
    assert [text for _, text in headings(tmp_path / "a.pdf")] == ["Scope", "Fees"]


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Published: 2024-03-12", "2024-03-12"),
        ("12 March 2024", "2024-03-12"),
        ("Seoul, March 12, 2024", "2024-03-12"),
        ("작성일 2024년 3월 12일", "2024-03-12"),
        ("2024. 3. 12.", "2024-03-12"),
        ("The fire broke out on 12 March 2024.", None),
        ("Valid from 2024-03-12 to 2025-03-11", None),
        ("2024-13-45", None),
        ("Version 10.2.2024", None),
    ],
)
def test_a_date_is_taken_from_a_line_that_is_there_to_tell_it(tmp_path: Path, line: str, day: str | None) -> None:
    assert structure(written(tmp_path / "a.md", f"# Notes\n\n{line}\n\nText."))["date"] == day


def test_the_declared_date_and_title_serve_where_the_text_has_none(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("A paragraph that is longer than any title would be. " * 4)
    document.core_properties.title, document.core_properties.created = "환불 규정", datetime(2024, 3, 12, 9)
    document.save(str(tmp_path / "a.docx"))
    assert (structure(tmp_path / "a.docx")["title"], structure(tmp_path / "a.docx")["date"]) == (
        "환불 규정",
        "2024-03-12",
    )


def test_a_declared_title_is_cleaned_as_the_text_is(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=str(write_pdf(tmp_path / "a.pdf", "A paragraph that is longer than a title. " * 9)))
    writer.add_metadata({"/Title": "Refunds\x07 in\x0b May"})
    writer.write(str(tmp_path / "b.pdf"))
    assert structure(tmp_path / "b.pdf")["title"] == "Refunds in May"


def test_what_a_program_declares_by_itself_is_no_title_and_no_date(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("A paragraph that is longer than any title would be. " * 4)
    document.core_properties.title = "Microsoft Word - 문서1"
    document.save(str(tmp_path / "a.docx"))
    found = structure(tmp_path / "a.docx")
    assert (found["title"], found["date"]) == (None, None)


def test_a_short_first_line_serves_as_the_title(tmp_path: Path) -> None:
    assert structure(write_pdf(tmp_path / "a.pdf", "환불 안내\n14일 안에 알려 주십시오."))["title"] == "환불 안내"


def test_the_structure_is_neither_embedded_nor_stored_with_a_chunk(tmp_path: Path) -> None:
    pages = read(written(tmp_path / "a.md", "# Title\n\nText."))
    (chunk,) = naive_index().chunks(pages, "mina")
    assert "structure" not in chunk.metadata
    assert chunk.get_content("embed") == pages[0].get_content("llm") == "# Title\n\nText."


def test_a_broken_outline_is_ignored(tmp_path: Path) -> None:
    whole = write_sized_pdf(tmp_path / "a.pdf", *PAGES, bookmarks=True).read_bytes()
    (tmp_path / "b.pdf").write_bytes(whole.replace(b"/First", b"/Frist"))
    assert structure(tmp_path / "b.pdf")["title"] == "A year of steady growth"


def test_a_cell_of_two_paragraphs_leaves_its_row_on_one_line(tmp_path: Path) -> None:
    document = docx.Document()
    cells = document.add_table(1, 3).rows[0].cells
    cells[0].text, cells[1].text, cells[2].text = "팀장", "8만 원", "15만 원"
    cells[1].add_paragraph("(숙박 별도)")
    document.save(path := tmp_path / "table.docx")
    assert read(path)[0].text == "| 팀장 | 8만 원 (숙박 별도) | 15만 원 |\n| --- | --- | --- |"
