"""Servers elsewhere, as DATABASE_URL names them: one that may fall silent, or a primary and its replicas.

TCP gives up on a peer that is gone (the options in `connection`), but not on a proxy that takes everything in and
passes nothing on. So a statement that has waited for a while probes over a second connection whether the server is
there. A long statement may take its time: its server answers.

Several servers are named as libpq writes them: `postgresql://user@one,two:5433/name`. Every new connection finds out
which of them is the primary.

- Writes go where they are accepted. While no server accepts them, between the loss of a primary and a promotion, a
  connection is tried again for `failover_seconds`.
- Searches go to a replica, if there is one, which is some moments behind. So a process remembers how far its own writes
  have brought the log, and searches on the primary until the replica has come as far: it finds what it wrote.
- A search that breaks off is made again, and so is the storing of a document, which happens as a whole or not at all.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.abc import RV, PQGen
from sqlalchemy import URL, Connection, Engine, make_url, text
from sqlalchemy.exc import ArgumentError
from tenacity import Retrying, retry_if_exception, stop_after_delay
from tenacity.wait import wait_fixed

from lessons.database.messages import is_transient
from lessons.database.owners import explained, owner_transaction, replica_transactions, set_owner
from lessons.errors import DatabaseError
from lessons.settings import settings

SILENCE = 8.0  # seconds that a statement waits for a sign of the server before it probes
PATIENCE = 8  # seconds that the server has to answer then; 2 are the least
PAUSE = 0.2  # seconds between two attempts to connect

_WRITTEN = text("SELECT pg_current_wal_insert_lsn() - pg_lsn '0/0'")
_CAUGHT_UP = text("SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() - pg_lsn '0/0' >= :written")

_replica_engines: WeakKeyDictionary[Engine, Engine] = WeakKeyDictionary()
_written: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()
_written_lock = Lock()


class CheckedConnection(psycopg.Connection):
    """A connection of psycopg's; OperationalError if its server no longer answers."""

    def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        """Wait as psycopg does, which comes back to the generator some times a second, also with nothing."""
        return super().wait(self._checked(gen), *args, **kwargs)

    def _checked(self, gen: PQGen[RV]) -> PQGen[RV]:
        try:
            wait_for, last_sign = next(gen), monotonic()
            while True:
                if ready := (yield wait_for):
                    last_sign = monotonic()
                elif monotonic() - last_sign > SILENCE:
                    self._probe()
                    last_sign = monotonic()
                wait_for = gen.send(ready)
        except StopIteration as stop:
            return stop.value

    def _probe(self) -> None:
        """Connect once more: any reply to a new connection, even a refusal, shows that the server is alive."""
        info = self.info
        if info.host.startswith("/"):
            return  # a socket of this machine
        address: dict[str, Any] = {"host": info.host, "hostaddr": info.hostaddr, "port": info.port}
        try:
            psycopg.connect(info.dsn, **address, connect_timeout=PATIENCE).close()
        except psycopg.errors.ConnectionTimeout as error:
            self.close()
            message = 'connection to server at "{host}", port {port} timed out'
            raise psycopg.OperationalError(message.format_map(address)) from error
        except psycopg.OperationalError:
            pass


def psycopg_url(url: str) -> URL:
    """Read a URL as people write it (`postgres://…`, `postgresql+psycopg2://…`) for SQLAlchemy and psycopg 3.

    DatabaseError if it is none; the text is not repeated, because it may hold a password.
    """
    rewritten, count = re.subn(r"^postgres(ql)?(\+\w+)?://", "postgresql+psycopg://", url.strip().strip("\"'"))
    with suppress(ArgumentError, ValueError):
        if count:
            return make_multihost_url(rewritten)
    raise DatabaseError(
        "DATABASE_URL cannot be read: write it as postgresql://user:password@host:5432/database, "
        "with special characters in the password percent-encoded."
    )


def make_multihost_url(url: str) -> URL:
    """Read a URL that may name several hosts, each with or without a port; ArgumentError if it cannot be read."""
    match = re.fullmatch(r"(?P<login>[\w+]+://(?:[^/@]*@)?)(?P<hosts>[^/?@]*,[^/?@]*)(?P<rest>(?:[/?].*)?)", url)
    if not match:
        return make_url(url)
    servers = (re.match(r"(\[[^\]]*\]|[^:]*):?(.*)", server) for server in match["hosts"].split(","))
    hosts, ports = zip(*(server.groups() for server in servers if server), strict=True)
    query = {"host": ",".join(host.strip("[]") for host in hosts)} | ({"port": ",".join(ports)} if any(ports) else {})
    return make_url(match["login"] + match["rest"]).update_query_dict(query)


def names_one_server(url: URL) -> bool:
    """Return True if a URL names one server, or none."""
    hosts = url.query.get("host", "")
    return isinstance(hosts, str) and "," not in hosts


def replicated_engine(url: URL, make: Callable[..., Engine]) -> Engine:
    """Return the engine of whichever server is the primary; `read_transaction` uses that of its replicas."""
    primary = make(url.update_query_dict({"target_session_attrs": "read-write"}), _connect_patiently)
    spread = {"target_session_attrs": "prefer-standby", "load_balance_hosts": "random"}
    _replica_engines[primary] = make(url.update_query_dict(spread), _connect_patiently)
    replica_transactions[primary] = replica_transaction
    return primary


def replica_engine(engine: Engine) -> Engine:
    """Return the engine of the replicas, or the very same one without any."""
    return _replica_engines.get(engine, engine)


@contextmanager
def replica_transaction(engine: Engine, user_id: str) -> Iterator[Connection]:
    """Open a transaction for a search, within one owner's rows, that sees whatever this process has written."""
    if (replicas := replica_engine(engine)) is not engine:
        with explained(), replicas.begin() as connection:
            if engine not in _written or connection.scalar(_CAUGHT_UP, {"written": _written[engine]}):
                set_owner(connection, user_id)
                yield connection
                return
    with owner_transaction(engine, user_id) as connection:
        yield connection


def remember_write(engine: Engine) -> None:
    """Let later searches of this process see what has been written up to now; do nothing without replicas."""
    if engine in _replica_engines:
        with explained(), engine.connect() as connection:
            position = int(connection.scalar(_WRITTEN))
        with _written_lock:
            _written[engine] = max(_written.get(engine, 0), position)


def _connect_patiently(*args: Any, **kwargs: Any) -> CheckedConnection:
    patience = stop_after_delay(settings().failover_seconds)
    attempts = Retrying(retry=retry_if_exception(is_transient), stop=patience, wait=wait_fixed(PAUSE), reraise=True)
    return attempts(CheckedConnection.connect, *args, **kwargs)
