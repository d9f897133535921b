"""The keyless model's way with a question: follow-ups stand alone, courtesies go, nothing is invented."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.keyless.condense import compress
from lessons.keyless.llm import OfflineLLM
from lessons.keyless.queries import content_words, expand, hyde, rewrite
from lessons.text import language, terms
from lessons.text.periods import moved, periods, pointed_at, spelled_otherwise
from tests.models.follow_ups import HELD_OUT, TUNED, FollowUp

LLM = OfflineLLM()
WORDS = st.sampled_from(
    """
    and what about it that the plan Q2 2024 Marlow Foods revenue how do I undo she a year later ?
    그럼 2분기는요 그거 매출은 하늘전자 그분 전년에는 얼마였나요 없는
    """.split()  # noqa: SIM905
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map(" ".join))
HISTORIES = st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", ""]), TEXTS), max_size=6)


def standalone(case: FollowUp) -> str:
    return compress(LLM, case.question, case.history)


def passes(case: FollowUp) -> bool:
    """Whether the question is as it was put, and what it leaves out is added; what it replaces need not be gone."""
    if not case.must:
        return standalone(case) == case.question
    alone = standalone(case).lower()
    complete = all(any(form in alone for form in word.split("|")) for word in case.must)
    return complete and alone.startswith(case.question.lower())


def test_nearly_all_follow_ups_take_over_what_they_leave_out() -> None:
    """The others name a place of another kind, or lack a subject without a sign of it."""
    assert sum(map(passes, TUNED)) >= 40  # of 46


def test_follow_ups_that_were_never_tuned_on_mostly_stand_alone() -> None:
    assert sum(map(passes, HELD_OUT)) >= 24  # of 34


@pytest.mark.parametrize("case", [*TUNED, *HELD_OUT], ids=lambda case: case.question)
def test_a_question_that_stands_alone_is_not_changed_again(case: FollowUp) -> None:
    assert compress(LLM, standalone(case), case.history) == standalone(case)


@pytest.mark.parametrize(
    ("asked", "said", "meant"),
    [
        ("How much is the Business plan?", "No, I meant the Team plan.", "How much is the Team plan?"),
        ("How much is the Business plan?", "not the Business plan but the Team plan", "How much is the Team plan?"),
        ("How do I connect Borea?", "I meant Cirrus, not Borea.", "How do I connect Cirrus?"),
        ("How do I connect Borea?", "What about Cirrus instead of Borea?", "How do I connect Cirrus?"),
        ("Does a headache count?", "Not a headache, I mean back pain.", "Does back pain count?"),
        ("보레아는 어떻게 연결하나요?", "아니요, 보레아 말고 시러스요.", "시러스는 어떻게 연결하나요?"),
        ("보레아는 어떻게 연결하나요?", "보레아가 아니라 시러스 말이에요.", "시러스는 어떻게 연결하나요?"),
        ("How do I connect Borea?", "Why is it not connected?", "Why is it not connected? (Borea)"),
        ("Which plan has SSO?", "Which plans are not included?", "Which plans are not included?"),
    ],
)
def test_a_correction_leaves_nothing_of_what_it_rejects(asked: str, said: str, meant: str) -> None:
    assert compress(LLM, said, [("user", asked), ("assistant", "So [1].")]) == meant


@pytest.mark.parametrize(
    ("said", "question", "subject"),
    [
        (
            ("Who signs the lease for Dalby Mills?", "The director signs it."),
            "Does the director sign every lease?",
            "Dalby Mills",
        ),
        (("가람식품의 2분기 매출을 알려줘", "412억 원입니다."), "매출이 왜 줄었어?", "가람식품"),
    ],
)
def test_a_question_of_nothing_but_what_was_said_goes_on_with_its_subject(
    said: tuple[str, str], question: str, subject: str
) -> None:
    assert subject in standalone(FollowUp(said, question))
    assert standalone(FollowUp(said, "When does the office open?")) == "When does the office open?"


def test_a_part_of_a_word_is_no_measure() -> None:
    turns = [("user", "How many users does the Team plan include?"), ("assistant", "Ten.")]
    alone = compress(LLM, "And for non-profit organisations?", turns)
    assert alone == "And for non-profit organisations? (Team)"


def test_a_follow_up_in_the_other_language_keeps_its_own() -> None:
    said = compress(LLM, "그럼 2분기는요?", [("user", "What was Marlow Foods' revenue in Q1 2024?")])
    assert "Marlow Foods" in said
    assert said == "그럼 2분기는요? (Marlow Foods revenue 2024)"


@settings(max_examples=300)
@given(TEXTS, HISTORIES)
def test_any_question_after_any_history_is_compressed_once_and_for_all(question, history) -> None:
    said = compress(LLM, question, history)
    assert compress(LLM, said, history) == said
    assert said or not question


@given(TEXTS)
def test_nothing_is_invented(question) -> None:
    assert set(terms(rewrite(None, question))) <= set(terms(question))
    assert rewrite(None, question) or not question


@given(TEXTS, st.integers(0, 5))
def test_variants_differ_from_the_question_and_from_each_other(question, count) -> None:
    variants = expand(None, question, count)["queries"]
    assert len(variants) <= count
    assert len({*variants, question}) == len(variants) + 1
    assert isinstance(hyde(None, question), str)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Hi! Could you please tell me how to delete ORD-2024-001? Thanks!", "how to delete ORD-2024-001"),
        ("Hello, which plans do not include SSO, please?", "which plans do not include SSO"),
        ("안녕하세요, 혹시 환불 규정 좀 알려 주실 수 있나요? 감사합니다.", "환불 규정"),
        ("SSO가 없는 요금제가 궁금합니다", "SSO가 없는 요금제"),
        ("Please", "Please"),
    ],
)
def test_a_rewritten_question_loses_its_courtesies_and_nothing_else(question: str, query: str) -> None:
    assert rewrite(None, question) == query


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Marlow in Q3 2024", {"Marlow in third quarter of 2024", "Marlow in 2024년 3분기"}),
        ("마로우 24년 3분기 매출", {"마로우 2024년 3분기 매출", "마로우 Q3 2024 매출"}),
        ("마로우 2024년 상반기", {"마로우 H1 2024"}),
        ("since May 2023", {"since 2023년 5월"}),
        ("you may ask in 2024", set()),
    ],
)
def test_a_period_is_written_in_its_other_forms(text: str, others: set[str]) -> None:
    assert set(spelled_otherwise(text, language(text))) == others


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("three months later", {"quarter": 1, "year": 2025}),
        ("a year earlier", {"year": 2023}),
        ("the quarter before", {"quarter": 3}),
        ("전년에는", {"year": 2023}),
        ("다음 분기는요?", {"quarter": 1, "year": 2025}),
        ("1년 전에는?", {"year": 2023}),
    ],
)
def test_a_distance_in_time_is_counted_from_the_period_before(text: str, now: dict[str, int]) -> None:
    pointed = pointed_at(text)
    assert pointed is not None
    named = {period.unit: period.number for period in periods("Q4 2024")}
    assert moved(named, *pointed) == now


def test_keywords_keep_a_negation() -> None:
    assert content_words("which plans do not include SSO?") == "plans not include SSO"
    assert "없는" in content_words("SSO가 없는 요금제는 무엇인가요?")


def test_each_part_of_a_question_keeps_its_subject() -> None:
    parts = expand(None, "What does error CST-4031 mean, and how can I fix it?")["queries"]
    assert "What does error CST-4031 mean" in parts[0]
    assert "CST-4031" in parts[1]
    assert "fix" in parts[1]


def test_a_hypothetical_passage_states_the_question_and_no_answer() -> None:
    assert hyde(None, "What was the revenue of Marlow in Q3 2024?") == "The revenue of Marlow in Q3 2024 was."
    assert hyde(None, "하늘전자의 매출은 얼마인가요?") == "하늘전자의 매출은 다음과 같습니다."


@pytest.mark.parametrize(
    "text", ["3년 전략", "3개월 전망", "한 해 전체 매출", "자료 전달 방법", "팀에 전해 주세요", "전월세"]
)
def test_a_word_that_begins_like_a_distance_in_time_is_none(text: str) -> None:
    assert pointed_at(text) is None
    assert pointed_at("3년 전에는?") == ("year", -3)
    assert pointed_at("직전분기 대비") == ("quarter", -1)
