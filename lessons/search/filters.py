"""Metadata filters as SQL with every key and value bound, never pasted, and what a filter may hold.

A field is compared as what it is stored as: numbers with numbers, text (ISO dates too) with text. A comparison with
another type matches nothing instead of failing. A field that is missing differs from every value.
"""

import re
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from pydantic import StrictBool
from sqlalchemy import ARRAY, TEXT, and_, func, literal, not_, or_, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql import ColumnElement

from lessons.errors import LessonsError
from lessons.settings import settings
from lessons.text import normalize

KEYWORDS = "keywords"
"""The field with the keywords of a chunk, a list of texts."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_LARGEST = 1e300


class BooleanFilter(MetadataFilter):
    """LlamaIndex's filter takes no booleans; this one takes nothing else."""

    value: StrictBool


class FilterError(ValueError):
    """Says in half a sentence what is wrong with one filter."""


def usable(filters: MetadataFilters) -> MetadataFilters:
    """The filters with their texts composed (NFC) and keywords trimmed; LessonsError for what no filter may hold."""
    try:
        if _size(filters) > settings().filter_clauses:
            raise FilterError(f"it has more than {settings().filter_clauses} conditions")
        return _usable_group(filters, 1)
    except FilterError as problem:
        raise LessonsError(f"The filter cannot be used: {problem}.") from None


def usable_value(key: str, value: Any) -> Any:
    """The value as it is compared; FilterError for a text, number or list that no chunk could hold."""
    if isinstance(value, list):
        if len(value) > settings().filter_list_values:
            raise FilterError(f"a list has at most {settings().filter_list_values:,} values")
        return [usable_value(key, each) for each in value]
    if isinstance(value, str):
        return _usable_text(key, value)
    if isinstance(value, int | float) and not abs(value) <= _LARGEST:
        raise FilterError("a number is finite and not that large")
    return value


def _usable_text(key: str, value: str) -> str:
    if _UNSTORABLE.search(value):
        raise FilterError("a text holds characters that cannot be stored")
    longest = settings().keyword_filter_chars if key == KEYWORDS else settings().filter_text_chars
    text = normalize(value).strip() if key == KEYWORDS else normalize(value)
    if len(text) > longest or (key == KEYWORDS and not text):
        what = f"a keyword has 1 to {longest}" if key == KEYWORDS else f"a text has at most {longest}"
        raise FilterError(f"{what} characters")
    return text


def _size(filters: MetadataFilters) -> int:
    return sum(_size(part) if isinstance(part, MetadataFilters) else 1 for part in filters.filters)


def _usable_group(filters: MetadataFilters, depth: int) -> MetadataFilters:
    if depth > settings().filter_depth + 1:
        raise FilterError(f"it is nested deeper than {settings().filter_depth} levels")
    parts = [
        _usable_group(part, depth + 1) if isinstance(part, MetadataFilters) else _usable_clause(part)
        for part in filters.filters
    ]
    return MetadataFilters(filters=parts, condition=filters.condition)


def _usable_clause(clause: Any) -> MetadataFilter:
    if _UNSTORABLE.search(clause.key) or not 0 < len(clause.key) <= settings().filter_text_chars:
        raise FilterError("the name of a field is empty, too long or holds characters that cannot be stored")
    return clause.model_copy(update={"key": normalize(clause.key), "value": usable_value(clause.key, clause.value)})


COMPARISONS = {
    FilterOperator.GT: ColumnElement.__gt__,
    FilterOperator.GTE: ColumnElement.__ge__,
    FilterOperator.LT: ColumnElement.__lt__,
    FilterOperator.LTE: ColumnElement.__le__,
}


def also(key: str, value: str, filters: MetadataFilters | None) -> MetadataFilters:
    """The filters and one more: the field equals the value."""
    equal = MetadataFilter(key=key, value=value)
    if filters is None:
        return MetadataFilters(filters=[equal])
    return MetadataFilters(filters=[equal, filters], condition=FilterCondition.AND)


def bound_filters(metadata: ColumnElement, filters: MetadataFilters) -> ColumnElement[bool]:
    """The whole tree of filters over a JSONB column; an empty group limits nothing.

    LessonsError for an operator that is not supported and for what no filter may hold.
    """
    return _bound_group(metadata, usable(filters))


def _bound_group(metadata: ColumnElement, filters: MetadataFilters) -> ColumnElement[bool]:
    clauses = [
        _bound_group(metadata, part) if isinstance(part, MetadataFilters) else _bound_clause(metadata, part)
        for part in filters.filters
    ]
    if filters.condition == FilterCondition.OR and clauses:
        return or_(*clauses)
    together = and_(true(), *clauses)
    return not_(together) if filters.condition == FilterCondition.NOT else together


def _bound_clause(metadata: ColumnElement, filter_: MetadataFilter) -> ColumnElement[bool]:
    """One filter over a JSONB column."""
    field, value = metadata[filter_.key], filter_.value
    match filter_.operator:
        case FilterOperator.EQ:
            return func.coalesce(field == _json(value), False)
        case FilterOperator.NE:
            return field.is_distinct_from(_json(value))
        case FilterOperator.IN:
            return _is_in(field, _listed(filter_))
        case FilterOperator.NIN:
            return not_(_is_in(field, _listed(filter_)))
        case FilterOperator.GT | FilterOperator.GTE | FilterOperator.LT | FilterOperator.LTE:
            same_type = func.jsonb_typeof(field) == func.jsonb_typeof(_json(value))
            return func.coalesce(and_(same_type, COMPARISONS[filter_.operator](field, _json(value))), False)
        case FilterOperator.CONTAINS:
            return func.coalesce(field.op("@>")(_json([value])), False)
        case FilterOperator.ANY:
            return func.coalesce(field.op("?|")(_texts(filter_)), False)
        case FilterOperator.ALL:
            return func.coalesce(field.op("?&")(_texts(filter_)), False)
        case FilterOperator.TEXT_MATCH:
            return func.coalesce(func.strpos(field.astext, str(value)) > 0, False)
        case FilterOperator.TEXT_MATCH_INSENSITIVE:
            return func.coalesce(func.strpos(func.lower(field.astext), str(value).lower()) > 0, False)
        case FilterOperator.IS_EMPTY:
            return func.coalesce(field.astext, "").in_(["", "[]"])
    raise LessonsError(f"The filter operator {filter_.operator} is not supported.")


def _is_in(field: Any, values: list) -> ColumnElement[bool]:
    """True for a single value among `values`, and for a stored list that shares one with them."""
    texts = [value for value in values if isinstance(value, str)]
    others = [_json(value) for value in values if not isinstance(value, str)]
    among_texts = field.op("?|")(literal(texts, ARRAY(TEXT)))  # of a list and of a single text
    return func.coalesce(or_(among_texts, *(field.op("@>")(other) for other in others)), False)


def _listed(filter_: MetadataFilter) -> list:
    return filter_.value if isinstance(filter_.value, list) else [filter_.value]


def _texts(filter_: MetadataFilter) -> ColumnElement:
    return literal([str(value) for value in _listed(filter_)], ARRAY(TEXT))


def _json(value: Any) -> ColumnElement:
    return literal(value, JSONB)
