"""What was found out about an owner's documents, remembered until one of them changes."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Row, Transaction, text

Finding = TypeVar("Finding")

_MOST = 512  # findings that are remembered
# A transaction may commit after one that began later, so the latest time alone would not do.
_VERSION = text("""
SELECT count(*), max(id), sum(extract(epoch FROM ingested_at)), coalesce(sum(chunks), 0) AS chunks,
    to_regclass(:hnsw) IS NOT NULL AS indexed
FROM documents WHERE index_table = :index_table AND user_id = :user_id
""")
_threads = Lock()
_versions: WeakKeyDictionary[Transaction | None, dict[tuple[str, str], Row]] = WeakKeyDictionary()
_findings: WeakKeyDictionary[Engine, dict[tuple, tuple[object, Any]]] = WeakKeyDictionary()


def term_table_name(chunks: str) -> str:
    return chunks.replace("chunks", "terms", 1)


def hnsw_name(chunks: str) -> str:
    return f"{chunks}_hnsw"


def version(connection: Connection, table: str, user_id: str) -> Row:
    """Another row after each change of the owner's documents or the vector index; looked up once in a transaction."""
    looked_up = _versions.setdefault(connection.get_transaction(), {})
    key = table, user_id
    if key not in looked_up:
        asked = {"index_table": table, "user_id": user_id, "hnsw": f'"{hnsw_name(table)}"'}
        found = connection.execute(_VERSION, asked).one()
        looked_up[key] = kept(connection.engine, (version, *key), found, lambda: found)
    return looked_up[key]


def kept(engine: Engine, key: tuple, now: object, find: Callable[[], Finding]) -> Finding:
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
