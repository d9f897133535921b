"""Owners kept apart by row-level security, under the WHERE of every statement (PostgreSQL manual, chapter 5.9).

A protected table (`schema.protect`) shows a transaction the rows of the owner that it named, and takes no others. So a
statement that forgot its WHERE shows nothing of anybody else, and one that named no owner shows nothing. The
administrator of a database and the roles marked BYPASSRLS pass every policy. Hence a transaction also takes on a role
that may do nothing but read and write protected rows. Where the user of the database may not make roles, the policies
stand alone, which is enough unless that user bypasses them: `row_security_status` says which it is.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, text
from tenacity import retry, retry_if_exception, stop_after_attempt

from lessons.database.messages import explained
from lessons.errors import BrokenOffError, DatabaseError

logger = logging.getLogger(__name__)

ATTEMPTS = 3  # at work that the database breaks off
# Roles belong to the whole server. One for each database keeps apart those who share a server.
ROLE_NAME = "('lessons_scope_' || left(current_database(), 40))::name"
MAY_TAKE_ON = "CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END"

# The role is of no use without the schema in which pgvector is installed.
_MAY_USE_PGVECTOR = (
    "coalesce((SELECT has_schema_privilege(role.oid, extnamespace, 'USAGE')"
    " FROM pg_extension WHERE extname = 'vector'), true)"
)
_INSPECT = text(f"""
SELECT {ROLE_NAME} AS role, me.rolsuper OR me.rolbypassrls AS bypasses,
    coalesce(NOT role.rolsuper AND NOT role.rolbypassrls AND has_schema_privilege(role.oid, current_schema(), 'USAGE')
        AND {_MAY_USE_PGVECTOR} AND pg_has_role(me.oid, role.oid, {MAY_TAKE_ON}), false) AS usable,
    (SELECT jsonb_object_agg(relname, jsonb_build_array(relforcerowsecurity,
        coalesce(has_table_privilege(role.oid, own.oid, 'DELETE') AND {_MAY_USE_PGVECTOR}, false)))
     FROM pg_class own WHERE relrowsecurity AND pg_table_is_visible(own.oid)
        AND EXISTS (SELECT FROM pg_policy WHERE polrelid = own.oid)) AS tables
FROM pg_roles me LEFT JOIN pg_roles role ON role.rolname = {ROLE_NAME} WHERE me.rolname = current_user
""")  # noqa: S608
_SET_OWNER = text("SELECT set_config('role', :role, true), set_config('lessons.user_id', :user_id, true)")


@dataclass(frozen=True)
class RowSecurityStatus:
    """How well rows are protected here: by policies and a role of its own, by policies alone, or not at all."""

    role: str | None
    stands: bool

    def __str__(self) -> str:
        if self.role:
            return f"owners kept apart by policies and the role {self.role}"
        if self.stands:
            return "owners kept apart by policies; the user of the database may not make a role for it"
        return (
            "the user of the database bypasses row-level security, so only each statement's WHERE keeps owners apart: "
            "name another user in DATABASE_URL, or let this one make roles"
        )


class ProtectedTable(NamedTuple):
    """A table with a policy: whether its owner is bound too, and whether the role may write to it."""

    forced: bool
    granted: bool


TransactionOpener = Callable[[Engine, str], AbstractContextManager[Connection]]

replica_transactions: WeakKeyDictionary[Engine, TransactionOpener] = WeakKeyDictionary()
"""What opens the transaction of a search instead of `owner_transaction`, for an engine whose replicas are searched."""

_statuses: WeakKeyDictionary[Engine, RowSecurityStatus] = WeakKeyDictionary()
_shared: ContextVar[tuple[Engine, str, Connection] | None] = ContextVar("shared", default=None)


def inspect_row_security(connection: Connection) -> tuple[RowSecurityStatus, dict[str, ProtectedTable]]:
    """Look up how well the roles of the database protect rows, and the protected tables by name."""
    row = connection.execute(_INSPECT).one()
    tables = {name: ProtectedTable(*state) for name, state in (row.tables or {}).items()}
    return RowSecurityStatus(row.role if row.usable else None, row.usable or not row.bypasses), tables


def row_security_status(engine: Engine) -> RowSecurityStatus:
    """Look up once for an engine how well rows are protected; log a warning where they are not."""
    if engine not in _statuses:
        with explained(), engine.connect() as connection:
            _statuses[engine], _ = inspect_row_security(connection)
        if not _statuses[engine].stands:
            logger.warning("%s", _statuses[engine])
    return _statuses[engine]


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
    finished = False
    try:
        with replica_transactions.get(engine, owner_transaction)(engine, user_id) as connection:
            token = _shared.set((engine, user_id, connection))
            try:
                yield connection
                finished = True
            finally:
                _shared.reset(token)
    except DatabaseError:
        if not finished:  # else all was read, and only the end of the transaction failed
            raise


retry_on_disconnect = retry(
    retry=retry_if_exception(lambda error: isinstance(error, BrokenOffError) and not _shared.get()),
    stop=stop_after_attempt(ATTEMPTS),
    reraise=True,
)
"""Do work again that the database broke off; only for what may be done twice.

Within `read_transaction` it is done once, since all of that transaction has to be done again.
"""
