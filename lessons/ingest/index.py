"""An index: how documents become chunks. A stage that changes its index changes nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from llama_index.core.extractors import BaseExtractor
from llama_index.core.ingestion import run_transformations
from llama_index.core.llms import LLM
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.schema import BaseNode, Document, TransformComponent

from lessons.ingest.classify import Classifier
from lessons.ingest.enrich.extractors import Advance, Enrichment, extractors
from lessons.ingest.split import SectionSplitter
from lessons.models.keyless import OfflineLLM
from lessons.settings import settings
from lessons.trace import Step

PLACE = ("user_id", "type", "ref_id", "chunk_index")
"""What every chunk's metadata says beside the page number. No model reads it: only the words count."""


@dataclass(frozen=True)
class Index:
    """A name and the LlamaIndex transformations that turn documents into chunks."""

    name: str
    transformations: tuple[TransformComponent, ...] = field(repr=False)
    can_enrich: bool = field(default=False, repr=False)

    def at(self, level: Enrichment, llm: LLM) -> "Index":
        """The same index with its chunks enriched so far by this model; one that never enriches stays as it is."""
        if not self.can_enrich:
            return self
        cut = [each for each in self.transformations if not isinstance(each, BaseExtractor)]
        return replace(self, transformations=(*cut, *extractors(level, llm)))

    def chunks(
        self,
        documents: Sequence[Document],
        user_id: str,
        type: str | None = None,
        step: Step | None = None,
        advance: Advance | None = None,
    ) -> list[BaseNode]:
        """Cut documents of one file into chunks that say whose they are, of what, and where in it.

        Their ids derive from their content. `ref_id`, the name of the material, is its `source_file`. Calls to a model
        are booked on `step`; `advance` is told what is made, and for how many of the chunks it is.
        """
        nodes = list(run_transformations(documents, self.transformations, in_place=False, step=step, advance=advance))
        for position, node in enumerate(nodes):
            node.metadata.pop("structure", None)  # of the page, not of the chunk
            place = (user_id, type or settings().document_type, node.metadata["source_file"], position)
            node.metadata = {**node.metadata, **dict(zip(PLACE, place, strict=True))}
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *PLACE]
            node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *PLACE]
            node.id_ = chunk_id(self.name, node)
        return nodes

    def fingerprint(self, content_hash: str, type: str | None = None) -> str:
        """Changes when the file, its type, the way it is cut or what a chunk knows changes: then it is read anew."""
        recipe = "".join(transformation.to_json() for transformation in self.transformations)
        place = " ".join([*PLACE, "sections", type or settings().document_type])
        return sha256((recipe + place + content_hash).encode()).hexdigest()


def chunk_id(index_name: str, node: BaseNode) -> str:
    """The same text at the same place of the same owner's file has the same id, whenever it is ingested."""
    place = [index_name, *(str(node.metadata[key]) for key in ("user_id", "source_file", "chunk_index"))]
    return sha256("\x1f".join([*place, node.get_content()]).encode()).hexdigest()[:32]


def naive_index() -> Index:
    """800 tokens, no overlap, nothing but the words themselves."""
    chosen = settings()
    splitter = TokenTextSplitter(chunk_size=chosen.naive_chunk_tokens, chunk_overlap=chosen.naive_chunk_overlap)
    return Index("naive", (splitter,))


def enhanced_index(level: Enrichment = "full", llm: LLM | None = None) -> Index:
    """Sections of at most 500 tokens, 100 of them repeated, embedded under their title and headings.

    Without an `llm` the keyless model enriches them.
    """
    chosen = settings()
    splitter = SectionSplitter(
        chunk_size=chosen.chunk_tokens, chunk_overlap=chosen.chunk_overlap, shortest=chosen.shortest_chunk
    )
    return Index("enhanced", (splitter, Classifier()), can_enrich=True).at(level, llm or OfflineLLM())
