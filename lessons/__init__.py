"""The workbook's package: from Naive RAG to Agentic RAG, one measured change at a time.

In a notebook, `import lessons; book = lessons.start()` opens everything there is.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lessons.workbook import start as start

__all__ = ["start"]


def __getattr__(name: str) -> Any:
    """Import `start` on first use, so that `import lessons` stays quick."""
    if name == "start":
        from lessons.workbook import start

        return start
    raise AttributeError(name)
