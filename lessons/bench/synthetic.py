"""Made-up vectors by the million, spread like those of real passages.

Independent random directions are all equally far from each other, which no embedding is: an approximate index finds
little among them and its recall says nothing. So the mean and the covariance of the shipped vectors are taken over.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from lessons.models.vectors import SHIPPED

BATCH = 10_000


@cache
def _shape() -> tuple[np.ndarray, np.ndarray]:
    """Mean (d,) and a root (d, d) of the covariance of the shipped vectors."""
    with np.load(next(SHIPPED.glob("*.npz")), allow_pickle=False) as file:
        vectors = file["vectors"].astype(np.float32)
    values, axes = np.linalg.eigh(np.cov(vectors.T))
    return vectors.mean(axis=0), (axes * np.sqrt(values.clip(0))).T.astype(np.float32)


def mean_vector() -> np.ndarray:
    """What the vectors have in common (d,)."""
    return _shape()[0]


def vectors(number: int, seed: int) -> np.ndarray:
    """Unit vectors (number, d) float32; the same seed gives the same ones."""
    mean, root = _shape()
    drawn = np.random.default_rng(seed).standard_normal((number, len(mean)), dtype=np.float32) @ root + mean
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def batches(number: int, seed: int = 1) -> Iterator[np.ndarray]:
    """So many vectors, at most `BATCH` of them at a time."""
    for start in range(0, number, BATCH):
        yield vectors(min(BATCH, number - start), seed * 1_000_000 + start)
