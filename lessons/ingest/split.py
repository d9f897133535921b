"""Chunks that keep to pages and to sections, the text under one heading, and that know where they come from."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Any

from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, MetadataMode, TextNode, TransformComponent
from llama_index.core.utils import get_tokenizer

from lessons.text import cut_sentences, language, sentences

HEADER = ("title", "about", "section")
"""Metadata that gives a chunk its lost subject back: embedded above it, as far as it has any, and never displayed."""

ABOUT_CHARS = 200  # of the lines between a title and the first section


@dataclass(frozen=True)
class Section:
    """A piece of a document that begins with its heading, and where in its text each page begins, in order.

    Pages are 1-based, None where the format has none.
    """

    text: str
    path: tuple[str, ...]  # headings from the outermost to its own
    starts: tuple[tuple[int, int | None], ...]
    paths: tuple[tuple[str, ...], ...]  # of every section that it holds something of, in order

    def followed_by(self, following: "Section") -> "Section":
        """Join both, under the headings that they share."""
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(self.path, following.path, strict=False))
        first_text, path = f"{self.text}\n\n", tuple(heading for heading, _ in shared)
        starts = *self.starts, *((len(first_text) + start, page) for start, page in following.starts)
        return Section(first_text + following.text, path, starts, (*self.paths, *following.paths))

    def table_head(self, begin: int) -> str:
        """Return the names of the columns, and the rule below, if a piece of the text begins further down the table."""
        lines, piece = self.text[:begin].splitlines(keepends=True), self.text[begin:].partition("\n")[0]
        rows = [*takewhile(lambda line: line.startswith("|"), reversed(lines))][::-1]
        is_table = rows and piece.startswith("|") and set([*rows, piece][1]) <= set("|-: \n")
        return "".join(rows[:2]) if is_table else ""

    def pages(self, begin: int, end: int, head_size: int = 0) -> dict[str, Any]:
        """Return the page on which a piece of the text begins and, if it spans pages, the offset of each.

        `head_size` is the length of what is put before the piece.
        """
        first = dict[int | None, int]()
        for start, page in self.starts:
            if start <= begin:
                first = {page: 0}
            elif start < end:
                first.setdefault(page, start - begin + head_size)
        several = {"page_starts": [[start, page] for page, start in first.items()]} if len(first) > 1 else {}
        return {"page_number": next(iter(first)), **several}

    @property
    def is_bare(self) -> bool:
        """Whether it is nothing but headings."""
        return all(line.strip().lstrip("# ") in self.path for line in self.text.splitlines() if line.strip())


def sections(pages: Sequence[BaseNode], shortest: int) -> list[Section]:
    """List the sections of one file, each of at least `shortest` characters unless the whole file has fewer.

    A shorter one, above all a heading without text, joins the next; the last joins the one before it. Only so does a
    section reach over several pages. `pages` carry their headings as (start, end, level, text) in `structure`.
    """
    joined: list[Section] = []
    for section in _under_headings(pages):
        if joined and joined[-1].is_bare:
            section = replace(joined.pop().followed_by(section), path=section.path)
        elif joined and len(joined[-1].text) < shortest:
            section = joined.pop().followed_by(section)
        joined.append(section)
    if len(joined) > 1 and len(joined[-1].text) < shortest:
        joined[-2:] = [joined[-2].followed_by(joined[-1])]
    return joined


def _under_headings(pages: Sequence[BaseNode]) -> Iterator[Section]:
    """Cut before every heading. A page without one goes on under the headings of the page before."""
    path: list[tuple[int, str]] = []
    for page in pages:
        text, number, headings = page.get_content(MetadataMode.NONE), page.metadata.get("page_number"), _headings(page)
        ends = [heading[0] for heading in headings] + [len(text)]
        for heading, start, end in zip([None, *headings], [0, *ends], ends, strict=False):
            if heading:
                *_, level, name = heading
                path = [(above, title) for above, title in path if above < level] + [(level, name)]
            if piece := text[start:end].strip():
                names = tuple(title for _, title in path)
                yield Section(piece, names, ((0, number),), (names,))


def _headings(page: BaseNode) -> list[list]:
    return page.metadata.get("structure", {}).get("headings", [])


def _packed(sections: Sequence[Section], fits: Callable[[str], bool]) -> list[Section]:
    """Neighbours on one page share a chunk as long as their text `fits` into it."""
    packed: list[Section] = []
    for section in sections:
        if packed and packed[-1].starts[0][1] == section.starts[-1][1] and fits(packed[-1].followed_by(section).text):
            section = packed.pop().followed_by(section)
        packed.append(section)
    return packed


class Chunk(TextNode):
    """A piece of a section. It is embedded under the metadata named in `embedded`, and displayed plain."""

    embedded: tuple[str, ...] = HEADER

    def get_metadata_str(self, mode: MetadataMode = MetadataMode.ALL) -> str:
        """Return the values of `embedded` that the text does not say, for the embedding; "" for other readers."""
        return "\n".join(self.header().values()) if mode is MetadataMode.EMBED else ""

    def header(self) -> dict[str, str]:
        """Return what stands above the words of the chunk when it is embedded, by name, in order."""
        words = " ".join(self.text.split())
        values = {key: self.metadata[key] for key in self.embedded if self.metadata.get(key)}
        lines = {key: ", ".join(value) if isinstance(value, list) else value for key, value in values.items()}
        return {key: line for key, line in lines.items() if " ".join(line.split()) not in words}


def header(chunk: BaseNode) -> dict[str, str]:
    """Return what the enhanced index puts above the words of a chunk, which may have been stored as any node."""
    embedded = chunk.embedded if isinstance(chunk, Chunk) else HEADER
    return Chunk(text="", metadata=chunk.metadata, embedded=embedded).header()


class SectionSplitter(TransformComponent):
    """Cuts the pages of each file into chunks of at most `chunk_size` tokens: whole sections as far as they fit.

    LlamaIndex's `SentenceSplitter` cuts a longer section and repeats `chunk_overlap` tokens; our own function finds the
    sentences, since it knows how Korean ones end. A chunk that begins within a table has its head above, beyond its
    size. A chunk leaves its page only where a section is shorter than `shortest` characters.
    """

    chunk_size: int = 500
    chunk_overlap: int = 100
    shortest: int = 100
    embedded: tuple[str, ...] = HEADER

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        return [chunk for _, pages in groupby(nodes, source_of) for chunk in self._chunks(list(pages))]

    def _chunks(self, pages: Sequence[BaseNode]) -> Iterator[Chunk]:
        splitter = SentenceSplitter(
            chunk_size=self.chunk_size, chunk_overlap=self.chunk_overlap, chunking_tokenizer_fn=cut_sentences
        )
        tokenizer, document = get_tokenizer(), _document_metadata(pages)

        def fits(text: str) -> bool:
            return len(tokenizer(text)) <= self.chunk_size

        for section in _packed(sections(pages, self.shortest), fits):
            headings = _section_metadata(section, document.get("title"))
            texts = _lengthened(splitter.split_text(section.text), section.text, self.shortest, fits)
            for begin, text in _located(texts, section.text):
                head = section.table_head(begin)
                pages_of_text = section.pages(begin, begin + len(text), len(head))
                yield Chunk(text=head + text, metadata=document | pages_of_text | headings, embedded=self.embedded)


def source_of(node: BaseNode) -> str:
    """Return the file that a node is from: `source_file`, or what LlamaIndex's own readers say."""
    return str(node.metadata.get("source_file") or node.metadata.get("file_name") or node.ref_doc_id or node.node_id)


