"""What was found out about an owner's documents, remembered until one of them changes."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Row, Select, Table, Transaction, func, select

from lessons.ingest.documents import DocumentRow
from lessons.ingest.nearest import indexed

Found = TypeVar("Found")

_MOST = 512  # findings that are remembered
_threads = Lock()
_versions: WeakKeyDictionary[Transaction | None, dict[tuple[str, str], Row]] = WeakKeyDictionary()
_findings: WeakKeyDictionary[Engine, dict[tuple, tuple[object, Any]]] = WeakKeyDictionary()


def version(connection: Connection, chunks: Table, user_id: str) -> Row:
    """Another row whenever any process has added, replaced or removed a document of the owner, or indexed the vectors.

    It says how many `chunks` the owner has, and whether their vectors are `indexed`. Looked up once in a transaction.
    """
    looked_up = _versions.setdefault(connection.get_transaction(), {})
    key = chunks.name, user_id
    if key not in looked_up:
        found = connection.execute(_version(chunks, user_id)).one()
        looked_up[key] = kept(connection.engine, (version, *key), found, lambda: found)
    return looked_up[key]


def latest(engine: Engine, chunks: Table, user_id: str) -> Row | None:
    """The version that was looked up last; another process may have changed something since."""
    finding = _findings.get(engine, {}).get((version, chunks.name, user_id))
    return finding[1] if finding else None


def _version(chunks: Table, user_id: str) -> Select:
    times = func.sum(func.extract("epoch", DocumentRow.ingested_at))  # a transaction may commit after a later one
    number = func.coalesce(func.sum(DocumentRow.chunks), 0).label("chunks")
    state = select(func.count(), func.max(DocumentRow.id), times, number, indexed(chunks).label("indexed"))
    return state.where(DocumentRow.index_table == chunks.name, DocumentRow.user_id == user_id)


def kept(engine: Engine, key: tuple, now: object, find: Callable[[], Found]) -> Found:
    """What `find` found for this key when the version was the same as `now`; else it is found again."""
    findings = _findings.setdefault(engine, {})
    with _threads:
        finding = findings.pop(key, None)
    if finding is None or finding[0] != now:
        finding = (now, find())
    with _threads:
        findings[key] = finding  # now the last; what was not used for longest is the first
        while len(findings) > _MOST:
            del findings[next(iter(findings))]
    return finding[1]
