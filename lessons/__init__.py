"""The workbook's package: from Naive RAG to Agentic RAG, one measured step at a time.

In a notebook, `import lessons; book = lessons.start()` opens everything there is, and `lessons.source(…)` shows the
code of a class or function.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lessons.course.source import source as source
    from lessons.workbook import start as start

__all__ = ["source", "start"]
_HOMES = {"source": "lessons.course.source", "start": "lessons.workbook"}


def __getattr__(name: str) -> Any:
    """Import each on first use, so that `import lessons` stays quick."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(name)