def _document_metadata(pages: Sequence[BaseNode]) -> dict[str, Any]:
    """Return the metadata that all chunks of a file share: name and type and, if known, title, subject and date."""
    first = pages[0].metadata
    structure = first.get("structure", {})
    language_code = language("\n".join(page.get_content(MetadataMode.NONE) for page in pages))
    required = {"source_file": source_of(pages[0]), "file_type": first.get("file_type"), "language": language_code}
    optional = {"title": structure.get("title"), "about": _about(pages[0]), "date": structure.get("date")}
    return required | {key: value for key, value in optional.items() if value}


def _about(page: BaseNode) -> str:
    """Return the first sentences between the title and the next heading, often who writes and about what."""
    headings, about = _headings(page), ""
    if not headings or headings[0][2] > 1:
        return ""
    end = headings[1][0] if len(headings) > 1 else None
    for sentence in sentences(page.get_content(MetadataMode.NONE)[headings[0][1] : end].strip()):
        longer = f"{about} {sentence}".strip()
        if len(longer) > ABOUT_CHARS:
            break
        about = longer
    return about


_WORD = re.compile(r"\s*\S+\s*$|\s*\S+")


def _lengthened(texts: list[str], section: str, shortest: int, fits: Callable[[str], bool]) -> list[str]:
    """Begin a last piece that is too short earlier in the text: by some sentences, or by some words if none fits."""
    if len(texts) < 2 or len(texts[-1]) >= shortest:
        return texts
    start = section.rindex(texts[-1])
    for cut in (cut_sentences, _WORD.findall):
        earlier = cut(section[:start])
        while earlier and len(section[start:].strip()) < shortest and fits(earlier[-1] + section[start:]):
            start -= len(earlier.pop())
    return [*texts[:-1], section[start:].strip()]


def _located(texts: Sequence[str], section: str) -> Iterator[tuple[int, str]]:
    """Yield each piece with its offset in the section: it repeats some of the piece before it, and ends behind that."""
    end = 0
    for text in texts:
        begin = section.find(text, max(0, end - len(text) + 1))
        begin = begin if begin >= 0 else section.rindex(text)
        end = begin + len(text)
        yield begin, text


def _section_metadata(section: Section, title: str | None) -> dict[str, Any]:
    """Return the headings above a section but for the title, and those of each section it holds."""

    def written(path: tuple[str, ...]) -> str:
        return " > ".join(heading for heading in path if heading != title)

    paths = list(dict.fromkeys(filter(None, map(written, section.paths))))
    metadata = {"section": written(section.path), "sections": paths}
    return {key: value for key, value in metadata.items() if value}
