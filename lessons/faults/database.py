"""Databases to break: stopped, failed over, out of disk space, or in use by a process that is killed."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import psycopg
from pydantic import SecretStr
from sqlalchemy import Engine, inspect, text

from lessons import database
from lessons.database import embedded, explained
from lessons.database.cluster import SUPERUSER, Address, home_of, keywords, save_address, startup_error_message
from lessons.database.programs import hand_over, run
from lessons.errors import DatabaseError, LessonsError
from lessons.settings import ROOT, Settings, settings


class SpareDatabase:
    """A throw-away database that is reached by its URL, as a server of yours is: nothing starts it but `start`.

    The server that the workbook starts by itself would come back with the next connection. With a `primary` it is a
    replica: it replays what is written there, and can be searched meanwhile.
    """

    def __init__(self, primary: "SpareDatabase | None" = None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="rag-faults-"))
        if primary:
            _make_replica(home_of(self._folder), primary.address)
        self.start()

    def start(self) -> None:
        """Start the server, at the address of last time if that is free; nothing if it runs."""
        self.address = embedded.ensure_running(self._folder)

    def stop(self) -> None:
        """Stop the server under whoever uses it."""
        embedded.stop(self._folder)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the server while the block runs."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def promote(self) -> None:
        """Let a replica accept writes, on its own from now on."""
        with psycopg.connect(**keywords(self.address), autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def erase(self) -> None:
        """Delete the database and its data."""
        database.stop(self.settings)
        embedded.erase(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        """What DATABASE_URL would be."""
        return _url(self.address)

    @property
    def settings(self) -> Settings:
        return settings().model_copy(update={"database_url": SecretStr(self.url), "data_dir": self._folder})


def _make_replica(home: Path, primary: Address) -> None:
    """Copy a running cluster into an empty home, as one that goes on replaying what is written in the other."""
    cluster = home / "cluster"
    cluster.mkdir(mode=0o700)
    hand_over(cluster)
    if primary.password:
        save_address(home, Address("127.0.0.1", 0, primary.password))
    source = f"host={primary.host} port={primary.port} user={SUPERUSER} password='{primary.password or ''}'"
    arguments = ["--write-recovery-conf", "--checkpoint=fast", f"--pgdata={cluster}", f"--dbname={source}"]
    code, output = run("pg_basebackup", *arguments, folder=cluster)
    if code != 0:
        raise DatabaseError(startup_error_message(home, output, f"the copy of the other server ended with code {code}"))


def _url(*servers: Address) -> str:
    """Return the URL that names these servers, which have the same password."""
    hosts, ports = (",".join(str(getattr(server, part)) for server in servers) for part in ("host", "port"))
    login = f"{SUPERUSER}:{servers[0].password or ''}"
    return f"postgresql://{login}@/{SUPERUSER}?host={hosts}&port={ports}"


class ReplicatedDatabase:
    """A primary and its replica behind one DATABASE_URL, which names both."""

    def __init__(self) -> None:
        self.primary = SpareDatabase()
        self.replica = SpareDatabase(self.primary)

    @property
    def settings(self) -> Settings:
        url = _url(self.primary.address, self.replica.address)
        return settings().model_copy(update={"database_url": SecretStr(url)})

    def fail_over(self) -> None:
        """Lose the primary, and promote its replica."""
        self.primary.stop()
        self.replica.promote()

    def erase(self) -> None:
        """Delete both servers and their data."""
        database.stop(self.settings)
        self.replica.erase()
        self.primary.erase()


REFUSE = """CREATE FUNCTION refuse_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF (SELECT count(*) FROM {table}) >= {rows} THEN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_{table}()"""


@contextmanager
def full_disk(engine: Engine, room: int = 0) -> Iterator[None]:
    """While the block runs, each table of chunks takes up `room` chunks more, and the next one finds the disk full."""
    tables = [name for name in inspect(engine).get_table_names() if "chunks_" in name]
    try:
        with explained(), engine.begin() as connection:
            for table in tables:
                count = connection.scalar(text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - a table of our own
                connection.execute(text(REFUSE.format(table=table, rows=count + room)))
        yield
    finally:
        with explained(), engine.begin() as connection:
            for table in tables:
                connection.execute(text(f"DROP FUNCTION IF EXISTS refuse_{table} CASCADE"))


def killed(program: str, database: SpareDatabase, at: str) -> list[str]:
    """Run a program on this database, kill it when it prints `at`, and return its lines; else LessonsError."""
    environment = os.environ | {"DATABASE_URL": database.url, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    command, lines = [sys.executable, "-c", program], []
    with TemporaryFile("w+", encoding="utf-8") as errors:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": errors, "encoding": "utf-8"}
        with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as process:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                if at in line:
                    process.kill()
                    return lines
        errors.seek(0)
        last = errors.read().strip().rpartition("\n")[2]
    raise LessonsError(f"The program ended before it printed {at!r}; it said: {last}")
