"""What a check says."""

import html
from dataclasses import dataclass
from typing import Literal

Level = Literal["wrong", "nearly right", "right"]
LEVELS: tuple[Level, ...] = ("wrong", "nearly right", "right")
"""From worst to best."""

SIGNS: dict[Level, str] = {"wrong": "✗", "nearly right": "≈", "right": "✓"}
COLOURS: dict[Level, str] = {"wrong": "#b3261e", "nearly right": "#9a6700", "right": "#1a7f37"}


@dataclass(frozen=True)
class Verdict:
    """How an exercise was done, with a sentence on what to look at if it is not right."""

    exercise: str
    level: Level
    said: str = ""

    @property
    def right(self) -> bool:
        return self.level == "right"

    def __str__(self) -> str:
        return f"{SIGNS[self.level]} {self.exercise} {self.level}" + (f": {self.said}" if self.said else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        style = f"border-left:4px solid {COLOURS[self.level]};padding:2px 10px"
        head = html.escape(f"{SIGNS[self.level]} {self.exercise} {self.level}")
        return f"<div style='{style}'><b>{head}</b><br>{html.escape(self.said)}</div>"
