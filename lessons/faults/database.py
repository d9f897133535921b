"""A PostgreSQL to stop and start at will."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import URL

from lessons import database
from lessons.database import embedded
from lessons.settings import Settings, settings


class SpareDatabase:
    """A throw-away database that is reached by its URL, as a server of yours is: nothing starts it but `start`.

    The server that the workbook starts by itself would come back with the next connection.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="rag-faults-"))
        self.start()

    def start(self) -> None:
        """Start the server, at the address of last time if that is free; nothing if it runs."""
        self.address = at = embedded.running(self._folder)
        query = {"host": at.host, "port": str(at.port)}
        self._url = URL.create("postgresql", embedded.SUPERUSER, at.password, database=embedded.SUPERUSER, query=query)

    def stop(self) -> None:
        """Stop the server under whoever uses it."""
        embedded.stop(self._folder)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The server is gone while the block runs."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def erase(self) -> None:
        """Delete the database and its data."""
        database.stop(self.settings)
        embedded.erase(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        """What DATABASE_URL would be."""
        return self._url.render_as_string(hide_password=False)

    @property
    def settings(self) -> Settings:
        """The settings of this process, with this database."""
        return settings().model_copy(update={"database_url": SecretStr(self.url), "data_dir": self._folder})
