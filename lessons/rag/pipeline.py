"""A stage answers questions by a pipeline: transformers → filters → retriever → reranker → compressor → context."""

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.budget import Budget
from lessons.database.owners import retry_on_disconnect
from lessons.errors import LessonsError
from lessons.models.llm import KEYLESS, describe
from lessons.models.tokens import TokenEstimator
from lessons.rag.answer import Answer, allocate_context, conversation_memory, respond
from lessons.rag.catalog import only_file
from lessons.rag.context import ContextBuilder
from lessons.rag.llama_index import StageQueryEngine, StageRetriever, as_reranker, as_retriever
from lessons.rag.retrievers import ranked
from lessons.rag.types import (
    Compressor,
    Context,
    FilterInference,
    Filters,
    Query,
    QueryTransformer,
    Reranker,
    Resources,
    RetrievedDocument,
    Retriever,
    Scope,
)
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import settings
from lessons.text import normalize
from lessons.trace import Step, Trace

if TYPE_CHECKING:
    from lessons.agent import Agent
    from lessons.ingest.index import Index

logger = logging.getLogger(__name__)

WALKED = "Searched through the HNSW index, which may miss a nearer chunk."
CUT = (
    "The best passage does not fit in the {0} tokens for documents, so at most its beginning was used; "
    "LESSONS_CONTEXT_TOKENS and the model's window limit them."
)


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """The steps from a question to the context of its answer. Only the retriever is required.

    It and the reranker may be LlamaIndex's, or functions: of the question, which gives nodes, or of question and
    documents, which gives documents.
    """

    retriever: Retriever
    query: tuple[QueryTransformer, ...] = ()
    filters: FilterInference | None = None
    reranker: Reranker | None = None
    compressor: Compressor | None = None
    context: ContextBuilder = field(default_factory=ContextBuilder)

    def __post_init__(self) -> None:
        if not hasattr(type(self.retriever), "search"):
            object.__setattr__(self, "retriever", as_retriever(self.retriever))
        if self.reranker is not None and not hasattr(type(self.reranker), "rerank"):
            object.__setattr__(self, "reranker", as_reranker(self.reranker))

    def run(self, query: Query, resources: Resources, trace: Trace) -> Context:
        """Find the context of a question; nothing retrieved gives the empty context."""
        documents = self.search(query, resources, trace)
        return self.pack(documents, replace(query, text=standalone(trace, query.text)), resources, trace)

    def search(self, query: Query, resources: Resources, trace: Trace) -> list[RetrievedDocument]:
        """Find the documents for a question, best first."""
        queries = [query.text]
        for transformer in self.query:
            with trace.step(type(transformer).__name__, queries) as step:
                queries = step.output = transformer.transform(queries, query, resources, step)
        if query.text not in queries and trace.answered.keys() - {KEYLESS}:
            queries = [*queries, query.text]  # a generative model may have made something else of it
        query, documents = self._narrow_and_search(queries, query, resources, trace)
        if self.reranker and query.rerank:
            with trace.step("rerank", documents) as step:
                alone = replace(query, text=queries[0])
                documents = step.output = self.reranker.rerank(alone, documents, resources, step)
        elif self.reranker:
            documents = ranked(documents)[: query.top_k]
        return documents

    @retry_on_disconnect
    def _narrow_and_search(
        self, queries: list[str], query: Query, resources: Resources, trace: Trace
    ) -> tuple[Query, list[RetrievedDocument]]:
        """Narrow the query by inferred filters and retrieve documents for it, in one transaction."""
        with resources.store.reading(query.scope) if self.filters else nullcontext():
            if self.filters:
                with trace.step("filters", queries) as step:
                    query = self.filters.narrow(queries, query, resources, step)
                    step.output = query.filters
            with trace.step("retrieve", queries) as step:
                documents = step.output = self.retriever.search(queries, query, resources)
                if any(document.approximate for document in documents):  # else every vector was compared
                    step.notes.append(WALKED)
        return query, documents

    def pack(self, documents: list[RetrievedDocument], query: Query, resources: Resources, trace: Trace) -> Context:
        """Pack the documents that fit, in their order; the beginning of the first if not even that fits.

        A pipeline with a compressor shortens them for the question first.
        """
        best = documents[:1]
        if self.compressor and self.context.overflows(documents):
            with trace.step("compress", documents) as step:
                documents = step.output = self.compressor.compress(query, documents, self.context, resources, step)
        with trace.step("context", documents) as step:
            context = self.context.build(documents)
            if best and context.empty:
                context = self.context.build(self.context.cut(best[0]))
                step.notes.append(CUT.format(f"{self.context.max_tokens:,}"))
            step.output = context
        return context


def standalone(trace: Trace, question: str) -> str:
    """Return the question as the step that completes a follow-up left it in a trace, or as it was put."""
    completed = (step.output for step in trace if step.name == "Condense" and step.output)
    return next(completed, [question])[0]


