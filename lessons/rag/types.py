"""What travels along the path of a question: a query within a scope goes in, documents come out, and a context."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import TextClause, text

from lessons.errors import LessonsError
from lessons.models.tokens import TokenEstimator
from lessons.rag.filters import filter_sql
from lessons.settings import settings
from lessons.text import normalize
from lessons.text.sources import Pages, pages_of
from lessons.trace import Step

if TYPE_CHECKING:
    from lessons.rag.store import ChunkStore


MODEL_METADATA = ("title", "section", "date")
"""Metadata that a model is shown beside the text of a chunk."""

Filters = MetadataFilters | None
_IN_DOCUMENTS = (
    "document_id IN (SELECT id FROM documents WHERE index_table = :index_table AND user_id = :user_id"
    " AND source_file = ANY (cast(:ref_ids AS text[])))"
)
_UNUSABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Scope:
    """What a search may see: the owner's chunks, all of them or those of some materials (`ref_ids`) or of one type."""

    user_id: str
    ref_ids: frozenset[str] | None = None
    type: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.user_id, str) or not self.user_id.strip() or _UNUSABLE.search(self.user_id):
            raise LessonsError("The owner's name is empty or holds control characters; name the owner.")

    @classmethod
    def of(cls, owner: "str | Scope") -> "Scope":
        """Return the scope of all that an owner has, or the scope itself."""
        return owner if isinstance(owner, Scope) else cls(owner)

    def only(self, ref_ids: Iterable[str]) -> "Scope":
        """Narrow the scope to these materials; it never becomes wider."""
        names = frozenset(map(normalize, ref_ids))
        return replace(self, ref_ids=names if self.ref_ids is None else names & self.ref_ids)

    def holds(self, source_file: str, type: str | None) -> bool:
        """Return True if the owner's chunks of this material and type are within the scope."""
        return (self.ref_ids is None or source_file in self.ref_ids) and self.type in (None, type)


@dataclass(frozen=True)
class WhereClause:
    """A SQL condition on the chunks table with its bound values. `narrow` is False if it selects all of an owner's."""

    sql: str
    values: dict[str, Any]
    narrow: bool

    @classmethod
    def of(cls, table: str, scope: Scope, filters: Filters = None, language: str | None = None) -> "WhereClause":
        """Build the condition for a table of chunks; `ref_ids` of the scope are names of its documents."""
        parts: list[tuple[str, dict[str, Any]]] = [("user_id = :user_id", {"user_id": scope.user_id})]
        if scope.ref_ids is not None:
            parts.append((_IN_DOCUMENTS, {"index_table": table, "ref_ids": sorted(scope.ref_ids)}))
        if scope.type is not None:
            parts.append(("metadata_ ->> 'type' = :type", {"type": scope.type}))
        if language is not None:
            parts.append(("metadata_ ->> 'language' = :language", {"language": language}))
        if filters is not None:
            parts.append(filter_sql(filters))
        values = {name: value for _, bound in parts for name, value in bound.items()}
        return cls(" AND ".join(condition for condition, _ in parts), values, narrow=len(parts) > 1)

    @property
    def clause(self) -> TextClause:
        """The condition for a statement that SQLAlchemy builds."""
        return text(self.sql).bindparams(**self.values)


@dataclass(frozen=True)
class Query:
    """A question within the scope of its owner. `top_k` documents are wanted; `rerank=False` keeps score order."""

    text: str
    scope: Scope
    filters: Filters = None
    top_k: int = field(default_factory=lambda: settings().top_k)
    rerank: bool = True
    history: tuple[tuple[str, str], ...] = ()  # (role, content), oldest first
    memory: str = ""  # what is known from before these turns: profile, entities, summary


