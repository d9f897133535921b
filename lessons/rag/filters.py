"""Metadata filters as SQL with every key and value bound, never pasted, and what a filter may hold.

A field is compared as what it is stored as: numbers with numbers, text (ISO dates too) with text. A comparison with
another type matches nothing instead of failing. A field that is missing differs from every value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from json import dumps
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from pydantic import StrictBool

from lessons.errors import LessonsError
from lessons.settings import settings
from lessons.text import normalize

MAX_DEPTH = 20  # levels of nesting
MAX_CLAUSES = 100  # conditions of one filter
MAX_LIST_VALUES = 1_000  # values of one list
MAX_TEXT_CHARS = 500  # characters of a field's name or of a text it is compared with
KEYWORDS = "keywords"
"""The field with the keywords of a chunk, a list of texts."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_LARGEST = 1e300


class BooleanFilter(MetadataFilter):
    """LlamaIndex's filter takes no booleans; this one takes nothing else."""

    value: StrictBool


class FilterError(ValueError):
    """Says in half a sentence what is wrong with one filter."""


def usable_value(key: str, value: Any) -> Any:
    """Return the value as it is compared. Raise FilterError for a text, number or list that no chunk could hold."""
    if isinstance(value, list):
        if len(value) > MAX_LIST_VALUES:
            raise FilterError(f"a list has at most {MAX_LIST_VALUES:,} values")
        return [usable_value(key, item) for item in value]
    if isinstance(value, str):
        return _usable_text(key, value)
    if isinstance(value, int | float) and not abs(value) <= _LARGEST:
        raise FilterError("a number is finite and not that large")
    return value


def _usable_text(key: str, value: str) -> str:
    if _UNSTORABLE.search(value):
        raise FilterError("a text holds characters that cannot be stored")
    longest = settings().keyword_filter_chars if key == KEYWORDS else MAX_TEXT_CHARS
    text = normalize(value).strip() if key == KEYWORDS else normalize(value)
    if len(text) > longest or (key == KEYWORDS and not text):
        limit = f"a keyword has 1 to {longest}" if key == KEYWORDS else f"a text has at most {longest}"
        raise FilterError(f"{limit} characters")
    return text


def _size(filters: MetadataFilters) -> int:
    return sum(_size(part) if isinstance(part, MetadataFilters) else 1 for part in filters.filters)


def _usable_clause(clause: Any) -> MetadataFilter:
    """Compose the texts of a filter (NFC) and trim its keywords. Raise FilterError for what no filter may hold."""
    if _UNSTORABLE.search(clause.key) or not 0 < len(clause.key) <= MAX_TEXT_CHARS:
        raise FilterError("the name of a field is empty, too long or holds characters that cannot be stored")
    return clause.model_copy(update={"key": normalize(clause.key), "value": usable_value(clause.key, clause.value)})


def also(key: str, value: str, filters: MetadataFilters | None) -> MetadataFilters:
    """Add to the filters that the field equals the value."""
    equal = MetadataFilter(key=key, value=value)
    return MetadataFilters(filters=[equal, filters] if filters else [equal])


@dataclass
class Binds:
    """The values of a statement, each bound under a name of its own: `filter_0`, `filter_1` …"""

    values: dict[str, Any] = field(default_factory=dict)

    def bound(self, value: Any) -> str:
        self.values[name := f"filter_{len(self.values)}"] = value
        return f":{name}"

    def json(self, value: Any) -> str:
        return f"cast({self.bound(dumps(value, ensure_ascii=False))} AS jsonb)"

    def texts(self, values: Sequence[Any]) -> str:
        return f"cast({self.bound([str(value) for value in values])} AS text[])"


def filter_sql(filters: MetadataFilters) -> tuple[str, dict[str, Any]]:
    """Return a condition on the column `metadata_` and the values that it binds.

    Raise LessonsError for what no filter may hold.
    """
    binds, most = Binds(), MAX_CLAUSES
    try:
        if _size(filters) > most:
            raise FilterError(f"it has more than {most} conditions")
        return _group(filters, binds, 1), binds.values
    except FilterError as problem:
        raise LessonsError(f"The filter cannot be used: {problem}.") from None


def _group(filters: MetadataFilters, binds: Binds, depth: int) -> str:
    most = 2 * MAX_DEPTH + 3  # in each pair of parentheses && within ||, and around all a file's name
    if depth > most:
        raise FilterError(f"it is nested deeper than {most} levels")
    parts = [
        _group(part, binds, depth + 1)
        if isinstance(part, MetadataFilters)
        else f"coalesce({_clause(_usable_clause(part), binds)}, false)"
        for part in filters.filters
    ]
    if not parts:
        return "(true)"
    joined = f"({(' OR ' if filters.condition == FilterCondition.OR else ' AND ').join(parts)})"
    return f"NOT {joined}" if filters.condition == FilterCondition.NOT else joined


def _clause(clause: MetadataFilter, binds: Binds) -> str:
    """Translate one filter. A missing field gives null, which counts as false."""
    key, value, operator = binds.bound(clause.key), clause.value, clause.operator
    field, words = f"(metadata_ -> cast({key} AS text))", f"(metadata_ ->> cast({key} AS text))"
    listed = value if isinstance(value, list) else [value]
    match operator:
        case FilterOperator.EQ:
            return f"{field} = {binds.json(value)}"
        case FilterOperator.NE:
            return f"{field} IS DISTINCT FROM {binds.json(value)}"
        case FilterOperator.IN:
            return _is_in(field, listed, binds)
        case FilterOperator.NIN:
            return f"NOT coalesce({_is_in(field, listed, binds)}, false)"
        case FilterOperator.GT | FilterOperator.GTE | FilterOperator.LT | FilterOperator.LTE:
            operand = binds.json(value)
            return f"jsonb_typeof({field}) = jsonb_typeof({operand}) AND {field} {operator.value} {operand}"
        case FilterOperator.CONTAINS:
            return f"{field} @> {binds.json([value])}"
        case FilterOperator.ANY:
            return f"{field} ?| {binds.texts(listed)}"
        case FilterOperator.ALL:
            return f"{field} ?& {binds.texts(listed)}"
        case FilterOperator.TEXT_MATCH:
            return f"strpos({words}, {binds.bound(str(value))}) > 0"
        case FilterOperator.TEXT_MATCH_INSENSITIVE:
            return f"strpos(lower({words}), {binds.bound(str(value).lower())}) > 0"
        case FilterOperator.IS_EMPTY:
            return f"coalesce({words}, '') IN ('', '[]')"
    raise LessonsError(f"The filter operator {operator} is not supported.")


def _is_in(field: str, values: Sequence[Any], binds: Binds) -> str:
    """True for a single value among `values`, and for a stored list that shares one with them."""
    among_texts = f"{field} ?| {binds.texts([value for value in values if isinstance(value, str)])}"
    memberships = [f"{field} @> {binds.json(value)}" for value in values if not isinstance(value, str)]
    return f"({' OR '.join([among_texts, *memberships])})"
