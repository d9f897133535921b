"""The figures of a report in words: what `{rev:cloud@-4}` in a hand-written sentence is replaced by."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from data.make.companies.model import Company
from data.make.companies.quarter import Quarter
from data.make.korean import particles


def money(company: Company, amount: int) -> str:
    """Write an amount as `£84.3 million` or `1조 2,345억 원`; the sign is left to the sentence."""
    digits = company.profile["decimals"]
    value = abs(amount) / company.scale
    if company.language == "en":
        return f"{company.profile['currency']}{value:,.{digits}f} million"
    if company.profile.get("trillions") and value >= 10_000:
        large, small = divmod(round(value), 10_000)
        return f"{large:,}조 {small:,}억 원" if small else f"{large:,}조 원"
    return f"{value:,.{digits}f}".removesuffix(".0") + "억 원"


def cell(company: Company, amount: int) -> str:
    """Write an amount for a table: `84.3`, `(3.2)`, in Korean tables `△3.2`."""
    text = f"{abs(amount) / company.scale:,.{company.profile['decimals']}f}"
    if amount >= 0:
        return text
    return f"△{text}" if company.language == "ko" else f"({text})"


def percent(part: int, total: int) -> float:
    """Return `part` as a percentage of `total` to one decimal."""
    return round(part / total * 100, 1) if total else 0.0


def growth(new: int, old: int) -> float:
    """Return the change from old to new in percent to one decimal."""
    return percent(new - old, old)


AMOUNTS: dict[str, Callable[[Company, Quarter], int]] = {
    "exceptional": Company.exceptional,
    "orders": Company.orders,
    "backlog": Company.backlog,
    "cash": Company.cash,
    "debt": Company.debt,
    "ocf": Company.operating_cash,
    "fcf": Company.free_cash,
    "capex": Company.capex,
    "dividend": Company.dividend,
    "acquisition": Company.acquisitions,
    "borrowed": Company.borrowed,
    "research": Company.research,
}
"""Amounts of the whole company, under the names that sentences have for them."""

COUNTS = {"heads": Company.heads, "hired": Company.hired, "left": Company.left}
"""Numbers of employees, at a site or in all."""


@dataclass(frozen=True)
class Figure:
    """A figure that waits for its format spec: `segment@quarter`, both optional, the quarter absolute or an offset."""

    facts: "Facts"
    compute: Callable[[Quarter, str | None], str]

    def __format__(self, spec: str) -> str:
        segment, _, when = spec.partition("@")
        return self.compute(self.facts.when(when), segment or None)


class Facts:
    """Words for the figures of one company as its report of one quarter states them (for `str.format_map`)."""

    def __init__(self, company: Company, quarter: Quarter, words: dict[str, str]) -> None:
        self.company, self.quarter, self.words = company, quarter, words
        self.segment: str | None = None

    def fill(self, template: str, segment: str | None = None, **more: str) -> str:
        """Fill in every figure of a template and, in Korean, make the particles agree."""
        self.segment, self.words = segment, {**self.words, **more}
        return particles(template.format_map(self))  # type: ignore[arg-type]

    def when(self, spec: str) -> Quarter:
        """Return the quarter that a spec names: `2023Q4`, `-4`, or this one if it is empty."""
        if not spec:
            return self.quarter
        return Quarter.parse(spec) if "Q" in spec else self.quarter + int(spec)

    def revenue(self, quarter: Quarter, segment: str | None = None) -> int:
        return self.company.revenue(quarter, segment or self.segment, self.quarter)

    def profit(self, quarter: Quarter, segment: str | None = None) -> int:
        name = segment or self.segment
        return self.company.segment_profit(quarter, name) if name else self.company.operating(quarter)

    def money(self, amount: int) -> str:
        return money(self.company, amount)

    def __getitem__(self, name: str) -> Figure | str:
        if name in self.words:
            return self.words[name]
        if amount := AMOUNTS.get(name):
            return Figure(self, lambda quarter, _: self.money(amount(self.company, quarter)))
        if count := COUNTS.get(name):
            return Figure(self, lambda quarter, site: f"{count(self.company, quarter, site):,}")
        return Figure(self, partial(FIGURES[name], self))


def _measure(facts: Facts, quarter: Quarter, number: str | None) -> str:
    digits = facts.company.profile["measure"][int(number or 0)].get("decimals", 0)
    return f"{facts.company.measure(quarter, int(number or 0)):,.{digits}f}"


def _revenue_to_date(facts: Facts, quarter: Quarter, segment: str | None) -> int:
    return sum(facts.revenue(part, segment) for part in quarter.to_date())


def _change(new: int, old: int) -> str:
    return f"{abs(growth(new, old)):.1f}%"


FIGURES: dict[str, Callable[[Facts, Quarter, str | None], str]] = {
    "rev": lambda facts, quarter, key: facts.money(facts.revenue(quarter, key)),
    "op": lambda facts, quarter, key: facts.money(facts.profit(quarter, key)),
    "margin": lambda facts, quarter, key: f"{percent(facts.profit(quarter, key), facts.revenue(quarter, key)):.1f}%",
    "yoy": lambda facts, quarter, key: _change(facts.revenue(quarter, key), facts.revenue(quarter + -4, key)),
    "qoq": lambda facts, quarter, key: _change(facts.revenue(quarter, key), facts.revenue(quarter + -1, key)),
    "delta": lambda facts, quarter, key: facts.money(facts.revenue(quarter, key) - facts.revenue(quarter + -4, key)),
    "ytd": lambda facts, quarter, key: facts.money(_revenue_to_date(facts, quarter, key)),
    "ytd_op": lambda facts, quarter, key: facts.money(sum(facts.profit(part, key) for part in quarter.to_date())),
    "ytd_yoy": lambda facts, quarter, key: _change(
        _revenue_to_date(facts, quarter, key), _revenue_to_date(facts, quarter + -4, key)
    ),
    "share": lambda facts, quarter, key: (
        f"{percent(facts.revenue(quarter, key), facts.company.revenue(quarter, None, facts.quarter)):.1f}%"
    ),
    "book_to_bill": lambda facts, quarter, _: f"{facts.company.orders(quarter) / facts.company.revenue(quarter):.2f}",
    "research_share": lambda facts, quarter, _: (
        f"{percent(facts.company.research(quarter), facts.company.revenue(quarter)):.1f}%"
    ),
    "region": lambda facts, quarter, region: cell(facts.company, facts.company.regions(quarter)[region or ""]),
    "measure": _measure,
    "guided": lambda facts, quarter, _: str(facts.company.guidance(quarter)[0]),
    "low": lambda facts, quarter, _: facts.money(facts.company.guidance(quarter)[1]),
    "high": lambda facts, quarter, _: facts.money(facts.company.guidance(quarter)[2]),
    "q": lambda facts, quarter, _: quarter.label(facts.company.language),
    "y": lambda facts, quarter, _: str(quarter.year),
    "n": lambda facts, quarter, _: str(quarter.number),
}
"""Figures of a segment, or of the company, under the names that sentences have for them."""
