"""The package's own code, shown where a notebook speaks of it."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from lessons.settings import ROOT


@dataclass(frozen=True, repr=False)
class Source:
    """The code of a class, function or module, and the file in which it stands."""

    file: str
    code: str

    def _repr_markdown_(self) -> str:
        return f"`{self.file}`\n\n```python\n{self.code}```"

    def __repr__(self) -> str:
        return f"{self.file}\n\n{self.code}"


def source(code: Any) -> Source:
    """Return the source of a class, function, property or module of this package, unwrapped.

    TypeError if it was not written in Python, OSError if its file is not there.
    """
    written: Any = inspect.unwrap(getattr(code, "fget", code))
    file = Path(inspect.getsourcefile(written) or "").relative_to(ROOT).as_posix()
    return Source(file, dedent(inspect.getsource(written)))
