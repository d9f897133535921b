"""A transaction of one owner: the second wall, under the WHERE of every statement (PostgreSQL manual, chapter 5.9).

A protected table (`owned`) shows a transaction the rows of the owner that it named, and takes no others. So a statement
that forgot its WHERE shows nothing of anybody else, and one that named no owner shows nothing. The administrator of a
database and the roles marked BYPASSRLS pass every policy. Hence a transaction also takes on a role that may do nothing
but read and write protected rows. Where the user of the database may not make roles, the policies stand alone, which is
enough unless that user bypasses them: `wall` says which it is.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from tenacity import retry, retry_if_exception, stop_after_attempt

from lessons.errors import BrokenOffError, DatabaseError

logger = logging.getLogger(__name__)

# Roles belong to the whole server. One for each database keeps apart those who share a server.
ROLE_NAME = "('lessons_scope_' || left(current_database(), 40))::name"
MAY_TAKE_ON = "CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END"

_LOOK = text(f"""
SELECT {ROLE_NAME} AS role, me.rolsuper OR me.rolbypassrls AS bypasses,
    coalesce(NOT role.rolsuper AND NOT role.rolbypassrls AND has_schema_privilege(role.oid, current_schema(), 'USAGE')
        AND pg_has_role(me.oid, role.oid, {MAY_TAKE_ON}), false) AS usable,
    (SELECT jsonb_object_agg(relname, jsonb_build_array(obj_description(own.oid, 'pg_class'), relforcerowsecurity,
        coalesce(has_table_privilege(role.oid, own.oid, 'DELETE'), false)))
     FROM pg_class own WHERE relrowsecurity AND pg_table_is_visible(own.oid)
        AND EXISTS (SELECT FROM pg_policy WHERE polrelid = own.oid)) AS tables
FROM pg_roles me LEFT JOIN pg_roles role ON role.rolname = {ROLE_NAME} WHERE me.rolname = current_user
""")  # noqa: S608

ENTER = text("SELECT set_config('role', :role, true), set_config('lessons.user_id', :user_id, true)")

ATTEMPTS = 3  # at work that the database breaks off


@dataclass(frozen=True)
class Wall:
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


class Protected(NamedTuple):
    """A table with a policy: its comment, whether its owner is bound too, and whether the role may write to it."""

    comment: str | None
    forced: bool
    granted: bool


walls: WeakKeyDictionary[Engine, Wall] = WeakKeyDictionary()
_around: ContextVar[tuple[Engine, str, Connection] | None] = ContextVar("around", default=None)
elsewhere: WeakKeyDictionary[Engine, Callable[[Engine, str], AbstractContextManager[Connection]]] = WeakKeyDictionary()
"""What opens the transaction of a search instead of `scoped`, for an engine whose replicas are searched."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn whatever the database raises inside the block into a DatabaseError; the original stays as its cause."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, UnicodeEncodeError) as error:
        from lessons.database.problems import explain

        raise explain(error) from error


@contextmanager
def scoped(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction that sees and writes protected rows of this owner only; DatabaseError for what goes wrong in it."""
    with explained(), engine.begin() as connection:
        enter(connection, user_id)
        yield connection


@contextmanager
def reading(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction for searches, which share it: inside another one of the same owner in this thread, that one."""
    around = _around.get()
    if around and around[:2] == (engine, user_id):
        yield around[2]
        return
    done = False
    try:
        with elsewhere.get(engine, scoped)(engine, user_id) as connection:
            token = _around.set((engine, user_id, connection))
            try:
                yield connection
                done = True
            finally:
                _around.reset(token)
    except DatabaseError:
        if not done:  # else all was read, and only the end of the transaction failed
            raise


again_if_broken_off = retry(
    retry=retry_if_exception(lambda error: isinstance(error, BrokenOffError) and not _around.get()),
    stop=stop_after_attempt(ATTEMPTS),
    reraise=True,
)
"""Does work again that the database broke off; only for what may be done twice.

Within `reading` it is done once, since all of that transaction has to be done again.
"""


def enter(connection: Connection, user_id: str) -> None:
    """Limit the rest of the transaction to one owner's rows. One statement, so one round trip."""
    connection.execute(ENTER, {"role": wall(connection.engine).role or "none", "user_id": user_id})


def wall(engine: Engine) -> Wall:
    """How well rows are protected here, looked up once for an engine; a wall that does not stand is logged."""
    if engine not in walls:
        with explained(), engine.connect() as connection:
            walls[engine], _ = look(connection)
        if not walls[engine].stands:
            logger.warning("%s", walls[engine])
    return walls[engine]


def look(connection: Connection) -> tuple[Wall, dict[str, Protected]]:
    """The wall as the roles of the database now let it stand, and the tables that are behind it, by name."""
    found = connection.execute(_LOOK).one()
    tables = {name: Protected(*each) for name, each in (found.tables or {}).items()}
    return Wall(found.role if found.usable else None, found.usable or not found.bypasses), tables
