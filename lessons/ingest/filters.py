"""Metadata filters as SQL with every key and value bound, never pasted.

A field is compared as what it is stored as: numbers with numbers, text (ISO dates too) with text. A comparison with
another type matches nothing instead of failing. A field that is missing differs from every value.
"""

from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import ARRAY, TEXT, and_, func, literal, not_, or_, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql import ColumnElement

from lessons.errors import LessonsError
from lessons.ingest.filter_rules import usable

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
