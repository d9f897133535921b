"""Whatever is wrong with a file, a sentence says so, and nothing hangs, crashes or fills the memory."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import docx
import pptx
import pytest
from pypdf import PdfWriter

from lessons.errors import ReadError
from lessons.ingest.read import content_hash, pdf, read
from lessons.settings import settings
from tests.support.files import raw_pdf, write_pdf

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def encrypted(path: Path, password: str = "password") -> Path:
    writer = PdfWriter(clone_from=str(write_pdf(path.with_suffix(".tmp"), "For the board only.")))
    writer.encrypt(password, owner_password="owner")
    writer.write(str(path))
    return path


def truncated(path: Path) -> None:
    whole = write_pdf(path, *["Operating profit rose by a tenth. " * 40] * 3).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def image_only(path: Path) -> None:
    from fpdf import FPDF
    from PIL import Image

    pdf = FPDF()
    pdf.add_page()
    pdf.image(Image.new("RGB", (80, 80), "gray"), 10, 10, 50)
    pdf.output(str(path))


def word(path: Path, xml: str | None = None) -> Path:
    """A Word file, or what is left of it when its text has been replaced by something else."""
    document = docx.Document()
    document.add_paragraph("Within 14 days.")
    document.save(str(path))
    if xml is not None:
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (parts | {"word/document.xml": xml.encode()}).items():
                archive.writestr(name, content)
    return path


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as entry:
        for _ in range(250):
            entry.write(bytes(1_000_000))


def table(path: Path, *rows: str) -> None:
    """A Word file with a table of these rows, whose cells are (properties, text)."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    grid = "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>"
    word(path, f'<w:document xmlns:w="{space}"><w:body>{grid}{"".join(rows)}</w:tbl></w:body></w:document>')


def row(properties: str, text: str = "") -> str:
    return f"<w:tr><w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr>"


def merged(path: Path) -> None:
    """A cell of 100 KB that stands in 3,000 rows."""
    table(path, row('<w:vMerge w:val="restart"/>', "x" * 100_000), *[row("<w:vMerge/>")] * 3_000)


def crowd(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(settings().max_archive_entries + 1):
            archive.writestr(f"word/{number}", b"")


def page_loop(path: Path) -> None:
    kids = "<< /Type /Pages /Count 1 /Kids [{} 0 R] >>"
    raw_pdf(path, "<< /Type /Catalog /Pages 2 0 R >>", kids.format(3), kids.format(2))


def page_tower(path: Path) -> None:
    """Ten kids on each of ten floors, all the same: 10^10 pages in a few lines."""
    floors = [f"<< /Type /Pages /Count 1 /Kids [{f'{floor} 0 R ' * 10}] >>" for floor in range(3, 13)]
    raw_pdf(path, "<< /Type /Catalog /Pages 2 0 R >>", *floors, "<< /Type /Page /MediaBox [0 0 9 9] >>")


def many_pages(path: Path) -> None:
    count = settings().max_pages + 1
    kids = "3 0 R " * count
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
    raw_pdf(path, "<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {count} /Kids [{kids}] >>", page)


def no_pages(path: Path) -> None:
    raw_pdf(path, "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 0 /Kids [] >>")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200_000_000)


def archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.txt", "text")


