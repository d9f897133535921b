"""Text in whatever encoding, Markdown and web pages.

As Markdown every format reaches the splitter, with the place of each heading.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from datetime import date
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import chardet
from chardet import EncodingEra
from ftfy.badness import is_bad
from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
from lxml import etree, html

from lessons.ingest.read.page import Block, Content, FileError, Page, first_date, page, unread_pictures
from lessons.settings import settings

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+)")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*$|\s*[-*+>|]|\s*\d+[.)]\s| {4}|\t")
_BREAK = re.compile(r"(`[^`]*`)|<br\s*/?>", re.IGNORECASE)
_MARKUP = re.compile(r"\*\*|`|!?\[([^\]]{0,300})\]\([^)]{0,1000}\)")
_FRONT_MATTER = re.compile(r"(---|\+\+\+)\n((?:[^\n]*\n){0,50}?)\1[ \t]*(?:\n|$)")
_PICTURE = re.compile(
    r"!\[([^\]\n]{0,300})\]\(\s*<?data:[^)!]*+(?:!(?!\[)[^)!]*+)*+\)|^ {0,3}\[[^\]\n]+\]: *<?data:\S+.*$|"
    r"<img\s[^<>]*?\bsrc\s*=\s*[\"']?data:[^<>]*>",
    re.M | re.I,
)
"""A picture that is part of the text. No match reaches into another one, so that the time grows with the text only."""
_COMMENT = re.compile(r"<!--(?:[^-<]|-(?!->)|<(?!!--))*+-->")
_ALT = re.compile(r"\balt=\"([^\"]*)\"|\balt='([^']*)'", re.I)

REPEATED = 200  # characters that a merged cell may have to be repeated in each row that it spans
MOST_COLUMNS = 63  # of a table in Word
MOST_HEADS = 5  # rows at the top of a table that are looked at
MOST_ATTRIBUTES = 1_000  # of one tag: building a tree takes a time that grows with the square of them
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)|^<\?xml[^>]+encoding=[\"']([\w-]+)", re.IGNORECASE)
_DATES = {"date", "dc.date", "article:published_time", "datePublished"}
_INLINE = "a abbr b bdi bdo big cite code data dfn em font i ins kbd label mark nobr q s samp small span strong sub sup"
_INLINE += " time tt u var wbr"
_FRAMES = "//svg|//iframe|//audio|//video|//object|//canvas"
_UNREAD = "//title|//script|//style|//template|//noscript|//nav|//svg|//iframe|//audio|//video"
_STYLE = "translate(@style, 'ABDEHILNOPSTUVY ', 'abdehilnopstuvy')"
_HIDDEN = f"//*[@hidden or contains({_STYLE}, 'display:none') or contains({_STYLE}, 'visibility:hidden')]"
_END = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)  # where lxml ends a page and a browser reads on
_ADDED = re.compile(r"^([\s\d.*-]{0,20}\d)\\(?=[.)])|(?<![^\S\n])[^\S\n]++$", re.M)  # by the conversion
_BLANKS = re.compile(r"(?<!\s)\s*\n\s*")  # a line end of the source is a blank to a browser
_OPTIONS = ConversionOptions(
    extract_metadata=False,
    preprocessing=PreprocessingOptions(enabled=False),
    compact_tables=True,
    skip_images=True,
    max_depth=100_000,
)

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MIXED = re.compile("[A-Za-zÀ-ɏ][Ͱ-ԯ֐-ۿ]|[Ͱ-ԯ֐-ۿ][A-Za-zÀ-ɏ]")  # Latin beside Greek, Cyrillic, Hebrew or Arabic letters
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f]")
_ERAS = EncodingEra.ALL & ~EncodingEra.DOS & ~EncodingEra.MAINFRAME
_UNLIKELY = ("MacCyrillic", "MacGreek", "MacIceland", "MacLatin2")  # tried: chardet takes short Western text for them
JUDGED = 100_000  # bytes by which an encoding is recognised
NOISE_SHARE = 0.2  # of a text's characters, white space aside, that cannot be read; with more it is rejected

Decoded = tuple[str, str | None]
Row = Sequence[str | None]
"""The cells of a table; None stands in a column that the cell before it spans."""


def read_text(path: Path) -> Content:
    """Read one page of plain text."""
    text, notes = text_of(path)
    return Content([page(None, map(Block, text.split("\n")))], notes=notes)


def read_markdown(path: Path) -> Content:
    """Read one page of Markdown; title and date come from its front matter, which is left out, as are pictures."""
    text, notes = text_of(path)
    front = match[2] if (match := _FRONT_MATTER.match(text)) else ""
    text = text[match.end() :] if match else text
    values = re.findall(r"^([\w-]+)\s*[:=](.*)$", front, re.M)
    unread = ", ".join(name for name, _ in values if name not in ("title", "date"))
    notes += (f"Front matter that was left out: {unread}.",) if unread else ()
    declared = {name: re.sub(r"^[\"']|[\"']$", "", value.strip(" \t")) for name, value in values}
    text, comments = _without_comments(text)
    notes += (f"Comments that were left out: {comments}.",) if comments else ()
    text, pictures = _PICTURE.subn(_description, text)
    notes += unread_pictures(pictures)
    return Content([markdown_page(None, text)], declared.get("title"), first_date(declared.get("date", "")), notes)


def _without_comments(text: str) -> tuple[str, int]:
    """Drop the comments that no viewer shows, but not those in fenced code; return how many."""
    pieces = groupby(_with_code(text.split("\n")), key=itemgetter(1))
    parts = ((is_code, "\n".join(line for line, _ in lines)) for is_code, lines in pieces)
    results = [(part, 0) if is_code else _COMMENT.subn("", part) for is_code, part in parts]
    return "\n".join(part for part, _ in results), sum(count for _, count in results)


def _with_code(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it stands within fenced code."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield line, bool(fence)
        if not fence:
            fence = mark[1] if mark else ""
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""


def _description(picture: re.Match[str]) -> str:
    """Return the words that stand for a picture."""
    alternatives = _ALT.search(picture[0])
    return picture[1] or (alternatives and (alternatives[1] or alternatives[2])) or ""


def text_of(path: Path, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return a file's text with \\n at the end of each line, and a note if its encoding was guessed."""
    decoded = decode(path.read_bytes(), declared)
    if decoded is None:
        raise FileError("is not text in a known encoding, or no text at all; if it is text, save it as UTF-8.")
    text, encoding = decoded
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (lines := text.count("\n")) > settings().max_pieces:
        raise FileError(f"has {lines:,} lines, more than {settings().max_pieces:,}; split it into several files.")
    return text, (f"It was read as {encoding}.",) if encoding else ()


