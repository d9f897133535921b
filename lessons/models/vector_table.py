"""The vectors of passages that were embedded once, in PostgreSQL, for whatever embeds the same text again."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import ARRAY, Connection, Engine, LargeBinary, bindparam, text

from lessons.database import ensure_schema
from lessons.settings import settings

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
        ensure_schema(engine, _create)

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


def _create(connection: Connection) -> None:
    for statement in _CREATE:
        connection.execute(text(statement))
