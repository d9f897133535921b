"""The figures of a report as words: what `{rev:cloud@-4}` in a hand-written sentence is replaced by."""

from collections.abc import Callable
from dataclasses import dataclass

from data.make.companies.model import Company
from data.make.companies.quarter import Quarter
from data.make.korean import particles


def money(company: Company, amount: int) -> str:
    """`£84.3 million`, `1조 2,345억 원`; the sign is left to the sentence."""
    digits = company.profile["decimals"]
    value = abs(amount) / company.scale
    if company.language == "en":
        return f"{company.profile['currency']}{value:,.{digits}f} million"
    if company.profile.get("trillions") and value >= 10_000:
        large, small = divmod(round(value), 10_000)
        return f"{large:,}조 {small:,}억 원" if small else f"{large:,}조 원"
    return f"{value:,.{digits}f}".removesuffix(".0") + "억 원"


def cell(company: Company, amount: int) -> str:
    """An amount in a table: `84.3`, `(3.2)`, in Korean tables `△3.2`."""
    text = f"{abs(amount) / company.scale:,.{company.profile['decimals']}f}"
    if amount >= 0:
        return text
    return f"△{text}" if company.language == "ko" else f"({text})"


def percent(part: int, whole: int) -> float:
    """`part` as a percentage of `whole`, one decimal."""
    return round(part / whole * 100, 1) if whole else 0.0


def growth(new: int, old: int) -> float:
    """The change from old to new in percent, one decimal."""
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
        """The template with every figure filled in and, in Korean, the particles agreed."""
        self.segment, self.words = segment, {**self.words, **more}
        return particles(template.format_map(self))  # type: ignore[arg-type]

    def when(self, spec: str) -> Quarter:
        """The quarter a spec names: `2023Q4`, `-4`, or this one."""
        if not spec:
            return self.quarter
        return Quarter.parse(spec) if "Q" in spec else self.quarter + int(spec)

    def revenue(self, quarter: Quarter, segment: str | None = None) -> int:
        return self.company.revenue(quarter, segment or self.segment, self.quarter)

    def profit(self, quarter: Quarter, segment: str | None = None) -> int:
        name = segment or self.segment
        return self.company.segment_profit(quarter, name) if name else self.company.operating(quarter)

    def __getitem__(self, name: str) -> Figure | str:
        if name in self.words:
            return self.words[name]
        if amount := AMOUNTS.get(name):
            return Figure(self, lambda quarter, _: self._money(amount(self.company, quarter)))
        if count := COUNTS.get(name):
            return Figure(self, lambda quarter, site: f"{count(self.company, quarter, site):,}")
        return Figure(self, getattr(self, f"_{name}"))

    def _money(self, amount: int) -> str:
        return money(self.company, amount)

    def _rev(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(self.revenue(quarter, segment))

    def _op(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(self.profit(quarter, segment))

    def _margin(self, quarter: Quarter, segment: str | None) -> str:
        return f"{percent(self.profit(quarter, segment), self.revenue(quarter, segment)):.1f}%"

    def _yoy(self, quarter: Quarter, segment: str | None) -> str:
        return f"{abs(growth(self.revenue(quarter, segment), self.revenue(quarter + -4, segment))):.1f}%"

    def _qoq(self, quarter: Quarter, segment: str | None) -> str:
        return f"{abs(growth(self.revenue(quarter, segment), self.revenue(quarter + -1, segment))):.1f}%"

    def _delta(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(self.revenue(quarter, segment) - self.revenue(quarter + -4, segment))

    def _share(self, quarter: Quarter, segment: str | None) -> str:
        return f"{percent(self.revenue(quarter, segment), self.company.revenue(quarter, None, self.quarter)):.1f}%"

    def _ytd(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(sum(self.revenue(part, segment) for part in quarter.to_date()))

    def _ytd_op(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(sum(self.profit(part, segment) for part in quarter.to_date()))

    def _ytd_yoy(self, quarter: Quarter, segment: str | None) -> str:
        new, old = (sum(self.revenue(part, segment) for part in end.to_date()) for end in (quarter, quarter + -4))
        return f"{abs(growth(new, old)):.1f}%"

    def _book_to_bill(self, quarter: Quarter, segment: str | None) -> str:
        return f"{self.company.orders(quarter) / self.company.revenue(quarter):.2f}"

    def _research_share(self, quarter: Quarter, segment: str | None) -> str:
        return f"{percent(self.company.research(quarter), self.company.revenue(quarter)):.1f}%"

    def _region(self, quarter: Quarter, region: str | None) -> str:
        return cell(self.company, self.company.regions(quarter)[region or ""])

    def _measure(self, quarter: Quarter, number: str | None) -> str:
        digits = self.company.profile["measure"][int(number or 0)].get("decimals", 0)
        return f"{self.company.measure(quarter, int(number or 0)):,.{digits}f}"

    def _low(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(self.company.guidance(quarter)[1])

    def _high(self, quarter: Quarter, segment: str | None) -> str:
        return self._money(self.company.guidance(quarter)[2])

    def _guided(self, quarter: Quarter, segment: str | None) -> str:
        return str(self.company.guidance(quarter)[0])

    def _q(self, quarter: Quarter, segment: str | None) -> str:
        return quarter.label(self.company.language)

    def _y(self, quarter: Quarter, segment: str | None) -> str:
        return str(quarter.year)

    def _n(self, quarter: Quarter, segment: str | None) -> str:
        return str(quarter.number)
