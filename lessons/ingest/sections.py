"""Documents as sections: text that stands under one heading, with the path of headings above it and its pages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from llama_index.core.schema import BaseNode, MetadataMode


@dataclass(frozen=True)
class Section:
    """A piece of a document that begins with its heading. Pages are 1-based, None where the format has none."""

    text: str
    path: tuple[str, ...]  # headings from the outermost to its own
    page: int | None
    last_page: int | None
    parts: tuple[tuple[str, ...], ...] = ()  # the paths of the sections that it was joined from; none for a single one

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The path of every section that it holds something of, in order."""
        return self.parts or (self.path,)

    def followed_by(self, other: "Section") -> "Section":
        """Both as one, under the headings that they share."""
        path, parts = _shared(self.path, other.path), (*self.paths, *other.paths)
        return Section(f"{self.text}\n\n{other.text}", path, self.page, other.last_page, parts)


def sections(pages: Sequence[BaseNode], shortest: int) -> list[Section]:
    """The sections of one file in order, each of at least `shortest` characters unless the whole file has fewer.

    A shorter one, above all a heading without text, joins the next; the last joins the one before it. Only so does a
    section reach over two pages. `pages` carry their headings as (start, end, level, text) in `structure`.
    """
    joined: list[Section] = []
    for section in _under_headings(pages):
        if joined and _is_bare(joined[-1]):
            section = replace(joined.pop().followed_by(section), path=section.path)
        elif joined and len(joined[-1].text) < shortest:
            section = joined.pop().followed_by(section)
        joined.append(section)
    if len(joined) > 1 and len(joined[-1].text) < shortest:
        last = joined.pop()
        joined[-1] = joined[-1].followed_by(last)
    return joined


def packed(found: Sequence[Section], fits: Callable[[str], bool]) -> list[Section]:
    """Neighbours on one page share a chunk as long as their text `fits` into it."""
    full: list[Section] = []
    for section in found:
        if full and full[-1].page == section.last_page and fits(full[-1].followed_by(section).text):
            section = full.pop().followed_by(section)
        full.append(section)
    return full


def lead(pages: Sequence[BaseNode]) -> str:
    """The text between the title and the next heading of a file, often who writes, and about what."""
    headings = pages[0].metadata.get("structure", {}).get("headings", [])
    if not headings or headings[0][2] > 1:
        return ""
    end = headings[1][0] if len(headings) > 1 else None
    return pages[0].get_content(MetadataMode.NONE)[headings[0][1] : end].strip()


def _under_headings(pages: Sequence[BaseNode]) -> Iterator[Section]:
    """Cut before every heading. A page without one goes on under the headings of the page before."""
    path: list[tuple[int, str]] = []
    for page in pages:
        text, number = page.get_content(MetadataMode.NONE), page.metadata["page_number"]
        headings = page.metadata.get("structure", {}).get("headings", [])
        ends = [heading[0] for heading in headings] + [len(text)]
        if before := text[: ends[0]].strip():
            yield Section(before, tuple(name for _, name in path), number, number)
        for (start, _, level, name), end in zip(headings, ends[1:], strict=True):
            path = [(above, title) for above, title in path if above < level] + [(level, name)]
            yield Section(text[start:end].strip(), tuple(name for _, name in path), number, number)


def _is_bare(section: Section) -> bool:
    """Whether it is nothing but headings."""
    return all(line.strip().lstrip("# ") in section.path for line in section.text.splitlines() if line.strip())


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]
