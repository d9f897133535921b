"""Hostile inputs, the same in every run: SQL, quotes, NUL, look-alikes, other owners' names, deep and long filters."""

import random
from collections.abc import Iterator

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from lessons.rag.filters import BooleanFilter

MARK = "zq7attack"
"""In every hostile text, so that a statement which holds it was not bound."""

PIECES = [
    "' OR '1'='1", "'; DROP TABLE documents; --", "\") OR TRUE --", "' UNION SELECT text FROM chunks --", "O'Brien",
    "$1", "%(user_id)s", "%s", ":user_id", "{0}", "\\", "\\'", "\\u0000", "\0", "\n", "\t", "\x1b[2J", "\ud800", "％",
    "＇ OR ＇1＇＝＇1", "ʼ", "mіna", "ｍｉｎａ", "mina\u200b", "\u202ejoon", "joon", "user_id", "metadata_->>'user_id'",
    "'); SELECT pg_sleep(9); --", "set_config('lessons.user_id','joon',true)", "RESET ROLE;", "NULL", "true", "[]",
    "{\"$ne\": 1}", "../../etc/passwd", "a.md", "his.md", "&&", "||", "((((", "== 1", "한'글", "조은\u0301", "🦊",
    "-- ", "/*", "*/", "E'\\\\'", "$$ $$", "x" * 600, "", " ",
]  # fmt: skip
KEYS = ["user_id", "source_file", "ref_id", "type", "keywords", "year", "text", "embedding", "document_id", "", "a b"]
NUMBERS = [0, -1, 2024, 2**63, 10**400, 1e308, float("inf"), float("nan"), -0.0]


class Attacker:
    """Draws inputs from a seed; `owners` are names that somebody else goes by."""

    def __init__(self, seed: int, *owners: str) -> None:
        self._draw, self._pieces = random.Random(seed), [*PIECES, *owners]

    def text(self) -> str:
        parts = [self._draw.choice(self._pieces) for _ in range(self._draw.randint(1, 4))]
        return "".join([*parts, MARK] if self._draw.random() < 0.9 else parts)

    def texts(self, count: int) -> Iterator[str]:
        return (self.text() for _ in range(count))

    def expression(self, depth: int = 0) -> str:
        """A filter as text: well formed, or cut off and stirred."""
        if depth < 3 and self._draw.random() < 0.3:
            joined = self._draw.choice([" && ", " || ", " & ", ""]).join(self.expression(depth + 1) for _ in range(2))
            return f"({joined})"
        value = self.text().replace("\\", "\\\\").replace("'", "\\'") if self._draw.random() < 0.7 else self.text()
        operand = self._draw.choice([f"'{value}'", f"['{value}']", f"['{value}', 'x']", "2024", "true", value])
        operator = self._draw.choice(["==", "!=", ">", ">=", "<", "<=", "in", "nin", "=", "like", ";"])
        return f"{self._draw.choice([*KEYS, 'year', 'title', self.text()])} {operator} {operand}"

    def filters(self, depth: int = 0) -> MetadataFilters:
        """A filter as code builds it, some nested deeper than allowed."""
        deeper = self._draw.random() < (0.3 if depth else 0.4)
        parts = [self.filters(depth + 1) if deeper and depth < 46 else self._clause()]
        parts += [self._clause() for _ in range(self._draw.randint(0, 2))]
        return MetadataFilters(filters=parts, condition=self._draw.choice(list(FilterCondition)))

    def _clause(self) -> MetadataFilter:
        key = self._draw.choice([*KEYS, self.text()])
        if self._draw.random() < 0.05:
            return BooleanFilter(key=key, value=True)
        value: object = self.text() if self._draw.random() < 0.8 else self._draw.choice(NUMBERS)
        operator = self._draw.choice(list(FilterOperator))
        many = operator in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL)
        return MetadataFilter(key=key, operator=operator, value=[value] if many else value)
