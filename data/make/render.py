"""Turn a `Document` into a real file: `render(document)` returns the bytes for its suffix, the same on every run."""

import html
import io
import logging
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import docx
import docx.document
import docx.shared
import pptx
import pptx.util
from docx.oxml.ns import qn
from fpdf import FPDF, FontFace
from fpdf.enums import XPos, YPos

from data.make.document import (
    Block,
    Bullets,
    Code,
    Document,
    Footnote,
    Heading,
    Notes,
    PageBreak,
    Paragraph,
    Steps,
    Table,
)

logging.getLogger("fontTools").setLevel(logging.ERROR)  # it reports every hinting table it leaves out

FONT = Path(__file__).parents[1] / "fonts" / "NanumGothic.ttf"
INK, ACCENT, PALE = (30, 30, 30), (22, 66, 110), (226, 234, 242)
SLIDE_LINES = 15  # what fits on one slide before it continues on the next


def render(document: Document) -> bytes:
    """Return the file's bytes; raise KeyError for a suffix that has no renderer."""
    renderers = {".pdf": pdf, ".docx": word, ".pptx": slides, ".html": page, ".md": markdown}
    return renderers[document.suffix](document)


def _moment(document: Document) -> datetime:
    """Return the document's date at nine o'clock, so that no file carries the time it was generated."""
    return datetime(document.date.year, document.date.month, document.date.day, 9, tzinfo=UTC)


# PDF


