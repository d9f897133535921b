"""How well a database keeps owners apart.

The administrator of a database and the roles marked BYPASSRLS pass every policy. Hence a transaction also takes on a
role that may do nothing but read and write protected rows. Where the user of the database may not make roles, the
policies stand alone, which is enough unless that user bypasses them.
"""

import logging
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from sqlalchemy import Connection, Engine, text

logger = logging.getLogger(__name__)

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


def inspect_row_security(connection: Connection) -> tuple[RowSecurityStatus, dict[str, ProtectedTable]]:
    """Look up how well the roles of the database protect rows, and the protected tables by name."""
    row = connection.execute(_INSPECT).one()
    tables = {name: ProtectedTable(*state) for name, state in (row.tables or {}).items()}
    return RowSecurityStatus(row.role if row.usable else None, row.usable or not row.bypasses), tables


@cache
def row_security_status(engine: Engine) -> RowSecurityStatus:
    """Look up once for an engine how well rows are protected; log a warning where they are not."""
    with engine.connect() as connection:
        status, _ = inspect_row_security(connection)
    if not status.stands:
        logger.warning("%s", status)
    return status
