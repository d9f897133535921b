"""Embed nothing twice: texts are looked up by content before the model is asked, questions stay in memory.

LlamaIndex has a hook for this, `BaseEmbedding.embeddings_cache`, but it asks for one text at a time and files question
and passage under the same key. A round trip for each passage, and a role mixed up, is why a wrapper does it here.
"""

import logging
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from lessons.database import problems
from lessons.errors import ModelError
from lessons.models.threaded_embedding import ThreadedEmbedding
from lessons.models.vectors import QUESTIONS, VectorTable, key, read_vectors
from lessons.text import normalize

QUESTIONS_REMEMBERED = 1_024

logger = logging.getLogger(__name__)


class CachedEmbedding(ThreadedEmbedding):
    """Any embedding model behind the cache. Texts are normalised first; the model's errors become a ModelError."""

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


def _float32(vector: list[float]) -> np.ndarray:
    return np.asarray(vector, np.float32)
