"""The one exception a reader should ever see: a sentence that says what happened and what to do."""

from typing import Any

from lessons.language import _


class LessonsError(Exception):
    """A problem explained in one sentence, shown by the notebook, the app and the command line to their reader."""

    def _render_traceback_(self) -> list[str]:
        """IPython calls this instead of printing a traceback."""
        return [f"{type(self).__name__}: {_(str(self))}"]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print what `display` shows in a notebook."""
        printer.text(_(str(self)))


class DatabaseError(LessonsError):
    """The database cannot be started, reached or used."""


class BrokenOffError(DatabaseError):
    """The database broke work off through no fault of it; done again, it may succeed."""


class ModelError(LessonsError):
    """A language or embedding model cannot be reached or gives unusable output."""


class ReadError(LessonsError):
    """A file cannot be read as a document. `reason` says why where the name stands beside it already."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, problem)
        self.reason = f"It {problem}"

    def __str__(self) -> str:
        return " ".join(self.args)


class TooLongError(ModelError):
    """A text that is too long for a model; others may be read."""
