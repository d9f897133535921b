"""Metadata filters written as text: `year >= 2024 && (quarter == "Q3" || source_file in ["a.pdf", "b.pdf"])`.

Operators: == != > >= < <= in nin, joined by && (binds closer) and ||, nested with parentheses. Values are numbers,
texts in single or double quotes, or lists of one kind. The result is LlamaIndex's `MetadataFilters`.
"""

import re
from typing import Any, NoReturn

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from lessons.errors import LessonsError

DEEPEST = 20  # levels of parentheses
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])
    |(?P<operator>==|!=|>=|<=|>|<|\b(?:in|nin)\b)|(?P<join>&&|\|\|)|(?P<mark>[()\[\],])|(?P<key>[^\W\d]\w*)|(?P<end>$))""",
    re.VERBOSE,
)


def parse_filter(text: str) -> MetadataFilters:
    """Read a filter expression; LessonsError names the column where it stops making sense."""
    parser = _Parser(text)
    filters = parser.alternatives(0)
    if parser.kind != "end":
        parser.fail("expected && or ||")
    return filters


class _Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.advance()

    def advance(self) -> str:
        """Step to the next token and return the value of the one before."""
        value = getattr(self, "value", "")
        match = TOKEN.match(self.text, self.position)
        if not match:
            self.start = self.position + len(self.text[self.position :]) - len(self.text[self.position :].lstrip())
            self.fail("this cannot be read")
        self.kind = str(match.lastgroup)
        self.value, self.start, self.position = match[self.kind], match.start(self.kind), match.end()
        return value

    def fail(self, problem: str) -> NoReturn:
        example = "An example: year >= 2024 && quarter == 'Q3'"
        raise LessonsError(f"The filter is wrong at column {self.start + 1}: {problem}. {example}")

    def alternatives(self, depth: int) -> MetadataFilters:
        def all_of() -> Any:
            return self.joined("&&", FilterCondition.AND, lambda: self.part(depth))

        return self.joined("||", FilterCondition.OR, all_of)

    def joined(self, sign: str, condition: FilterCondition, part: Any) -> Any:
        parts = [part()]
        while self.kind == "join" and self.value == sign:
            self.advance()
            parts.append(part())
        if len(parts) == 1 and isinstance(parts[0], MetadataFilters):
            return parts[0]
        return MetadataFilters(filters=parts, condition=condition)

    def part(self, depth: int) -> MetadataFilter | MetadataFilters:
        if self.value == "(" and self.kind == "mark":
            if depth == DEEPEST:
                self.fail(f"parentheses are nested deeper than {DEEPEST} levels")
            self.advance()
            inside = self.alternatives(depth + 1)
            self.expect(")")
            return inside
        if self.kind != "key":
            self.fail("expected the name of a field")
        key = self.advance()
        if self.kind != "operator":
            self.fail("expected one of == != > >= < <= in nin")
        operator = FilterOperator(self.advance())
        return MetadataFilter(key=key, operator=operator, value=self.operand(operator))

    def operand(self, operator: FilterOperator) -> Any:
        if operator not in (FilterOperator.IN, FilterOperator.NIN):
            return self.scalar()
        self.expect("[")
        start, values = self.start, [self.scalar()]
        while self.value == "," and self.kind == "mark":
            self.advance()
            values.append(self.scalar())
        if len({type(value) for value in values}) > 1:
            self.start = start
            self.fail("a list holds values of one kind")
        self.expect("]")
        return values

    def scalar(self) -> str | int | float:
        if self.kind == "text":
            return re.sub(r"\\(.)", r"\1", self.advance()[1:-1])
        if self.kind == "number":
            number = self.advance()
            return float(number) if "." in number else int(number)
        return self.fail("expected a number or a text in quotes")

    def expect(self, mark: str) -> None:
        if self.kind != "mark" or self.value != mark:
            self.fail(f"expected {mark}")
        self.advance()
