"""Parts of LlamaIndex in the path of a question, and the path as parts of LlamaIndex.

    stage.but(retriever=any_retriever_of_llama_index)        stage.but(retriever=function_of_the_question)
    stage.as_retriever(user="me")                            stage.as_query_engine(user="me")

Whatever goes in or comes out through here stays with its owner.
"""

from asyncio import to_thread
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle

from lessons.errors import LessonsError
from lessons.rag.answer import Answer
from lessons.rag.retrievers import ScopedRetriever, merge
from lessons.rag.types import Documents, Query, Reranker, Resources, RetrievedDocument
from lessons.text import normalize
from lessons.trace import Step


@dataclass(frozen=True)
class LlamaRetriever(ScopedRetriever):
    """What finds nodes of LlamaIndex for a question, as the retriever of a stage; asked once for each phrasing.

    It searches what it was made for, so neither the filters of the question nor its scope narrow that; what is not
    within the scope's materials and type, or says in its metadata that it belongs to another owner, is left out.
    """

    find: Callable[[str], Sequence[NodeWithScore]]

    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        nodes = chain.from_iterable(enumerate(self.find(text)) for text in queries)
        documents = [RetrievedDocument.of(node, rank) for rank, node in nodes]
        owned = [match for match in documents if match.metadata.get("user_id") in (None, query.scope.user_id)]
        within = [match for match in owned if query.scope.holds(normalize(match.source), match.metadata.get("type"))]
        return sorted(merge(within), key=lambda document: -document.score)


def as_retriever(retriever: Any) -> LlamaRetriever:
    """Wrap a retriever of LlamaIndex, or a function from a question to nodes. Raise LessonsError for anything else."""
    if isinstance(retriever, BaseRetriever):
        return LlamaRetriever(retriever.retrieve)
    if callable(retriever) and not isinstance(retriever, type):
        return LlamaRetriever(retriever)
    raise LessonsError(
        f"{retriever!r} is no retriever; take an object with `search`, a retriever of LlamaIndex, or a function of the "
        "question that gives its nodes."
    )


def as_reranker(reranker: Any) -> Reranker:
    """Wrap a postprocessor of LlamaIndex, or a function of question and documents. Raise LessonsError for others."""
    if isinstance(reranker, BaseNodePostprocessor):
        return Postprocessed(reranker)
    if callable(reranker) and not isinstance(reranker, type):
        return Ordered(reranker)
    raise LessonsError(
        f"{reranker!r} is no reranker; take an object with `rerank`, a node postprocessor of LlamaIndex, or a function "
        "of question and documents that gives documents."
    )


@dataclass(frozen=True)
class Ordered:
    """The documents that a function of question and documents gives, in its order."""

    order: Callable[[str, Sequence[RetrievedDocument]], Iterable[RetrievedDocument]]

    def rerank(self, query: Query, documents: Documents, resources: Resources, step: Step) -> list[RetrievedDocument]:
        return list(self.order(query.text, documents))[: query.top_k]


@dataclass(frozen=True)
class Postprocessed:
    """The documents in the order and with the scores of a node postprocessor, but not with texts or nodes it makes."""

    postprocessor: BaseNodePostprocessor

    def rerank(self, query: Query, documents: Documents, resources: Resources, step: Step) -> list[RetrievedDocument]:
        by_id = {document.id: document for document in documents}
        reordered = self.postprocessor.postprocess_nodes(
            [document.node for document in documents], query_str=query.text
        )
        first: dict[str, NodeWithScore] = {}
        for node in reordered:
            first.setdefault(node.node_id, node)
        reranked = [by_id[id_].with_score(node.get_score()) for id_, node in first.items() if id_ in by_id]
        return reranked[: query.top_k]


class StageRetriever(BaseRetriever):
    """What a stage finds for a question, as a retriever of LlamaIndex; best first."""

    def __init__(self, find: Callable[[str], Documents]) -> None:
        self._find = find
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [document.node for document in self._find(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await to_thread(self._retrieve, query_bundle)


class StageQueryEngine(BaseQueryEngine):
    """A stage as a query engine of LlamaIndex. The response's metadata hold `found`, `citations` and `warnings`."""

    def __init__(self, ask: Callable[[str], Answer]) -> None:
        self._ask = ask
        super().__init__(callback_manager=None)

    def _query(self, query_bundle: QueryBundle) -> Response:
        answer = self._ask(query_bundle.query_str)
        details = {"found": answer.found, "citations": [str(citation) for citation in answer.citations]}
        nodes = [document.node for document in answer.context.documents]
        return Response(answer.text, source_nodes=nodes, metadata={**details, "warnings": answer.warnings})

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await to_thread(self._query, query_bundle)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}
