"""A transaction of one owner: the second wall, under the WHERE of every statement (PostgreSQL manual, chapter 5.9).

A protected table (`owned`) shows a transaction the rows of the owner that it named, and takes no others. So a statement
that forgot its WHERE shows nothing of anybody else, and one that named no owner shows nothing. The administrator of a
database and the roles marked BYPASSRLS pass every policy. Hence a transaction also takes on a role that may do nothing
but read and write protected rows. Where the user of the database may not make roles, the policies stand alone, which is
enough unless that user bypasses them: `row_security_status` says which it is.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from tenacity import retry, retry_if_exception, stop_after_attempt

from lessons.database.walls import RowSecurityStatus, inspect_row_security
from lessons.errors import BrokenOffError, DatabaseError

logger = logging.getLogger(__name__)

ENTER = text("SELECT set_config('role', :role, true), set_config('lessons.user_id', :user_id, true)")

ATTEMPTS = 3  # at work that the database breaks off

statuses: WeakKeyDictionary[Engine, RowSecurityStatus] = WeakKeyDictionary()
_around: ContextVar[tuple[Engine, str, Connection] | None] = ContextVar("around", default=None)
replica_transactions: WeakKeyDictionary[Engine, Callable[[Engine, str], AbstractContextManager[Connection]]] = (
    WeakKeyDictionary()
)
"""What opens the transaction of a search instead of `owner_transaction`, for an engine whose replicas are searched."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn whatever the database raises inside the block into a DatabaseError; the original stays as its cause."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, UnicodeEncodeError) as error:
        from lessons.database.problems import explain

        raise explain(error) from error


@contextmanager
def owner_transaction(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction that sees and writes protected rows of this owner only; DatabaseError for what goes wrong in it."""
    with explained(), engine.begin() as connection:
        set_owner(connection, user_id)
        yield connection


@contextmanager
def read_transaction(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction for searches, which share it: inside another one of the same owner in this thread, that one."""
    around = _around.get()
    if around and around[:2] == (engine, user_id):
        yield around[2]
        return
    done = False
    try:
        with replica_transactions.get(engine, owner_transaction)(engine, user_id) as connection:
            token = _around.set((engine, user_id, connection))
            try:
                yield connection
                done = True
            finally:
                _around.reset(token)
    except DatabaseError:
        if not done:  # else all was read, and only the end of the transaction failed
            raise


retry_on_disconnect = retry(
    retry=retry_if_exception(lambda error: isinstance(error, BrokenOffError) and not _around.get()),
    stop=stop_after_attempt(ATTEMPTS),
    reraise=True,
)
"""Does work again that the database broke off; only for what may be done twice.

Within `read_transaction` it is done once, since all of that transaction has to be done again.
"""


def set_owner(connection: Connection, user_id: str) -> None:
    """Limit the rest of the transaction to one owner's rows. One statement, so one round trip."""
    connection.execute(ENTER, {"role": row_security_status(connection.engine).role or "none", "user_id": user_id})


def row_security_status(engine: Engine) -> RowSecurityStatus:
    """How well rows are protected here, looked up once for an engine; a wall that does not stand is logged."""
    if engine not in statuses:
        with explained(), engine.connect() as connection:
            statuses[engine], _ = inspect_row_security(connection)
        if not statuses[engine].stands:
            logger.warning("%s", statuses[engine])
    return statuses[engine]