@dataclass(frozen=True, kw_only=True)
class Stage(Pipeline):
    """A pipeline over an index that answers questions. With an agent, a model decides how often it is searched.

    `prompt` takes the place of the usual prompt of the answer; its variables are `question`, `context` and, if it wants
    them, `memory` and `response_format`. The keyless model reads these, and not the prompt's own words.
    """

    name: str
    index: "Index"
    agent: "Agent | None" = None
    prompt: BasePromptTemplate | None = None
    workspace: Workspace | None = field(default=None, repr=False, compare=False)

    def but(self, name: str = "", **change: Any) -> Self:
        """Return a copy of this stage with some parts replaced, named `my …` by default."""
        return replace(self, name=name or f"my {self.name}", **change)

    def ask(self, question: str, **scope: Any) -> Answer:
        """Answer a question; the arguments are those of `stream`."""
        return self.stream(question, **scope).read()

    def stream(
        self,
        question: str,
        *,
        user: str | Scope | None = None,
        filters: Filters = None,
        source_file: str | None = None,
        history: Sequence[tuple[str, str]] = (),
        memory: str = "",
    ) -> "AnswerStream":
        """Answer piece by piece; `.answer` holds text, citations and trace once the pieces are read.

        `user` is the owner whose documents are searched, or a scope such as that of a plan. `source_file` limits the
        search to one of them; an unknown name is ignored with a warning. Of `history`, the last turns as (role,
        content), and `memory`, what is known from before, as much is used as fits. LessonsError for an empty question,
        or one too long for the window.
        """
        space = (self.workspace or workspace()).for_one_answer()
        text, warnings = cleaned(question)
        scope = Scope.of(user or space.settings.user)
        if source_file is not None:
            filters, unknown = only_file(source_file, filters, space.store(self.index), scope)
            warnings += unknown
        stage, query = self.within(Query(text, scope, filters, history=tuple(history), memory=memory), space.llm)
        answer = Answer(question=text, stage=self.name, model=describe(space.llm), warnings=warnings)
        return AnswerStream(answer, stage._answer(query, answer, space))

    def within(self, query: Query, llm: LLM) -> tuple[Self, Query]:
        """Fit the budget for documents, and the conversation of the query, into the window of a model.

        Raise LessonsError if it does not even hold the instructions and the question.
        """
        budget = Budget.of(llm)
        room = allocate_context(query.text, query.memory, query.history, self.context.max_tokens, budget)
        counter = budget.counter if isinstance(self.context.counter, TokenEstimator) else self.context.counter
        context = replace(self.context, max_tokens=room.documents, counter=counter)
        return replace(self, context=context), replace(query, history=room.history, memory=room.memory)

    def find(self, question: str, user: str | Scope | None = None) -> Context:
        """Return the context that an answer would get, without answering. Errors of the search are raised."""
        space = (self.workspace or workspace()).for_one_answer()
        scope = Scope.of(user or space.settings.user)
        query, trace = Query(cleaned(question)[0], scope), Trace()
        if not self.agent:
            return self.run(query, space.resources(self.index), trace)
        searching = self.agent.run(query, self, space.resources(self.index), trace)
        while True:
            try:
                next(searching)
            except StopIteration as finished:
                return finished.value

    def as_retriever(self, user: str | Scope | None = None) -> StageRetriever:
        """Return this stage as a retriever of LlamaIndex over the documents of one owner."""
        return StageRetriever(lambda question: self.find(question, user).documents)

    def as_query_engine(self, user: str | Scope | None = None) -> StageQueryEngine:
        """Return this stage as a query engine of LlamaIndex over the documents of one owner."""
        return StageQueryEngine(lambda question: self.ask(question, user=user))

    def _answer(self, query: Query, answer: Answer, space: Workspace) -> Iterator[str | Step]:
        answer.context = yield from self._retrieve(query, answer, space)
        question, memory = standalone(answer.trace, answer.question), conversation_memory(query.memory, query.history)
        yield from respond(answer, space.llm, question, memory=memory, prompt=self.prompt)

    def _retrieve(self, query: Query, answer: Answer, space: Workspace) -> Generator[Step, None, Context]:
        """Retrieve the context. A failure is logged and becomes a warning, and the answer goes on without context."""
        if not any(map(str.isalnum, query.text)):
            return Context()
        try:
            resources = space.resources(self.index)
            if self.agent:
                return (yield from self.agent.run(query, self, resources, answer.trace))
            return self.run(query, resources, answer.trace)
        except Exception as error:
            logger.error("retrieval failed: %s", error, exc_info=not isinstance(error, LessonsError))
            answer.searched = False
            answer.warnings.append(f"Nothing could be retrieved: {cause(error)}")
            return Context()


@dataclass
class AnswerStream:
    """Iterate over the pieces of an answer; stopping early keeps what was said."""

    answer: Answer
    pieces: Iterator[str | Step]

    def __iter__(self) -> Iterator[str]:
        return (piece for piece in self.pieces if isinstance(piece, str))

    def read(self) -> Answer:
        """Read all pieces and return the answer."""
        for _ in self.pieces:
            pass
        return self.answer

    def events(self) -> Iterator[str | Step]:
        """Iterate over the steps of an agent as they begin, then over the pieces of the text."""
        return self.pieces

    def close(self) -> None:
        """Stop the work that is still going on."""
        self.pieces.close()  # type: ignore[attr-defined]


def cleaned(question: str) -> tuple[str, list[str]]:
    text = normalize(question).strip()
    if not text:
        raise LessonsError("The question is empty; type one.")
    limit = settings().max_question_chars
    if len(text) <= limit:
        return text, []
    return text[:limit], [f"The question is longer than {limit:,} characters; the rest of it was not used."]


def cause(error: Exception) -> str:
    """Explain to the reader why a search failed."""
    if isinstance(error, LessonsError):
        return str(error)
    if isinstance(error, TimeoutError):
        return "the search took too long; ask again, or raise LESSONS_TOOL_TIMEOUT."
    return f"an unexpected error ({type(error).__name__}); the log has the details."


def changed(previous: Stage, following: Stage) -> list[str]:
    """List the names of the parts that differ from one stage to the next."""
    parts = [part.name for part in fields(Stage) if part.compare and part.name != "name"]
    return [part for part in parts if getattr(previous, part) != getattr(following, part)]


def difference(previous: Stage, following: Stage) -> str:
    """Describe what changed from one stage to the next, a line for each part."""
    return "\n".join(
        f"{part}: {getattr(previous, part)!r} → {getattr(following, part)!r}" for part in changed(previous, following)
    )
