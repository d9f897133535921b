"""Verdicts: correctness, refusals, groundedness, belonging – and whether a person would agree."""

import math
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.golden import SPLITS, Evidence, golden_questions, json_lines
from lessons.evaluate.judge import (
    JUDGED,
    LABELS,
    agreement,
    groundedness,
    is_unanswerable,
    judge_text,
    labelled,
    states,
    validate,
)
from lessons.evaluate.metrics import belonging
from lessons.models.keyless import NOT_FOUND
from lessons.rag.answer import Answer
from lessons.rag.context import citations
from lessons.rag.prompts import REFUSALS
from lessons.rag.served_words import is_refusal
from lessons.rag.types import Context, RetrievedDocument


@dataclass(frozen=True)
class Asked:
    question: str = "How much was turnover in Q2 2024?"
    category: str = "fact"
    answer: str = "Turnover was £125.2 million in Q2 2024."
    key_facts: tuple[str, ...] = ("£125.2 million",)
    evidence: tuple[Evidence, ...] = field(default=())


REPORT = RetrievedDocument(
    "a", "Turnover of the quarter grew by 11.4% and\nreached £125.2 million.", 0.9, "reports/thornbury-2024-q2.pdf",
    {"page_number": 1},
)  # fmt: skip
TABLE = RetrievedDocument("b", "| £ million | Q2 2024 |\n| Turnover | 125.2 |", 0.8, "reports/summary.md")
KOREAN = RetrievedDocument("c", "2024년 2분기 매출은 1억 2,520만 파운드로 늘었습니다.", 0.7, "ko.md")
UNANSWERABLE = Asked("What does the chief executive earn?", "unanswerable", "The documents do not say.", ())


def answered(text: str, *documents: RetrievedDocument) -> Answer:
    context = Context("", documents or (REPORT, TABLE, KOREAN))
    return Answer("?", "naive", "test", text, True, citations=citations(text, context), context=context)


@pytest.mark.parametrize(
    ("text", "correctness"),
    [
        ("It reached £125.2m [1].", 1.0),
        ("1억 2,520만 파운드입니다 [3].", 1.0),
        ("It was £112.4 million [1].", 0.0),
        ("It was £1,125.2 million [1].", 0.0),
        (NOT_FOUND["en"], 0.0),
        ("", 0.0),
    ],
)
def test_correctness_follows_the_key_facts(text: str, correctness: float) -> None:
    assert judge_text(Asked(), text)[0] == correctness


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("£125.2 million", "Turnover was 125.2 million pounds."),
        ("£125.2 million", "매출은 1억 2520만 파운드였다."),
        ("254억 원", "25.4 billion won was earned."),
        ("$49", "Team is USD 49 per month."),
        ("31 May 2024", "It was completed on May 31, 2024."),
        ("31 May 2024", "2024년 5월 31일에 끝났습니다."),
        ("6 hours", "여섯 시간마다 읽습니다."),
        ("80%", "물량의 80퍼센트를 보장합니다."),
        ("-4.1%", "Profit declined 4.1 percent."),
        ("4.9", "The order is worth £4.9m."),
        ("결제 담당자", "결제담당자에게 보냅니다."),
        ("Marwick Dredging", "It was ordered by MARWICK DREDGING."),
        ("wind turbine", "A maker of wind turbines."),
        ("once an hour|hourly", "Checks run hourly."),
    ],
)
def test_a_wording_is_found_in_either_language_and_unit(fact: str, text: str) -> None:
    assert states(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("5%", "It rose by 15%."),
        ("5%", "It rose by 2.5%."),
        ("No", "Nobody came."),
        ("36", "It was 36.8."),
        ("254억 원", "254만 원입니다."),
        ("£125.2 million", "Turnover was $125.2 million."),
        ("6시간", "6분마다 읽습니다."),
        ("CCX-10", "The error is CCX-104."),
    ],
)
def test_a_part_of_a_longer_word_or_number_and_another_unit_are_not_it(fact: str, text: str) -> None:
    assert not states(fact, text)


@given(st.integers(1, 9_999), st.integers(1, 9_999))
def test_an_amount_in_korean_is_found_in_english_and_the_other_way_round(tenths: int, other: int) -> None:
    english = f"It was {other / 10:,.1f} billion won."
    assert states(f"{tenths:,}억 원", english) == (tenths == other)
    assert states(f"{other / 10:,.1f} billion won", f"{tenths}억원입니다.") == (tenths == other)


@given(st.text(max_size=200), st.text(min_size=1, max_size=40))
def test_any_text_can_be_judged(answer: str, fact: str) -> None:
    assert states(fact, answer) in (True, False)


