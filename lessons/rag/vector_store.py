"""What one owner has in the store, as a vector store of LlamaIndex.

VectorStoreIndex.from_vector_store(store.of("me"), embed_model=…)
"""

from asyncio import to_thread
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores import VectorStoreQuery, VectorStoreQueryResult
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryMode
from sqlalchemy import select

from lessons.errors import LessonsError
from lessons.rag.types import Filters, Scope
from lessons.settings import settings
from lessons.text import normalize, terms

if TYPE_CHECKING:
    from lessons.rag.store import ChunkStore


class OwnedVectorStore(BasePydanticVectorStore):
    """The documents of one owner as a vector store of LlamaIndex. It reads and writes nothing of other owners.

    A node without `source_file` in its metadata belongs to the document of its `ref_doc_id`, else to one of its own.
    Its type is the scope's, else that of its metadata or of the settings.
    Searches by vector (the default mode) and by keyword (`TEXT_SEARCH`); LessonsError for other modes.
    """

    stores_text: bool = True
    _store: Any = PrivateAttr()
    _scope: Scope = PrivateAttr()

    def __init__(self, store: "ChunkStore", scope: Scope) -> None:
        super().__init__(stores_text=True)
        self._store, self._scope = store, scope

    @property
    def client(self) -> Any:
        return self._store.engine

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        chunks = {document.source_file: document.chunks for document in self._store.documents(self._scope)}
        for node in nodes:
            source_file = normalize(str(node.metadata.get("source_file") or node.ref_doc_id or node.node_id))
            type = self._scope.type or node.metadata.get("type") or settings().document_type
            chunk_index = node.metadata.get("chunk_index", chunks.get(source_file, 0))
            chunks[source_file] = chunks.get(source_file, 0) + 1
            node.metadata |= {"source_file": source_file, "chunk_index": chunk_index, "user_id": self._scope.user_id}
            node.metadata |= {"ref_id": source_file, "type": type}
            node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "ref_id", "type"]
        return self._store.add(nodes)

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        if (name := normalize(ref_doc_id)) in self._names():
            self._store.delete_document(self._scope, name)

    def delete_nodes(self, node_ids: list[str] | None = None, filters: Filters = None, **_: Any) -> None:
        self._store.delete_chunks(self._scope, node_ids, filters)

    def clear(self) -> None:
        for name in self._names():
            self._store.delete_document(self._scope, name)

    def _names(self) -> list[str]:
        """Return the names of the documents that have chunks within the scope."""
        name = self._store.chunks.c.metadata_["source_file"].astext
        return [
            row[0]
            for row in self._store.rows(select(name).where(self._store.within(self._scope)).distinct(), self._scope)
        ]

    def get_nodes(self, node_ids: list[str] | None = None, filters: Filters = None) -> list[BaseNode]:
        return self._store.get_nodes(node_ids, filters, scope=self._scope)

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        scope = self._scope if query.doc_ids is None else self._scope.only(query.doc_ids)
        if query.node_ids:
            raise LessonsError("This store searches documents, not chosen nodes; name doc_ids or filters.")
        if query.mode == VectorStoreQueryMode.DEFAULT:
            result = self._store.query(query, scope=scope)
        elif query.mode == VectorStoreQueryMode.TEXT_SEARCH:
            limit = query.sparse_top_k or query.similarity_top_k
            result = self._store.keyword_search(terms(query.query_str or ""), limit, scope, query.filters)
        else:
            raise LessonsError(f"This store searches by vector or by keyword, not in the mode {query.mode.value}.")
        return VectorStoreQueryResult(nodes=result.nodes, similarities=list(result.similarities), ids=result.ids)

    async def aquery(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        return await to_thread(self.query, query)