def decode(data: bytes, declared: str | None = None) -> Decoded | None:
    """Return the text and, unless it was plain Unicode or declared, the name of its encoding; None if nothing fits.

    Ambiguous bytes are rejected: noise that is ingested is found again, and answered from.

    `declared` is what the file itself says, as HTML does; it is believed where the bytes agree.
    """
    mark = next((mark for mark in _BOMS if data.startswith(mark)), b"")
    for encoding in (_BOMS.get(mark, "utf-8"), declared):
        if encoding and (text := _decoded(data, encoding)) is not None:
            return text, None
    return None if mark else _nearly_utf_8(data) or _recognised(data)


def is_noise(text: str) -> bool:
    """Return True if much of the text is replacement, private or control characters."""
    visible = len(text) - sum(map(text.count, " \n\t"))
    return sum(1 for _ in _UNREADABLE.finditer(text)) > NOISE_SHARE * visible


def _decoded(data: bytes, encoding: str) -> str | None:
    """Decode the bytes; None if they do not fit, or hold NUL, as the wrong one of two UTF-16 does."""
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return None if "\0" in text else text


def _nearly_utf_8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes, at most one in a hundred of what is not ASCII."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    is_text = "\0" not in text and broken * 100 <= sum(not char.isascii() for char in text)
    return (text, "UTF-8 with broken bytes") if is_text else None


def _recognised(data: bytes) -> Decoded | None:
    """Decode by the first encoding that chardet proposes in which all of the file reads like text."""
    guesses = chardet.detect_all(
        data[:JUDGED], ignore_threshold=True, encoding_era=_ERAS, exclude_encodings=_UNLIKELY, no_match_encoding="utf-8"
    )
    texts = ((_decoded(data, guess["encoding"] or ""), guess["encoding"]) for guess in guesses)
    return next(((text, name) for text, name in texts if text and name and _reads_like_text(text[:JUDGED], name)), None)


def _reads_like_text(text: str, encoding: str) -> bool:
    """Check for control characters and words in two alphabets; UTF-16, which fits any bytes, needs a tenth of ASCII."""
    is_wide = encoding.lower().startswith("utf-16")
    plain = sum(char.isascii() for char in text)
    return not (_CONTROL.search(text) or _MIXED.search(text) or is_bad(text) or (is_wide and plain * 10 < len(text)))


def markdown_page(number: int | None, text: str) -> Page:
    """Make a page of Markdown with the place of each heading."""
    return page(number, _blocks(text.split("\n")))


