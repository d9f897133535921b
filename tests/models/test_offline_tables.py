"""Tables: those of a PDF get their bars back, and a row is said with the cells that were asked for."""

from hypothesis import given
from hypothesis import strategies as st

from lessons.answer.prompts import ANSWER
from lessons.models.offline.llm import OfflineLLM
from lessons.models.offline.tables import barred
from tests.models.answer_cases import context

PLAIN_EN = context(
    (
        "orrin-mills-2023-q2.pdf, p. 4 | Orrin Mills: second quarter of 2023 › Operating data",
        """
Operating data
Measure Q2 2023 Q1 2023 Q2 2022
Yarn spun (tonnes) 412 398 405
Price of raw wool (cents per kilo) 61.5 58.2 54.0
""",
    ),
)
PLAIN_KO = context(
    (
        "별내제과_2022년_2분기.pdf, p. 2 | 별내제과 2022년 2분기 실적",
        """
부문별 매출 (단위: 억 원)
구분 2022년 2분기 2021년 2분기 증감 2022년 1분기
과자 1,870 1,750 +6.9% 1,825
음료 640 655 △2.3% 611
""",
    ),
)


def ask(question: str, documents: str) -> str:
    return OfflineLLM().predict(ANSWER, question=question, context=documents, response_format="")


def test_the_asked_period_selects_the_column() -> None:
    said = ask("What was the price of raw wool at Orrin Mills in Q1 2023?", PLAIN_EN)
    assert said == "Price of raw wool (cents per kilo), Q1 2023: 58.2 [1]."


def test_the_asked_period_selects_the_column_in_korean() -> None:
    assert ask("별내제과의 2022년 1분기 과자 매출은 얼마인가요?", PLAIN_KO) == "과자, 2022년 1분기: 1,825 [1]."


def test_a_comparison_takes_both_columns() -> None:
    said = ask("별내제과 음료 매출은 2021년 2분기와 2022년 2분기에 각각 얼마였나요?", PLAIN_KO)
    assert "2022년 2분기: 640" in said
    assert "2021년 2분기: 655" in said
    assert "611" not in said


def test_a_short_year_is_the_year() -> None:
    assert "1,750" in ask("별내제과 21년 2분기 과자 매출은 얼마인가요?", PLAIN_KO)


def test_a_table_of_a_pdf_gets_bars() -> None:
    assert barred("Site Staff Joined\nNorth 524 16\nSouth (new) 317 (6)") == (
        "| Site | Staff | Joined |\n| North | 524 | 16 |\n| South (new) | 317 | (6) |"
    )


def test_sentences_get_none() -> None:
    text = "Revenue rose to 41.2 in 2023.\nIt was 38.0 before."
    assert barred(text) == text


@given(st.text(alphabet="ab 1,.%|()\n-가", max_size=200))
def test_bars_change_no_word(text: str) -> None:
    plain = barred(text).replace("|", " ").split()
    assert "".join(plain) == "".join(text.replace("|", " ").split())
