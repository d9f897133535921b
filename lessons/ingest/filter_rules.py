"""What a filter may hold, whether it was written as text or built in code (rows B6 and B7)."""

import re
from typing import Any

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from pydantic import StrictBool

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
