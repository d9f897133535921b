"""Tables, and the extension they need, made once however many processes want them at the same time."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from sqlalchemy import Connection, Engine, text

from lessons.database.problems import BROKEN_OFF
from lessons.database.row_security import explained
from lessons.errors import DatabaseError

SCHEMA_LOCK = 7_260_514_892
"""Key of the advisory lock; any number does, as long as nothing else in the database uses it."""

NO_SUCH_INSTRUCTION = (
    "The pgvector that comes with the workbook uses instructions that this processor does not have: "
    "set DATABASE_URL to a server with pgvector, for example the container image pgvector/pgvector."
)


def ensure_schema(engine: Engine, create: Callable[[Connection], object]) -> None:
    """Switch pgvector on and call `create` with a connection, in one transaction that only one process runs at a time.

    `create` must do nothing where everything is in place (`CREATE TABLE IF NOT EXISTS`, `metadata.create_all`).

    Raises:
        DatabaseError: with one sentence on what to do; then nothing was created.
    """
    try:
        with explained(), engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": SCHEMA_LOCK})
            if not connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")):
                connection.execute(text("CREATE EXTENSION vector"))
            create(connection)
    except DatabaseError as error:
        log = engine.get_execution_options().get("log")
        if log and str(error) == BROKEN_OFF and _died_of_illegal_instruction(log):
            raise DatabaseError(NO_SUCH_INSTRUCTION) from error
        raise


def _died_of_illegal_instruction(log: Path) -> bool:
    """Whether the server's log says so (signal 4 is SIGILL); it may do so a moment after the connection broke."""
    deadline = monotonic() + 1
    while monotonic() < deadline:
        if "terminated by signal 4" in log.read_text(errors="replace")[-20_000:]:
            return True
        sleep(0.05)
    return False