@dataclass(slots=True)  # not frozen, which takes three times as long: a search makes hundreds
class RetrievedDocument:
    """One chunk that was found, with its similarity or relevance score."""

    id: str
    content: str
    score: float
    source: str
    metadata: dict[str, Any] = field(default_factory=dict)
    legs: dict[str, float] = field(default_factory=dict)  # the scores of the single searches that a fusion combined
    approximate: bool = False  # met by walking an HNSW index, which may have missed a nearer one
    stored_content: str = field(default="", repr=False, compare=False)  # what was stored, where `content` is shorter

    @classmethod
    def of(cls, scored_node: NodeWithScore, rank: int) -> "RetrievedDocument":
        """Convert a node of LlamaIndex. Without a score it gets 1 / (1 + rank)."""
        node, score = scored_node.node, scored_node.score if scored_node.score is not None else 1 / (1 + rank)
        source = node.metadata.get("source_file") or node.metadata.get("file_name") or node.ref_doc_id or node.node_id
        return cls(node.node_id, node.get_content(), score, str(source), node.metadata)

    @property
    def node(self) -> NodeWithScore:
        """The chunk as LlamaIndex has it; of its metadata, models read `SHOWN` beside its text."""
        hidden = [key for key in self.metadata if key not in MODEL_METADATA]
        keys = {"excluded_embed_metadata_keys": hidden, "excluded_llm_metadata_keys": hidden}
        chunk = TextNode(id_=self.id, text=self.content, metadata=self.metadata, **keys)
        return NodeWithScore(node=chunk, score=self.score)

    @property
    def estimated_tokens(self) -> int:
        return TokenEstimator().count(self.content)

    @property
    def page(self) -> int | None:
        return next(iter(self.pages()), None)

    def pages(self, quote: str | None = None) -> Pages:
        """Return first and last page of a quote, or of the content; those of the chunk if the quote is not there."""
        return pages_of(self.metadata, self.stored_content or self.content, self.content if quote is None else quote)

    def shortened(self, content: str) -> "RetrievedDocument":
        """Return a copy with a part of its text, which keeps its pages."""
        return replace(self, content=content, stored_content=self.stored_content or self.content)

    def with_score(self, score: float, legs: dict[str, float] | None = None) -> "RetrievedDocument":
        """Return a copy with another score. (`dataclasses.replace` takes five times as long.)"""
        fields = self.source, self.metadata, self.legs if legs is None else legs, self.approximate, self.stored_content
        return RetrievedDocument(self.id, self.content, score, *fields)


Documents = Sequence[RetrievedDocument]


@dataclass(frozen=True)
class Context:
    """The documents that fit, as one text for the prompt."""

    text: str = ""
    documents: tuple[RetrievedDocument, ...] = ()
    total_tokens: int = 0

    @property
    def empty(self) -> bool:
        return not self.documents


@dataclass(frozen=True)
class Resources:
    """What the steps of a pipeline work with: the chunks of the stage's index and the two models."""

    store: "ChunkStore"
    embedding: BaseEmbedding
    llm: LLM


class QueryTransformer(Protocol):
    """Turns the queries so far into other queries."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]: ...


class FilterInference(Protocol):
    """Narrows a query by filters that its question implies."""

    def narrow(self, queries: list[str], query: Query, resources: Resources, step: Step) -> Query: ...


class Retriever(Protocol):
    """Finds documents for one or more phrasings of a question, best first, each once."""

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]: ...


class Reranker(Protocol):
    """Puts documents in a better order for a question that stands alone, and may drop some."""

    def rerank(
        self, query: Query, documents: Documents, resources: Resources, step: Step
    ) -> list[RetrievedDocument]: ...


class Builder(Protocol):
    """Joins documents into a context within a budget."""

    @property
    def max_tokens(self) -> int: ...

    def build(self, documents: Documents) -> Context: ...

    def overflows(self, documents: Documents) -> bool: ...


class Compressor(Protocol):
    """Shortens documents that do not fit the builder's context to what matters for a question that stands alone."""

    def compress(
        self, query: Query, documents: Documents, builder: Builder, resources: Resources, step: Step
    ) -> list[RetrievedDocument]: ...
