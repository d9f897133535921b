"""SQL that a model wrote, over a connection that can read one owner's rows of one table and nothing else.

Taking on a role for a transaction (`SET ROLE`, as `owners` does for our own SQL) is not enough here: any SELECT
may call `set_config`, which leaves the role again or names another owner to a policy that reads a setting.
"""

from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier, Literal

_RIGHTS = SQL("""
ALTER ROLE {role} PASSWORD {password};
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT ON {table} TO {role};
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS {role} ON {table};
CREATE POLICY {role} ON {table} FOR SELECT TO {role} USING (owner = {owner})""")


def reader_login(db: Connection, table: str, owner: str) -> str:
    """Make a login that can read the owner's rows of a table, and return how to connect with it.

    The table is in the current schema of `db`, which commits each statement, and has a column `owner`. A second call
    changes the password. psycopg.Error if the user of `db` may not make a login.
    """
    (schema,) = db.execute("SELECT current_schema()").fetchall()[0]
    rows = f"{db.info.dbname}/{schema}/{table}/{owner}"  # hashed, since PostgreSQL cuts off names after 63 bytes
    role, password = f"lessons_reader_{sha256(rows.encode()).hexdigest()[:32]}", token_urlsafe()
    names = {"role": Identifier(role), "schema": Identifier(schema), "table": Identifier(table)}
    with db.transaction():
        if not db.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchall():
            db.execute(SQL("CREATE ROLE {role} LOGIN").format(**names))
        db.execute(_RIGHTS.format(**names, owner=Literal(owner), password=Literal(password)))
    return make_conninfo(db.info.dsn, user=role, password=password, options=f"-c search_path={schema}")


def select(login: str, statement: str, limit: int = 5) -> list[tuple[Any, ...]]:
    """Run one SELECT, read-only and for at most five seconds, and return its first rows.

    psycopg.Error says why the database refused it, or what is wrong with it.
    """
    with psycopg.connect(login) as reader:
        reader.read_only = True
        reader.execute("SET LOCAL statement_timeout = '5s'")
        query = SQL("SELECT * FROM ({}\n) AS answer LIMIT {}").format(SQL(statement.rstrip("; \n")), limit)
        return reader.execute(query, prepare=True).fetchall()  # only a single statement can be prepared
