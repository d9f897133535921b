"""Vectors that are known already: those of the corpus and of the course in files, those of other passages in a table.

What the course embeds besides the corpus – its questions with all their phrasings, the classifiers' examples, passages
of the notebooks – has a file of its own in `questions`. So the notebooks say the same on every processor.

One `.npz` per model holds `keys` (n, 16) uint8, sorted, and `vectors` (n, dimension) float16. Half the precision halves
the file and moves a cosine by less than 1e-4, where right and wrong passages are 0.02 apart.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from sqlalchemy import ARRAY, Engine, LargeBinary, bindparam, text

from lessons.settings import ROOT, settings

SHIPPED = ROOT / "data" / "vectors"
QUESTIONS = SHIPPED / "questions"
KEY_BYTES = 16


def key(role: str, text: str) -> bytes:
    """What a vector is filed under: 16 bytes of the SHA-256 of the role (`query` or `passage`) and the clean text."""
    return sha256(f"{role}\0{text}".encode()).digest()[:KEY_BYTES]


@cache
def read_vectors(model_name: str, folder: Path = SHIPPED) -> dict[bytes, np.ndarray]:
    """The vectors shipped for a model by key, float16; empty if none were."""
    path = folder / f"{model_name}.npz"
    if not path.exists():
        return {}
    with np.load(path, allow_pickle=False) as file:
        return dict(zip((row.tobytes() for row in file["keys"]), file["vectors"], strict=True))


_LOCK = 7_226_001  # any number, the same in every process that creates the table

_CREATE = (
    "CREATE TABLE IF NOT EXISTS embedding_cache (model text, hash bytea, vector bytea NOT NULL,"
    " used_on date NOT NULL DEFAULT current_date, PRIMARY KEY (model, hash))",
    "CREATE INDEX IF NOT EXISTS embedding_cache_used_on ON embedding_cache (used_on)",
)
_READ = text(
    "WITH due AS (SELECT hash FROM embedding_cache WHERE model = :model AND hash = ANY(:hashes)"
    " AND used_on < current_date FOR UPDATE SKIP LOCKED),"
    " used AS (UPDATE embedding_cache SET used_on = current_date"
    " WHERE model = :model AND hash IN (SELECT hash FROM due))"
    " SELECT hash, vector FROM embedding_cache WHERE model = :model AND hash = ANY(:hashes)"
).bindparams(bindparam("hashes", type_=ARRAY(LargeBinary)))
_WRITE = text(
    "WITH unused AS (DELETE FROM embedding_cache WHERE used_on < current_date - cast(:days AS int))"
    " INSERT INTO embedding_cache SELECT :model, * FROM unnest(:hashes, :vectors) ON CONFLICT DO NOTHING"
).bindparams(bindparam("hashes", type_=ARRAY(LargeBinary)), bindparam("vectors", type_=ARRAY(LargeBinary)))


class VectorTable:
    """Vectors by model and hash in PostgreSQL, as little-endian float32 bytes, which give back the same bits.

    What no process has read for `embedding_cache_days` is dropped when others are filed.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            for statement in _CREATE:
                connection.execute(text(statement))

    def read(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors that are there, in one statement."""
        with self.engine.begin() as connection:
            rows = connection.execute(_READ, {"model": model, "hashes": list(hashes)})
            return {bytes(row.hash): np.frombuffer(row.vector, "<f4") for row in rows}

    def write(self, model: str, vectors: dict[bytes, np.ndarray]) -> None:
        """File the vectors in one statement; what is there already stays, what was not used for long goes."""
        data = [np.asarray(vector, "<f4").tobytes() for vector in vectors.values()]
        with self.engine.begin() as connection:
            given = {"model": model, "hashes": list(vectors), "vectors": data}
            connection.execute(_WRITE, {**given, "days": settings().embedding_cache_days})