def broken_block(path: Path) -> None:
    """An archive whose unpacking raises an OSError, as opening a file does."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as packed:
        packed.writestr("word/document.xml", "text")
    path.write_bytes(path.read_bytes().replace(b"1AY&SY", b"1AY&SX"))


BAD_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty.txt": (lambda path: path.write_bytes(b""), "is empty"),
    "blank.md": (lambda path: path.write_text(" \n\t\u200b\n"), "has no text"),
    "huge.txt": (huge, "larger than 50 MB"),
    "folder.pdf": (lambda path: path.mkdir(), "is not a file"),
    "pipe.txt": (lambda path: os.mkfifo(path), "is not a file"),
    "vanished.txt": (lambda path: None, "cannot be opened: No such file"),
    "program.exe": (lambda path: path.write_bytes(b"MZ"), "not one of the formats"),
    "picture.txt": (lambda path: path.write_bytes(PNG), "no text at all"),
    "paper.txt": (lambda path: write_pdf(path, "A report"), "no text at all"),
    "packed.pdf": (archive, "is damaged"),
    "report.docx": (lambda path: write_pdf(path, "A report"), "is damaged"),
    "letter.pptx": (word, "is not a PowerPoint document"),
    "old.docx": (lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600)), "protected or no real"),
    "text.docx": (lambda path: path.write_text("not a zip"), "is damaged"),
    "xml.docx": (lambda path: word(path, "<w:document><w:body>"), "is damaged"),
    "block.docx": (broken_block, "is damaged"),
    "bomb.docx": (bomb, "decompression bomb"),
    "crowd.docx": (crowd, "decompression bomb"),
    "tags.docx": (lambda path: table(path, "<w:tr/>" * 2_000_001), "decompression bomb"),
    "lines.txt": (lambda path: path.write_text("a\n" * 1_000_001), "has 1,000,001 lines"),
    "binary.txt": (lambda path: path.write_bytes(bytes(range(256))), "no text at all"),
    "random.txt": (lambda path: path.write_bytes(Random(1).randbytes(900).replace(b"\0", b"\x80")), "no text at all"),
    "noise.txt": (lambda path: path.write_text("\ufffd" * 50 + "text", encoding="utf-8"), "no readable letters"),
    "garbage.pdf": (lambda path: path.write_bytes(b"%PDF-1.7\ngarbage\n%%EOF"), "is damaged"),
    "cut.pdf": (truncated, "is damaged"),
    "locked.pdf": (encrypted, "protected by a password"),
    "scan.pdf": (image_only, r"text recognition \(OCR\)"),
    "none.pdf": (no_pages, "is damaged"),
    "loop.pdf": (page_loop, "has no text"),
    "tower.pdf": (page_tower, "has no text"),
    "many.pdf": (many_pages, "has 5,001 pages"),
    "deep.html": (lambda path: path.write_text("<div>" * 100_000), "nests its tags too deeply"),
    "tags.html": (lambda path: path.write_text("<div>" * 1_000_000), "more than 500,000 tags"),
    "attributes.html": (lambda path: path.write_text(f"<p {' '.join(map(hex, range(200_000)))}>"), "1,000 attributes"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_a_sentence_that_names_it(tmp_path: Path, name: str) -> None:
    write, reason = BAD_FILES[name]
    write(tmp_path / name)
    with pytest.raises(ReadError, match=rf"^{name}.*{reason}.*\.$"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["huge.txt", "pipe.txt", "folder.pdf", "vanished.txt", "empty.txt"])
def test_a_file_that_may_not_be_read_is_refused_before_its_bytes_are_hashed(tmp_path: Path, name: str) -> None:
    BAD_FILES[name][0](tmp_path / name)
    with pytest.raises(ReadError, match=BAD_FILES[name][1]):
        content_hash(tmp_path / name)


def test_an_encrypted_pdf_without_a_password_just_opens(tmp_path: Path) -> None:
    assert read(encrypted(tmp_path / "a.pdf", password=""))[0].text == "For the board only."


@pytest.mark.parametrize(
    ("does", "reason"),
    [("import os; os.abort()", "would exhaust its reader"), ("import time; time.sleep(60)", "takes more")],
)
def test_a_pdf_that_crashes_its_reader_or_holds_it_up_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, reason: str
) -> None:
    script = Path(pdf.__file__).with_name("pdfium.py").read_text("utf-8")
    harmed = script.replace(
        "def _read(path: str, most_pages: int) -> list[Any]:\n", f"def _read(path, most_pages):\n    {does}\n"
    )
    (tmp_path / "pdfium.py").write_text(harmed, encoding="utf-8")
    process = pdf.PdfiumProcess()
    monkeypatch.setattr(settings(), "max_read_seconds", 2.0)
    monkeypatch.setattr(pdf, "_reader", lambda _: process)
    whole = pdf.__file__
    monkeypatch.setattr(pdf, "__file__", str(tmp_path / "pdf.py"))
    write_pdf(tmp_path / "a.pdf", "One")
    with pytest.raises(ReadError, match=reason):
        read(tmp_path / "a.pdf")
    monkeypatch.setattr(pdf, "__file__", whole)
    assert read(tmp_path / "a.pdf")[0].text == "One"


@pytest.mark.parametrize("tag", ["div", "tr", "td", "h1", "table"])
def test_nested_tags_are_read(tmp_path: Path, tag: str) -> None:
    (tmp_path / "a.html").write_text(f"<p>Before</p>{f'<{tag}>' * 300}deep{f'</{tag}>' * 300}<p>After</p>")
    assert read(tmp_path / "a.html")[0].text.replace("# ", "").split() == ["Before", "deep", "After"]


def test_a_merged_cell_stands_in_each_place_that_it_spans(tmp_path: Path) -> None:
    document = docx.Document()
    made = document.add_table(4, 4)
    for number, cell in enumerate(cell for row in made.rows for cell in row.cells):
        cell.text = f"cell {number}"
    made.cell(0, 0).merge(made.cell(3, 0))
    made.cell(0, 1).merge(made.cell(1, 2))
    document.save(str(tmp_path / "a.docx"))
    first, head, *others = read(tmp_path / "a.docx")[0].text.splitlines()
    assert first == f"| cell 0 cell 4 cell 8 cell 12 | {'cell 1 cell 2 cell 5 cell 6 | ' * 2}cell 3 |"
    assert set(head) == set("| -")
    assert [line.split(" | ")[0] for line in others] == ["| cell 0 cell 4 cell 8 cell 12"] * 3
    assert others[0].endswith("| cell 1 cell 2 cell 5 cell 6 |  | cell 7 |")


def test_a_head_of_merged_cells_is_one_row(tmp_path: Path) -> None:
    document, deck = docx.Document(), pptx.Presentation()
    frame = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(5, 4, 0, 0, 9_000_000, 2_000_000)
    texts = "Fees in 2026,,,;Pier,Adults,,Dogs;,May,June,;North,12,15,3;South,14,18,2"
    for made in (document.add_table(5, 4), frame.table):
        for at, row in enumerate(texts.split(";")):
            for column, cell in enumerate(row.split(",")):
                made.cell(at, column).text = cell
        for (top, left), (bottom, right) in [((0, 0), (0, 3)), ((1, 0), (2, 0)), ((1, 1), (1, 2)), ((1, 3), (2, 3))]:
            made.cell(top, left).merge(made.cell(bottom, right))
    document.save(str(tmp_path / "a.docx"))
    deck.save(str(tmp_path / "a.pptx"))
    rows = ["| Pier | Adults May | Adults June | Dogs |", "| --- | --- | --- | --- |"]
    rows += ["| North | 12 | 15 | 3 |", "| South | 14 | 18 | 2 |"]
    for name in ("a.docx", "a.pptx"):
        assert read(tmp_path / name)[0].text.splitlines() == ["Fees in 2026", "", *rows]


def test_a_cell_may_be_merged_over_more_rows_than_python_may_recur(tmp_path: Path) -> None:
    table(tmp_path / "a.docx", row('<w:vMerge w:val="restart"/>', "top"), *[row("<w:vMerge/>")] * 2_000)
    assert read(tmp_path / "a.docx")[0].text == "\n".join(["| top |", "| --- |", *["| top |"] * 2_000])


def test_a_merged_cell_does_not_fill_the_memory(tmp_path: Path) -> None:
    merged(tmp_path / "a.docx")
    table(tmp_path / "b.docx", row('<w:gridSpan w:val="300000000"/>', "x"))
    assert len(read(tmp_path / "a.docx")[0].text) < 200_000
    assert read(tmp_path / "b.docx")[0].text.splitlines()[0].count("|") <= 64


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("secret")
    (tmp_path / "a.txt").chmod(0)
    with pytest.raises(ReadError, match="Permission denied"):
        read(tmp_path / "a.txt")


@pytest.mark.parametrize("text", ["# a{}b\n", "---\ntitle: a{}b\n---\nText.\n"])
def test_blanks_within_a_line_of_markdown_take_no_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.md").write_text(text.format(" " * 40_000))
    began = process_time()
    read(tmp_path / "a.md")
    assert process_time() - began < 2


def test_many_hidden_tags_are_left_out_in_no_time(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<body>" + ("<nav>menu</nav>" + "word " * 40) * 8_000 + "</body>")
    began = process_time()
    assert read(tmp_path / "a.html")[0].text.split() == ["word"] * 320_000
    assert process_time() - began < 4


def test_cells_that_span_many_rows_are_no_bomb(tmp_path: Path) -> None:
    rows = f"<tr><td rowspan=999>{'z' * 150}</td></tr>" * 1_000
    (tmp_path / "a.html").write_text(f"<table>{rows}</table>")
    began = process_time()
    assert 5 * len(rows) < len(read(tmp_path / "a.html")[0].text) < 12 * len(rows)
    assert process_time() - began < 4


def test_a_bomb_is_told_by_its_bytes_whatever_its_part_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(path := tmp_path / "a.docx", "<w:tr/>" * 40_000)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            renamed = content.replace(b"word/document.xml", b"word/document.bin")
            packed.writestr(name.replace("document.xml", "document.bin"), renamed)
    monkeypatch.setattr(settings(), "max_xml_tags", 40_000)
    with pytest.raises(ReadError, match="decompression bomb"):
        read(path)
