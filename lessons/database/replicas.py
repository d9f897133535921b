"""Several servers behind one DATABASE_URL: the primary, which is written to, and replicas, which are searched.

DATABASE_URL names them all, as libpq writes it: `postgresql://user@one,two:5433/name`. Every new connection finds out
which of them is the primary.

- Writes go where they are accepted. While no server accepts them, between the loss of a primary and a promotion, a
  connection is tried again for `failover_seconds`.
- Searches go to a replica, if there is one, which is some moments behind. So a process remembers how far its own writes
  have brought the log, and searches on the primary until the replica has come as far: it finds what it wrote.
- A search that breaks off is made again, and so is the storing of a document, which happens as a whole or not at all.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import URL, Connection, Engine, make_url, text
from tenacity import Retrying, retry_if_exception, stop_after_delay
from tenacity.wait import wait_fixed

from lessons.database.checked import CheckedConnection
from lessons.database.messages import explained, is_transient
from lessons.database.owners import owner_transaction, replica_transactions, set_owner
from lessons.settings import settings

WRITTEN = text("SELECT pg_current_wal_insert_lsn() - pg_lsn '0/0'")
CAUGHT_UP = text("SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() - pg_lsn '0/0' >= :written")

PAUSE = 0.2  # seconds between two attempts to connect

_readers: WeakKeyDictionary[Engine, Engine] = WeakKeyDictionary()
_written: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()
_remembering = Lock()


def with_hosts(url: str) -> URL:
    """A URL that may name several hosts, each with or without a port; ArgumentError if it cannot be read."""
    found = re.fullmatch(r"(?P<before>[\w+]+://(?:[^/@]*@)?)(?P<hosts>[^/?@]*,[^/?@]*)(?P<after>(?:[/?].*)?)", url)
    if not found:
        return make_url(url)
    servers = (re.match(r"(\[[^\]]*\]|[^:]*):?(.*)", each) for each in found["hosts"].split(","))
    hosts, ports = zip(*(server.groups() for server in servers if server), strict=True)
    named = {"host": ",".join(host.strip("[]") for host in hosts)} | ({"port": ",".join(ports)} if any(ports) else {})
    return make_url(found["before"] + found["after"]).update_query_dict(named)


def single(url: URL) -> bool:
    """Whether a URL names one server, or none."""
    hosts = url.query.get("host", "")
    return isinstance(hosts, str) and "," not in hosts


def replicated(url: URL, make: Callable[..., Engine]) -> Engine:
    """The engine of whichever server is the primary; `read_transaction` knows the one of its replicas."""
    primary = make(url.update_query_dict({"target_session_attrs": "read-write"}), _connect_patiently)
    spread = {"target_session_attrs": "prefer-standby", "load_balance_hosts": "random"}
    _readers[primary] = make(url.update_query_dict(spread), _connect_patiently)
    replica_transactions[primary] = up_to_date
    return primary


def reader(engine: Engine) -> Engine:
    """Where searches go: the engine of the replicas, or the very same one without any."""
    return _readers.get(engine, engine)


@contextmanager
def up_to_date(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction for a search, within one owner's rows, that sees whatever this process has written."""
    if (replicas := reader(engine)) is not engine:
        with explained(), replicas.begin() as connection:
            if engine not in _written or connection.scalar(CAUGHT_UP, {"written": _written[engine]}):
                set_owner(connection, user_id)
                yield connection
                return
    with owner_transaction(engine, user_id) as connection:
        yield connection


def remember_write(engine: Engine) -> None:
    """Let later searches of this process see what has been written up to now; nothing to do without replicas."""
    if engine in _readers:
        with explained(), engine.connect() as connection:
            position = int(connection.scalar(WRITTEN))
        with _remembering:
            _written[engine] = max(_written.get(engine, 0), position)


def _connect_patiently(*arguments: Any, **words: Any) -> CheckedConnection:
    patience = stop_after_delay(settings().failover_seconds)
    attempts = Retrying(retry=retry_if_exception(is_transient), stop=patience, wait=wait_fixed(PAUSE), reraise=True)
    return attempts(CheckedConnection.connect, *arguments, **words)
