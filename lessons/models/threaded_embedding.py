"""An embedding whose asynchronous calls run its synchronous ones in a thread."""

import asyncio

from llama_index.core.base.embeddings.base import BaseEmbedding


class ThreadedEmbedding(BaseEmbedding):
    """For models that compute here or wait for a database, and have no event loop of their own."""

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)
