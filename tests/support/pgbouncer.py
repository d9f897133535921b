"""PgBouncer in front of a server, in transaction mode: every transaction may get another connection."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from lessons.database.programs import am_root, system_user
from tests.database.places import wait_for
from tests.support.ports import free_port

CONFIGURATION = """
[databases]
{database} = host={host} port={server_port} dbname={database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 5
"""


@contextmanager
def pgbouncer(server: str) -> Iterator[str]:
    """The URL of the same database behind a pooler with five connections for everybody; skips where there is none."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if not program:
        pytest.skip("needs PgBouncer: apt-get install pgbouncer")
    url, folder = make_url(server), Path(tempfile.mkdtemp(prefix="pgbouncer-"))
    port = free_port()
    places = {"host": url.host, "server_port": url.port, "database": url.database, "port": port, "folder": folder}
    (folder / "ini").write_text(CONFIGURATION.format(**places))
    (folder / "users").write_text(f'"{url.username}" "{url.password}"\n')
    folder.chmod(0o755)
    identity = {"user": system_user()} if am_root() else {}
    with subprocess.Popen([program, "-q", str(folder / "ini")], **identity) as process:  # type: ignore[call-overload]
        try:
            pooled = url.set(host="127.0.0.1", port=port).render_as_string(False)
            assert wait_for(lambda: _answers(pooled))
            yield pooled
        finally:
            process.terminate()
            shutil.rmtree(folder)


def _answers(url: str) -> bool:
    with suppress(psycopg.OperationalError), psycopg.connect(url):
        return True
    return False
