"""Row B2: chunks that keep to sections and pages, and that know where they come from."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, TextNode, TransformComponent

from lessons.ingest.sections import Section, lead, sections
from lessons.text import cut_sentences, sentences

EMBEDDED = ("title", "about", "section")
"""Metadata that is embedded with a chunk, because its text alone has lost its subject. None of it is displayed."""

ABOUT_CHARS = 200  # of the lines between a title and the first section


class SectionSplitter(TransformComponent):
    """Cuts the pages of one file into chunks of at most `chunk_size` tokens that never leave their section.

    LlamaIndex's `SentenceSplitter` cuts a longer section, with `chunk_overlap` tokens repeated; ours are its sentences,
    which know Korean ends. Sections shorter than `shortest` characters are joined with their neighbours.
    """

    chunk_size: int
    chunk_overlap: int
    shortest: int

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        splitter = SentenceSplitter(
            chunk_size=self.chunk_size, chunk_overlap=self.chunk_overlap, chunking_tokenizer_fn=cut_sentences
        )
        found = sections(nodes, self.shortest)
        document = _document_metadata(nodes)
        return [
            _chunk(text, section, document)
            for section in found
            for text in _lengthened(splitter.split_text(section.text), self.shortest)
        ]


def _document_metadata(pages: Sequence[BaseNode]) -> dict[str, Any]:
    """What all chunks of a file share: its name and type, and as far as they are known title, subject and date."""
    first = pages[0].metadata
    structure = first.get("structure", {})
    known = {"title": structure.get("title"), "about": _about(lead(pages)), "date": structure.get("date")}
    found = {key: value for key, value in known.items() if value}
    return {"source_file": first["source_file"], "file_type": first["file_type"], **found}


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


def _chunk(text: str, section: Section, document: dict[str, Any]) -> TextNode:
    path = [heading for heading in section.path if heading != document.get("title")]
    place: dict[str, Any] = {"page_number": section.page}
    if section.last_page != section.page:
        place["last_page"] = section.last_page
    if path:
        place["section"] = " > ".join(path)
    metadata = document | place
    return TextNode(
        text=text,
        metadata=metadata,
        excluded_embed_metadata_keys=[key for key in metadata if key not in EMBEDDED],
        excluded_llm_metadata_keys=list(metadata),
        metadata_template="{value}",
    )
