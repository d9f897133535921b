"""The workbook's package: from Naive RAG to Agentic RAG, one measured change at a time.

In a notebook, `import lessons; book = lessons.start()` opens everything there is, and `lessons.source(…)` shows the
code of a class or function.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lessons.course.source import source as source
    from lessons.workbook import start as start

__all__ = ["source", "start"]


def __getattr__(name: str) -> Any:
    """Import each on first use, so that `import lessons` stays quick."""
    if name == "start":
        from lessons.workbook import start

        return start
    if name == "source":
        from lessons.course.source import source

        return source
    raise AttributeError(name)