def test_some_of_several_facts_are_half_right_and_one_of_four_is_not() -> None:
    golden = Asked("Price and users of Business?", answer="249 dollars, 25 users", key_facts=("$249", "25 users|25명"))
    assert judge_text(golden, "월 249달러이고 사용자 25명이 포함됩니다.")[0] == 1.0
    assert judge_text(golden, "It costs 249 dollars.")[0] == 0.5
    assert judge_text(golden, "It costs 249 dollars. The documents do not give the number of users.") == (0.5, False)
    four = Asked("Which sites?", answer="Leith, Yarm, Goole, Hull.", key_facts=("Leith", "Yarm", "Goole", "Hull"))
    texts = ("Leith.", "Leith, Yarm.", "Hull, Goole, Yarm, Leith.")
    assert [judge_text(four, text)[0] for text in texts] == [0.0, 0.5, 1.0]


def test_a_refusal_is_right_where_the_reference_is_one() -> None:
    golden = Asked("What does the chief executive earn?", "fact", "The documents do not say.", ())
    assert judge_text(golden, "The documents do not say it.") == (1.0, True)
    assert judge_text(golden, "She earns £2 million.") == (0.0, False)


def test_to_say_nothing_is_not_to_say_no() -> None:
    assert judge_text(Asked("What does it cost?", "unanswerable", "The documents do not say.", ()), " ") == (0.0, False)


def test_the_no_of_a_refusal_states_no_fact() -> None:
    golden = Asked("Can it shut down machines?", answer="No, it has no such feature.", key_facts=("not|no",))
    assert judge_text(golden, "The documents do not answer this question.") == (0.0, True)
    assert judge_text(golden, "No, it only reads.") == (1.0, False)


def test_without_key_facts_the_words_of_the_reference_count() -> None:
    reference = "A fire at the paint shop stopped deliveries for five weeks."
    golden = Asked("Why was guidance cut?", "summary", reference, ())
    assert judge_text(golden, "Because deliveries stopped for five weeks after a fire at the paint shop.")[0] == 1.0
    assert judge_text(golden, "Because a fire stopped deliveries for weeks.")[0] == 0.5
    assert judge_text(golden, "Because wages rose.")[0] == 0.0


def test_correctness_against_a_long_reference_without_key_facts_is_not_reported() -> None:
    golden = Asked("What happened?", "all", " ".join(f"word{n}" for n in range(31)), ())
    assert math.isnan(judge_text(golden, golden.answer)[0])


@pytest.mark.parametrize(
    "text",
    [
        *sorted(REFUSALS),
        "I'm sorry, but I couldn't find any information about this in the provided documents.",
        "The provided context does not mention the salary.",
        "There is no information on executive pay in the passages.",
        "I don't know.",
        "None of the retrieved documents covers this.",
        "The reports mention her but do not disclose her pay. They list the revenue instead [1].",
        "제공된 문서에는 해당 내용이 없습니다.",
        "죄송하지만 주어진 자료에서 관련 정보를 찾을 수 없습니다.",
        "문서에 연봉이 언급되어 있지 않습니다.",
        "그 내용은 알 수 없습니다.",
        "주어진 보고서만으로는 파악하기 어렵습니다.",
        "That isn't covered by the material I was given.",
    ],
)
def test_refusals_are_recognised_and_right_exactly_when_nothing_is_there_to_be_said(text: str) -> None:
    assert judge_text(UNANSWERABLE, text) == (1.0, True)
    assert judge_text(Asked(), text) == (0.0, True)


@pytest.mark.parametrize(
    "text",
    [
        "Invoices are not sent to members [1].",
        "Reports do not include tax [1].",
        "결제 정보가 없으면 연결이 중지됩니다 [1].",
        "알 수 없는 오류가 나면 다시 연결하십시오 [1].",
        "세금계산서를 발행하지 않습니다 [1].",
        "The order book stood at £423.9 million [1]. The documents do not give the margin.",
    ],
)
def test_a_no_in_the_matter_is_not_a_refusal(text: str) -> None:
    assert not is_refusal(text)
    assert judge_text(UNANSWERABLE, text) == (0.0, False)


@pytest.mark.parametrize(
    ("text", "grounded"),
    [
        ("Turnover grew by 11.4% and reached £125.2 million [1].", 1.0),
        ("Turnover reached £125.2 million. [1]", 1.0),
        ("Turnover in Q2 2024 was £125.2 million [2].", 1.0),
        ("Turnover grew by 12.4% [1].", 0.0),
        ("The turnover of happy old painters was £125.2 million [1].", 0.0),
        ("The figures are:\nTurnover reached £125.2 million [1].", 1.0),
        ("Turnover grew by 11.4%.", 0.0),
        ("Turnover grew by 11.4% [7].", 0.0),
        ("Turnover reached £125.2 million [1]. The weather was fine [1].", 0.5),
        ("매출이 좋아졌습니다 [1].", 0.0),
        ("매출은 125.2였습니다 [2].", 1.0),
    ],
)
def test_a_sentence_is_grounded_when_a_passage_that_it_cites_holds_it(text: str, grounded: float) -> None:
    assert groundedness(answered(text)) == grounded


