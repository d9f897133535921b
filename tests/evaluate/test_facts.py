"""Key facts: what counts as the same, and what only looks like it."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.judge.facts import Asked, Level, level
from lessons.text.dates import moments

SAME = [
    [
        "4.2 billion won",
        "42억 원",
        "42억원",
        "4,200,000,000 won",
        "KRW 4.2bn",
        "₩4.2 billion",
        "4.2 billion Korean won",
    ],
    ["15 %", "15%", "15 percent", "15 per cent", "15퍼센트", "15 퍼센트", "fifteen percent"],
    ["1,234억 원", "123.4 billion won", "1234억원", "KRW 123,400 million"],
    ["2024년 3월 5일", "5 March 2024", "2024-03-05", "March 5, 2024", "2024. 3. 5.", "5th of March 2024", "2024/03/05"],
    ["3분기", "Q3", "third quarter", "3/4분기", "3rd quarter"],
    ["2024년 3분기", "Q3 2024", "3Q24", "the third quarter of 2024", "2024 Q3", "Q3'24"],
    ["오후 3시", "3 pm", "15:00", "3:00 p.m.", "15시"],
    ["오전 9시 30분", "9:30 a.m.", "09:30", "오전 9시 반"],
    ["만 2천 명", "12,000 people", "1만 2천 명", "12 thousand people", "12,000명"],
    ["£125.2 million", "£125.2m", "125.2 million pounds", "1억 2,520만 파운드"],
    ["six hours", "6시간", "여섯 시간", "6-hour", "360 minutes"],
    ["43명", "마흔세 명", "forty-three employees", "43 people"],
    ["1.3 percentage points", "1.3%p", "1.3pp", "1.3퍼센트포인트"],
    ["31 May", "May 31", "5월 31일"],
    ["3천5백만 원", "35 million won", "3,500만 원"],
    ["200 MB", "200 megabytes", "200메가바이트"],
    ["하루", "1일", "24 hours"],
]
DIFFERENT = [
    ("5", "15"), ("4.2", "14.2"), ("4.2", "4.25"), ("4.2 million won", "4.2 billion won"), ("43명", "430명"),
    ("15%", "15 dollars"), ("15%", "-15%"), ("-5%", "+5%"), ("Q3", "Q2"), ("3월", "3개월"), ("2024", "ORD-2024-001"),
    ("ORD-2024-001", "ORD-2024-0010"), ("ORD-2024-001", "XORD-2024-001"), ("2시", "2시간"), ("4.3", "4.3.1"),
    ("5 March 2024", "5 April 2024"), ("hourly", "daily"), ("한빛", "신한빛"), ("1", "[1]"), ("3분기", "3분"),
    ("owner", "ownership of the file is not shown"), ("Hartlepool", "Hartford"), ("2 hours", "2 users"),
    ("2024", "2,024 won"), ("port", "a portable one"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"), [pair for same in SAME for pair in combinations(same, 2)], ids=lambda text: text
)
def test_two_spellings_of_a_fact_are_the_same_both_ways(one: str, other: str) -> None:
    assert level(one, f"It is {other}.") is Level.STATED
    assert level(other, f"It is {one}.") is Level.STATED


@pytest.mark.parametrize(("fact", "answer"), DIFFERENT)
def test_what_only_looks_like_the_fact_is_not_stated(fact: str, answer: str) -> None:
    assert level(fact, answer) is not Level.STATED


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("한빛", "한빛이 계약을 맺었습니다."),
        ("결제 담당자", "결제담당자에게 보냅니다."),
        ("Marwick Dredging", "It was ordered by MARWICK DREDGING [2]."),
        ("Hartlepool", "새 시험대는 Hartlepool에 있습니다."),
        ("SDM-PO-24-0171", "계약은 SDM-PO-24-0171로 체결되었습니다."),
        ("once an hour|hourly", "Checks run once every hour or once an hour."),
        ("reduces waste", "The new line reduced its waste."),
        ("not possible", "On Starter further users are not possible."),
        ("tax@cirrocost.example", "Write to tax@cirrocost.example."),
        ("4.3.1", "Since version 4.3.1 it works."),
        ("per month", "It is billed PER MONTH."),
        ("Asia", "Asia grew by 4%, and Europe grew more slowly than Asia."),
    ],
)
def test_names_identifiers_and_phrases_are_found_in_running_text(fact: str, answer: str) -> None:
    assert level(fact, answer) is Level.STATED


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("254억 원", "약 250억 원입니다."),
        ("£125.2 million", "Turnover was roughly £125 million."),
        ("£125.2 million", "Turnover was $125.2 million."),
        ("254억 원", "254만 원입니다."),
        ("6시간", "6분마다 읽습니다."),
        ("£125.2 million", "| Turnover | 125.2 | 112.4 |"),
        ("31 May 2024", "It was completed in May 2024."),
        ("31 May 2024", "It was completed on 31 May 2023."),
        ("오후 5시", "오전 5시까지입니다."),
        ("-5%", "The change was 5%."),
    ],
)
def test_rounded_mislabelled_or_incomplete_is_near(fact: str, answer: str) -> None:
    assert level(fact, answer) is Level.NEAR


@pytest.mark.parametrize("answer", ["fell by 5%", "5% lower", "5% 감소했습니다", "△5%", "-5%", "a loss of 5%"])
def test_a_direction_word_stands_for_the_minus(answer: str) -> None:
    assert level("-5%", f"Profit {answer}.") is Level.STATED


def test_a_fall_is_no_rise_although_the_fact_has_no_sign() -> None:
    asked = Asked("How did revenue change?", "Revenue rose by 15%.")
    assert level("15%", "Revenue grew 15%.", asked) is Level.STATED
    assert level("15%", "Revenue fell 15%.", asked) is Level.NO


def test_each_number_takes_the_direction_of_its_own_clause() -> None:
    answer = "A부문은 1.3%p 오르고 B부문은 0.7%p 내렸습니다."
    assert level("-0.7%p", answer) is Level.STATED
    assert level("-1.3%p", answer) is Level.NO


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("43명", "43명이 아니라 52명입니다."),
        ("60", "Not 60 but 89 people left."),
        ("billing contact", "Invoices are not sent to the billing contact."),
        ("결제 담당자", "결제 담당자에게 보내지 않습니다."),
        ("Hartlepool", "The test bed is not in Hartlepool."),
        ("Asia", "The Nordic countries grew faster than Asia."),
        ("한빛전자", "미르전자가 한빛전자보다 컸습니다."),
        ("3 May 2025", "The deadline is not 3 May 2025 but 5 May 2025."),
        ("5월 3일", "마감은 5월 3일이 아니라 5월 5일입니다."),
        ("2024", "It was not in 2024 but in 2025."),
    ],
)
def test_what_the_answer_denies_is_not_stated(fact: str, answer: str) -> None:
    assert level(fact, answer) is Level.NO


def test_a_date_may_leave_its_year_to_the_question() -> None:
    assert level("31 May 2024", "On 31 May.", Asked("When in 2024 was it completed?")) is Level.STATED
    assert level("31 May 2024", "On 31 May.") is Level.NEAR


def test_a_figure_takes_the_period_of_its_own_clause() -> None:
    asked = Asked("What were the costs?", "Costs were 40 of 90 in 2023, and 50 of 90 in 2024.")
    assert level("40", "Costs were 40 in 2023.", asked) is Level.STATED
    assert level("40", "Costs were 40 in 2024.", asked) is Level.NO


def test_words_beside_a_number_must_be_in_the_answer_or_in_the_question() -> None:
    assert level("영업손실 58억 원", "58억 원의 영업손실을 냈습니다.") is Level.STATED
    assert level("영업손실 58억 원", "매출은 58억 원입니다.") is Level.NO
    assert level("영업손실 58억 원", "58억 원입니다.", Asked("영업손실은 얼마인가요?")) is Level.STATED


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_bare_number_is_found_exactly_when_it_is_the_same(fact: int, there: int) -> None:
    assert (level(f"{fact} units", f"It has {there:,} units.") is Level.STATED) == (fact == there)


@given(st.integers(1, 9_999), st.integers(1, 9_999))
def test_an_amount_in_korean_is_found_in_english_and_the_other_way_round(tenths: int, other: int) -> None:
    english = f"It was {other / 10:,.1f} billion won."
    assert (level(f"{tenths:,}억 원", english) is Level.STATED) == (tenths == other)
    assert (level(f"{other / 10:,.1f} billion won", f"{tenths}억원입니다.") is Level.STATED) == (tenths == other)


@given(st.text(max_size=200), st.text(min_size=1, max_size=40))
def test_any_text_can_be_judged(answer: str, fact: str) -> None:
    assert level(fact, answer) in Level


@pytest.mark.parametrize(
    ("said", "clock"), [("밤 12시", 0), ("밤 1시", 1), ("밤 9시", 21), ("낮 11시", 11), ("낮 12시", 12)]
)
def test_night_and_day_tell_the_half_of_the_day(said: str, clock: int) -> None:
    assert moments(said)[0][0].minute == 60 * clock


def test_a_decimal_may_lack_its_zero() -> None:
    assert level("0.5%", "The fee is .5%.") is Level.STATED
    assert level("5%", "The fee is .5%.") is Level.NO
    assert level("$0.75", "It costs $.75 each.") is Level.STATED


def test_a_number_of_any_length_can_be_compared() -> None:
    number = "123456789012345678901234567"
    assert level(number, "The number is 3.14.") is Level.NO
    assert level(number, f"The number is {number}.") is Level.STATED
