"""The guard of the response cache: what looks alike and asks something else must not share an answer."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.context.guard import differences, read_constraints
from lessons.evaluate.decisions import FROZEN, Pair, cache_pairs

PAIRS = cache_pairs()
FROZEN_PAIRS = cache_pairs(FROZEN)
LOOK_ALIKES = cache_pairs(FROZEN.with_name("look_alikes.jsonl"))


def test_there_are_enough_pairs_of_both_languages() -> None:
    for pairs in (PAIRS, FROZEN_PAIRS):
        counted = Counter((pair.language, pair.same) for pair in pairs)
        assert min(counted.values()) >= 50
        assert len(pairs) >= 250


def test_no_frozen_question_is_one_to_develop_on() -> None:
    sets = [*PAIRS, *LOOK_ALIKES], FROZEN_PAIRS
    known, frozen = ({text for pair in pairs for text in (pair.asked, pair.again)} for pairs in sets)
    assert not known & frozen


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair.same], ids=lambda pair: pair.again)
def test_a_look_alike_is_told_apart(pair: Pair) -> None:
    assert not pair.hits()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_few_look_alikes_that_differ_in_grammar_alone_hit(language: str) -> None:
    hits = [pair.hits() for pair in LOOK_ALIKES if pair.language == language]
    assert sum(hits) / len(hits) <= 0.05


@pytest.mark.parametrize("language", ["en", "ko"])
def test_one_in_eight_paraphrases_to_develop_on_is_recognised(language: str) -> None:
    same = [pair for pair in PAIRS if pair.same and pair.language == language]
    assert sum(pair.hits() for pair in same) > len(same) / 8


@pytest.mark.parametrize("language", ["en", "ko"])
def test_one_in_a_hundred_frozen_look_alikes_hits_at_most(language: str) -> None:
    hits = [pair.hits() for pair in FROZEN_PAIRS if not pair.same and pair.language == language]
    assert sum(hits) / len(hits) <= 0.01


@pytest.mark.parametrize(
    ("asked", "again", "rule"),
    [
        ("Who may export 3 reports?", "Who may export 4 reports?", "numbers"),
        ("Sales in Q2 2024 and Q3 2023?", "Sales in Q3 2024 and Q2 2023?", "numbers"),
        ("Does it cover cracks?", "Does it not cover cracks?", "negation"),
        ("회원 수가 늘었나요?", "회원 수가 줄었나요?", "words"),
        ("Who signed?", "When was it signed?", "words"),
        ("Can members vote?", "Must members vote?", "tense or modality"),
        ("Who is the treasurer?", "Who was the treasurer?", "tense or modality"),
        ("갑사가 을사에 빌려준 돈은 얼마인가요?", "을사가 갑사에 빌려준 돈은 얼마인가요?", "who does what"),
        ("Who hired the manager?", "Who did the manager hire?", "words"),
        ("Was Ann paid by the bank?", "Did Ann pay the bank?", "words"),
        ("When is the manager's friend here?", "When is the friend's manager here?", "words"),
        ("전시는 내일부터 하나요?", "전시는 내일까지 하나요?", "words"),
        ("언제부터 접수하나요?", "언제까지 접수하나요?", "words"),
        ("시장을 비판한 의원은 누구인가요?", "시장이 비판한 의원은 누구인가요?", "who does what"),
        ("씻고 자르나요?", "자르고 씻나요?", "words"),
        ("What did the lamp cost?", "What did the chair cost?", "words"),
        ("Who built this bridge?", "Who built that bridge?", "words"),
        ("Who built long bridges?", "Who sold long bridges?", "words"),
        ("Was the bridge painted red by Ann?", "Was the bridge painted blue by Ann?", "words"),
        ("Did Tom borrow tents from Ann?", "Did Tom borrow boats from Ann?", "words"),
        ("Who is in the boat?", "Who is on the boat?", "words"),
        ("Who sets the duration of the lease?", "What is the duration of the lease?", "words"),
        ("회원이 회비를 내나요?", "회원이 회비를 얼마 내나요?", "words"),
        ("What is the fee?", "수수료는 얼마인가요?", "language"),
        ("Until when is the hall closed?", "From when is the hall closed?", "words"),
        ("Who is the new manager of the mill?", "Who is the manager of the new mill?", "words"),
        ("When will you get my form?", "When will I get your form?", "words"),
        ("Who is the agent who called me?", "Who is the agent I called?", "words"),
        ("Who is the nurse that trained Ann?", "Who is the nurse that Ann trained?", "words"),
        ("How do I get to version 4.1?", "How do I get to version 4.10?", "numbers"),
        ("How long are you open?", "How long have you been open?", "tense or modality"),
        ("엑셀 파일을 한글 파일로 바꾸나요?", "한글 파일을 엑셀 파일로 바꾸나요?", "words"),
        ("출고된 차량은 몇 대인가요?", "출고될 차량은 몇 대인가요?", "words"),
        ("못 걷는 환자는 몇 명인가요?", "안 걷는 환자는 몇 명인가요?", "negation"),
        ("왜 카드만 안 받나요?", "왜 카드밖에 안 받나요?", "negation"),
    ],
)
def test_each_rule_tells_what_it_is_there_for(asked: str, again: str, rule: str) -> None:
    assert rule in differences(asked, again)


@pytest.mark.parametrize(
    ("asked", "again"),
    [
        ("Who designed the bridge?", "By whom was the bridge designed?"),
        ("How many days does a refund take?", "Do you know how many days a refund takes?"),
        ("When does it open on June 21st, 2025?", "When does it open on 21 June 2025?"),
        ("What's the bridge's length?", "Could you tell me what the length of the bridge is?"),
        ("사진을 누가 찍었나요?", "누가 사진을 찍었어요?"),
        ("고객 센터 주소가 뭐예요?", "고객센터 주소는 무엇인가요?"),
        ("2025년 10월 6일에 여나요?", "2025/10/06에 여나요?"),
    ],
)
def test_voice_order_politeness_and_spelling_do_not_matter(asked: str, again: str) -> None:
    assert not differences(asked, again)


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


@pytest.mark.parametrize(
    ("spelled", "figures"),
    [("회원이 이백오십 명인가요?", "회원이 250명인가요?"), ("배송에 십이 일이 걸리나요?", "배송에 12일이 걸리나요?")],
)
def test_a_spelled_korean_number_is_its_figure_and_no_other(spelled: str, figures: str) -> None:
    assert differences(spelled, figures) == []
    assert "numbers" in differences(spelled, figures.replace("2", "3"))
