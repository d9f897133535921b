"""Made-up chunks in a throw-away index: loaded by COPY, indexed afterwards, dropped at the end."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from psycopg import Connection
from sqlalchemy import Engine, insert
from sqlalchemy.sql.ddl import DDL

from lessons.bench.copying import copy_columns, jsonb
from lessons.bench.synthetic import BATCH, mean_vector, vectors
from lessons.bench.words import WORDS_PER_CHUNK, drawn, term, texts
from lessons.database.row_security import scoped
from lessons.evaluate.throwaway import PREFIX, claimed, drop_leftovers
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow, term_table_name
from lessons.rag.types import Scope

OWNER = Scope("bench")
MODEL = "made_up"
CHUNKS_PER_DOCUMENT = 100
SHARES = 100  # chunks are numbered 0–99 over and over, so that a filter can leave any per cent of them

_METADATA = '{"source_file": "%10d", "user_id": "bench", "language": "%s", "chunk_index": %2d, "share": %2d}'
_BARE = "ALTER TABLE %(table)s NO FORCE ROW LEVEL SECURITY"  # which COPY cannot write under
_WALLED = "ALTER TABLE %(table)s FORCE ROW LEVEL SECURITY"
_NO_KEY = "ALTER TABLE %(table)s DROP CONSTRAINT %(key)s"
_KEY = "ALTER TABLE %(table)s ADD CONSTRAINT %(key)s PRIMARY KEY (user_id, term, chunk_id) INCLUDE (frequency, length)"


Copying = Callable[[np.ndarray], None]


def _silent(done: int, total: int) -> None:
    """Nobody watches."""


@contextmanager
def empty_store(engine: Engine, dimension: int) -> Iterator[ChunkStore]:
    """A store without chunks until the block ends, however it ends; what a killed run has left is dropped first."""
    drop_leftovers(engine, OWNER)
    store = ChunkStore(engine, PREFIX + secrets.token_hex(3)[:5], MODEL, dimension)
    with claimed(store.table_name, engine, OWNER):
        store.documents(OWNER)  # creates the tables
        yield store


@contextmanager
def made_up_store(engine: Engine, number: int, tell: Callable[[int, int], object] = _silent) -> Iterator[ChunkStore]:
    """A store with so many chunks of one owner, indexed and vacuumed."""
    with empty_store(engine, len(mean_vector())) as store:
        with unwalled(store, number) as copying:
            _run(store, [_NO_KEY], term_table_name(store.table_name))
            for start in range(0, number, BATCH):
                copying(np.arange(start, min(start + BATCH, number)))
                tell(min(start + BATCH, number), number)
            _run(store, [_KEY], term_table_name(store.table_name))
        store.settle(number)
        yield store


@contextmanager
def unwalled(store: ChunkStore, number: int = CHUNKS_PER_DOCUMENT) -> Iterator[Copying]:
    """What copies made-up chunks with these ids, at most `number` different ones, into the store past its wall."""
    documents = _documents(store, -(-number // CHUNKS_PER_DOCUMENT))
    tables = store.table_name, term_table_name(store.table_name)
    for table in tables:
        _run(store, [_BARE], table)
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        raw: Connection = connection.connection.driver_connection  # type: ignore[assignment]
        yield lambda ids: _copy_batch(raw, *tables, ids, documents)
    for table in tables:
        _run(store, [_WALLED], table)


def _documents(store: ChunkStore, number: int) -> np.ndarray:
    """The ids of new documents."""
    row = {"index_table": store.table_name, "user_id": OWNER.user_id, "sha256": "", "pages": 1}
    rows = [row | {"source_file": f"{place:10}", "chunks": CHUNKS_PER_DOCUMENT} for place in range(number)]
    with scoped(store.engine, OWNER.user_id) as connection:
        return np.array(connection.scalars(insert(DocumentRow).returning(DocumentRow.id), rows).all())


def _copy_batch(raw: Connection, chunks: str, postings: str, ids: np.ndarray, documents: np.ndarray) -> None:
    seed, owner = 1_000_000 + int(ids[0]), np.full(len(ids), OWNER.user_id.encode())
    words, document, place = (
        drawn(len(ids), seed),
        ids // CHUNKS_PER_DOCUMENT % len(documents),
        ids % CHUNKS_PER_DOCUMENT,
    )
    metadata = [
        (_METADATA % (file, "en" if file % 2 else "ko", at, id_ * 37 % SHARES)).encode()
        for file, at, id_ in zip(document.tolist(), place.tolist(), ids.tolist(), strict=True)
    ]
    length = np.full(len(ids), WORDS_PER_CHUNK, np.int32)
    columns = {"id": ids, "node_id": np.char.mod(b"%032d", ids), "document_id": documents[document], "user_id": owner}
    columns |= {"chunk_index": place.astype(np.int32), "text": texts(words), "length": length}
    columns |= {"metadata_": jsonb(np.array(metadata)), "embedding": vectors(len(ids), seed)}
    copy_columns(raw, chunks, columns)
    first = np.diff(words, axis=1, prepend=-1) != 0  # a word that comes again is one posting
    row, column = np.nonzero(first)
    found: dict[str, np.ndarray] = {"user_id": owner[row], "term": term(words[row, column]), "chunk_id": ids[row]}
    copy_columns(raw, postings, found | {"frequency": np.ones(len(row), np.int32), "length": length[row]})


def _run(store: ChunkStore, statements: list[str], table: str) -> None:
    quote = store.engine.dialect.identifier_preparer.quote
    names = {"table": quote(table), "key": quote(f"{table}_pkey")}
    with store.engine.begin() as connection:
        for statement in statements:
            connection.execute(DDL(statement, context=names))
