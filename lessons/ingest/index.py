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

READERS = "readers 2"  # another name where files are read otherwise, so that stored ones are read anew
PLACE = ("user_id", "type", "ref_id", "chunk_index")
"""What every chunk's metadata says beside the page number. No model reads it: only the words count."""


class MetadataStamper(TransformComponent):
    """Says of each chunk whose it is, of what and where in it, and gives it an id: the same whenever it is ingested."""

    index: str
    user_id: str
    type: str = "document"

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        placed = Counter[str]()
        for node in nodes:
            source = source_of(node)
            place = (self.user_id, self.type, source, placed[source])
            placed[source] += 1
            hidden = PLACE if "source_file" in node.metadata else ("source_file", *PLACE)
            node.metadata = {"source_file": source, **node.metadata, **dict(zip(PLACE, place, strict=True))}
            node.metadata.pop("structure", None)  # that is of the page
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *hidden]
            node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *hidden]
            what = [self.index, self.user_id, source, str(place[-1]), node.get_content()]
            node.id_ = sha256("\x1f".join(what).encode()).hexdigest()[:32]
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


def as_transformation(given: Any) -> TransformComponent:
    """A transformation of LlamaIndex, or a function of a text that gives its pieces; LessonsError for anything else."""
    if isinstance(given, TransformComponent):
        return given
    if callable(given) and not isinstance(given, type):
        return FunctionSplitter(cut=given, source=_source(given))
    raise LessonsError(
        f"{given!r} is no splitter; take a transformation of LlamaIndex, or a function of a text that gives its pieces."
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
        """Whether a model adds something to the chunks, which LlamaIndex's extractors do."""
        return any(isinstance(each, BaseExtractor) for each in self.transformations)

    def enriched(self, level: Enrichment, llm: LLM) -> "Index":
        """The same index with its chunks enriched so far by this model; one that never enriches stays as it is."""
        if not self.can_enrich:
            return self
        cut = [each for each in self.transformations if not isinstance(each, BaseExtractor)]
        return replace(self, transformations=(*cut, *extractors(level, llm)))

    def pipeline(
        self, user_id: str, type: str | None = None, embedding: BaseEmbedding | None = None
    ) -> IngestionPipeline:
        """The steps for an owner's documents of a type, as LlamaIndex runs them; with a model, chunks are embedded.

        `run(documents=…)` books calls to a model on a `step`, and tells `advance` what is made for how many chunks.
        """
        placer = MetadataStamper(index=self.name, user_id=user_id, type=type or settings().document_type)
        last = [Embedder(model=embedding)] if embedding else []
        steps = [*self.transformations, placer, *last]
        return IngestionPipeline(transformations=steps, disable_cache=True)  # vectors are cached by a chunk's words

    def chunks(
        self, documents: Sequence[Document], user_id: str, type: str | None = None, **told: Any
    ) -> list[BaseNode]:
        """The documents of one file as chunks without vectors; `step` and `advance` are told as in `pipeline`."""
        return list(self.pipeline(user_id, type).run(documents=list(documents), in_place=False, **told))

    def fingerprint(self, content_hash: str, type: str | None = None) -> str:
        """Changes when the file, its type, the way it is cut or what a chunk knows changes: then it is read anew."""
        recipe = "".join(transformation.to_json() for transformation in self.transformations)
        place = " ".join([*PLACE, READERS, type or settings().document_type])
        return sha256((recipe + place + content_hash).encode()).hexdigest()


def naive_index() -> Index:
    """800 tokens, no overlap, nothing but the words themselves."""
    chosen = settings()
    splitter = TokenTextSplitter(chunk_size=chosen.naive_chunk_tokens, chunk_overlap=chosen.naive_chunk_overlap)
    return Index("naive", (splitter,))


def enhanced_index(name: str = "enhanced", embedded: tuple[str, ...] = HEADER) -> Index:
    """Sections of at most 500 tokens, 100 of them repeated, under the metadata in `embedded`, enriched by rules."""
    chosen = settings()
    sizes = {"chunk_size": chosen.chunk_tokens, "chunk_overlap": chosen.chunk_overlap}
    splitter = SectionSplitter(**sizes, shortest=chosen.shortest_chunk, embedded=embedded)
    return Index(name, (splitter, Classifier()), can_enrich=True).enriched("full", OfflineLLM())


def ingredients() -> list[Index]:
    """From the naive index to the enhanced one, one ingredient at a time, and two that embed more: for an ablation."""
    size, overlap = settings().chunk_tokens, settings().chunk_overlap
    return [
        Index("smaller", (SentenceSplitter(chunk_size=size, chunk_overlap=0),)),
        Index("overlapping", (SentenceSplitter(chunk_size=size, chunk_overlap=overlap),)),
        enhanced_index("sections", embedded=()),
        enhanced_index(),  # with a header
        enhanced_index("keywords", embedded=(*HEADER, "keywords")),
        enhanced_index("summary", embedded=(*HEADER, "section_summary")),
    ]
