"""Every search of the workbook, against its SQL statements alone."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from sqlalchemy import Select, select

from lessons.bench.corpus import MODEL, OWNER
from lessons.bench.floors import Floors, Statements
from lessons.bench.pairs import WARM_UP, Pair, in_pairs
from lessons.bench.synthetic import vectors
from lessons.bench.words import question
from lessons.database.row_security import scoped
from lessons.models.keyless import OfflineLLM
from lessons.models.threaded_embedding import ThreadedEmbedding
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Query, Resources, Retriever
from lessons.search.catalog import chunk_range, statistics
from lessons.search.hybrid import HybridRetriever
from lessons.settings import settings

MATERIAL = f"{0:10}"
RANGE = 10  # chunks
REMEMBERED = 256  # questions; making one up takes longer than to search for it


class MadeUpEmbedding(ThreadedEmbedding):
    """A vector for every text at once, the same for the same text. It means nothing."""

    model_name: str = MODEL

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(_made_up(query))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


def searches(resources: Resources) -> dict[str, Callable[[int], object]]:
    """Each search of the store by its name, for another question every time."""
    store = resources.store

    def retrieving(retriever: Retriever, phrasings: int = 1) -> Callable[[int], object]:
        return lambda n: retriever.retrieve(asked(n)[:phrasings], Query(asked(n)[0], OWNER), resources)

    return {
        "vector": retrieving(VectorRetriever()),
        "keyword": retrieving(KeywordRetriever()),
        "hybrid": retrieving(HybridRetriever()),
        "hybrid, all phrasings": retrieving(HybridRetriever(), phrasings=len(asked(0))),
        "range": lambda n: chunk_range(store, OWNER, MATERIAL, n % RANGE, n % RANGE + RANGE),
        "statistics": lambda n: statistics(store, OWNER, [MATERIAL]),
    }


def search_legs(store: ChunkStore, rounds: int) -> Iterator[Pair]:
    """Each search of the store against its floor."""
    resources = Resources(store, MadeUpEmbedding(), OfflineLLM())
    top = settings().top_k

    with _floors(store) as floors:

        def vector(text: str) -> list[float]:
            return resources.embedding.get_query_embedding(text)

        statements: dict[str, Statements] = {
            "vector": lambda n: [floors.by_vector(vector(asked(n)[0]), top)],
            "keyword": lambda n: [floors.by_words(asked(n)[0], top)],
            "hybrid": lambda n: floors.hybrid([(each, vector(each)) for each in asked(n)[:1]]),
            "hybrid, all phrasings": lambda n: floors.hybrid([(each, vector(each)) for each in asked(n)]),
            "range": lambda n: [_range(store, n % RANGE)],
            "statistics": lambda n: [_state(store)],
        }
        for name, search in searches(resources).items():
            yield in_pairs(name, search, floors.asking(statements[name], range(-WARM_UP, rounds)), rounds)


@lru_cache(REMEMBERED)
def _made_up(query: str) -> tuple[float, ...]:
    return tuple(vectors(1, zlib.crc32(query.encode()))[0].tolist())


@lru_cache(REMEMBERED)
def asked(number: int) -> list[str]:
    """A question in as many phrasings as smart search has."""
    return [question(1000 * (number + WARM_UP) + each) for each in range(1 + settings().query_variants)]


def _range(store: ChunkStore, start: int) -> Select:
    chunks = store.chunks.c
    columns = chunks.node_id, chunks.text, chunks.metadata_
    within = chunks.chunk_index >= start, chunks.chunk_index < start + RANGE
    found = select(*columns).where(store.within(OWNER.only([MATERIAL])), *within)
    return found.order_by(chunks.chunk_index)


def _state(store: ChunkStore) -> Select:
    named = DocumentRow.index_table == store.table_name, DocumentRow.source_file == MATERIAL
    return select(DocumentRow.chunks, DocumentRow.pages).where(DocumentRow.user_id == OWNER.user_id, *named)


@contextmanager
def _floors(store: ChunkStore) -> Iterator[Floors]:
    """One transaction, set up once and for all: the owner's, and as wide a walk as the workbook's own."""
    with scoped(store.engine, OWNER.user_id) as connection:
        yield Floors(store, connection)
