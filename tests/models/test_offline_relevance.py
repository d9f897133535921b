"""The keyless model's scores: what speaks for a document, what against it, and that each gets one from 0 to 10."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.keyless.llm import OfflineLLM
from lessons.keyless.relevance import relevance
from lessons.rag.types import RetrievedDocument

FILLER = "The committee met on Tuesday and thanked everybody for their patience."


def document(content: str, score: float = 0.5, **metadata: Any) -> RetrievedDocument:
    return RetrievedDocument("x", content, score, metadata.pop("source", "notes.md"), metadata)


def best(question: str, *documents: RetrievedDocument) -> int:
    said = relevance(OfflineLLM(), question, documents)["scores"]
    return max(range(len(documents)), key=lambda place: said[place]["score"])


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            "How long does a refund take?",
            "A refund takes up to fourteen days.",
            "A refund is possible. It can take patience. How long a wait is depends on the bank.",
        ),
        ("What became of ORD-2024-001?", "ORD-2024-001 was delivered late.", "ORD-2024-002 was delivered late."),
        ("환불은 며칠 걸리나요?", "환불은 신청한 날부터 14일이 걸립니다.", "결제는 신용카드로 할 수 있습니다."),
        (
            "세담제약의 영업이익은 얼마입니까?",
            "세담제약의 영업이익은 42억 원입니다.",
            "다온제약의 영업이익은 51억 원입니다.",
        ),
    ],
)
def test_what_covers_the_question_beats_what_only_touches_it(question: str, right: str, wrong: str) -> None:
    assert best(question, document(wrong), document(FILLER), document(right)) == 2


@pytest.mark.parametrize(
    ("question", "wrong", "right"),
    [
        ("What was the revenue in Q3 2024?", "Results Q2 2024", "Results Q3 2024"),
        ("2024년 3분기 매출은 얼마입니까?", "2023년 3분기 실적", "2024년 3분기 실적"),
    ],
)
def test_a_title_with_another_period_speaks_against_a_document(question: str, wrong: str, right: str) -> None:
    text = "Revenue (매출) was 4.2 billion won."
    assert best(question, document(text, title=wrong), document(text, title=right)) == 1


def test_where_nothing_tells_documents_apart_the_search_decides() -> None:
    assert best("What is a refund?", document(FILLER, 0.4), document(FILLER, 0.9)) == 1


def test_a_document_in_the_other_language_is_judged_by_its_meaning() -> None:
    near = RetrievedDocument("a", "환불은 14일 안에 처리됩니다.", 0.6, "a.md", {}, {"meaning": 0.2})
    far = RetrievedDocument("b", "회의는 화요일에 열립니다.", 0.6, "b.md", {}, {"meaning": 0.0})
    assert best("How long does a refund take?", far, near) == 1


@given(
    question=st.text(max_size=40),
    texts=st.lists(st.text(max_size=60), min_size=1, max_size=5),
    legs=st.dictionaries(st.sampled_from(["meaning", "words"]), st.floats(-1, 1)),
)
def test_each_document_gets_one_score_from_0_to_10(question: str, texts: list[str], legs: dict[str, float]) -> None:
    documents = [RetrievedDocument(text, text, 0.5, "a.md", {"title": text}, legs) for text in texts]
    said = relevance(OfflineLLM(), question, documents)["scores"]
    assert [each["number"] for each in said] == list(range(1, len(texts) + 1))
    assert all(0 <= each["score"] <= 10 for each in said)
