"""A quote is found however a reader has changed white space, letter case and tables, and never out of order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.quotes import GAP, holds

WORDS = st.lists(st.text("abc가", min_size=1, max_size=3), min_size=1, max_size=6)
TABLE = "| Division | Q1 2024 | Q2 2024 |\n| --- | --- | --- |\n| Ports | 32.9 | 41.2 |"


@pytest.mark.parametrize(
    ("quote", "held"),
    [
        ("Ports 32.9 41.2", True),
        ("division q1 2024 q2 2024 … ports 32.9 41.2", True),
        ("Division Q1 2024 Q2 2024 Ports 32.9 41.2", False),
        ("Ports 32.9 41.2 … Division", False),
        ("Division … Ports 33", False),
        ("", True),
    ],
)
def test_words_may_be_left_out_only_where_the_quote_says_so(quote: str, held: bool) -> None:
    assert holds(TABLE, quote) is held


@given(WORDS, st.data())
def test_words_left_out_never_hide_a_quote(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    kept = data.draw(st.lists(st.integers(0, len(words) - 1), unique=True, min_size=1).map(sorted))
    assert holds(text, f" {GAP} ".join(words[number] for number in kept))


@given(WORDS, WORDS)
def test_the_parts_of_a_quote_do_not_overlap(first: list[str], second: list[str]) -> None:
    one, other = "".join(first), "".join(second)
    assert holds(one + other, f"{one}{GAP}{other}")
    assert not holds((one + other)[:-1], f"{one}{GAP}{other}")
