"""What was found out about an owner's documents, remembered until one of them changes."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, Select, func, select

from lessons.ingest.documents import DocumentRow

Found = TypeVar("Found")

_MOST = 512  # findings that are remembered
_threads = Lock()
_findings: WeakKeyDictionary[Engine, dict[tuple, tuple[object, Any]]] = WeakKeyDictionary()


def version(index_table: str, user_id: str) -> Select:
    """One row, another whenever any process has added, replaced or removed a document of the owner in this index."""
    times = func.sum(func.extract("epoch", DocumentRow.ingested_at))  # a transaction may commit after a later one
    state = select(func.count(), func.max(DocumentRow.id), times)
    return state.where(DocumentRow.index_table == index_table, DocumentRow.user_id == user_id)


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
