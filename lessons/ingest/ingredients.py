"""From the naive index to the enhanced one, one ingredient at a time: what an ablation compares."""

from dataclasses import replace

from llama_index.core.node_parser import SentenceSplitter

from lessons.ingest.index import Index, enhanced_index
from lessons.ingest.split import HEADER
from lessons.settings import settings


def ingredients() -> list[Index]:
    """Smaller chunks, overlap, sections, a header (the enhanced index itself), and two that embed more: what the words
    of the chunk already say once more as keywords, and its summary.
    """
    chosen = settings()
    smaller, overlapping = (
        Index(name, (SentenceSplitter(chunk_size=chosen.chunk_tokens, chunk_overlap=overlap),))
        for name, overlap in (("smaller", 0), ("overlapping", chosen.chunk_overlap))
    )
    more = [_embedding("keywords", (*HEADER, "keywords")), _embedding("summary", (*HEADER, "section_summary"))]
    return [smaller, overlapping, _embedding("sections", ()), enhanced_index(), *more]


def _embedding(name: str, embedded: tuple[str, ...]) -> Index:
    """The enhanced index with other metadata above its chunks."""
    index = enhanced_index()
    splitter, *rest = index.transformations
    return replace(index, name=name, transformations=(splitter.model_copy(update={"embedded": embedded}), *rest))
