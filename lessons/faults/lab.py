"""A small workspace in which anything may be broken, and what a person sees of its answers."""

import logging
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.context.wrapper import Answering
from lessons.faults.database import ReplicatedDatabase, SpareDatabase
from lessons.ingest.pipeline import FileResult, ingest_each
from lessons.language import _
from lessons.library import indexes
from lessons.rag.answer import Answer
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.stages import stage_named

ADDRESS = re.compile(r"/tmp/rag-workbook-\S+\.s\.PGSQL\.\d+|127\.0\.0\.1(, port |:)\d+")


def without_address(text: str) -> str:
    """Replace the address of a throw-away server, which is another one each time."""
    return ADDRESS.sub(_("<address>"), text)


class Log(list[str]):
    """The warnings and errors of the package, a line each; where one came with a traceback, its line says so."""

    def __repr__(self) -> str:
        return "\n".join(self) or _("nothing is logged")


@contextmanager
def logged() -> Iterator[Log]:
    """Collect what is logged while the block runs, in the reader's language, instead of printing it."""
    logger, log, listener = logging.getLogger("lessons"), Log(), logging.Handler(logging.WARNING)
    propagates, logger.propagate = logger.propagate, False

    def take(record: logging.LogRecord) -> bool:
        line = f"{record.levelname} {_(record.getMessage())}"
        log.append(without_address(line) + (_(" (with its traceback)") if record.exc_info else ""))
        return False  # nothing is left to handle

    listener.addFilter(take)
    logger.addHandler(listener)
    try:
        yield log
    finally:
        logger.removeHandler(listener)
        logger.propagate = propagates


@dataclass(frozen=True)
class Observation:
    """An answer as its reader sees it, with the log, and with those notes of its trace that are no warnings too."""

    answer: Answer
    log: Log

    def __repr__(self) -> str:
        warnings = self.answer.warnings
        notes = [
            f"{step.label}: {_(note)}" for step in self.answer.trace for note in step.notes if note not in warnings
        ]
        texts = {
            "answer": [self.answer.text],
            "warning": map(_, warnings),
            "note": dict.fromkeys(notes),
            "log": self.log,
        }
        return "\n".join(f"{_(kind):8} {without_address(line)}" for kind, lines in texts.items() for line in lines)


DOCUMENTS = {
    "kiosk.md": "# Kiosk\n\nThe kiosk in the lobby opens at 7:30 and closes at 18:15. Coffee costs 2 euros.\n",
    "parking.txt": "The garage below the office holds 40 cars. A permit costs 35 euros a month.\n",
    "도서관.txt": "사내 도서관은 평일 오전 9시에 문을 엽니다. 책은 한 번에 다섯 권까지 빌릴 수 있습니다.\n",
}


class Lab(AbstractContextManager):
    """The stages over three short documents, in a database of their own that is gone when the lab is closed."""

    def __init__(self, database: SpareDatabase | ReplicatedDatabase | None = None) -> None:
        self.database = database or SpareDatabase()
        self.workspace = Workspace.open(self.database.settings)
        self.scope = Scope(self.workspace.settings.user)
        self.add(DOCUMENTS)

    def stage(self, name: str) -> Stage:
        return stage_named(name).but(name, workspace=self.workspace)

    def ask(self, stage: Answering | str, question: str, **scope: Any) -> Observation:
        """Ask a stage and look at all that can be seen of its answer."""
        pipeline = self.stage(stage) if isinstance(stage, str) else stage
        with logged() as log:
            return Observation(pipeline.ask(question, **scope), log)

    def add(self, documents: Mapping[str, str]) -> list[FileResult]:
        """Ingest texts by file name into every index."""
        with tempfile.TemporaryDirectory() as folder:
            files = [(Path(folder) / f"{number}{Path(name).suffix}", name) for number, name in enumerate(documents)]
            for path, name in files:
                path.write_text(documents[name], encoding="utf-8")
            return [result for _, result in ingest_each(self.workspace, files, indexes(), self.scope)]

    def close(self) -> None:
        self.database.erase()

    def __exit__(self, *failure: object) -> None:
        self.close()
