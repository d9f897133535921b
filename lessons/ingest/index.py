"""An index: how documents become chunks. A stage that changes its index changes nothing else.

Every step is a `TransformComponent` of LlamaIndex: ours go into any `IngestionPipeline`, and any of theirs into ours. A
function of a text that gives its pieces becomes one, too: `Index("paragraphs", (lambda text: text.split("\\n\\n"),))`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from inspect import getsource
from typing import Any

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.extractors import BaseExtractor
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import LLM
from llama_index.core.node_parser import SentenceSplitter, TextSplitter, TokenTextSplitter
from llama_index.core.schema import BaseNode, Document, TransformComponent
from pydantic import Field

from lessons.errors import LessonsError
from lessons.ingest.classify import Classifier
from lessons.ingest.enrich import Enrichment, OnProgress, extractors
from lessons.ingest.split import HEADER, SectionSplitter, source_of
from lessons.models.keyless import OfflineLLM
from lessons.settings import settings

READER_VERSION = "readers 3"  # another name where files are read otherwise, so that stored ones are read anew
STAMPED = ("user_id", "type", "ref_id", "chunk_index")
"""What every chunk's metadata says beside the page number. No model reads it: only the words count."""


class MetadataStamper(TransformComponent):
    """Says of each chunk whose it is, of what and where in it, and gives it an id: the same whenever it is ingested."""

    index: str
    user_id: str
    type: str = "document"

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        counts = Counter[str]()
        for node in nodes:
            source = source_of(node)
            key_values = (self.user_id, self.type, source, counts[source])
            counts[source] += 1
            hidden = STAMPED if "source_file" in node.metadata else ("source_file", *STAMPED)
            node.metadata = {"source_file": source, **node.metadata, **dict(zip(STAMPED, key_values, strict=True))}
            node.metadata.pop("structure", None)  # that is of the page
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *hidden]
            node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *hidden]
            identity = [self.index, self.user_id, source, str(key_values[-1]), node.get_content()]
            node.id_ = sha256("\x1f".join(identity).encode()).hexdigest()[:32]
        return list(nodes)


class Embedder(TransformComponent):
    """Embeds chunks by any model of LlamaIndex as it would itself, and tells after each batch how far it is."""

    model: BaseEmbedding

    def __call__(self, nodes: Sequence[BaseNode], advance: OnProgress | None = None, **_: Any) -> list[BaseNode]:
        size = self.model.embed_batch_size
        for first in range(0, len(nodes), size):
            if advance:
                advance("embedding", first, len(nodes))
            self.model(nodes[first : first + size])
        return list(nodes)


class FunctionSplitter(TextSplitter):
    """The pieces that a function gives of a text, or the one text that it gives, each with the page's metadata."""

    cut: Callable[[str], Iterable[str]] = Field(exclude=True)
    source: str  # of the function: another one cuts anew

    def split_text(self, text: str) -> list[str]:
        pieces = self.cut(text)
        return [piece for piece in ([pieces] if isinstance(pieces, str) else pieces) if piece.strip()]


def as_transformation(transformation: Any) -> TransformComponent:
    """Accept a transformation of LlamaIndex, or a function that splits a text; LessonsError for anything else."""
    if isinstance(transformation, TransformComponent):
        return transformation
    if callable(transformation) and not isinstance(transformation, type):
        return FunctionSplitter(cut=transformation, source=_source(transformation))
    raise LessonsError(
        f"{transformation!r} is no splitter; "
        "take a transformation of LlamaIndex, or a function of a text that gives its pieces."
    )


def _source(function: Callable) -> str:
    try:
        return getsource(function)
    except (OSError, TypeError):  # typed into a shell, or an object that can be called
        return getattr(function, "__qualname__", type(function).__qualname__)


@dataclass(frozen=True)
class Index:
    """A name and the transformations that turn documents into chunks: LlamaIndex's, or functions that cut a text."""

    name: str
    transformations: tuple[TransformComponent, ...] = field(repr=False)
    can_enrich: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "transformations", tuple(map(as_transformation, self.transformations)))

    @property
    def enriches(self) -> bool:
        """Whether a model adds metadata to the chunks, which LlamaIndex's extractors do."""
        return any(isinstance(transformation, BaseExtractor) for transformation in self.transformations)

    def enriched(self, level: Enrichment, llm: LLM) -> "Index":
        """Return the index with its chunks enriched by this model; one that never enriches stays as it is."""
        if not self.can_enrich:
            return self
        splitting = [step for step in self.transformations if not isinstance(step, BaseExtractor)]
        return replace(self, transformations=(*splitting, *extractors(level, llm)))

    def pipeline(
        self, user_id: str, type: str | None = None, embedding: BaseEmbedding | None = None
    ) -> IngestionPipeline:
        """Make the LlamaIndex pipeline for an owner's documents of a type; with an `embedding`, chunks are embedded.

        `run(documents=…)` books calls to a model on a `step`, and tells `advance` what is made for how many chunks.
        """
        stamper = MetadataStamper(index=self.name, user_id=user_id, type=type or settings().document_type)
        last = [Embedder(model=embedding)] if embedding else []
        steps = [*self.transformations, stamper, *last]
        return IngestionPipeline(transformations=steps, disable_cache=True)  # vectors are cached by a chunk's words

    def chunks(
        self, documents: Sequence[Document], user_id: str, type: str | None = None, **options: Any
    ) -> list[BaseNode]:
        """Cut the documents of one file into chunks without vectors; `step` and `advance` work as in `pipeline`."""
        return list(self.pipeline(user_id, type).run(documents=list(documents), in_place=False, **options))

    def fingerprint(self, content_hash: str, type: str | None = None) -> str:
        """Return a hash of the file, its type and the recipe: when it changes, the file is read anew."""
        recipe = "".join(transformation.to_json() for transformation in self.transformations)
        version = " ".join([*STAMPED, READER_VERSION, type or settings().document_type])
        return sha256((recipe + version + content_hash).encode()).hexdigest()


def naive_index() -> Index:
    """Make chunks of 800 tokens, no overlap, nothing but the words themselves."""
    configured = settings()
    splitter = TokenTextSplitter(chunk_size=configured.naive_chunk_tokens, chunk_overlap=configured.naive_chunk_overlap)
    return Index("naive", (splitter,))


def enhanced_index(name: str = "enhanced", embedded: tuple[str, ...] = HEADER) -> Index:
    """Make sections of at most 500 tokens, 100 of them repeated, under the metadata in `embedded`."""
    configured = settings()
    sizes = {"chunk_size": configured.chunk_tokens, "chunk_overlap": configured.chunk_overlap}
    splitter = SectionSplitter(**sizes, shortest=configured.shortest_chunk, embedded=embedded)
    return Index(name, (splitter, Classifier()), can_enrich=True).enriched("full", OfflineLLM())


def ingredients() -> list[Index]:
    """List the indexes of an ablation: from naive to enhanced, one ingredient at a time, and two that embed more."""
    size, overlap = settings().chunk_tokens, settings().chunk_overlap
    return [
        Index("smaller", (SentenceSplitter(chunk_size=size, chunk_overlap=0),)),
        Index("overlapping", (SentenceSplitter(chunk_size=size, chunk_overlap=overlap),)),
        enhanced_index("sections", embedded=()),
        enhanced_index(),  # with a header
        enhanced_index("keywords", embedded=(*HEADER, "keywords")),
        enhanced_index("summary", embedded=(*HEADER, "section_summary")),
    ]
