"""The pipeline: query transformers → filters → retriever → reranker → compressor → context builder."""

from dataclasses import dataclass, field, replace

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor

from lessons.models.call import KEYLESS
from lessons.rag.adapters import LlamaRetriever
from lessons.rag.context import ContextBuilder
from lessons.rag.retrievers import ranked
from lessons.rag.types import (
    Compressor,
    Context,
    FilterInference,
    Query,
    QueryTransformer,
    Reranker,
    Resources,
    RetrievedDocument,
    Retriever,
)
from lessons.search.rerankers import Postprocessed
from lessons.trace import Trace

WALKED = "Searched through the HNSW index, which may miss a nearer chunk."


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """What is done to a question before a model answers it. Only the retriever is required.

    A retriever or node postprocessor of LlamaIndex may stand for the retriever or the reranker.
    """

    retriever: Retriever
    query: tuple[QueryTransformer, ...] = ()
    filters: FilterInference | None = None
    reranker: Reranker | None = None
    compressor: Compressor | None = None
    context: ContextBuilder = field(default_factory=ContextBuilder)

    def __post_init__(self) -> None:
        if isinstance(self.retriever, BaseRetriever):
            object.__setattr__(self, "retriever", LlamaRetriever(self.retriever))
        if isinstance(self.reranker, BaseNodePostprocessor):
            object.__setattr__(self, "reranker", Postprocessed(self.reranker))

    def run(self, query: Query, resources: Resources, trace: Trace) -> Context:
        """Find the context of a question; nothing retrieved gives the empty context."""
        documents = self.search(query, resources, trace)
        return self.pack(documents, replace(query, text=standalone(trace, query.text)), resources, trace)

    def search(self, query: Query, resources: Resources, trace: Trace) -> list[RetrievedDocument]:
        """The documents for a question, best first."""
        queries = [query.text]
        for transformer in self.query:
            with trace.step(type(transformer).__name__, queries) as step:
                queries = step.output = transformer.transform(queries, query, resources, step)
        if query.text not in queries and trace.answered.keys() - {KEYLESS}:
            queries = [*queries, query.text]  # a generative model may have made something else of it
        if self.filters:
            with trace.step("filters", queries) as step:
                query = self.filters.narrow(queries, query, resources, step)
                step.output = query.filters
        with trace.step("retrieve", queries) as step:
            documents = step.output = self.retriever.retrieve(queries, query, resources)
            if any(document.approximate for document in documents):  # else every vector was compared
                step.notes.append(WALKED)
        if self.reranker and query.rerank:
            with trace.step("rerank", documents) as step:
                alone = replace(query, text=queries[0])
                documents = step.output = self.reranker.rerank(alone, documents, resources, step)
        elif self.reranker:
            documents = ranked(documents)[: query.top_k]
        return documents

    def pack(self, documents: list[RetrievedDocument], query: Query, resources: Resources, trace: Trace) -> Context:
        """The documents that fit, in their order; shortened for the question first, if the pipeline compresses."""
        if self.compressor and self.context.overflows(documents):
            with trace.step("compress", documents) as step:
                documents = step.output = self.compressor.compress(query, documents, self.context, resources, step)
        with trace.step("context", documents) as step:
            context = step.output = self.context.build(documents)
        return context


def standalone(trace: Trace, question: str) -> str:
    """The question as the step that completes a follow-up left it in a trace, or as it was put."""
    completed = (step.output for step in trace if step.name == "Compress" and step.output)
    return next(completed, [question])[0]
