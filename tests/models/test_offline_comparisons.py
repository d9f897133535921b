"""A comparison is searched for side by side; what only looks like one is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.keyless.parts import sides


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the difference between ferries and water taxis?", ["ferries", "water taxis"]),
        ("Compare the night bus with the tram in terms of price", ["night bus price", "tram price"]),
        ("How does oak differ from pine?", ["oak", "pine"]),
        ("Is oak harder than pine?", ["oak harder", "pine harder"]),
        ("오크와 소나무의 차이점은?", ["오크", "소나무"]),
        ("버스가 전철보다 얼마나 싸요?", ["버스 싸요", "전철 싸요"]),
        ("연회비는 실버와 골드 중 어느 쪽이 비싼가요?", ["실버", "골드"]),
    ],
)
def test_each_side_of_a_comparison_has_a_query_of_its_own(question: str, expected: list[str]) -> None:
    found = sides(question)
    assert len(found) == 2
    for query, side, other in zip(found, expected, reversed(expected), strict=True):
        assert side.split()[0] in query
        assert other.split()[0] not in query


@pytest.mark.parametrize(
    "question",
    [
        "Who explained the difference to the board?",
        "How do I compare two reports?",
        "Was it colder than expected?",
        "Is it more than 30?",
        "두 보고서를 비교하는 방법은?",
        "결과와 다른 점이 있으면 알려 주세요",
        "작년보다 매출이 늘었나요?",
        "빵과 우유는 어디에서 파나요?",
    ],
)
def test_what_compares_no_two_things_is_not_split(question: str) -> None:
    assert sides(question) == []


@given(st.text(max_size=120))
def test_any_text_has_two_sides_or_none(question: str) -> None:
    assert len(sides(question)) in (0, 2)
    assert all(query.strip() for query in sides(question))
