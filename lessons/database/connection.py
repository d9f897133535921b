"""One SQLAlchemy engine per process and database: our own server, or the one that DATABASE_URL names."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, cast

import psycopg
from pydantic import SecretStr
from pydantic_core import from_json
from sqlalchemy import URL, Engine, create_engine, event, text

from lessons.database import embedded
from lessons.database.cluster import SUPERUSER, keywords
from lessons.database.messages import NO_PGVECTOR, NOT_UTF8, explain, friendly_message
from lessons.database.owners import explained
from lessons.database.remote import CheckedConnection, names_one_server, psycopg_url, replica_engine, replicated_engine
from lessons.errors import DatabaseError
from lessons.settings import Settings
from lessons.settings import settings as process_settings

PREPARE_AFTER = 5  # times that a connection to our own server has run a statement, which no pooler stands before
CONNECT_ARGUMENTS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,  # a peer that is gone is given up after this and the next two: 20 seconds
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,  # milliseconds, where the system has it
    "application_name": "rag-workbook",
    "client_encoding": "utf8",  # else a database of another encoding answers in that one
}

_engines: dict[SecretStr | Path, Engine] = {}
_lock = RLock()


def engine(settings: Settings | None = None) -> Engine:
    """Return the engine of this process for the configured database, which has answered at least once.

    An embedded server that was stopped or killed is started again by the next connection. A forked child keeps the
    engine and opens connections of its own. DatabaseError says what to do, also when a connection fails later.
    """
    key = _key(settings or process_settings())
    with _lock:
        if key not in _engines:
            _engines[key] = _embedded(key) if isinstance(key, Path) else _external(key.get_secret_value())
        return _engines[key]


def server_info(settings: Settings | None = None) -> str:
    """Describe the configured database, without its password; DatabaseError if it has no pgvector."""
    settings = settings or process_settings()
    database = engine(settings)
    with explained(), database.connect() as connection:
        version = connection.scalar(text("SHOW server_version"))
        query = "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        pgvector = connection.scalar(text(query))
    if not pgvector:
        raise DatabaseError(NO_PGVECTOR)
    url = database.url.difference_update_query(["options", "password", "sslpassword"]).render_as_string()
    address = f"at {url}" if settings.database_url else "embedded"
    return f"PostgreSQL {str(version).split()[0]} with pgvector {pgvector}, {address}"


def stop(settings: Settings | None = None) -> None:
    """Close this process's connections, and stop the server if it is our own; the next use starts it again."""
    if isinstance(data_dir := _forget(settings), Path):
        embedded.stop(data_dir)


def erase(settings: Settings | None = None) -> None:
    """Stop our own server and delete everything that it stored; a database of yours is left alone."""
    if isinstance(data_dir := _forget(settings), Path):
        embedded.erase(data_dir)


def _key(settings: Settings) -> SecretStr | Path:
    """Return the URL of a database of yours, or the folder of our own."""
    return settings.database_url or settings.data_dir.expanduser().absolute()


def _external(text: str) -> Engine:
    url = psycopg_url(text)
    return _refuse_other_encodings(_make(url) if names_one_server(url) else replicated_engine(url, _make))


def _embedded(data_dir: Path) -> Engine:
    address = embedded.ensure_running(data_dir)
    query = {"host": address.host, "port": str(address.port)}
    url = URL.create("postgresql+psycopg", SUPERUSER, address.password, database=SUPERUSER, query=query)

    def connect_or_start(*args: Any, **kwargs: Any) -> psycopg.Connection:
        try:
            return psycopg.connect(*args, **kwargs)
        except psycopg.OperationalError:
            return psycopg.connect(*args, **kwargs | keywords(embedded.ensure_running(data_dir)))

    return _refuse_other_encodings(_make(url, connect_or_start, PREPARE_AFTER, log=embedded.log_of(data_dir)))


def _make(
    url: URL,
    connect: Callable[..., psycopg.Connection] = CheckedConnection.connect,
    prepare_threshold: int | None = None,
    **options: Any,
) -> Engine:
    # Statements prepared by the driver break behind a pooler that hands each transaction to another connection.
    defaults = {**CONNECT_ARGUMENTS, "prepare_threshold": prepare_threshold}
    engine = create_engine(
        url,
        pool_pre_ping=True,
        json_deserializer=from_json,  # several times as fast as Python's; a search reads hundreds of metadata
        max_overflow=15,
        connect_args={name: value for name, value in defaults.items() if name not in url.query},
        execution_options=options,
        hide_parameters=True,  # what an owner asked or wrote would stand in the log
    )

    event.listen(engine, "do_connect", lambda dialect, record, args, kwargs: connect(*args, **kwargs))

    @event.listens_for(engine, "handle_error")
    def raise_friendly_error(context: Any) -> None:
        error = context.original_exception
        if not context.is_pre_ping and isinstance(error, psycopg.Error) and friendly_message(error):
            raise explain(error) from error

    return engine


def _refuse_other_encodings(engine: Engine) -> Engine:
    """Connect once; DatabaseError if that fails or the database cannot store every letter."""
    with explained(), engine.connect() as connection:
        info = cast(psycopg.Connection, connection.connection.driver_connection).info
        if info.parameter_status("server_encoding") not in ("UTF8", None):
            raise DatabaseError(NOT_UTF8)
    return engine


def _forget(settings: Settings | None) -> SecretStr | Path:
    key = _key(settings or process_settings())
    with _lock:
        if engine := _engines.pop(key, None):
            engine.dispose()
            replica_engine(engine).dispose()
    return key


def _after_fork() -> None:
    global _lock
    _lock = RLock()
    for engine in _engines.values():
        engine.dispose(close=False)
        replica_engine(engine).dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