class _Pdf(FPDF):
    """A4 in one embedded font, with the document's running header and page number."""

    def __init__(self, document: Document) -> None:
        super().__init__(format="A4")
        self.document = document
        self.add_font("body", fname=FONT)
        self.set_margins(22, 20, 22)
        self.set_auto_page_break(True, margin=20)
        self.set_creation_date(_moment(document))
        self.set_title(document.title)
        self.set_author(document.author)
        self.set_lang("ko-KR" if document.language == "ko" else "en-GB")

    def header(self) -> None:
        if self.document.header:
            self._small(self.document.header, 10)

    def footer(self) -> None:
        parts = [self.document.footer, str(self.page_no())]
        self._small("   ".join(filter(None, parts)), -13)

    def _small(self, text: str, y: float) -> None:
        self.set_y(y)
        self.set_font("body", size=8)
        self.set_text_color(110, 110, 110)
        self.cell(0, 5, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        if y > 0:
            self.set_y(20)

    def write_text(
        self, text: str, size: float = 10, leading: float = 1.55, indent: float = 0, gap: float = 2.2
    ) -> None:
        """Write a left-aligned paragraph: justified text would lose its spaces when it is read back."""
        self.set_font("body", size=size)
        self.set_text_color(*INK)
        self.set_x(self.l_margin + indent)
        height = size * leading * 0.3528  # points to millimetres
        self.multi_cell(0, height, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(gap)

    def write_heading(self, text: str, level: int) -> None:
        size = {0: 21, 1: 15, 2: 12.5}.get(level, 11)
        if self.get_y() > self.h - 50:
            self.add_page()
        self.ln(0 if level == 0 else 2.5)
        if level:
            self.start_section(text, level=level - 1, strict=False)
        with self.local_context(text_mode="FILL_STROKE", line_width=0.15, draw_color=ACCENT, text_color=ACCENT):
            self.set_font("body", size=size)
            self.multi_cell(0, size * 0.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(2)

    def write_list(self, items: Iterable[str], numbered: bool) -> None:
        for number, item in enumerate(items, start=1):
            self.write_text(f"{number}. {item}" if numbered else f"• {item}", indent=4, gap=0.8)
        self.ln(1.5)

    def write_table(self, block: Table) -> None:
        if block.caption:
            self.write_text(block.caption, size=9, gap=0.5)
        self.set_font("body", size=8.5)
        self.set_text_color(*INK)
        self.set_draw_color(150, 160, 170)
        longest = [max(len(row[column]) for row in block.rows) for column in range(len(block.rows[0]))]
        widths = tuple(max(6, min(30, length)) for length in longest)
        align = tuple(
            "LEFT" if column == 0 or not _numeric(block.rows, column) else "RIGHT" for column in range(len(widths))
        )
        with self.table(
            col_widths=widths,
            text_align=align,
            line_height=5.2,
            padding=(0.4, 1.2),
            borders_layout="HORIZONTAL_LINES",
            headings_style=FontFace(fill_color=PALE, color=ACCENT),
        ) as table:
            for cells in block.rows:
                row = table.row()
                for cell in cells:
                    row.cell(cell)
        self.ln(3)


def _numeric(rows: Iterable[Iterable[str]], column: int) -> bool:
    cells = [list(row)[column] for row in rows][1:]
    return sum(any(char.isdigit() for char in cell) and len(cell) < 18 for cell in cells) * 2 > len(cells)


def pdf(document: Document) -> bytes:
    """Make a PDF with bookmarks and an embedded font subset."""
    out = _Pdf(document)
    out.add_page()
    out.write_heading(document.title, 0)
    if document.subtitle:
        out.write_text(document.subtitle, size=11, gap=5)
    for block in document.blocks:
        _pdf_block(out, block)
    return bytes(out.output())


def _pdf_block(out: _Pdf, block: Block) -> None:
    match block:
        case Heading(text, level):
            out.write_heading(text, level)
        case Paragraph(text):
            out.write_text(text)
        case Bullets(items):
            out.write_list(items, numbered=False)
        case Steps(items):
            out.write_list(items, numbered=True)
        case Table():
            out.write_table(block)
        case Footnote(text):
            out.write_text(text, size=8, leading=1.4)
        case Code(text):
            for line in text.splitlines():
                out.write_text(line, size=8.5, leading=1.4, indent=6, gap=0)
            out.ln(2)
        case PageBreak():
            out.add_page()


# Word


def word(document: Document) -> bytes:
    """Make a DOCX with real heading styles, lists and tables."""
    out = docx.Document()
    style = out.styles["Normal"]
    style.font.name = "NanumGothic"
    style.font.size = docx.shared.Pt(10.5)
    style.element.rPr.rFonts.set(qn("w:eastAsia"), "NanumGothic")
    _properties(out.core_properties, document)
    out.add_heading(document.title, level=0)
    if document.subtitle:
        out.add_paragraph(document.subtitle, style="Subtitle")
    for block in document.blocks:
        _word_block(out, block)
    if document.footer:
        out.sections[0].footer.paragraphs[0].text = document.footer
    return _saved(out)


def _word_block(out: docx.document.Document, block: Block) -> None:
    match block:
        case Heading(text, level):
            out.add_heading(text, level=level)
        case Paragraph(text) | Code(text):
            out.add_paragraph(text)
        case Bullets(items):
            for item in items:
                out.add_paragraph(item, style="List Bullet")
        case Steps(items):
            for number, item in enumerate(items, start=1):
                out.add_paragraph(f"{number}. {item}")  # typed, so that extracted text keeps the number
        case Table(rows, caption):
            if caption:
                out.add_paragraph(caption, style="Caption")
            table = out.add_table(rows=0, cols=len(rows[0]), style="Light Grid Accent 1")
            for cells in rows:
                for cell, text in zip(table.add_row().cells, cells, strict=True):
                    cell.text = text
            out.add_paragraph()
        case Footnote(text):
            out.add_paragraph().add_run(text).font.size = docx.shared.Pt(8)
        case PageBreak():
            out.add_page_break()


# PowerPoint


def slides(document: Document) -> bytes:
    """Make a PPTX: a title slide, then one slide per heading of level 1 or 2, continued where the text is long."""
    out = pptx.Presentation()
    out.slide_width, out.slide_height = pptx.util.Inches(13.333), pptx.util.Inches(7.5)
    _properties(out.core_properties, document)
    title = out.slides.add_slide(out.slide_layouts[0])
    title.shapes.title.text = document.title
    title.placeholders[1].text = document.subtitle
    for shape, top in ((title.shapes.title, 2.2), (title.placeholders[1], 4.2)):
        _position(shape, top, 1.6)
    for heading, blocks, notes in _slide_contents(document.blocks):
        _slide(out, heading, blocks, notes)
    return _saved(out)


def _position(shape, top: float, height: float) -> None:  # type: ignore[no-untyped-def]
    shape.left, shape.width = pptx.util.Inches(0.7), pptx.util.Inches(11.9)
    shape.top, shape.height = pptx.util.Inches(top), pptx.util.Inches(height)


def _slide_contents(blocks: Iterable[Block]) -> list[tuple[str, list[Block], str]]:
    """Return (title, blocks, notes) of each slide."""
    out: list[tuple[str, list[Block], str]] = []
    lines = 0
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            out.append((block.text, [], ""))
            lines = 0
        elif isinstance(block, Notes) and out:
            heading, content, notes = out[-1]
            out[-1] = (heading, content, f"{notes}\n{block.text}".strip())
        elif out and not isinstance(block, PageBreak | Notes):
            height = _lines(block)
            table_joins_text = isinstance(block, Table) != any(isinstance(old, Table) for old in out[-1][1])
            if out[-1][1] and (lines + height > SLIDE_LINES or (table_joins_text and lines + height > SLIDE_LINES - 3)):
                out.append((out[-1][0], [], ""))
                lines = 0
            out[-1][1].append(block)
            lines += height
    return out


def _lines(block: Block) -> int:
    """Estimate how many lines of a slide a block needs."""
    texts = list(block.items) if isinstance(block, Bullets | Steps) else [getattr(block, "text", "")]
    if isinstance(block, Table):
        return len(block.rows) + 2
    return sum(1 + sum(2 if ord(char) > 0x1100 else 1 for char in text) // 115 for text in texts)


def _slide(out, heading: str, blocks: list[Block], notes: str) -> None:  # type: ignore[no-untyped-def]
    slide = out.slides.add_slide(out.slide_layouts[1])
    slide.shapes.title.text = heading
    slide.shapes.title.text_frame.paragraphs[0].font.size = pptx.util.Pt(28)
    _position(slide.shapes.title, 0.3, 0.9)
    body = slide.placeholders[1]
    texts = [block for block in blocks if not isinstance(block, Table)]
    text_height = max(0.6, 0.38 * sum(map(_lines, texts)))
    _position(body, 1.3, text_height if len(texts) < len(blocks) else 5.7)
    if texts:
        _slide_text(body.text_frame, texts)
    else:
        body._element.getparent().remove(body._element)
    top = 1.3 + (text_height + 0.1 if texts else 0)
    for block in blocks:
        if isinstance(block, Table):
            _slide_table(slide, block, top)
            top += 0.36 * (len(block.rows) + 1)
    if notes:
        slide.notes_slide.notes_text_frame.text = notes


def _slide_text(frame, blocks: list[Block]) -> None:  # type: ignore[no-untyped-def]
    frame.word_wrap = True
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Steps):
            lines += [f"{number}. {item}" for number, item in enumerate(block.items, start=1)]
        else:
            lines += list(block.items) if isinstance(block, Bullets) else getattr(block, "text", "").splitlines()
    for position, text in enumerate(lines):
        paragraph = frame.paragraphs[0] if position == 0 else frame.add_paragraph()
        paragraph.text = text
        paragraph.font.size = pptx.util.Pt(15)
        paragraph.space_after = pptx.util.Pt(4)


def _slide_table(slide, block: Table, top: float) -> None:  # type: ignore[no-untyped-def]
    if block.caption:
        box = slide.shapes.add_textbox(*(pptx.util.Inches(x) for x in (0.7, top, 11.9, 0.35)))
        box.text_frame.text = block.caption
        box.text_frame.paragraphs[0].font.size = pptx.util.Pt(12)
        top += 0.36
    box = (pptx.util.Inches(x) for x in (0.7, top, 11.9, 0.33 * len(block.rows)))
    table = slide.shapes.add_table(len(block.rows), len(block.rows[0]), *box).table
    for row, cells in enumerate(block.rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
            table.cell(row, column).text_frame.paragraphs[0].font.size = pptx.util.Pt(11)


def _properties(properties, document: Document) -> None:  # type: ignore[no-untyped-def]
    properties.title, properties.author = document.title, document.author
    properties.last_modified_by, properties.comments = document.author, ""
    properties.created = properties.modified = _moment(document).replace(tzinfo=None)


def _saved(out) -> bytes:  # type: ignore[no-untyped-def]
    """Save an Office file, its zip repacked with fixed time stamps."""
    raw, packed = io.BytesIO(), io.BytesIO()
    out.save(raw)
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return packed.getvalue()


# HTML and Markdown


def page(document: Document) -> bytes:
    """Make a semantic HTML page inside the navigation and footer of a site."""
    nav = "".join(f'<li><a href="#">{html.escape(item)}</a></li>' for item in document.nav)
    subtitle = f"<p class='lead'>{html.escape(document.subtitle)}</p>\n" if document.subtitle else ""
    parts = [
        f'<!doctype html>\n<html lang="{document.language}">\n<head>\n<meta charset="utf-8">',
        f"<title>{html.escape(document.title)}</title>",
        f'<meta name="date" content="{document.date.isoformat()}">\n</head>\n<body>',
        f"<nav><ul>{nav}</ul></nav>" if nav else "",
        f"<main>\n<article>\n<h1>{html.escape(document.title)}</h1>\n{subtitle}"
        f'<p><time datetime="{document.date.isoformat()}">{document.date.isoformat()}</time></p>',
        *(_html_block(block) for block in document.blocks),
        "</article>\n</main>",
        f"<footer><p>{html.escape(document.footer)}</p></footer>" if document.footer else "",
        "</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part).encode()


def _html_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level + 1}>{html.escape(text)}</h{level + 1}>"
        case Paragraph(text):
            return f"<p>{html.escape(text)}</p>"
        case Footnote(text):
            return f"<p><small>{html.escape(text)}</small></p>"
        case Code(text):
            return f"<pre><code>{html.escape(text)}</code></pre>"
        case Bullets(items):
            return "<ul>\n" + "\n".join(f"<li>{html.escape(item)}</li>" for item in items) + "\n</ul>"
        case Steps(items):
            return "<ol>\n" + "\n".join(f"<li>{html.escape(item)}</li>" for item in items) + "\n</ol>"
        case Table(rows, caption):
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
            body = "\n".join(
                "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
            )
            title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
            return f"<table>{title}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    return ""


def markdown(document: Document) -> bytes:
    """Make a Markdown file."""
    parts = [f"# {document.title}"]
    if document.subtitle:
        parts.append(f"*{document.subtitle}*")
    parts += [_markdown_block(block) for block in document.blocks]
    if document.footer:
        parts += ["---", document.footer]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _markdown_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * (level + 1)} {text}"
        case Paragraph(text):
            return text
        case Footnote(text):
            return f"> {text}"
        case Code(text):
            return f"```\n{text}\n```"
        case Bullets(items):
            return "\n".join(f"- {item}" for item in items)
        case Steps(items):
            return "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
        case Table(rows, caption):
            lines = [f"| {' | '.join(row)} |" for row in rows]
            lines.insert(1, "|" + " --- |" * len(rows[0]))
            return (f"{caption}\n\n" if caption else "") + "\n".join(lines)
    return ""
