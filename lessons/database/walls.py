"""How well a database keeps owners apart: its policies, and the role without rights that transactions take on."""

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, text

# Roles belong to the whole server. One for each database keeps apart those who share a server.
ROLE_NAME = "('lessons_scope_' || left(current_database(), 40))::name"
MAY_TAKE_ON = "CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END"

_REACHES = (
    "coalesce((SELECT has_schema_privilege(role.oid, extnamespace, 'USAGE')"
    " FROM pg_extension WHERE extname = 'vector'), true)"
)
"""Whether the role may use pgvector in the schema where it is installed."""

_LOOK = text(f"""
SELECT {ROLE_NAME} AS role, me.rolsuper OR me.rolbypassrls AS bypasses,
    coalesce(NOT role.rolsuper AND NOT role.rolbypassrls AND has_schema_privilege(role.oid, current_schema(), 'USAGE')
        AND {_REACHES} AND pg_has_role(me.oid, role.oid, {MAY_TAKE_ON}), false) AS usable,
    (SELECT jsonb_object_agg(relname, jsonb_build_array(obj_description(own.oid, 'pg_class'), relforcerowsecurity,
        coalesce(has_table_privilege(role.oid, own.oid, 'DELETE') AND {_REACHES}, false)))
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


class Protected(NamedTuple):
    """A table with a policy: its comment, whether its owner is bound too, and whether the role may write to it."""

    comment: str | None
    forced: bool
    granted: bool


def inspect_row_security(connection: Connection) -> tuple[RowSecurityStatus, dict[str, Protected]]:
    """The wall as the roles of the database now let it stand, and the tables that are behind it, by name."""
    found = connection.execute(_LOOK).one()
    tables = {name: Protected(*each) for name, each in (found.tables or {}).items()}
    return RowSecurityStatus(found.role if found.usable else None, found.usable or not found.bypasses), tables
