"""A PostgreSQL with a replica, to lose the one and promote the other."""

import tempfile
from pathlib import Path

import psycopg
from pydantic import SecretStr

from lessons import database
from lessons.database import embedded
from lessons.database.cluster import home_of, make_replica
from lessons.faults.database import SpareDatabase
from lessons.settings import Settings, settings


class Replica(SpareDatabase):
    """A server that replays what is written on another one, and can be searched meanwhile."""

    def __init__(self, primary: SpareDatabase) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="rag-faults-"))
        make_replica(home_of(self._folder), primary.address)
        self.start()

    def promote(self) -> None:
        """Let it accept writes, on its own from now on."""
        with psycopg.connect(**embedded.keywords(self.address), autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")


class ReplicatedDatabase:
    """A primary and its replica behind one DATABASE_URL, which names both."""

    def __init__(self) -> None:
        self.primary = SpareDatabase()
        self.replica = Replica(self.primary)

    @property
    def url(self) -> str:
        """What DATABASE_URL would be."""
        servers = [self.primary.address, self.replica.address]
        hosts, ports = (",".join(str(getattr(each, part)) for each in servers) for part in ("host", "port"))
        login = f"{embedded.SUPERUSER}:{servers[0].password or ''}"
        return f"postgresql://{login}@/{embedded.SUPERUSER}?host={hosts}&port={ports}"

    @property
    def settings(self) -> Settings:
        """The settings of this process, with these servers."""
        return settings().model_copy(update={"database_url": SecretStr(self.url)})

    def fail_over(self) -> None:
        """Lose the primary, and promote its replica."""
        self.primary.stop()
        self.replica.promote()

    def erase(self) -> None:
        """Delete both servers and their data."""
        database.stop(self.settings)
        self.replica.erase()
        self.primary.erase()
