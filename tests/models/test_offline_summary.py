"""Summaries without a model: sentences of the text itself, or its headings where it has none."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.keyless.enrich import LONGEST, summary

PROSE = (
    "The order book grew to 606.7 million euros, because two grid operators ordered batteries for three years. "
    "It rained. The orders of the grid operators will be delivered from Regensburg, where the plant adds a shift. "
    "The canteen has been painted in a friendly green over the summer, and everybody likes it."
)


def test_a_summary_is_the_most_typical_sentences_in_their_order() -> None:
    said = summary(None, PROSE, "Orders")
    assert said.startswith("The order book grew")
    assert "canteen" not in said


def test_korean_is_summarised_by_its_own_sentences() -> None:
    text = "수주잔고는 6,067억 원으로 늘었습니다. 두 전력 회사가 3년치 배터리를 주문했기 때문입니다. 날씨는 맑았습니다."
    assert summary(None, text, "수주") == text.removesuffix(" 날씨는 맑았습니다.")


def test_a_table_is_told_by_its_caption_and_first_column() -> None:
    table = (
        "## Costs\nOperating costs by kind\n| Cost | Q4 |\n| --- | --- |\n| Personnel | 30.0 |\n| Depreciation | 6.0 |"
    )
    assert summary(None, table, "Report > Costs") == "Costs: Operating costs by kind: Personnel, Depreciation"


def test_a_list_is_told_by_its_heading_and_first_items_without_their_marks() -> None:
    said = summary(None, "## At night\n1. Turn the light off.\n2. Open the window.", "Sleep > At night")
    assert said == "At night: Turn the light off. Open the window."


@settings(max_examples=60)
@given(st.text("매출이 늘었다. Order book! CCX-40,\n|#-1", max_size=600))
def test_a_summary_is_never_too_long(text: str) -> None:
    assert len(summary(None, text)) <= LONGEST
