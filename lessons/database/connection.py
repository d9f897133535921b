"""One SQLAlchemy engine per process and database: our own server, or the one that DATABASE_URL names."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Any, cast

import psycopg
from pydantic import SecretStr
from sqlalchemy import URL, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError

from lessons.database import embedded
from lessons.database.checked import CheckedConnection
from lessons.database.messages import NO_PGVECTOR, NOT_UTF8, explain, explained, friendly_message
from lessons.database.replicas import reader, replicated, single, with_hosts
from lessons.database.schema import reach_pgvector_when_opened
from lessons.errors import DatabaseError
from lessons.settings import Settings
from lessons.settings import settings as process_settings

PREPARE_AFTER = 5  # times that a connection to our own server has run a statement, which no pooler stands before

_engines: dict[SecretStr | Path, Engine] = {}
_threads = RLock()


def engine(settings: Settings | None = None) -> Engine:
    """The engine of this process for the configured database, which has answered at least once.

    An embedded server that was stopped or killed is started again by the next connection. A forked child keeps the
    engine and opens connections of its own. DatabaseError says what to do, also when a connection fails later.
    """
    key = _key(settings or process_settings())
    with _threads:
        if key not in _engines:
            _engines[key] = _embedded(key) if isinstance(key, Path) else _external(key.get_secret_value())
        return _engines[key]


def server_info(settings: Settings | None = None) -> str:
    """Versions and address, without its password, of the configured database; DatabaseError if it has no pgvector."""
    chosen = settings or process_settings()
    made = engine(chosen)
    with explained(), made.connect() as connection:
        version = connection.scalar(text("SHOW server_version"))
        query = "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        pgvector = connection.scalar(text(query))
    if not pgvector:
        raise DatabaseError(NO_PGVECTOR)
    url = made.url.difference_update_query(["options", "password", "sslpassword"]).render_as_string()
    where = f"at {url}" if chosen.database_url else "embedded"
    return f"PostgreSQL {str(version).split()[0]} with pgvector {pgvector}, {where}"


def stop(settings: Settings | None = None) -> None:
    """Close this process's connections, and stop the server if it is our own; the next use starts it again."""
    if isinstance(left := _forget(settings), Path):
        embedded.stop(left)


def erase(settings: Settings | None = None) -> None:
    """Stop our own server and delete everything that it stored; a database of yours is left alone."""
    if isinstance(left := _forget(settings), Path):
        embedded.erase(left)


def psycopg_url(url: str) -> URL:
    """A URL as people write it (`postgres://…`, `postgresql+psycopg2://…`) for SQLAlchemy and psycopg 3.

    DatabaseError if it is none; the text is not repeated, because it may hold a password.
    """
    rewritten, found = re.subn(r"^postgres(ql)?(\+\w+)?://", "postgresql+psycopg://", url.strip().strip("\"'"))
    with suppress(ArgumentError, ValueError):
        if found:
            return with_hosts(rewritten)
    raise DatabaseError(
        "DATABASE_URL cannot be read: write it as postgresql://user:password@host:5432/database, "
        "with special characters in the password percent-encoded."
    )


def _key(settings: Settings) -> SecretStr | Path:
    """The URL of a database of yours, or the folder of our own."""
    return settings.database_url or settings.data_dir.expanduser().absolute()


def _external(url: str) -> Engine:
    read = psycopg_url(url)
    return _answering(_make(read) if single(read) else replicated(read, _make))


def _embedded(data_dir: Path) -> Engine:
    address, user = embedded.running(data_dir), embedded.SUPERUSER
    query = {"host": address.host, "port": str(address.port)}
    url = URL.create("postgresql+psycopg", user, address.password, database=user, query=query)

    def connect_or_start(*arguments: Any, **words: Any) -> psycopg.Connection:
        try:
            return psycopg.connect(*arguments, **words)
        except psycopg.OperationalError:
            return psycopg.connect(*arguments, **words | embedded.keywords(embedded.running(data_dir)))

    return _answering(_make(url, connect_or_start, PREPARE_AFTER, log=embedded.log_of(data_dir)))


def _make(
    url: URL,
    connect: Callable[..., psycopg.Connection] = CheckedConnection.connect,
    prepare_threshold: int | None = None,
    **options: Any,
) -> Engine:
    # Statements prepared by the driver break behind a pooler that hands each transaction to another connection.
    defaults = {
        "connect_timeout": 10,
        "keepalives_idle": 10,  # a peer that is gone is given up after this and the next two: 20 seconds
        "keepalives_interval": 5,
        "keepalives_count": 2,
        "tcp_user_timeout": 20_000,  # milliseconds, where the system has it
        "application_name": "rag-workbook",
        "client_encoding": "utf8",  # else a database of another encoding answers in that one
        "prepare_threshold": prepare_threshold,
    }
    words = {name: value for name, value in defaults.items() if name not in url.query}
    made = create_engine(
        url,
        pool_pre_ping=True,
        max_overflow=15,
        connect_args=words,
        execution_options=options,
        hide_parameters=True,  # what an owner asked or wrote would stand in the log
    )

    @event.listens_for(made, "do_connect")
    def alike(dialect: Any, record: Any, arguments: list, words: dict) -> psycopg.Connection:
        opened = connect(*arguments, **words)
        if opened.info.parameter_status("standard_conforming_strings") == "off":  # bytes would be escaped twice
            opened.execute("SET standard_conforming_strings = on")
        reach_pgvector_when_opened(made, opened)
        return opened

    @event.listens_for(made, "handle_error")
    def say_what_to_do(context: Any) -> None:
        error = context.original_exception
        if not context.is_pre_ping and isinstance(error, psycopg.Error) and friendly_message(error):
            raise explain(error) from error

    return made


def _answering(made: Engine) -> Engine:
    with explained(), made.connect() as connection:
        info = cast(psycopg.Connection, connection.connection.driver_connection).info
        if info.parameter_status("server_encoding") not in ("UTF8", None):
            raise DatabaseError(NOT_UTF8)
        return made


def _forget(settings: Settings | None) -> SecretStr | Path:
    key = _key(settings or process_settings())
    with _threads:
        if made := _engines.pop(key, None):
            made.dispose()
            reader(made).dispose()
    return key


def _after_fork() -> None:
    global _threads
    _threads = RLock()
    for made in _engines.values():
        made.dispose(close=False)
        reader(made).dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
