"""The guard of the response cache: what looks alike and asks something else must not share an answer."""

import json
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.context.cache.guard import differences, read_constraints
from lessons.settings import ROOT

PAIRS = [
    json.loads(line)
    for line in (ROOT / "data" / "context" / "cache_pairs.jsonl").read_text(encoding="utf-8").splitlines()[:212]
]  # those that the author of the guard wrote
LOOK_ALIKES = [pair for pair in PAIRS if not pair["same"]]


def test_there_are_enough_pairs_of_every_kind_in_both_splits_and_languages() -> None:
    counted = Counter((pair["kind"], pair["split"]) for pair in LOOK_ALIKES)
    assert len(LOOK_ALIKES) >= 100
    assert len(PAIRS) - len(LOOK_ALIKES) >= 60
    assert all(counted[kind, split] >= 3 for kind, _ in counted for split in ("dev", "test"))


@pytest.mark.parametrize("pair", LOOK_ALIKES, ids=lambda pair: pair["id"])
def test_a_look_alike_is_told_apart(pair: dict) -> None:
    assert differences(pair["asked"], pair["again"])


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_most_paraphrases_are_recognised(split: str, language: str) -> None:
    same = [pair for pair in PAIRS if pair["same"] and (pair["split"], pair["language"]) == (split, language)]
    assert sum(not differences(pair["asked"], pair["again"]) for pair in same) > len(same) / 2


@pytest.mark.parametrize(
    ("asked", "again", "rule"),
    [
        ("Who may export 3 reports?", "Who may export 4 reports?", "numbers"),
        ("Sales in Q2 2024 and Q3 2023?", "Sales in Q3 2024 and Q2 2023?", "periods"),
        ("Does it cover cracks?", "Does it not cover cracks?", "negation"),
        ("회원 수가 늘었나요?", "회원 수가 줄었나요?", "direction"),
        ("Who signed?", "When was it signed?", "what is asked"),
        ("Can members vote?", "Must members vote?", "duty"),
        ("Who is the treasurer?", "Who was the treasurer?", "tense"),
        ("갑사가 을사에 빌려준 돈은 얼마인가요?", "을사가 갑사에 빌려준 돈은 얼마인가요?", "who does what"),
        ("What did the lamp cost?", "What did the chair cost?", "words"),
        ("What is the fee?", "수수료는 얼마인가요?", "language"),
    ],
)
def test_each_rule_tells_what_it_is_there_for(asked: str, again: str, rule: str) -> None:
    assert rule in differences(asked, again)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_guard_treats_both_questions_alike(asked: str, again: str) -> None:
    assert differences(asked, again) == differences(again, asked)


@given(st.text(max_size=80))
def test_a_question_never_differs_from_itself(question: str) -> None:
    assert not differences(question, question)


@pytest.mark.parametrize("number", ["7", "12", "2031", "ORD-2024-777", "3.5%"])
@pytest.mark.parametrize("question", ["What is the limit for {} items?", "{} 항목의 한도는 얼마인가요?"])
def test_a_question_with_another_number_always_differs(question: str, number: str) -> None:
    assert "numbers" in differences(question.format("5"), question.format(number))


def test_decomposed_korean_reads_like_composed_korean() -> None:
    question = "환불 기간은 얼마인가요?"
    assert read_constraints(question) == read_constraints(unicodedata.normalize("NFD", question))
