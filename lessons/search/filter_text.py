"""Metadata filters written as text: `date >= 2024-07-01 && (quarter == "Q3" || keywords in ["cost", "비용"])`.

Operators: == != > >= < <= in nin, joined by && (binds closer) and ||, nested with parentheses. Values are numbers,
texts in single or double quotes, ISO dates, true and false, or lists of one kind. The result is LlamaIndex's
`MetadataFilters`.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from lessons.errors import LessonsError
from lessons.rag.filters import MAX_CLAUSES, MAX_DEPTH, BooleanFilter, FilterError, usable_value

MAX_CHARS = 2_000  # of a filter written as text
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<date>\d{4}-\d\d(?:-\d\d)?)(?![\w.-])
    |(?P<number>-?\d+(?:\.\d+)?)(?![\w.])
    |(?P<operator>==|!=|>=|<=|>|<|\b(?:in|nin)\b)|(?P<join>&&|\|\|)|(?P<mark>[()\[\],])|(?P<key>[^\W\d]\w*)|(?P<end>$))""",
    re.VERBOSE,
)

SCALARS: dict[str, Callable[[str], str | int | float]] = {
    "text": lambda word: re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL),
    "number": lambda word: float(word) if "." in word else int(word),
    "date": str,
}


def parse_filter(text: str) -> MetadataFilters:
    """Read a filter expression; LessonsError names the column where it stops making sense."""
    parser = _Parser(text)
    filters = parser.alternatives(0)
    if parser.kind != "end":
        parser.fail("expected && or ||")
    return filters


def pointer(text: str, column: int) -> str:
    """Show the text around a column, counted from 0, with a caret under it; Korean is two columns wide."""
    first = max(0, column - 60)
    line = re.sub(r"\s", " ", text[first : column + 60])
    preceding = line[: column - first]
    return f"{line}\n{' ' * sum(1 + (unicodedata.east_asian_width(letter) in 'WF') for letter in preceding)}^"


class _Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str) -> None:
        self.text, self.position, self.clauses, most = text, 0, 0, MAX_CHARS
        if len(text) > most:
            self.fail(f"it is longer than {most:,} characters", most)
        self.advance()

    def advance(self) -> str:
        """Step to the next token and return the value of the one before."""
        value = getattr(self, "value", "")
        match = TOKEN.match(self.text, self.position)
        if not match:
            self.fail("this cannot be read", len(self.text) - len(self.text[self.position :].lstrip()))
        self.kind = str(match.lastgroup)
        self.value, self.start, self.position = match[self.kind], match.start(self.kind), match.end()
        return value

    def fail(self, problem: str, column: int | None = None) -> NoReturn:
        """LessonsError that points at a column, counted from 0; by default at the token."""
        column = self.start if column is None else column
        sentence = f"The filter is wrong at column {column + 1}: {problem}."
        example = "An example: date >= 2024-07-01 && doc_type == 'faq'"
        raise LessonsError(f"{sentence}\n{pointer(self.text, column)}\n{example}")

    def alternatives(self, depth: int) -> MetadataFilters:
        part = partial(self.part, depth)
        return self.joined("||", FilterCondition.OR, partial(self.joined, "&&", FilterCondition.AND, part))

    def joined(self, sign: str, condition: FilterCondition, part: Callable[[], Any]) -> Any:
        parts = [part()]
        while self.kind == "join" and self.value == sign:
            self.advance()
            parts.append(part())
        if len(parts) == 1 and isinstance(parts[0], MetadataFilters):
            return parts[0]
        return MetadataFilters(filters=parts, condition=condition)

    def part(self, depth: int) -> MetadataFilter | MetadataFilters:
        if self.value == "(" and self.kind == "mark":
            if depth == MAX_DEPTH:
                self.fail(f"parentheses are nested deeper than {depth} levels")
            self.advance()
            inside = self.alternatives(depth + 1)
            self.expect(")")
            return inside
        if self.kind != "key":
            self.fail("expected the name of a field")
        self.clauses += 1
        if self.clauses > MAX_CLAUSES:
            self.fail(f"there are more than {MAX_CLAUSES} conditions")
        return self.clause(self.advance())

    def clause(self, key: str) -> MetadataFilter:
        if self.kind != "operator":
            self.fail("expected one of == != > >= < <= in nin")
        operator = FilterOperator(self.advance())
        if operator in (FilterOperator.IN, FilterOperator.NIN):
            return MetadataFilter(key=key, operator=operator, value=self.listed(key))
        start, value = self.start, self.scalar(key)
        if not isinstance(value, bool):
            return MetadataFilter(key=key, operator=operator, value=value)
        if operator not in (FilterOperator.EQ, FilterOperator.NE):
            self.fail("true and false are compared with == or !=", start)
        return BooleanFilter(key=key, operator=operator, value=value)

    def listed(self, key: str) -> list:
        self.expect("[")
        start, values = self.start, [self.scalar(key)]
        while self.value == "," and self.kind == "mark":
            self.advance()
            values.append(self.scalar(key))
        kinds = {type(value) for value in values}
        if kinds == {int, float}:
            values = [float(value) for value in values]
        elif len(kinds) > 1 or kinds == {bool}:
            self.fail("a list holds numbers or texts, not both", start)
        self.expect("]")
        return values

    def scalar(self, key: str) -> str | int | float | bool:
        if self.kind not in SCALARS and self.value not in ("true", "false"):
            self.fail("expected a number, a date, true, false or a text in quotes")
        start, kind, word = self.start, self.kind, self.advance()
        value = SCALARS.get(kind, lambda word: word == "true")(word)
        try:
            usable_value(key, value)
        except FilterError as problem:
            self.fail(str(problem), start)
        return value

    def expect(self, mark: str) -> None:
        if self.kind != "mark" or self.value != mark:
            self.fail(f"expected {mark}")
        self.advance()
