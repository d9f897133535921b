"""Embed nothing twice: vectors of the corpus and the course are shipped in files, other passages' are in PostgreSQL.

What the course embeds besides the corpus – its questions with all their phrasings, the classifiers' examples, passages
of the notebooks – has a file of its own in `questions`. So the notebooks say the same on every processor.

One `.npz` per model holds `keys` (n, 16) uint8, sorted, and `vectors` (n, dimension) float16. Half the precision moves
a cosine by less than 1e-4, where right and wrong passages are 0.02 apart.
"""

import logging
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr
from sqlalchemy import ARRAY, Engine, LargeBinary, bindparam, text

from lessons.database import ensure_schema, explained
from lessons.errors import DatabaseError, ModelError
from lessons.models.keyless_embedding import ThreadedEmbedding
from lessons.settings import ROOT
from lessons.text import normalize

logger = logging.getLogger(__name__)

SHIPPED = ROOT / "data" / "vectors"
QUESTIONS = SHIPPED / "questions"
KEY_BYTES = 16
QUESTIONS_REMEMBERED = 1_024

_CREATE = (
    "CREATE TABLE IF NOT EXISTS embedding_cache"
    " (model text, hash bytea, vector bytea NOT NULL, PRIMARY KEY (model, hash))"
)
_READ = text("SELECT hash, vector FROM embedding_cache WHERE model = :model AND hash = ANY(:hashes)").bindparams(
    bindparam("hashes", type_=ARRAY(LargeBinary))
)
_WRITE = text(
    "INSERT INTO embedding_cache (model, hash, vector) SELECT :model, * FROM unnest(:hashes, :vectors)"
    " ON CONFLICT DO NOTHING"
).bindparams(bindparam("hashes", type_=ARRAY(LargeBinary)), bindparam("vectors", type_=ARRAY(LargeBinary)))


def key(role: str, text: str) -> bytes:
    """Return the key of a vector: 16 bytes of the SHA-256 of the role (`query` or `passage`) and the clean text."""
    return sha256(f"{role}\0{text}".encode()).digest()[:KEY_BYTES]


def mean_key(language: str) -> bytes:
    """Return the key of the mean vector of the corpus's passages in a language."""
    return key("mean", language)


@cache
def read_vectors(model_name: str, folder: Path = SHIPPED) -> dict[bytes, np.ndarray]:
    """Read the vectors shipped for a model by key, float16; {} if there are none, or none that can be read."""
    path = folder / f"{model_name}.npz"
    with suppress(OSError, EOFError, KeyError, ValueError, BadZipFile), np.load(path, allow_pickle=False) as file:
        return dict(zip((row.tobytes() for row in file["keys"]), file["vectors"], strict=True))
    if path.exists():
        logger.warning("%s is damaged, so what it holds is embedded again", path.name)
    return {}


class CachedEmbedding(ThreadedEmbedding):
    """Any embedding model behind a cache: shipped vectors, then the database of an engine, then the model itself.

    Questions stay in memory. Texts are normalised first; the model's errors become a ModelError. LlamaIndex's hook
    `embeddings_cache` asks for one text at a time and files question and passage under the same key.
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
    def _database(self) -> Engine | None:
        """The engine of the database, in which the first passage makes the table."""
        if self._engine is not None:
            ensure_schema(self._engine, lambda connection: connection.exec_driver_sql(_CREATE))
        return self._engine

    @cached_property
    def dimension(self) -> int:
        """The length of the model's vectors."""
        return len(self._get_query_embedding("1"))

    def forget_questions(self) -> None:
        """Embed every question by the model from now on, also those whose vectors are shipped, as a timing must."""
        self._question.cache_clear()
        self._timed = True

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(self._question(normalize(query)))

    def _question_vector(self, question: str) -> list[float]:
        shipped = read_vectors(self.model_name, QUESTIONS).get(key("query", question))
        computed = self._embed([question], query=True)[0] if shipped is None or self._timed else []
        return computed if shipped is None else shipped.astype(np.float32).tolist()

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        clean = [normalize(text) for text in texts]
        keys = [key("passage", text) for text in clean]
        shipped = read_vectors(self.model_name), read_vectors(self.model_name, QUESTIONS)
        vectors = {k: file[k] for file in shipped for k in keys if k in file}
        vectors |= self._read([k for k in dict.fromkeys(keys) if k not in vectors])
        missing = {k: text for k, text in zip(keys, clean, strict=True) if k not in vectors}
        if missing:
            computed = self._embed(list(missing.values()), query=False)
            new = {k: np.asarray(vector, np.float32) for k, vector in zip(missing, computed, strict=True)}
            self._write(new)
            vectors |= new
        return [vectors[k].astype(np.float32).tolist() for k in keys]

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        texts = [text or " " for text in texts]  # servers refuse an empty text
        one_by_one, at_once = self.model.get_query_embedding, self.model.get_text_embedding_batch
        try:
            vectors = list(map(one_by_one, texts)) if query else at_once(texts)
        except Exception as error:
            from lessons.models.server import explain  # imports the client, which takes a second

            raise explain(error, self.model_name, getattr(self.model, "api_base", None)) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            name, count = self.model_name, len(vectors)
            raise ModelError(f"{name} gave {count} vectors for {len(texts)} texts; choose another model.")
        if not all(map(len, vectors)) or not np.isfinite(np.asarray(vectors, np.float32)).all():
            raise ModelError(f"{self.model_name} gave a vector without numbers; choose another model.")
        return vectors

    def _read(self, keys: list[bytes]) -> dict[bytes, np.ndarray]:
        try:
            if keys and self._database is not None:
                with explained(), self._database.begin() as connection:
                    rows = connection.execute(_READ, {"model": self._cache_name, "hashes": keys})
                    return {bytes(row.hash): np.frombuffer(row.vector, "<f4") for row in rows}
        except DatabaseError as error:
            logger.warning("The embedding cache cannot be read; embedding again. %s", error)
        return {}

    def _write(self, vectors: dict[bytes, np.ndarray]) -> None:
        """File vectors as little-endian float32; what is there already stays."""
        data = [np.asarray(vector, "<f4").tobytes() for vector in vectors.values()]
        try:
            if self._database is not None:
                with explained(), self._database.begin() as connection:
                    connection.execute(_WRITE, {"model": self._cache_name, "hashes": list(vectors), "vectors": data})
        except DatabaseError as error:
            logger.warning("The embedding cache cannot be written. %s", error)

    @property
    def _cache_name(self) -> str:
        """The model's name, and the dimension where the settings want another than its own."""
        dimension = getattr(self.model, "dimensions", None)
        return f"{self.model_name}@{dimension}" if dimension else self.model_name
