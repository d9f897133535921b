"""What a person sees of an answer, and what only the log says."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lessons.rag.answer import Answer

ADDRESS = re.compile(r"/tmp/rag-workbook-\S+\.s\.PGSQL\.\d+|127\.0\.0\.1(, port |:)\d+")


def without_address(text: str) -> str:
    """The text with the address of a throw-away server, which is another one each time, replaced."""
    return ADDRESS.sub("<address>", text)


class Log(list[str]):
    """The warnings and errors of the package, a line each; where one came with a traceback, its line says so."""

    def __repr__(self) -> str:
        return "\n".join(self) or "nothing is logged"


class _Listener(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.levelname} {record.getMessage()}"
        self._log.append(without_address(line) + (" (with its traceback)" if record.exc_info else ""))


@contextmanager
def logged() -> Iterator[Log]:
    """Collect what is logged while the block runs, instead of printing it."""
    logger, log = logging.getLogger("lessons"), Log()
    listener, propagates = _Listener(log), logger.propagate
    logger.addHandler(listener)
    logger.propagate = False
    try:
        yield log
    finally:
        logger.removeHandler(listener)
        logger.propagate = propagates


@dataclass(frozen=True)
class Seen:
    """An answer as its reader sees it, with the log, and with those notes of its trace that are no warnings too."""

    answer: Answer
    log: Log

    def __repr__(self) -> str:
        warnings = self.answer.warnings
        notes = [f"{step.name}: {note}" for step in self.answer.trace for note in step.notes if note not in warnings]
        lines = [("answer", self.answer.text)]
        lines += [("warning", warning) for warning in warnings]
        lines += [("note", note) for note in dict.fromkeys(notes)]
        lines += [("log", line) for line in self.log]
        return "\n".join(f"{kind:8} {without_address(said)}" for kind, said in lines)
