"""Our hybrid search beside those of other frameworks, as `data/rivals/compare.py` measured them."""

import html
import json
from dataclasses import dataclass
from typing import Any

from lessons.settings import ROOT
from lessons.tables import html_table

RESULT = ROOT / "data" / "rivals" / "result.json"
HEAD = ("", "nDCG@10", "in Korean", "ours is better by", "lines of code")


@dataclass(frozen=True)
class Frameworks:
    """A table of searches over the same chunks and vectors; differences are paired, with 95 % intervals."""

    questions: int
    korean: int
    chunks: int
    searches: tuple[dict[str, Any], ...]

    @property
    def rows(self) -> list[list[str]]:
        return [_row(each) for each in self.searches]

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [list(HEAD), *self.rows])

    def _repr_html_(self) -> str:
        about = f"{self.questions} questions, {self.korean} of them in Korean, {self.chunks:,} chunks"
        return f"<p>{html.escape(about)}</p>" + html_table(HEAD, self.rows)


def frameworks() -> Frameworks:
    """What was measured for this repository."""
    found = json.loads(RESULT.read_text(encoding="utf-8"))
    return Frameworks(found["questions"], found["korean"], found["chunks"], tuple(found["searches"]))


def _row(found: dict[str, Any]) -> list[str]:
    low, high = found["interval"]
    worst, best = found["gain_interval"]
    return [
        found["name"],
        f"{found['ndcg@10']:.2f} [{low:.2f}, {high:.2f}]",
        f"{found['korean']:.2f}",
        f"{found['ours_is_better_by']:+.2f} [{worst:+.2f}, {best:+.2f}]",
        str(found["lines"]),
    ]
