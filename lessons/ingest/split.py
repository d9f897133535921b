"""Chunks that keep to sections and pages, and that know where they come from."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, MetadataMode, TextNode, TransformComponent
from llama_index.core.utils import get_tokenizer

from lessons.ingest.sections import Section, lead, packed, sections
from lessons.text import cut_sentences, language, sentences

HEADER = ("title", "about", "section")
"""Metadata that gives a chunk its lost subject back: embedded above it, as far as it has any, and never displayed."""

ABOUT_CHARS = 200  # of the lines between a title and the first section


class Chunk(TextNode):
    """A piece of a section. It is embedded under the metadata named in `embedded`, and displayed plain."""

    embedded: tuple[str, ...] = HEADER

    def get_metadata_str(self, mode: MetadataMode = MetadataMode.ALL) -> str:
        """The values of `embedded` that the text does not say itself, for the embedding; nothing for other readers."""
        if mode is not MetadataMode.EMBED:
            return ""
        values = [self.metadata[key] for key in self.embedded if self.metadata.get(key)]
        lines = [", ".join(value) if isinstance(value, list) else value for value in values]
        said = " ".join(self.text.split())
        return "\n".join(line for line in lines if " ".join(line.split()) not in said)


class SectionSplitter(TransformComponent):
    """Cuts the pages of one file into chunks of at most `chunk_size` tokens: whole sections as far as they fit.

    LlamaIndex's `SentenceSplitter` cuts a longer section, with `chunk_overlap` tokens repeated; ours are its sentences,
    which know Korean ends. A chunk leaves its page only where a section is shorter than `shortest` characters.
    """

    chunk_size: int
    chunk_overlap: int
    shortest: int
    embedded: tuple[str, ...] = HEADER

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        splitter = SentenceSplitter(
            chunk_size=self.chunk_size, chunk_overlap=self.chunk_overlap, chunking_tokenizer_fn=cut_sentences
        )
        tokenizer = get_tokenizer()
        found = packed(sections(nodes, self.shortest), lambda text: len(tokenizer(text)) <= self.chunk_size)
        document = _document_metadata(nodes)
        return [
            Chunk(text=text, metadata=document | _place(section, document), embedded=self.embedded)
            for section in found
            for text in _lengthened(splitter.split_text(section.text), self.shortest)
        ]


def _document_metadata(pages: Sequence[BaseNode]) -> dict[str, Any]:
    """What all chunks of a file share: its name and type, and as far as they are known title, subject and date."""
    first = pages[0].metadata
    structure = first.get("structure", {})
    known = {"title": structure.get("title"), "about": _about(lead(pages)), "date": structure.get("date")}
    found = {key: value for key, value in known.items() if value}
    written = language("\n".join(page.get_content(MetadataMode.NONE) for page in pages))
    return {"source_file": first["source_file"], "file_type": first["file_type"], "language": written, **found}


def _about(text: str) -> str:
    """The first sentences of the lead, as many as `ABOUT_CHARS` hold."""
    kept = ""
    for sentence in sentences(text):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > ABOUT_CHARS:
            break
        kept = longer
    return kept


def _lengthened(texts: list[str], shortest: int) -> list[str]:
    """A last piece that is too short begins some sentences earlier, in the piece before it."""
    if len(texts) > 1 and len(texts[-1]) < shortest:
        last, earlier = texts[-1], cut_sentences(texts[-2])
        while earlier and len(last) < shortest:
            last = earlier.pop() + last
        texts = [*texts[:-1], last.strip()]
    return texts


def _place(section: Section, document: dict[str, Any]) -> dict[str, Any]:
    """The pages of a chunk, the headings above all of it but for the title, and those of each section it holds."""

    def written(path: tuple[str, ...]) -> str:
        return " > ".join(heading for heading in path if heading != document.get("title"))

    place: dict[str, Any] = {"page_number": section.page}
    if section.last_page != section.page:
        place["last_page"] = section.last_page
    if path := written(section.path):
        place["section"] = path
    if paths := list(dict.fromkeys(filter(None, map(written, section.paths)))):
        place["sections"] = paths
    return place