def table(rows: Iterable[Row]) -> str:
    """Write rows of cells as a table of Markdown under one head; "" if all cells are empty."""
    lines = [[cell and " ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [row for row in lines if any(row)]
    if not lines:
        return ""
    width = max(map(len, lines))
    lines = [row + [""] * (width - len(row)) for row in lines]
    captions, head, start = _head(lines)
    body = [[cell or "" for cell in row] for row in lines[start:]]
    return "\n\n".join([*captions, "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * width, *body])])


def _head(rows: Sequence[Row]) -> tuple[list[str], list[str], int]:
    """Return the lines that span the table above its head, the names of its columns, and how many rows all these are.

    Where cells of the head span columns, the row below belongs to it if each other column is merged with the one above
    or empty: 2024 above 1Q is the column '2024 1Q'.
    """
    start = next((at for at, row in enumerate(rows) if len(row) == 1 or any(cell is not None for cell in row[1:])), 0)
    head, end = list(rows[start]), start + 1
    names = _filled(head)
    while None in head and end < len(rows):
        second = rows[end]
        is_alone = [None not in pair for pair in zip(head, [*head[1:], ""], strict=True)]
        goes_on = [cell in ("", name) for cell, name, alone in zip(second, names, is_alone, strict=True) if alone]
        if not goes_on or not all(goes_on):
            break
        head = [
            cell if cell is None else name if cell in ("", name) else f"{name} {cell}".strip()
            for name, cell in zip(names, second, strict=True)
        ]
        names, end = _filled(head), end + 1
    return [row[0] or "" for row in rows[:start]], names, end


def _filled(row: Row) -> list[str]:
    """Repeat each cell in the columns that it spans."""
    names: list[str] = []
    for cell in row:
        names.append(names[-1] if cell is None and names else cell or "")
    return names


def runs_on(raised: str) -> bool:
    """Tell whether raised text would be read as a digit of the number before it, as in 21 days¹ or 3²."""
    return raised.strip()[:1].isdigit()


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    for number, (line, is_code) in enumerate(_with_code(lines)):
        if is_code:
            yield Block(line)
        else:
            yield Block(_BREAK.sub(lambda match: match[1] or " ", line), *_heading(lines, number))


def _heading(lines: Sequence[str], number: int) -> tuple[int, str] | tuple[()]:
    line, next_line = lines[number], lines[number + 1] if number + 1 < len(lines) else ""
    if atx := _ATX.match(line):
        return len(atx[1]), _MARKUP.sub(r"\1", _unclosed(atx[2]))
    stands_alone = number == 0 or not lines[number - 1].strip()
    if (underline := _SETEXT.match(next_line)) and stands_alone and not _NO_PARAGRAPH.match(line):
        return (1 if underline[1][0] == "=" else 2), _MARKUP.sub(r"\1", line)
    return ()


def _unclosed(title: str) -> str:
    """Strip the signs that close a heading; a pattern for them takes time that grows with the square of blanks."""
    text = title.rstrip(" \t") or title
    bare = text.rstrip("#")
    return (bare.rstrip(" \t") if bare[-1:] in (" ", "\t") else text) or title


def read_html(path: Path) -> Content:
    """Read one page. Menus (`nav`) and hidden words are left out and noted; FileError for a hostile page."""
    with path.open("rb") as file:
        declared = _CHARSET.search(file.read(2048))
    text, notes = text_of(path, (declared[1] or declared[2]).decode() if declared else None)
    root = _tree(text)
    if root is None:
        return Content([], notes=notes)
    title, day, menus = root.findtext(".//title"), _declared_date(root), len(root.findall(".//nav"))
    notes += (f"Navigation menus that were left out: {menus}.",) if menus else ()
    frames = len(root.xpath(_FRAMES))
    notes += (f"Frames, films and drawings that were left out: {frames}.",) if frames else ()
    for raised in root.iter("sup"):
        raised.text = f"^{raised.text}" if runs_on(raised.text or "") else raised.text
    for picture in root.xpath("//img[@alt]"):
        picture.tag, picture.text = "span", picture.get("alt")
    notes += unread_pictures(len(root.xpath("//img | //span[@alt and @src]")))
    words = _stripped(root, _UNREAD)
    hidden = words - _stripped(root, _HIDDEN)
    notes += (f"Hidden words that were left out: {hidden}.",) if hidden else ()
    return Content([markdown_page(None, _markdown(root))], title, day, notes)


def _stripped(root: Any, path: str) -> int:
    """Strip elements, but not the text between them, and count the words that are left."""
    for tag in root.xpath(path):
        tag.tag = "unread"  # kept in the tree, whose text around it stays where it is
    etree.strip_elements(root, "unread", with_tail=False)
    return len(" ".join(root.itertext()).split())


def _tree(text: str) -> Any:
    if text.count("<") > settings().max_html_tags:
        raise FileError(f"has more than {settings().max_html_tags:,} tags; split it into several files.")
    etree.fromstring(text.encode(), html.HTMLParser(encoding="utf-8", huge_tree=True, target=_Tags()))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(_END.sub("", text).encode(), parser)
    if any("depth" in error.message for error in parser.error_log):
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    return root


class _Tags:
    """Sees each tag before a tree is built."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(attributes) > MOST_ATTRIBUTES:
            raise FileError(f"has a tag with more than {MOST_ATTRIBUTES:,} attributes; save it anew from a browser.")

    def close(self) -> None:
        pass


def _declared_date(root: Any) -> date | None:
    tags = [tag for tag in root.iter("meta") if {tag.get("name"), tag.get("property"), tag.get("itemprop")} & _DATES]
    dates = [tag.get("content") or "" for tag in tags] + [tag.get("datetime") or "" for tag in root.iter("time")]
    return first_date(" ".join(dates))


def _markdown(root: Any) -> str:
    """Convert the tree to Markdown. A table that holds other tables lays out the page: its cells become blocks.

    A cell that spans rows stands in each of them, as in a table of an office file.
    """
    for layout in root.xpath("//table[.//table]"):
        for tag in layout.xpath("self::table|tr|*/tr|tr/td|tr/th|*/tr/td|*/tr/th|thead|tbody|tfoot"):
            tag.tag = "div"
    for heading in root.xpath("//li/*[1][self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6]"):
        heading.tag = "p"  # its line begins an item, and so cannot begin a heading
    for table in root.xpath("//table[.//@rowspan]"):
        _repeat_merged(table)
    for table in root.xpath("//table[.//tr[1]/*/@colspan]"):
        _join_head(table)
    etree.strip_tags(root, *_INLINE.split())
    verbatim = {inner for outer in root.iter("pre", "textarea") for inner in outer.iter()}
    for tag in root.iter():
        if tag.text and tag not in verbatim:
            tag.text = _BLANKS.sub(" ", tag.text)
        if tag.tail and tag.getparent() not in verbatim:
            tag.tail = _BLANKS.sub(" ", tag.tail)
    result = convert(etree.tostring(root, encoding="unicode", method="html"), _OPTIONS)
    if result.warnings:
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    return _ADDED.sub(r"\1", result.content or "")


def _repeat_merged(table: Any) -> None:
    """Copy each cell that spans rows into those below it, without its text if that is long.

    A hostile table gets no more than ten times its text.
    """
    spare = 10 * len("".join(table.itertext()))
    for row, row_below in pairwise(table.iter("tr")):
        column = 0
        for cell in row.iterchildren("td", "th"):
            length, rows = len("".join(cell.itertext())), _number(cell.attrib.pop("rowspan", "1"))
            if rows > 1 and column < MOST_COLUMNS and (spare := spare - length - 1) > 0:
                copy = deepcopy(cell) if length <= REPEATED else etree.Element(cell.tag, cell.attrib)
                copy.set("rowspan", f"{rows - 1}")
                ends = accumulate(_number(tag.get("colspan", "1")) for tag in row_below)
                row_below.insert(sum(end <= column for end in ends), copy)
            column += _number(cell.get("colspan", "1"))


def _join_head(table: Any) -> None:
    """Put the names of the columns into one row, and cells that span the table above them before it."""
    rows = list(table.iter("tr"))
    texts: list[list[str | None]] = []
    for row in rows[:MOST_HEADS]:
        texts.append([])
        for cell in row.iterchildren("td", "th"):
            spanned = min(_number(cell.get("colspan", "1")) - 1, max(0, MOST_COLUMNS - len(texts[-1])))
            texts[-1] += [" ".join("".join(cell.itertext()).split()), *[None] * spanned]
    width = max(map(len, texts))
    captions, names, count = _head([row + [""] * (width - len(row)) for row in texts])
    for cell in (cell for row in rows[: len(captions)] for cell in row.iterchildren("td", "th")):
        cell.tag = "div"
        table.addprevious(cell)
    for row in (*rows[: len(captions)], *rows[len(captions) + 1 : count]):
        row.getparent().remove(row)
    rows[len(captions)][:] = []
    for name in names:
        etree.SubElement(rows[len(captions)], "th").text = name


def _number(text: str) -> int:
    return max(1, int(text)) if re.fullmatch("[0-9]{1,3}", text) else 1
