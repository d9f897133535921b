"""What a filter does to a search of the HNSW index: it knows no filter, so it drops what it found and walks on."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, median
from time import perf_counter

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from lessons.bench.corpus import OWNER
from lessons.bench.synthetic import vectors
from lessons.rag.store import ChunkStore

PERCENT = (1, 3, 10, 30, 100)
NEIGHBOURS = 10
_SEED = 4711


@dataclass(frozen=True)
class Filtered:
    """Searches that a filter leaves so many per cent of the chunks: how they were done, and what they found.

    `recall` is the share of the ten nearest of those chunks; times are medians, `exact_ms` of comparing them all.
    """

    percent: int
    way: str
    recall: float
    ms: float
    exact_ms: float


def filtered(store: ChunkStore, rounds: int) -> Iterator[Filtered]:
    """Search for so many questions under filters of each selectivity."""
    asked = vectors(rounds, _SEED).tolist()
    for percent in PERCENT:
        share = MetadataFilter(key="share", operator=FilterOperator.LT, value=percent)
        filters = MetadataFilters(filters=[share])
        where = store.where(OWNER, filters)
        hits, times, exact_times = [], [], []
        for vector in asked:
            began = perf_counter()
            found = store.query_each([vector], NEIGHBOURS, OWNER, filters)[0]
            searched = perf_counter()
            true = store.rows(store.vector_search([vector], NEIGHBOURS, where, "exact"), OWNER)
            times.append((searched - began) * 1000)
            exact_times.append((perf_counter() - searched) * 1000)
            right = {row.chunk_id for row in true}
            hits.append(len(right & set(map(int, found.ids))) / len(right))
        yield Filtered(percent, found.way, fmean(hits), round(median(times), 2), round(median(exact_times), 2))
