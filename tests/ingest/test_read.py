"""Files become documents with their page."""

from pathlib import Path

import docx
from pptx import Presentation

from lessons.ingest.read import read
from tests.support.files import write_pdf


def test_each_pdf_page_is_a_document_with_its_number(tmp_path: Path) -> None:
    pages = read(write_pdf(tmp_path / "보고서.pdf", "3분기 매출은 42억 원입니다.", "Operating profit rose."))
    assert [(page.metadata["page_number"], page.text) for page in pages] == [
        (1, "3분기 매출은 42억 원입니다."),
        (2, "Operating profit rose."),
    ]


def test_a_blank_page_is_left_out_and_the_numbers_stay(tmp_path: Path) -> None:
    pages = read(write_pdf(tmp_path / "a.pdf", "First.", "", "Third."))
    assert [page.metadata["page_number"] for page in pages] == [1, 3]


def test_word_text_and_tables_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Limits", 1)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Budgets", "40"
    document.add_paragraph("After the table.")
    document.save(str(tmp_path / "a.docx"))
    (page,) = read(tmp_path / "a.docx")
    assert page.text == "# Limits\n\n| Budgets | 40 |\n| --- | --- |\n\nAfter the table."
    assert page.metadata["page_number"] is None


def test_each_slide_is_a_document_with_its_notes(tmp_path: Path) -> None:
    slides = Presentation()
    for title in ("One", "둘"):
        slide = slides.slides.add_slide(slides.slide_layouts[5])
        slide.shapes.title.text = title
        slide.notes_slide.notes_text_frame.text = f"About {title}"
    slides.save(str(tmp_path / "a.pptx"))
    pages = read(tmp_path / "a.pptx")
    assert [(page.metadata["page_number"], page.text) for page in pages] == [
        (1, "# One\n\nAbout One"),
        (2, "## 둘\n\nAbout 둘"),
    ]


def test_html_gives_its_content_without_navigation_or_scripts(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<html><head><title>T</title><script>alert(1)</script></head><body><nav>Home</nav>"
        "<main><h1>환불</h1><p>Within 14 days.</p><table><tr><th>Plan</th><td>Team</td></tr></table></main>"
        "</body></html>",
        encoding="utf-8",
    )
    (page,) = read(tmp_path / "a.html")
    assert page.text.splitlines() == ["# 환불", "", "Within 14 days.", "", "| Plan | Team |", "| --- | --- |"]


def test_decomposed_hangul_is_composed_in_name_and_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\u1112\u1161\u11ab", encoding="utf-8")
    (page,) = read(tmp_path / "a.txt", "\u1112\u1161\u11ab.txt")
    assert (page.text, page.metadata["source_file"]) == ("한", "한.txt")


def test_metadata_is_not_embedded_with_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Just this.", encoding="utf-8")
    assert read(tmp_path / "a.txt")[0].get_content("embed") == "Just this."


def test_a_web_page_saved_as_markdown_is_read_as_a_web_page(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("<!DOCTYPE html><html><body><h1>Refunds</h1><p>Within 14 days.</p></body></html>")
    (page,) = read(tmp_path / "a.md")
    assert (page.text, page.metadata["file_type"]) == ("# Refunds\n\nWithin 14 days.", "md")
