"""The figures of the fictional companies agree with each other, in the model and in the tables of the reports."""

import re
from collections import Counter

import pytest

from data.make.companies import tables
from data.make.companies.model import Company, companies
from data.make.companies.quarter import Quarter
from data.make.companies.report import SECTIONS, report
from data.make.companies.voice import Voice
from data.make.document import Paragraph, Table

EVERY = [
    pytest.param(company, quarter, id=f"{company.key}-{quarter}")
    for company in companies()
    for quarter in company.quarters
]
NEWS = {"letter", "segments", "people", "research", "climate"}
"""The sections on what happened in the quarter; risks, forecasts and the basis of preparation may recur."""


def amount(company: Company, cell: str) -> int:
    """A table cell in smallest units, `(3.2)` and `△3.2` negative, an empty cell zero."""
    digits = re.sub(r"[^\d.]", "", cell)
    value = round(float(digits) * company.scale) if digits else 0
    return -value if cell.startswith(("(", "△")) else value


def column(company: Company, table: Table, number: int) -> list[int]:
    return [amount(company, row[number]) for row in table.rows[1:]]


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_printed_segments_add_up_to_the_printed_total(company: Company, quarter: Quarter) -> None:
    table = tables.segments(Voice(company, quarter))
    for number in (1, 3):
        *parts, total = column(company, table, number)
        assert sum(parts) == total


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_printed_five_quarters_add_up_in_every_column(company: Company, quarter: Quarter) -> None:
    for table in (tables.history(Voice(company, quarter)), tables.profit_history(Voice(company, quarter))):
        for number in range(1, 6):
            *parts, total = column(company, table, number)
            assert sum(parts) == total


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_printed_quarters_add_up_to_the_year_so_far(company: Company, quarter: Quarter) -> None:
    table = tables.year_to_date(Voice(company, quarter))
    for number in (1, 2, 3):
        values = column(company, table, number)
        half = len(values) // 2
        for *parts, total in (values[:half], values[half:]):
            assert sum(parts) == total


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_printed_cash_flow_explains_the_change_in_cash(company: Company, quarter: Quarter) -> None:
    table = tables.cash_flow(Voice(company, quarter))
    operating, _, capex, free, *others, cash = column(company, table, 1)
    assert operating + capex == free
    assert column(company, table, 2)[-1] + free + sum(others) == cash


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_printed_sites_regions_and_costs_add_up(company: Company, quarter: Quarter) -> None:
    voice = Voice(company, quarter)
    for number in (1, 2, 3):
        *parts, total = (int(row[number].replace(",", "")) for row in tables.people(voice).rows[1:])
        assert sum(parts) == total
    *parts, total = column(company, tables.costs(voice), 1)
    assert (
        sum(parts)
        == total
        == company.revenue(quarter, None, quarter) + company.exceptional(quarter) - company.operating(quarter)
    )
    assert sum(column(company, tables.regions(voice), 1)) == company.revenue(quarter)


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_a_comparison_repeats_the_earlier_report_unless_it_was_restated(company: Company, quarter: Quarter) -> None:
    for earlier in (quarter + -1, quarter + -4):
        for key in company.segment_keys:
            changed = company.restated(earlier, key, quarter) - company.restated(earlier, key, earlier)
            assert company.revenue(earlier, key, quarter) == company.revenue(earlier, key) + changed


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_order_book_and_headcount_carry_over(company: Company, quarter: Quarter) -> None:
    sold = sum(company.revenue(quarter, key, company.start) for key in company.segment_keys)
    assert company.backlog(quarter) == company.backlog(quarter + -1) + company.orders(quarter) - sold
    assert company.heads(quarter) == company.heads(quarter + -1) + company.hired(quarter) - company.left(quarter)


@pytest.mark.parametrize("company", companies(), ids=lambda company: company.key)
def test_a_reclassification_between_segments_leaves_the_total_alone(company: Company) -> None:
    for change in company.profile["restatement"]:
        for text in change["quarters"]:
            quarter, reported = Quarter.parse(text), Quarter.parse(change["reported"])
            before, after = company.revenue(quarter, None, reported + -1), company.revenue(quarter, None, reported)
            assert (before == after) == ("to" in change)


@pytest.mark.parametrize("company", companies(), ids=lambda company: company.key)
def test_the_last_forecast_of_a_year_comes_close(company: Company) -> None:
    for year in range(company.first.year, company.last.year + 1):
        _, low, high = company.guidance(Quarter(year, 3))
        assert low * 0.97 <= company.year(year) <= high * 1.03


@pytest.mark.parametrize(("company", "quarter"), EVERY)
def test_no_placeholder_or_particle_mark_is_left_in_a_report(company: Company, quarter: Quarter) -> None:
    text = str(report(company, quarter).blocks)
    assert not re.search(r"\{[^}]*\}|\[[가-힣]+/[가-힣]+\]|nan\b", text)


@pytest.mark.parametrize("company", companies(), ids=lambda company: company.key)
def test_what_happened_in_a_quarter_is_not_repeated_in_another_report(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Voice, "say", lambda *_, **__: "")  # leaves out the sentences around the figures
    counts = Counter(sentence for quarter in company.quarters for sentence in set(_news(company, quarter)))
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def _news(company: Company, quarter: Quarter) -> list[str]:
    """The sentences on the events of a quarter."""
    sections = {name for name, _ in company.profile["sections"]} & NEWS
    blocks = [block for name in sections for block in SECTIONS[name](Voice(company, quarter))]
    texts = [block.text for block in blocks if isinstance(block, Paragraph)]
    return [sentence for text in texts for sentence in re.split(r"(?<=[.!?])\s", text)]
