"""Tables: those of a PDF get their bars back, and a row is said with the cells that were asked for."""

from hypothesis import given
from hypothesis import strategies as st

from lessons.keyless.lines import mark_tables
from lessons.models.keyless import NOT_FOUND
from tests.models.answer_cases import ask, context

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


def test_a_figure_like_a_year_does_not_hide_the_year_above_it() -> None:
    table = "| Item | Q1 2023 | Q4 2022 |\n|---|---|---|\n| Wool bought (bales) | 1,997 | 1,810 |"
    documents = context(("mill.md", f"# Orrin Mills\n\n{table}"))
    assert ask("How many bales of wool were bought in Q1 2023?", documents).endswith("Q1 2023: 1,997 [1].")


def test_a_short_year_is_the_year() -> None:
    assert "1,750" in ask("별내제과 21년 2분기 과자 매출은 얼마인가요?", PLAIN_KO)


def test_a_table_of_names_and_values_has_no_names_of_columns() -> None:
    table = "| Power | 2,200 W |\n| --- | --- |\n| Volume | 1.7 litres |"
    documents = context(("kettle.docx", f"# Kettle K2\n\n{table}"))
    assert ask("Which power does the kettle have?", documents) == "Power, 2,200 W [1]."


def test_a_table_behind_another_has_the_names_of_its_own_columns() -> None:
    tables = "\n".join(["|Chemical|Shelf|", "|-|-|", "|Acetone|12|", "", "|Device|Room|", "|-|-|", "|Centrifuge|201|"])
    assert ask("Where is the centrifuge?", context(("lab.docx", tables))) == "Device: Centrifuge, Room: 201 [1]."


def test_a_row_of_something_else_does_not_answer_for_its_column() -> None:
    table = "| Claims by cause | Q2 | Q1 |\n| --- | --- | --- |\n| Broken pallet | 15 | 12 |"
    refused = ask("How many claims were there because of theft in Q2?", context(("review.pptx", table)))
    assert refused.startswith(NOT_FOUND["en"])


def test_capitals_name_no_columns_where_names_hold_numbers() -> None:
    names = "Zone Temperature Up to 50 pallets 51 to 300 pallets Over 300"
    assert "|" not in mark_tables(f"{names}\nChill +2 °C 1,450 1,320 1,210\nFreeze -20 °C 1,870 1,740 1,610")


def test_a_table_of_a_pdf_gets_bars() -> None:
    assert mark_tables("Site Staff Joined\nNorth 524 16\nSouth (new) 317 (6)") == (
        "| Site | Staff | Joined |\n| North | 524 | 16 |\n| South (new) | 317 | (6) |"
    )


def test_a_capital_letter_begins_the_name_of_a_column() -> None:
    assert mark_tables("Mill Staff, end of year Joined Left\nAshby 402 12 9\nCorley 96 3 4").splitlines()[0] == (
        "| Mill | Staff, end of year | Joined | Left |"
    )


def test_a_row_without_a_change_has_the_numbers_of_the_periods() -> None:
    table = mark_tables("Item Q1 2022 Q1 2021 Change Q4 2021\nYarn 41 38 +8% 40\nMargin 6.1% 5.9% 6.0%")
    assert table.splitlines()[2] == "| Margin | 6.1% | 5.9% |  | 6.0% |"


def test_a_lone_number_within_a_table_stays_with_its_label() -> None:
    table = mark_tables("Line Sales Growth Profit\nYarn 41 +8% 5\nHead office (2)\nTotal 41 +8% 3")
    assert table.splitlines()[2:] == ["| Head office (2) |  |  |  |", "| Total | 41 | +8% | 3 |"]


def test_the_year_of_a_row_is_part_of_its_label() -> None:
    assert mark_tables("Quarter Sales Profit\nQ1 2021 41 5\nTotal 2021 160 18").splitlines()[1:] == [
        "| Q1 2021 | 41 | 5 |",
        "| Total 2021 | 160 | 18 |",
    ]


def test_a_row_of_years_is_the_header() -> None:
    assert mark_tables("Item 2021 2020\nYarn 41 38\nWool 12 11").startswith("| Item | 2021 | 2020 |\n| Yarn |")


def test_sentences_get_none() -> None:
    text = "Revenue rose to 41.2 in 2023.\nIt was 38.0 before."
    assert mark_tables(text) == text


@given(st.text(alphabet="ab 1,.%|()\n-가", max_size=200))
def test_bars_change_no_word(text: str) -> None:
    plain = mark_tables(text).replace("|", " ").split()
    assert "".join(plain) == "".join(text.replace("|", " ").split())
