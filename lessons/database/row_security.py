"""Row-level security: the second wall, under the WHERE of every statement (PostgreSQL manual, chapter 5.9).

A protected table shows a transaction the rows of one owner, the one that the transaction named, and takes no others.
So a statement that forgot its WHERE shows nothing of anybody else, and one that named no owner shows nothing at all.
The administrator of a database and the roles marked BYPASSRLS pass every policy. Hence a transaction also takes on
a role that owns nothing and may do nothing but read and write protected rows. Where the user of the database may not
make roles, the policies stand alone, which is enough unless that user bypasses them: `wall` says which it is.

Protected is every table whose rows have an owner: documents, chunks with their terms, plans, messages, memories,
profiles, jobs, what was deleted. The cache of vectors is not, since it knows texts by their hash alone. A run of the
evaluation is everybody's, unless a reader's own questions were asked.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, text

from lessons.database.problems import explained

logger = logging.getLogger(__name__)

OWNED = "user_id = nullif(current_setting('lessons.user_id', true), '')"
"""The condition on a row that has an owner; without a named owner it is never true."""

ENTER = text("SELECT set_config('role', :role, true), set_config('lessons.user_id', :user_id, true)")

# Roles belong to the whole server. One for each database keeps apart those who share a server.
ROLE_NAME = "('lessons_scope_' || left(current_database(), 40))::name"
_MAY_TAKE_ON = "CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END"

_MAKE_ROLE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {ROLE_NAME}) THEN
        EXECUTE 'CREATE ROLE ' || quote_ident({ROLE_NAME}) || ' NOLOGIN NOBYPASSRLS';
    END IF;
    IF NOT pg_has_role(current_user, {ROLE_NAME}, {_MAY_TAKE_ON}) THEN
        EXECUTE 'GRANT ' || quote_ident({ROLE_NAME}) || ' TO CURRENT_USER';
    END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$"""

_LOOK = text(f"""
SELECT {ROLE_NAME} AS role, me.rolsuper OR me.rolbypassrls AS bypasses,
    coalesce(NOT role.rolsuper AND NOT role.rolbypassrls AND has_schema_privilege(role.oid, current_schema(), 'USAGE')
        AND pg_has_role(me.oid, role.oid, {_MAY_TAKE_ON}), false) AS usable
FROM pg_roles me LEFT JOIN pg_roles role ON role.rolname = {ROLE_NAME} WHERE me.rolname = current_user
""")  # noqa: S608

_IN_PLACE = text("""
SELECT relrowsecurity AND relforcerowsecurity = :force AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
    AND (cast(:role AS name) IS NULL OR has_table_privilege(:role, pg_class.oid, 'DELETE'))
FROM pg_class WHERE oid = cast(:quoted AS regclass)
""")

_SEQUENCES = text("""
SELECT cast(objid AS regclass)::text FROM pg_depend
WHERE refobjid = cast(:quoted AS regclass) AND classid = 'pg_class'::regclass AND refobjsubid > 0
    AND deptype IN ('a', 'i') AND objid IN (SELECT oid FROM pg_class WHERE relkind = 'S')
""")

_walls: WeakKeyDictionary[Engine, "Wall"] = WeakKeyDictionary()


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


@contextmanager
def scoped(engine: Engine, user_id: str) -> Iterator[Connection]:
    """A transaction that sees and writes protected rows of this owner only; DatabaseError for what goes wrong in it."""
    with explained(), engine.begin() as connection:
        enter(connection, user_id)
        yield connection


def enter(connection: Connection, user_id: str) -> None:
    """Limit the rest of the transaction to one owner's rows. One statement, so one round trip."""
    connection.execute(ENTER, {"role": wall(connection.engine).role or "none", "user_id": user_id})


def wall(engine: Engine) -> Wall:
    """How well rows are protected here, looked up once for an engine; a wall that does not stand is logged."""
    if engine not in _walls:
        with explained(), engine.connect() as connection:
            _walls[engine] = _look(connection)
        if not _walls[engine].stands:
            logger.warning("%s", _walls[engine])
    return _walls[engine]


def make_role(connection: Connection) -> None:
    """Make the role that transactions take on, if it is missing and the user of the database may."""
    connection.exec_driver_sql(_MAKE_ROLE)


def protect(connection: Connection, table: str, condition: str = OWNED, force: bool = True) -> None:
    """Let the rows of a table be seen and written under `condition` only; nothing happens where that is in place.

    Runs within `ensure_schema`. `force=False` leaves out whoever owns the table, for workers and clean-ups that have
    business with every owner's rows.
    """
    make_role(connection)
    quote = connection.dialect.identifier_preparer.quote
    quoted, role = quote(table), _look(connection).role
    if connection.scalar(_IN_PLACE, {"quoted": quoted, "force": force, "role": role}):
        return
    for statement in _protecting(quoted, condition, force):
        connection.exec_driver_sql(statement)
    if role:
        connection.exec_driver_sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted} TO {quote(role)}")
        for sequence in connection.scalars(_SEQUENCES, {"quoted": quoted}).all():
            connection.exec_driver_sql(f"GRANT USAGE ON SEQUENCE {sequence} TO {quote(role)}")


def _protecting(quoted: str, condition: str, force: bool) -> list[str]:
    return [
        f"ALTER TABLE {quoted} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {quoted} {'FORCE' if force else 'NO FORCE'} ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS own_rows ON {quoted}",
        f"CREATE POLICY own_rows ON {quoted} USING ({condition}) WITH CHECK ({condition})",
    ]


def _look(connection: Connection) -> Wall:
    found = connection.execute(_LOOK).one()
    return Wall(found.role if found.usable else None, found.usable or not found.bypasses)
