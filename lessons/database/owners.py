"""Owners kept apart by row-level security, under the WHERE of every statement (PostgreSQL manual, chapter 5.9).

A protected table (`schema.protect`) shows a transaction the rows of the owner that it named, and takes no others. So a
statement that forgot its WHERE shows nothing of anybody else, and one that named no owner shows nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from tenacity import retry, retry_if_exception, stop_after_attempt

from lessons.database.messages import explain
from lessons.database.row_security import row_security_status
from lessons.errors import BrokenOffError

ATTEMPTS = 3  # at work that the database breaks off
_SET_OWNER = text("SELECT set_config('role', :role, true), set_config('lessons.user_id', :user_id, true)")


TransactionOpener = Callable[[Engine, str], AbstractContextManager[Connection]]

replica_transactions: WeakKeyDictionary[Engine, TransactionOpener] = WeakKeyDictionary()
"""What opens the transaction of a search instead of `owner_transaction`, for an engine whose replicas are searched."""

_shared: ContextVar[tuple[Engine, str, Connection] | None] = ContextVar("shared", default=None)


@contextmanager
def explained() -> Iterator[None]:
    """Turn whatever the database raises inside the block into a DatabaseError; the original stays as its cause."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, UnicodeEncodeError) as error:
        raise explain(error) from error


def set_owner(connection: Connection, user_id: str) -> None:
    """Limit the rest of the transaction to one owner's rows. One statement, so one round trip."""
    role = row_security_status(connection.engine).role or "none"
    connection.execute(_SET_OWNER, {"role": role, "user_id": user_id})


@contextmanager
def owner_transaction(engine: Engine, user_id: str) -> Iterator[Connection]:
    """Open a transaction that sees and writes this owner's rows only; DatabaseError for what goes wrong in it."""
    with explained(), engine.begin() as connection:
        set_owner(connection, user_id)
        yield connection


@contextmanager
def read_transaction(engine: Engine, user_id: str) -> Iterator[Connection]:
    """Open a transaction for searches, or share the one that this thread has open for the same owner."""
    shared = _shared.get()
    if shared and shared[:2] == (engine, user_id):
        yield shared[2]
        return
    with replica_transactions.get(engine, owner_transaction)(engine, user_id) as connection:
        token = _shared.set((engine, user_id, connection))
        try:
            yield connection
        finally:
            _shared.reset(token)


retry_on_disconnect = retry(
    retry=retry_if_exception(lambda error: isinstance(error, BrokenOffError) and not _shared.get()),
    stop=stop_after_attempt(ATTEMPTS),
    reraise=True,
)
"""Do work again that the database broke off; only for what may be done twice.

Within `read_transaction` it is done once, since all of that transaction has to be done again.
"""
