"""A calendar quarter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, order=True)
class Quarter:
    """Quarter `number` (1 to 4) of a year; `quarter + n` moves n quarters, `a - b` counts them."""

    year: int
    number: int

    @classmethod
    def parse(cls, text: str) -> Quarter:
        """Parse `2024Q3`."""
        return cls(int(text[:4]), int(text[5]))

    def __str__(self) -> str:
        return f"{self.year}Q{self.number}"

    def __add__(self, quarters: int) -> Quarter:
        year, number = divmod(self.year * 4 + self.number - 1 + quarters, 4)
        return Quarter(year, number + 1)

    def __sub__(self, other: Quarter) -> int:
        return (self.year - other.year) * 4 + self.number - other.number

    def to_date(self) -> list[Quarter]:
        """Return the quarters of this year up to this one."""
        return [Quarter(self.year, number) for number in range(1, self.number + 1)]

    def label(self, language: str) -> str:
        """Write `Q3 2024` or `2024년 3분기`."""
        return f"{self.year}년 {self.number}분기" if language == "ko" else f"Q{self.number} {self.year}"

    def end(self) -> date:
        """Return the last day."""
        return date(self.year, self.number * 3, 30 if self.number in (2, 3) else 31)


def span(first: Quarter, last: Quarter) -> list[Quarter]:
    """Return the quarters from the first to the last, both included."""
    return [first + offset for offset in range(last - first + 1)]