@pytest.mark.parametrize(("code", "grounded"), [("ERR-104", 1.0), ("ERR-10", 0.0)])
def test_a_part_of_an_identifier_is_not_grounded_in_the_whole(code: str, grounded: float) -> None:
    codes = RetrievedDocument("a", "The gate reports ERR-104 when the card is not read.", 0.9, "codes.md")
    assert groundedness(answered(f"The gate reports {code} when the card is not read [1].", codes)) == grounded


WORDS = Evidence("report.pdf", "grew by 11.4% and reached £125.2 million", 1)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("It was £125.2 million [1].", 1.0),
        ("Turnover of the quarter grew by 11.4% and reached £125.2 million [1].", 1.0),
        ("grew by 11.4% [1].", 1.0),
        ("It was £125.2 million [1]. The weather was fine [2].", 0.5),
        ("The weather was fine [2]. So was the tea [2].", 0.0),
        ("It was £125.2 million [1]. The documents do not give the margin.", 1.0),
    ],
)
def test_a_sentence_belongs_with_a_key_fact_or_with_words_of_the_evidence(text: str, share: float) -> None:
    assert belonging(Asked(evidence=(WORDS,)), text) == share


def test_a_refusal_and_a_question_without_facts_have_no_belonging() -> None:
    assert math.isnan(belonging(Asked(), NOT_FOUND["en"]))
    assert math.isnan(belonging(Asked(key_facts=()), "It was £125.2 million [1]."))


def test_kappa_is_that_of_the_textbook() -> None:
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    found = agreement(pair for pair, times in table.items() for _ in range(times))
    assert found.kappa == pytest.approx(0.4)
    assert (found.n, found.confusion) == (50, table)


def test_raters_who_know_one_label_only_agree() -> None:
    assert agreement([("right", "right")] * 3).kappa == 1.0


def test_the_interval_of_kappa_holds_it_and_narrows_with_more_pairs() -> None:
    pairs = [("yes", "yes")] * 8 + [("yes", "no")] * 2 + [("no", "no")] * 8 + [("no", "yes")] * 2
    few, many = agreement(pairs), agreement(pairs * 10)
    assert few.interval[0] < few.kappa < few.interval[1]
    assert many.interval[1] - many.interval[0] < (few.interval[1] - few.interval[0]) / 2


def test_the_errors_of_a_judge_have_a_direction() -> None:
    found = agreement([("partly", "right"), ("wrong", "right"), ("right", "wrong"), ("right", "right")])
    assert found.errors() == {"too generous": 2, "too strict": 1}


@pytest.mark.parametrize(
    ("split", "least"),
    [("outputs_second_frozen", 80), ("outputs_second_dev", 80), ("outputs_frozen", 60), ("test", 60)],
)
def test_the_labelled_answers_cover_both_languages_and_all_labels(split: str, least: int) -> None:
    pairs = labelled(split)
    assert len(pairs) >= least
    assert {pair.verdict for pair in pairs} == set(LABELS.values())
    assert min(sum(pair.language == language for pair in pairs) for language in ("en", "ko")) >= 25


@pytest.mark.parametrize(
    ("tuned_on", "held_out"),
    [("dev", "test"), ("outputs_dev", "outputs_frozen"), ("outputs_second_dev", "outputs_second_frozen")],
)
def test_no_question_is_in_both_halves_of_the_labelled_answers(tuned_on: str, held_out: str) -> None:
    assert not {pair.question for pair in labelled(tuned_on)} & {pair.question for pair in labelled(held_out)}


@pytest.mark.parametrize(
    ("split", "least"),
    [("outputs_frozen", 0.7), ("outputs_second_frozen", 0.65), ("outputs_recorded_frozen", 0.65),
     ("outputs_recorded_other", 0.6)],
)  # fmt: skip
def test_the_judge_agrees_with_raters_who_had_not_read_it(split: str, least: float) -> None:
    assert validate(split).kappa >= least


def test_raters_agree_more_with_each_other_about_a_models_own_words_than_the_judge_with_them() -> None:
    for name in ("outputs_recorded_frozen", "outputs_recorded_other"):
        raters = agreement((row["verdict"], row["second"]) for row in json_lines(JUDGED / f"{name}.jsonl"))
        assert validate(name).kappa < 0.9 <= raters.kappa


def test_the_answer_to_one_question_is_hardly_ever_right_for_another() -> None:
    asked = [golden for golden in golden_questions("dev") if golden.key_facts and not is_unanswerable(golden)]
    pairs = [(one, other) for one in asked for other in asked if one.answer != other.answer]
    drawn = random.Random(0).sample(pairs, 1_000)
    assert sum(judge_text(one, other.answer)[0] > 0 for one, other in drawn) <= 15


LOOKS_LIKE_A_REFUSAL = {"courses-012"}  # 'you cannot see any material' in an exam is no word about the documents


@pytest.mark.parametrize("split", SPLITS)
def test_the_reference_answer_of_every_golden_question_is_judged_right(split: str) -> None:
    wrong = {golden.id for golden in golden_questions(split) if judge_text(golden, golden.answer)[0] < 1.0}
    assert wrong <= LOOKS_LIKE_A_REFUSAL
