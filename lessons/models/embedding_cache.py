"""Embed nothing twice: passages are looked up by content before the model is asked, questions stay in memory.

LlamaIndex has a hook for this, `BaseEmbedding.embeddings_cache`, but it asks for one text at a time and files question
and passage under the same key. A round trip for each passage, and a role mixed up, is why a wrapper does it here.
"""

import logging
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr
from sqlalchemy import ARRAY, Engine, LargeBinary, bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from lessons.errors import ModelError
from lessons.models.threaded_embedding import ThreadedEmbedding
from lessons.models.vectors import key, read_vectors
from lessons.settings import settings
from lessons.text import normalize

QUESTIONS_REMEMBERED = 1_024
_LOCK = 7_226_001  # any number, the same in every process that creates the table

_CREATE = (
    "CREATE TABLE IF NOT EXISTS embedding_cache (model text, hash bytea, vector bytea NOT NULL,"
    " used_on date NOT NULL DEFAULT current_date, PRIMARY KEY (model, hash))",
    "CREATE INDEX IF NOT EXISTS embedding_cache_used_on ON embedding_cache (used_on)",
)
_PRUNE = text("DELETE FROM embedding_cache WHERE used_on < current_date - cast(:days AS int)")
_READ = text(
    "WITH due AS (SELECT hash FROM embedding_cache WHERE model = :model AND hash = ANY(:hashes)"
    " AND used_on < current_date FOR UPDATE SKIP LOCKED),"
    " used AS (UPDATE embedding_cache SET used_on = current_date"
    " WHERE model = :model AND hash IN (SELECT hash FROM due))"
    " SELECT hash, vector FROM embedding_cache WHERE model = :model AND hash = ANY(:hashes)"
).bindparams(bindparam("hashes", type_=ARRAY(LargeBinary)))
_WRITE = text(
    "INSERT INTO embedding_cache SELECT :model, * FROM unnest(:hashes, :vectors) ON CONFLICT DO NOTHING"
).bindparams(bindparam("hashes", type_=ARRAY(LargeBinary)), bindparam("vectors", type_=ARRAY(LargeBinary)))


class VectorTable:
    """Vectors by model and hash in PostgreSQL, as little-endian float32 bytes, which give back the same bits.

    What no process has read for `embedding_cache_days` is dropped when the next one begins.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            for statement in _CREATE:
                connection.execute(text(statement))
            connection.execute(_PRUNE, {"days": settings().embedding_cache_days})

    def read(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors that are there, in one statement."""
        with self.engine.begin() as connection:
            rows = connection.execute(_READ, {"model": model, "hashes": list(hashes)})
            return {bytes(row.hash): np.frombuffer(row.vector, "<f4") for row in rows}

    def write(self, model: str, vectors: dict[bytes, np.ndarray]) -> None:
        """File the vectors in one statement; what is there already stays."""
        data = [np.asarray(vector, "<f4").tobytes() for vector in vectors.values()]
        with self.engine.begin() as connection:
            connection.execute(_WRITE, {"model": model, "hashes": list(vectors), "vectors": data})


class CachedEmbedding(ThreadedEmbedding):
    """Any embedding model behind the cache. Texts are normalised first; the model's errors become a ModelError."""

    model: BaseEmbedding
    _table: VectorTable | None = PrivateAttr(None)
    _question: Any = PrivateAttr()

    def __init__(self, model: BaseEmbedding, engine: Engine | None = None) -> None:
        super().__init__(model=model, model_name=model.model_name, embed_batch_size=model.embed_batch_size)
        self._question = lru_cache(QUESTIONS_REMEMBERED)(lambda question: self._ask([question], query=True)[0])
        if engine is not None:
            self._table = VectorTable(engine)

    @cached_property
    def dimension(self) -> int:
        """The length of the model's vectors, asked from it once."""
        return len(self._get_query_embedding("1"))

    def forget_questions(self) -> None:
        """Ask the model again for questions that were asked before, as a measurement must."""
        self._question.cache_clear()

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(self._question(normalize(query)))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        clean = [normalize(text) for text in texts]
        keys = [key("passage", text) for text in clean]
        shipped = read_vectors(self.model_name)
        found = {k: shipped[k] for k in keys if k in shipped}
        found |= self._stored([k for k in dict.fromkeys(keys) if k not in found])
        missing = {k: text for k, text in zip(keys, clean, strict=True) if k not in found}
        if missing:
            new = dict(zip(missing, map(_float32, self._ask(list(missing.values()), query=False)), strict=True))
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
        return vectors

    def _stored(self, keys: list[bytes]) -> dict[bytes, np.ndarray]:
        if self._table is None or not keys:
            return {}
        try:
            return self._table.read(self._shelf, keys)
        except SQLAlchemyError:
            logging.getLogger(__name__).warning("The embedding cache cannot be read; embedding again.", exc_info=True)
            return {}

    def _store(self, vectors: dict[bytes, np.ndarray]) -> None:
        if self._table is None:
            return
        try:
            self._table.write(self._shelf, vectors)
        except SQLAlchemyError:
            logging.getLogger(__name__).warning("The embedding cache cannot be written.", exc_info=True)

    @property
    def _shelf(self) -> str:
        """The model's name, and its length where one was asked for."""
        asked = getattr(self.model, "dimensions", None)
        return f"{self.model_name}@{asked}" if asked else self.model_name


def _float32(vector: list[float]) -> np.ndarray:
    return np.asarray(vector, np.float32)
