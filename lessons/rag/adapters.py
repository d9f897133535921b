"""The path as parts of LlamaIndex, and parts of LlamaIndex in the path.

    VectorStoreIndex.from_vector_store(OwnedVectorStore(store, Scope("me")), embed_model=…)
    stage.as_retriever(user="me")            stage.as_query_engine(user="me")
    stage.but(retriever=any_retriever_of_llama_index)        stage.but(retriever=function_of_the_question)

Whatever goes in or comes out through here stays with its owner.
"""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores import VectorStoreQuery, VectorStoreQueryResult
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryMode

from lessons.errors import LessonsError
from lessons.rag.answer import Answer
from lessons.rag.retrievers import ScopedRetriever, merged
from lessons.rag.store import ChunkStore
from lessons.rag.types import Documents, Filters, Query, Resources, RetrievedDocument, Scope
from lessons.search.catalog import catalog
from lessons.settings import settings
from lessons.text import normalize, terms


class OwnedVectorStore(BasePydanticVectorStore):
    """What one owner has in a store, as a vector store of LlamaIndex: it reads and writes nothing of anybody else's.

    A node without `source_file` in its metadata belongs to the document of its `ref_doc_id`, else to one of its own.
    Its type is the scope's, else that of its metadata or of the settings.
    Searches by vector (the default mode) and by keyword (`TEXT_SEARCH`); LessonsError for other modes.
    """

    stores_text: bool = True
    _store: ChunkStore = PrivateAttr()
    _scope: Scope = PrivateAttr()

    def __init__(self, store: ChunkStore, scope: Scope) -> None:
        super().__init__(stores_text=True)
        self._store, self._scope = store, scope

    @property
    def client(self) -> Any:
        return self._store.engine

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        known = {document.source_file: document.chunks for document in self._store.documents(self._scope)}
        for node in nodes:
            source_file = normalize(str(node.metadata.get("source_file") or node.ref_doc_id or node.node_id))
            type = self._scope.type or node.metadata.get("type") or settings().document_type
            place = node.metadata.get("chunk_index", known.get(source_file, 0))
            known[source_file] = known.get(source_file, 0) + 1
            node.metadata |= {"source_file": source_file, "chunk_index": place, "user_id": self._scope.user_id}
            node.metadata |= {"ref_id": source_file, "type": type}
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "ref_id", "type"]
        return self._store.add(nodes)

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        if (name := normalize(ref_doc_id)) in catalog(self._store, self._scope):
            self._store.delete_document(self._scope, name)

    def delete_nodes(self, node_ids: list[str] | None = None, filters: Filters = None, **_: Any) -> None:
        self._store.delete_chunks(self._scope, node_ids, filters)

    def clear(self) -> None:
        for name in catalog(self._store, self._scope):
            self._store.delete_document(self._scope, name)

    def get_nodes(self, node_ids: list[str] | None = None, filters: Filters = None) -> list[BaseNode]:
        return self._store.get_nodes(node_ids, filters, scope=self._scope)

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        scope = self._scope if query.doc_ids is None else self._scope.only(query.doc_ids)
        if query.node_ids:
            raise LessonsError("This store searches documents, not chosen nodes; name doc_ids or filters.")
        if query.mode == VectorStoreQueryMode.DEFAULT:
            found = self._store.query(query, scope=scope)
        elif query.mode == VectorStoreQueryMode.TEXT_SEARCH:
            limit = query.sparse_top_k or query.similarity_top_k
            found = self._store.keyword_search(terms(query.query_str or ""), limit, scope, query.filters)
        else:
            raise LessonsError(f"This store searches by vector or by keyword, not in the mode {query.mode.value}.")
        return VectorStoreQueryResult(nodes=found.nodes, similarities=list(found.similarities), ids=found.ids)

    async def aquery(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        return await to_thread(self.query, query)


@dataclass(frozen=True)
class LlamaRetriever(ScopedRetriever):
    """What finds nodes of LlamaIndex for a question, as the retriever of a stage; asked once for each phrasing.

    It searches what it was made for, so neither the filters of the question nor its scope narrow that; what is not
    within the scope's materials and type, or says in its metadata that it belongs to another owner, is left out.
    """

    find: Callable[[str], Sequence[NodeWithScore]]

    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        nodes = chain.from_iterable(enumerate(self.find(text)) for text in queries)
        found = [RetrievedDocument.of(node, rank) for rank, node in nodes]
        own = [one for one in found if one.metadata.get("user_id") in (None, query.scope.user_id)]
        within = [one for one in own if query.scope.holds(normalize(one.source), one.metadata.get("type"))]
        return sorted(merged(within), key=lambda document: -document.score)


def as_retriever(given: Any) -> LlamaRetriever:
    """A retriever of LlamaIndex, or a function of the question that gives its nodes; LessonsError for anything else."""
    if isinstance(given, BaseRetriever):
        return LlamaRetriever(given.retrieve)
    if callable(given) and not isinstance(given, type):
        return LlamaRetriever(given)
    raise LessonsError(
        f"{given!r} is no retriever; take an object with `search`, a retriever of LlamaIndex, or a function of the "
        "question that gives its nodes."
    )


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
        said = {"found": answer.found, "citations": [str(each) for each in answer.citations]}
        nodes = [document.node for document in answer.context.documents]
        return Response(answer.text, source_nodes=nodes, metadata={**said, "warnings": answer.warnings})

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await to_thread(self._query, query_bundle)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}
