"""Made-up chunks in a throw-away index: loaded by COPY, indexed afterwards, dropped at the end.

Independent random directions are all equally far from each other, which no embedding is: an approximate index finds
little among them and its recall says nothing. So the vectors take over the mean and the covariance of the shipped ones.
The words are as unevenly frequent as those of any language (Zipf's law).
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product

import numpy as np
import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy import Engine, insert

from lessons.database.owners import owner_transaction
from lessons.database.schema import protect
from lessons.evaluate.throwaway import PREFIX, claimed, drop_leftovers
from lessons.models.embedding_cache import SHIPPED
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow, term_table_name
from lessons.rag.types import Scope

OWNER = Scope("bench")
MODEL = "made_up"
BATCH = 10_000  # chunks that are made up at a time
CHUNKS_PER_DOCUMENT = 100
SHARES = 100  # chunks are numbered 0–99 over and over, so that a filter can leave any per cent of them
WORDS_PER_CHUNK = 20
_SYLLABLES = ["".join(pair) for pair in product("bdgkmprtvz", "aou")]
WORDS = np.array(["".join(word) for word in product(_SYLLABLES, repeat=3)])
_HEAD = 10  # Mandelbrot's correction: the first words are not quite as frequent as 1 / rank says

_CHUNKS = {"id": "int8", "node_id": "text", "document_id": "int8", "user_id": "text", "chunk_index": "int4"}
_CHUNKS |= {"text": "text", "length": "int4", "metadata_": "jsonb", "embedding": "vector"}
_TERMS = {"user_id": "text", "term": "text", "chunk_id": "int8", "frequency": "int4", "length": "int4"}
"""Columns with their types, in the order in which they are copied."""


@cache
def _shape() -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (d,) and a root (d, d) of the covariance of the shipped vectors."""
    with np.load(next(SHIPPED.glob("*.npz")), allow_pickle=False) as file:
        shipped = file["vectors"].astype(np.float32)
    values, axes = np.linalg.eigh(np.cov(shipped.T))
    return shipped.mean(axis=0), (axes * np.sqrt(values.clip(0))).T.astype(np.float32)


def mean_vector() -> np.ndarray:
    """Return the mean of the vectors (d,)."""
    return _shape()[0]


def vectors(number: int, seed: int) -> np.ndarray:
    """Draw unit vectors (number, d) float32; the same seed gives the same ones."""
    mean, root = _shape()
    drawn = np.random.default_rng(seed).standard_normal((number, len(mean)), dtype=np.float32) @ root + mean
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def words(number: int, seed: int) -> np.ndarray:
    """Draw the words of so many chunks (number, WORDS_PER_CHUNK), common ones first; a word may come twice in a row."""
    share = 1 / (np.arange(len(WORDS)) + _HEAD)
    chance = np.random.default_rng(seed).random((number, WORDS_PER_CHUNK))
    return WORDS[np.sort(np.searchsorted(np.cumsum(share / share.sum()), chance).clip(max=len(WORDS) - 1), axis=1)]


def question(seed: int) -> str:
    """Draw a few words that stand together in some text, common ones and rare ones."""
    row = np.unique(words(1, seed))
    return " ".join(np.random.default_rng(seed).choice(row, min(6, len(row)), replace=False))


@contextmanager
def empty_store(engine: Engine, dimension: int) -> Iterator[ChunkStore]:
    """Make a store without chunks, dropped when the block ends; what a killed run has left is dropped first."""
    drop_leftovers(engine, OWNER)
    store = ChunkStore(engine, PREFIX + secrets.token_hex(3)[:5], MODEL, dimension)
    with claimed(store.table_name, engine, OWNER):
        store.documents(OWNER)  # creates the tables
        yield store


@contextmanager
def made_up_store(
    engine: Engine, number: int, watch: Callable[[int, int], object] = lambda count, total: None
) -> Iterator[ChunkStore]:
    """Make a store with so many chunks of one owner, indexed and vacuumed, until the block ends."""
    with empty_store(engine, len(mean_vector())) as store:
        tables, documents = (store.table_name, term_table_name(store.table_name)), _new_documents(store, number)
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in tables:
                protect(connection, table, force=False)  # COPY cannot write under it
            raw: psycopg.Connection = connection.connection.driver_connection  # type: ignore[assignment]
            register_vector(raw)
            for start in range(0, number, BATCH):
                end = min(start + BATCH, number)
                _copy_chunks(raw, tables, range(start, end), documents)
                watch(end, number)
            for table in tables:
                protect(connection, table)
            connection.invalidate()  # it reads vectors as arrays now, which is not for others
        store.optimize(number)
        yield store


def copy_rows(connection: psycopg.Connection, table: str, columns: Mapping[str, str], rows: Iterable[Sequence]) -> None:
    """Append rows to a table by binary COPY; `columns` are their names and types."""
    statement = f'COPY "{table}" ({", ".join(columns)}) FROM STDIN (FORMAT BINARY)'
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


def _new_documents(store: ChunkStore, number: int) -> list[int]:
    """Insert documents, enough for so many chunks, and return their ids."""
    row = {"index_table": store.table_name, "user_id": OWNER.user_id, "sha256": "", "pages": 1}
    row["chunks"] = CHUNKS_PER_DOCUMENT
    rows = [row | {"source_file": f"{file:10}"} for file in range(-(-number // CHUNKS_PER_DOCUMENT))]
    with owner_transaction(store.engine, OWNER.user_id) as connection:
        return list(connection.scalars(insert(DocumentRow).returning(DocumentRow.id), rows))


def _copy_chunks(raw: psycopg.Connection, tables: tuple[str, str], ids: Sequence[int], documents: list[int]) -> None:
    owner, seed = OWNER.user_id, 1_000_000 + ids[0]
    texts = words(len(ids), seed).tolist()

    def chunk(chunk_id: int, text: list[str], vector: np.ndarray) -> tuple:
        file, position = chunk_id // CHUNKS_PER_DOCUMENT % len(documents), chunk_id % CHUNKS_PER_DOCUMENT
        metadata: dict[str, object] = {
            "source_file": f"{file:10}",
            "user_id": owner,
            "language": "en" if file % 2 else "ko",
        }
        metadata |= {"chunk_index": position, "share": chunk_id * 37 % SHARES}
        keys = chunk_id, f"{chunk_id:032}", documents[file], owner, position
        return *keys, " ".join(text), WORDS_PER_CHUNK, metadata, vector

    copy_rows(raw, tables[0], _CHUNKS, map(chunk, ids, texts, vectors(len(ids), seed)))
    postings = ((term, chunk_id) for chunk_id, text in zip(ids, texts, strict=True) for term in set(text))
    copy_rows(raw, tables[1], _TERMS, ((owner, *posting, 1, WORDS_PER_CHUNK) for posting in postings))
