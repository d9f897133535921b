"""Vectors of known passages in a file, so that the shipped corpus needs no embedding before the first answer.

One `.npz` per model holds `keys` (n, 16) uint8, sorted, and `vectors` (n, dimension) float16. Half the precision halves
the file and moves a cosine by less than 1e-4, where right and wrong passages are 0.02 apart.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.settings import ROOT

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


def write_vectors(
    embedding: BaseEmbedding, texts: Iterable[str], folder: Path = SHIPPED, role: str = "passage"
) -> Path:
    """Embed the texts and write their file; the same texts give the same bytes. Returns its path."""
    from lessons.text import normalize

    clean = dict(sorted((key(role, text), text) for text in map(normalize, texts)))
    if role == "query":
        vectors = [embedding.get_query_embedding(text) for text in clean.values()]
    else:
        vectors = embedding.get_text_embedding_batch(list(clean.values()))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{embedding.model_name}.npz"
    keys = np.frombuffer(b"".join(clean), np.uint8).reshape(-1, KEY_BYTES)
    np.savez_compressed(path, keys=keys, vectors=np.array(vectors, dtype=np.float16))
    return path
