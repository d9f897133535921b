"""What the keyless model notes of a conversation: typed values, facts about the user, a summary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.keyless.conversation import recalled, recursive_summary, turns_summary
from lessons.keyless.facts import entities, profile, same_key
from lessons.models.tokens import TokenEstimator

# Sentences that the extraction was not written with, and the values that should be noted of them.
PROFILE: list[tuple[str, list[tuple[str, str]]]] = [
    ("I have chronic kidney disease.", [("has", "chronic kidney disease")]),
    ("My name is Joon Park.", [("name", "Joon Park")]),
    ("I'm a teacher and I live in Daegu.", [("is", "teacher"), ("lives in", "Daegu")]),
    ("We use BigQuery for reports.", [("uses", "BigQuery")]),
    ("I am allergic to penicillin.", [("is", "allergic to penicillin")]),
    ("I take ibuprofen now and then.", [("takes", "ibuprofen")]),
    ("Our budget is about 800 dollars, can we afford the Team plan?", [("budget", "800 dollars")]),
    ("I work for Hanbit Bank.", [("works", "Hanbit Bank")]),
    ("I prefer short answers.", [("likes", "short answers")]),
    ("My account manager is Ms Lee.", [("account manager", "Ms Lee")]),
    ("Does asthma get worse in winter?", []),
    ("If I had diabetes, could I take it?", []),
    ("My sister has epilepsy.", []),
    ("I have two more questions.", []),
    ("I'm not sure what that means.", []),
    ("What would my bill be with 500 users?", []),
    ("I want to cancel my subscription.", []),
    ("The report says revenue is 4 billion won.", []),
    ("저는 만성 신장병이 있어요.", [("has", "만성 신장병")]),
    ("제 이름은 박준이라고 해요.", [("name", "박준")]),
    ("저는 교사이고 대구에 살아요.", [("is", "교사"), ("lives in", "대구")]),
    ("저희는 BigQuery를 사용합니다.", [("uses", "BigQuery")]),
    ("페니실린 알레르기가 있습니다.", [("has", "페니실린 알레르기")]),
    ("저는 이부프로펜을 매일 복용해요.", [("takes", "이부프로펜")]),
    ("우리 예산은 100만 원 정도예요.", [("budget", "100만 원")]),
    ("저는 한빛은행에 다녀요.", [("works", "한빛은행")]),
    ("저는 짧은 답을 선호해요.", [("likes", "짧은 답")]),
    ("천식은 겨울에 더 심해지나요?", []),
    ("만약 제가 당뇨병이 있다면 먹어도 되나요?", []),
    ("동생이 뇌전증이 있어요.", []),
    ("질문이 두 개 더 있어요.", []),
    ("구독을 취소하고 싶어요.", []),
    ("보고서에 매출은 40억 원이라고 나와 있어요.", []),
    ("저는 그게 무슨 뜻인지 모르겠어요.", []),
]


Pairs = list[tuple[str, str]]


def noted(*said: str) -> Pairs:
    """Key and value of the entities after these messages, one a turn."""
    turns = [(number, question, "") for number, question in enumerate(said, start=1)]
    return [(same_key(each["key"]), each["value"]) for each in entities(None, turns)["entities"]]


def stated(said: str, known: Pairs | None = None) -> Pairs:
    return [(same_key(each["key"]), each["value"]) for each in profile(None, said, known or [])["slots"]]


def rates(found: list[Pairs], wanted: list[Pairs]) -> tuple[float, float]:
    """Precision and recall of values under their keys."""
    right = sum((same_key(key), value) in got for got, gold in zip(found, wanted, strict=True) for key, value in gold)
    return right / sum(map(len, found)), right / sum(map(len, wanted))


def test_facts_of_sentences_that_were_held_out() -> None:
    precision, recall = rates([stated(text) for text, _ in PROFILE], [list(gold) for _, gold in PROFILE])
    assert precision >= 0.9
    assert recall >= 0.9


def test_a_budget_is_the_same_in_both_languages() -> None:
    assert noted("My budget is 500 dollars.", "우리 예산은 70만 원이에요.") == [("budget", "70만 원")]


def test_a_second_illness_joins_the_first_and_a_second_home_replaces_it() -> None:
    known = [("has", "diabetes"), ("lives in", "Busan")]
    assert stated("I also have asthma.", known) == [("have", "diabetes, asthma")]
    assert stated("I live in Daegu.", known) == [("live", "Daegu")]


def test_what_is_used_no_more_is_taken_out() -> None:
    assert stated("I no longer use EC2.", [("uses", "EC2, S3")]) == [("use", "S3")]
    assert stated("이제 EC2는 안 써요.", [("사용", "EC2")]) == [("use", "")]


TALK = [
    (1, "My budget is 500 dollars a month.", "Noted."),
    (2, "My budget is 300 dollars a month.", "Thank you."),
    (3, "What did EC2 cost in November 2024?", "EC2 cost 412.50 dollars in November 2024."),
    (4, "환불은 얼마나 걸리나요?", "환불은 영업일 기준 14일 걸립니다."),
    (5, "고마워요!", "천만에요."),
]


def test_a_summary_keeps_lines_of_the_conversation_and_of_a_fact_the_last() -> None:
    summary = recursive_summary(None, TALK)
    assert recalled("What is my budget?", summary) == "From what you told me earlier: budget: 300 dollars a month."
    assert "412.50 dollars" in summary
    assert "14일" in summary
    assert not [word for word in ("Noted", "천만에요") if word in summary]


def test_what_was_said_last_wins_over_the_summary() -> None:
    summary = recursive_summary(None, [(6, "My budget is 250 dollars now.", "Noted.")], recursive_summary(None, TALK))
    assert "250 dollars" in summary
    assert "300 dollars" not in summary


SAID = st.text(max_size=200) | st.sampled_from([text for text, _ in PROFILE])


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=8), st.text(max_size=400))
def test_summaries_never_pass_their_limits(talk: list[tuple[str, str]], before: str) -> None:
    turns = [(number, *turn) for number, turn in enumerate(talk)]
    summary = recursive_summary(None, turns, before, count=4, tokens=60)
    assert len(summary.splitlines()) <= 4
    assert TokenEstimator().count(summary) <= 60
    assert TokenEstimator().count(turns_summary(None, turns, tokens=40)) <= 40


@given(SAID, SAID)
def test_whatever_is_said_is_read(said: str, before: str) -> None:
    for pair in [*noted(before, said), *stated(said, [("budget", "500 dollars")])]:
        assert pair[0]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("said", ["백" * 400, "1" * 400, "1,111 " * 80, "천백 " * 130])
def test_a_long_number_without_a_currency_is_read_once(said: str) -> None:
    assert noted(said) == []


@pytest.mark.parametrize("said", ["제 예산은 얼마였죠", "제 예산은 올해 얼마나 남았나요", "내 예산은 어떻게 바꾸나요"])
def test_a_question_without_its_mark_replaces_no_fact(said: str) -> None:
    assert stated(said, [("예산", "500만 원")]) == []
