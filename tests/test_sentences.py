"""A database that cannot be used is told in one sentence: in the notebook, the app and the command line."""

import os
import subprocess
import sys

import pytest
from sqlalchemy import create_engine, text

from lessons.database.remote import psycopg_url

DEAD = "postgresql://nobody:s3cret@127.0.0.1:1/none"
NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.instance().run_cell("import lessons; lessons.start()")
"""
APP = """
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=120).run()
assert not page.exception, page.exception
print("\\n".join(error.value.replace("\\\\", "") for error in page.error))
"""
COMMAND = "import sys; sys.argv = ['lessons', 'ask', 'Why?']; from lessons.cli import main; main()"


def told(code: str, url: str) -> str:
    """What a fresh process says when it meets this database."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"DATABASE_URL": url})
    return "\n".join(line for line in (done.stdout + done.stderr).splitlines() if "ScriptRunContext" not in line)


@pytest.fixture(scope="module")
def without_pgvector(tcp_server: str) -> str:
    """A database where the extension is not there and the role may not create it."""
    with create_engine(psycopg_url(tcp_server), isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS speechless"))
        connection.execute(text("DROP ROLE IF EXISTS listener"))
        connection.execute(text("CREATE ROLE listener LOGIN PASSWORD 's3cret'"))
        connection.execute(text("CREATE DATABASE speechless"))
    bare = tcp_server.rsplit("/", 1)[0] + "/speechless"
    with create_engine(psycopg_url(bare), isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("GRANT ALL ON SCHEMA public TO listener"))
    return f"postgresql://listener:s3cret@{tcp_server.split('@')[1].rsplit('/', 1)[0]}/speechless"


@pytest.mark.parametrize(
    ("code", "database", "advice"),
    [
        (NOTEBOOK, DEAD, "DATABASE_URL"),
        (APP, DEAD, "DATABASE_URL"),
        (COMMAND, DEAD, "DATABASE_URL"),
        (APP, "without_pgvector", "pgvector"),
    ],
)
def test_it_is_one_sentence_without_a_traceback_or_a_password(
    request: pytest.FixtureRequest, code: str, database: str, advice: str
) -> None:
    url = database if "://" in database else request.getfixturevalue(database)
    said = told(code, url)
    assert advice in said
    assert "Traceback" not in said
    assert "s3cret" not in said
