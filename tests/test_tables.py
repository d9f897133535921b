"""Tables for notebooks: escaped, and aligned by what a column holds."""

import re

import pytest

from lessons.tables import html_table


def sides(table: str) -> list[list[str]]:
    return [re.findall(r"text-align:(\w+)", row) for row in table.split("<tr>")[1:]]


def test_columns_of_numbers_are_on_the_right_and_words_on_the_left() -> None:
    rows = [
        ["naive", "0.35 [0.19, 0.54]", "+0.042 [-0.062, +0.188] at 99 %", "US$ 0.20", "no difference shown", "12"],
        ["smart", "–", "", "$0.0004", "better", "many"],
    ]
    at = ["left", "right", "right", "right", "left", "left"]
    assert sides(html_table(["stage", "correct", "change", "price", "outcome", "mixed"], rows)) == [at, at, at]


def test_a_sentence_that_begins_with_a_number_is_a_sentence() -> None:
    said = "7:30 is when the kiosk on the pier opens its window in summer."
    assert sides(html_table(["", "answer", "note"], [["naive", said, ""]]))[1] == ["left", "left", "left"]


def test_a_table_may_be_empty_and_interprets_nothing() -> None:
    assert sides(html_table(["a", "b"], [])) == [["left", "left"]]
    assert "<script>" not in html_table(["<script>"], [["<script>"]])


def test_a_row_may_end_early() -> None:
    rows = [["correct", "0.35", "0.54"], ["latency", "12"]]
    assert sides(html_table(["", "naive", "ceiling"], rows)) == [["left", "right", "right"]] * 3


def test_names_of_rows_are_put_into_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "ko")
    assert "<td style='text-align:left'>사실</td>" in html_table(["", "n"], [["fact", "12"]])
    assert "<td style='text-align:left'>fact</td>" in html_table(["id", "n"], [["fact", "12"]])
