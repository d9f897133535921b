"""Real client processes, as the present user and, when the tests run as root, as an ordinary user too."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import psutil

from lessons.database.cluster import halt, home_of
from lessons.database.programs import server_process

REPOSITORY = Path(__file__).parents[2]
NOBODY = 65534
CLIENT = """
import pathlib, sys
import psycopg
from lessons.database.cluster import keywords
from lessons.database.embedded import ensure_running
from lessons.errors import LessonsError
def ask():
    try:
        with psycopg.connect(**keywords(ensure_running(pathlib.Path(sys.argv[1])))) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(1)")  # IF NOT EXISTS alone does not survive a race
            connection.execute("CREATE TABLE IF NOT EXISTS visits (at timestamptz DEFAULT now())")
            connection.execute("INSERT INTO visits DEFAULT VALUES")
            return "ok"
    except LessonsError as error:
        return str(error)
for line in sys.stdin:
    print(ask(), flush=True)
"""

ENGINE_CLIENT = """
import sys
from sqlalchemy import text
from lessons.database import engine
from lessons.settings import Settings
made = engine(Settings(data_dir=sys.argv[1]))
for line in sys.stdin:
    with made.connect() as connection:
        said = connection.scalar(text("SELECT 'ok'"))
    print(said, flush=True)
"""


def wait_for(condition: Callable[[], object], seconds: float = 15) -> bool:
    """Whether the condition came true in time."""
    deadline = monotonic() + seconds
    while monotonic() < deadline:
        if condition():
            return True
        sleep(0.02)
    return False


class Place:
    """A data folder and the processes that use it."""

    def __init__(self, folder: Path, prefix: list[str]) -> None:
        self.folder, self.prefix = folder, prefix
        self.clients: list[subprocess.Popen] = []

    def client(self, code: str = CLIENT, **environment: str) -> subprocess.Popen:
        """A process that answers every line on its input with `ok` or the sentence of the error."""
        command = [*self.prefix, sys.executable, "-c", code, str(self.folder)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.clients.append(
            subprocess.Popen(command, cwd=REPOSITORY, env=os.environ | environment, **pipes)  # type: ignore[call-overload]
        )
        return self.clients[-1]

    def answer(self, client: subprocess.Popen | None = None, **environment: str) -> str:
        """What a client, by default a new one that leaves again, says when it uses the database."""
        asked = client or self.client(**environment)
        asked.stdin.write("\n")
        asked.stdin.flush()
        said = asked.stdout.readline().strip()
        if client is None:
            asked.stdin.close()
            asked.wait()
        return said

    @property
    def home(self) -> Path:
        return (self.folder / "postgres").resolve()

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    def server(self) -> psutil.Process | None:
        return server_process(self.cluster)

    def watchers(self) -> list[psutil.Process]:
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if process.info["cmdline"] and process.info["cmdline"][-2:] == ["lessons.database.cluster", str(self.home)]
        ]

    def fill(self, cluster: Path) -> "Place":
        """Copy a ready-made cluster here, to save a second of `initdb`."""
        if self.prefix:
            home = self.folder / "postgres"
            home.mkdir(mode=0o700)
            os.chown(home, NOBODY, NOBODY)
        else:
            home = home_of(self.folder)
        subprocess.run(["cp", "-a", str(cluster), str(home / "cluster")], check=True)
        return self

    def close(self) -> None:
        for client in self.clients:
            client.kill()
            client.wait()
            client.stdin.close()
            client.stdout.close()
        for watcher in self.watchers():
            watcher.kill()
        if self.home.exists():
            halt(self.home)
            shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def ordinary_prefix() -> list[str]:
    """Runs a command as nobody, who may read what root may (the interpreter lies in root's home) but not write it."""
    ambient = [f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *ambient]
