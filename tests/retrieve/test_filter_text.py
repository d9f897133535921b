"""Filters written as text: read as they were meant, or refused with the column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from lessons.errors import LessonsError
from lessons.search.filter_text import parse_filter


def shape(part: MetadataFilter | MetadataFilters) -> object:
    if isinstance(part, MetadataFilter):
        return (part.key, part.operator.value, part.value)
    return {part.condition.value: [shape(each) for each in part.filters]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year == 2024", {"and": [("year", "==", 2024)]}),
        ("year!=2024", {"and": [("year", "!=", 2024)]}),
        ("margin >= -1.5", {"and": [("margin", ">=", -1.5)]}),
        ("회사 == '한빛'", {"and": [("회사", "==", "한빛")]}),
        (r"name == 'O\'Brien'", {"and": [("name", "==", "O'Brien")]}),
        ('quarter in ["Q1", "Q2"]', {"and": [("quarter", "in", ["Q1", "Q2"])]}),
        ("has_steps == true", {"and": [("has_steps", "==", True)]}),
        ("has_steps != false", {"and": [("has_steps", "!=", False)]}),
        ("date >= 2024-07-01", {"and": [("date", ">=", "2024-07-01")]}),
        ("date >= 2024-07", {"and": [("date", ">=", "2024-07")]}),
        ("margin in [1, 2.5]", {"and": [("margin", "in", [1.0, 2.5])]}),
        ("keywords in [' 비용 ']", {"and": [("keywords", "in", [" 비용 "])]}),
        ("year nin [2023]", {"and": [("year", "nin", [2023])]}),
        ("a < 1 && b > 2", {"and": [("a", "<", 1), ("b", ">", 2)]}),
        ("a <= 1 || b == 2 && c == 3", {"or": [{"and": [("a", "<=", 1)]}, {"and": [("b", "==", 2), ("c", "==", 3)]}]}),
        (
            "(a == 1 || b == 2) && c == 3",
            {"and": [{"or": [{"and": [("a", "==", 1)]}, {"and": [("b", "==", 2)]}]}, ("c", "==", 3)]},
        ),
    ],
)  # fmt: skip
def test_an_expression_becomes_the_filters_it_means(text: str, expected: object) -> None:
    assert shape(parse_filter(text)) == expected


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), ("year", 5), ("year == ", 9), ("year = 2024", 6), ("== 3", 1), ("a == 1 &&", 10), ("(a == 1", 8),
        ("a == 1)", 7), ("a > true", 5), ("a in [true]", 7), ("a == 2024-7-1", 10), ("a == 'x\0'", 6),
        ("keywords in ['ok', ' ']", 20), (f"keywords in ['{'k' * 51}']", 14), (f"a == '{'x' * 501}'", 6),
        (f"a == {'9' * 400}", 6), (" && ".join(["a == 1"] * 101), 1001), ("a == 1" + " " * 2_000, 2_001),
        ("a in 3", 6), ("a in []", 7), ("a in [1, 'x']", 7), ("a == 'open", 6), ("a == 1 b == 2", 8),
        ("[a == 1)", 1), ("(a == 1]", 8), ("a in [1)", 8),
    ],
)  # fmt: skip
def test_a_wrong_expression_is_refused_at_its_column(text: str, column: int) -> None:
    with pytest.raises(LessonsError, match=f"at column {column}:"):
        parse_filter(text)


def test_a_caret_stands_under_the_place() -> None:
    with pytest.raises(LessonsError) as caught:
        parse_filter("회사 = '한빛'")
    _, line, caret, _ = str(caught.value).split("\n")
    assert line == "회사 = '한빛'"
    assert caret.index("^") == 5  # two Korean syllables are four columns wide


def test_parentheses_nest_to_a_limit() -> None:
    assert parse_filter("(" * 20 + "a == 1" + ")" * 20).condition == FilterCondition.AND
    with pytest.raises(LessonsError, match="deeper than 20"):
        parse_filter("(" * 21 + "a == 1" + ")" * 21)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        assert parse_filter(text).filters
    except LessonsError as error:
        assert "column" in str(error)  # noqa: PT017 – either outcome is right for some text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_any_value_survives_quoting(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    (only,) = parse_filter(f"name == '{quoted}'").filters
    assert isinstance(only, MetadataFilter)
    assert (only.value, only.operator) == (value, FilterOperator.EQ)
