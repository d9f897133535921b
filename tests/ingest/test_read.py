"""Files become documents with their page, or a sentence says why they cannot."""

import zipfile
from pathlib import Path

import docx
import pytest
from fpdf import FPDF
from pptx import Presentation

from lessons.errors import ReadError
from lessons.ingest.read import named_files, read

FONT = Path(__file__).parents[2] / "data" / "fonts" / "NanumGothic.ttf"


def write_pdf(path: Path, *pages: str) -> Path:
    pdf = FPDF()
    pdf.add_font("Nanum", fname=str(FONT))
    pdf.set_font("Nanum", size=12)
    for page in pages:
        pdf.add_page()
        pdf.multi_cell(0, 8, page)
    pdf.output(str(path))
    return path


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
    assert page.text == "Limits\n\nBudgets | 40\n\nAfter the table."
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
        (1, "One\n\nAbout One"),
        (2, "둘\n\nAbout 둘"),
    ]


def test_html_gives_its_content_without_navigation_or_scripts(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<html><head><title>T</title><script>alert(1)</script></head><body><nav>Home</nav>"
        "<main><h1>환불</h1><p>Within 14 days.</p><table><tr><th>Plan</th><td>Team</td></tr></table></main>"
        "</body></html>",
        encoding="utf-8",
    )
    (page,) = read(tmp_path / "a.html")
    assert page.text.splitlines() == ["환불", "Within 14 days.", "Plan | Team"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_in_every_unicode_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("안녕하세요, world", encoding=encoding)
    assert read(tmp_path / "a.txt")[0].text == "안녕하세요, world"


def test_decomposed_hangul_is_composed_in_name_and_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\u1112\u1161\u11ab", encoding="utf-8")
    (page,) = read(tmp_path / "a.txt", "\u1112\u1161\u11ab.txt")
    assert (page.text, page.metadata["source_file"]) == ("한", "한.txt")


def test_metadata_is_not_embedded_with_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Just this.", encoding="utf-8")
    assert read(tmp_path / "a.txt")[0].get_content("embed") == "Just this."


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as entry:
        for _ in range(600):
            entry.write(bytes(1_000_000))


def encrypted(path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=str(write_pdf(path.with_suffix(".tmp"), "secret")))
    writer.encrypt("password")
    writer.write(str(path))


BAD_FILES = {
    "empty.txt": (lambda path: path.write_bytes(b""), "is empty"),
    "blank.md": (lambda path: path.write_text(" \n\t\n"), "has no text"),
    "binary.txt": (lambda path: path.write_bytes(bytes(range(256))), "holds binary data"),
    "latin.txt": (lambda path: path.write_bytes("Müller\n".encode("latin-1")), "not written in UTF-8"),
    "broken.pdf": (lambda path: path.write_bytes(b"%PDF-1.7\ngarbage"), "is damaged"),
    "text.docx": (lambda path: path.write_text("not a zip"), "is damaged"),
    "bomb.docx": (bomb, "decompression bomb"),
    "locked.pdf": (encrypted, "protected by a password"),
    "program.exe": (lambda path: path.write_bytes(b"MZ"), "not one of the formats"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_a_sentence_that_names_it(tmp_path: Path, name: str) -> None:
    write, reason = BAD_FILES[name]
    write(tmp_path / name)
    with pytest.raises(ReadError, match=rf"^{name}.*{reason}.*\.$"):
        read(tmp_path / name)


def test_a_file_over_the_size_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(ReadError, match="larger than 50 MB"):
        read(tmp_path / "huge.txt")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="does not exist"):
        named_files([tmp_path / "nothing.txt"])


def test_a_folder_gives_its_files_by_their_place_in_it(tmp_path: Path) -> None:
    for name in ("b.txt", "sub/a.md", ".hidden/c.txt", "image.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    assert [name for _, name in named_files([tmp_path])] == ["b.txt", "sub/a.md"]


def test_two_files_of_one_name_keep_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(folder)
    names = [name for _, name in named_files([tmp_path / "x" / "a.txt", tmp_path / "y" / "a.txt"])]
    assert len(set(names)) == 2
