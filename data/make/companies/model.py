"""The seeded model of one fictional company, from which every figure in its documents is computed.

Amounts are whole numbers of the smallest unit the company reports (0.1 million, or 1억 원), so that sums are exact:
segments add up to totals, quarters to years, and cash, order book and headcount carry over from quarter to quarter.
"""

import random
from functools import cache, cached_property
from typing import Any

from data.make.companies.quarter import Quarter, span
from data.make.sources import SOURCES, read_toml

PROFILES = SOURCES / "reports" / "companies"


class Company:
    """A profile (`data/sources/reports/companies/*.toml`) and the figures that follow from it."""

    def __init__(self, profile: dict[str, Any]) -> None:
        self.profile = profile
        self.key: str = profile["key"]
        self.name: str = profile["name"]
        self.short: str = profile["short"]
        self.language: str = profile["language"]
        self.scale = 10 ** profile["decimals"]
        self.segments: list[dict[str, Any]] = profile["segment"]
        self.first, self.last = (Quarter.parse(profile[name]) for name in ("first", "last"))
        self.start = self.first + -4  # a year of history, for the comparisons of the first reports

    @cached_property
    def quarters(self) -> list[Quarter]:
        """The quarters that have a report."""
        return span(self.first, self.last)

    @cached_property
    def segment_keys(self) -> list[str]:
        return [segment["key"] for segment in self.segments]

    def noise(self, *key: object, spread: float = 1.0) -> float:
        """Draw a reproducible number in [-spread, spread] for this company and key."""
        return random.Random(f"{self.key}/{'/'.join(map(str, key))}").uniform(-spread, spread)

    def shock(self, quarter: Quarter, kind: str, default: float) -> float:
        """Return what the profile's story has for this quarter, `default` if it has nothing."""
        return self.profile.get("shock", {}).get(str(quarter), {}).get(kind, default)

    def units(self, amount: float) -> int:
        """Convert an amount in the reported unit to a whole number of the smallest one."""
        return round(amount * self.scale)

    # Segments

    @cache  # noqa: B019
    def _segment_revenue(self, quarter: Quarter, key: str) -> int:
        segment = next(segment for segment in self.segments if segment["key"] == key)
        opened = segment.get("opened")
        if opened and quarter < Quarter.parse(opened):
            return 0
        trend = (1 + segment["growth"]) ** (quarter - self.start)
        season = self.profile["season"][quarter.number - 1] ** segment.get("seasonal", 1.0)
        wobble = 1 + self.noise(quarter, key, "revenue", spread=segment.get("wobble", 0.03))
        return self.units(segment["base"] * trend * season * wobble * self.shock(quarter, key, 1.0))

    def revenue(self, quarter: Quarter, key: str | None = None, as_of: Quarter | None = None) -> int:
        """Return the revenue of a segment or the group as reported in quarter `as_of` (default: its own)."""
        keys = [key] if key else self.segment_keys
        restated = sum(self.restated(quarter, name, as_of or quarter) for name in keys)
        return restated + sum(self._segment_revenue(quarter, name) for name in keys)

    def restated(self, quarter: Quarter, key: str, as_of: Quarter) -> int:
        """Return by how much a segment's revenue of `quarter` is restated up to the report of `as_of`."""
        total = 0
        for change in self.profile.get("restatement", []):
            if Quarter.parse(change["reported"]) <= as_of and str(quarter) in change["quarters"]:
                moved = round(self._segment_revenue(quarter, change["from"]) * change["share"])
                total += moved * ((key == change.get("to")) - (key == change["from"]))
        return total

    @cache  # noqa: B019
    def segment_profit(self, quarter: Quarter, key: str) -> int:
        """Return the operating profit of a segment, before group costs."""
        segment = next(segment for segment in self.segments if segment["key"] == key)
        margin = segment["margin"] + segment.get("margin_drift", 0) * (quarter - self.start)
        margin += self.noise(quarter, key, "margin", spread=0.008) + self.shock(quarter, f"{key}_margin", 0)
        return round(self._segment_revenue(quarter, key) * margin)

    # Group

    def group_costs(self, quarter: Quarter) -> int:
        """Return the costs of the head office, a positive number."""
        return self.units(
            self.profile["group_costs"] * (1.008 ** (quarter - self.start)) + self.noise(quarter, "hq", spread=0.05)
        )

    def exceptional(self, quarter: Quarter) -> int:
        """Return one-off items in operating profit, negative for a loss."""
        return self.units(self.shock(quarter, "exceptional", 0))

    def operating(self, quarter: Quarter) -> int:
        """Return the operating profit of the group."""
        segments = sum(self.segment_profit(quarter, key) for key in self.segment_keys)
        return segments - self.group_costs(quarter) + self.exceptional(quarter)

    def interest(self, quarter: Quarter) -> int:
        return round(self.debt(quarter + -1) * self.profile["interest_rate"] / 4)

    def tax(self, quarter: Quarter) -> int:
        return max(0, round((self.operating(quarter) - self.interest(quarter)) * self.profile["tax_rate"]))

    def net(self, quarter: Quarter) -> int:
        return self.operating(quarter) - self.interest(quarter) - self.tax(quarter)

    # Money

    def depreciation(self, quarter: Quarter) -> int:
        return self.units(self.profile["depreciation"] * 1.01 ** (quarter - self.start))

    def capex(self, quarter: Quarter) -> int:
        normal = self.profile["capex"] * (1 + self.noise(quarter, "capex", spread=0.2))
        return self.units(normal + self.shock(quarter, "capex", 0))

    def working_capital(self, quarter: Quarter) -> int:
        """Return the cash released (positive) or tied up (negative) by stocks, receivables and payables."""
        return round(
            self._plain_revenue(quarter) * (self.noise(quarter, "wc", spread=0.05) + self.shock(quarter, "wc", 0))
        )

    def operating_cash(self, quarter: Quarter) -> int:
        earned = self.operating(quarter) + self.depreciation(quarter) - self.interest(quarter) - self.tax(quarter)
        return earned + self.working_capital(quarter)

    def free_cash(self, quarter: Quarter) -> int:
        return self.operating_cash(quarter) - self.capex(quarter)

    def dividend(self, quarter: Quarter) -> int:
        return self.units(self.profile["dividend"].get(str(quarter.number), 0) * self.shock(quarter, "dividend", 1))

    def acquisitions(self, quarter: Quarter) -> int:
        return self.units(self.shock(quarter, "acquisition", 0))

    def borrowed(self, quarter: Quarter) -> int:
        return self.units(self.shock(quarter, "borrowed", 0))

    @cache  # noqa: B019
    def debt(self, quarter: Quarter) -> int:
        if quarter < self.start:
            return self.units(self.profile["debt"])
        return self.debt(quarter + -1) + self.borrowed(quarter)

    @cache  # noqa: B019
    def cash(self, quarter: Quarter) -> int:
        """Return the cash at the end of the quarter."""
        if quarter < self.start:
            return self.units(self.profile["cash"])
        spent = self.dividend(quarter) + self.acquisitions(quarter)
        return self.cash(quarter + -1) + self.free_cash(quarter) - spent + self.borrowed(quarter)

    # Orders, research, costs, regions

    def _plain_revenue(self, quarter: Quarter) -> int:
        return sum(self._segment_revenue(quarter, key) for key in self.segment_keys)

    def orders(self, quarter: Quarter) -> int:
        ratio = (
            self.profile["book_to_bill"] + self.noise(quarter, "orders", spread=0.09) + self.shock(quarter, "orders", 0)
        )
        return round(self._plain_revenue(quarter) * ratio)

    @cache  # noqa: B019
    def backlog(self, quarter: Quarter) -> int:
        """Return the order book at the end of the quarter."""
        if quarter < self.start:
            return self.units(self.profile["backlog"])
        return self.backlog(quarter + -1) + self.orders(quarter) - self._plain_revenue(quarter)

    def research(self, quarter: Quarter) -> int:
        share = self.profile["research"] * (1 + self.noise(quarter, "research", spread=0.08))
        return round(self._plain_revenue(quarter) * share)

    def costs(self, quarter: Quarter) -> dict[str, int]:
        """Return operating costs by nature; with operating profit they make up revenue and exceptional items."""
        revenue = self._plain_revenue(quarter)
        total = revenue + self.exceptional(quarter) - self.operating(quarter)
        parts = {}
        for name, share in self.profile["costs"].items():
            parts[name] = round(revenue * share * (1 + self.noise(quarter, "cost", name, spread=0.03)))
        parts["depreciation"] = self.depreciation(quarter)
        parts["other"] = total - sum(parts.values())
        return parts

    def regions(self, quarter: Quarter) -> dict[str, int]:
        """Return revenue by region, as first reported."""
        revenue = self._plain_revenue(quarter)
        names = list(self.profile["regions"])
        parts = {}
        for name in names[1:]:
            drift = 1 + 0.006 * (quarter - self.start) * self.noise("region", name)
            parts[name] = round(
                revenue * self.profile["regions"][name] * drift * (1 + self.noise(quarter, name, spread=0.04))
            )
        return {names[0]: revenue - sum(parts.values()), **parts}

    # People and operations

    @cache  # noqa: B019
    def heads(self, quarter: Quarter, site: str | None = None) -> int:
        """Return the employees at the end of the quarter, at a site or in all."""
        if site is None:
            return sum(self.heads(quarter, name) for name in self.profile["sites"])
        if quarter < self.start:
            return self.profile["sites"][site]
        return self.heads(quarter + -1, site) + self.hired(quarter, site) - self.left(quarter, site)

    def hired(self, quarter: Quarter, site: str | None = None) -> int:
        if site is None:
            return sum(self.hired(quarter, name) for name in self.profile["sites"])
        base = self.profile["sites"][site]
        return round(base * (0.026 + self.noise(quarter, site, "in", spread=0.012))) + int(
            self.shock(quarter, f"{site}+", 0)
        )

    def left(self, quarter: Quarter, site: str | None = None) -> int:
        if site is None:
            return sum(self.left(quarter, name) for name in self.profile["sites"])
        base = self.profile["sites"][site]
        return round(base * (0.022 + self.noise(quarter, site, "out", spread=0.01))) + int(
            self.shock(quarter, f"{site}-", 0)
        )

    def measure(self, quarter: Quarter, number: int) -> float:
        """Return operating measure `number` of the profile (units sold, utilisation …), rounded as it is printed."""
        spec = self.profile["measure"][number]
        value = spec["base"] * (1 + spec["growth"]) ** (quarter - self.start)
        value *= 1 + self.noise(quarter, "measure", number, spread=spec.get("wobble", 0.04))
        value *= self.shock(quarter, f"measure{number}", 1)
        return round(min(value, spec.get("most", value)), spec.get("decimals", 0))

    # Years and guidance

    def year(self, year: int, as_of: Quarter | None = None, key: str | None = None) -> int:
        """Return the revenue of a full year as the report of `as_of` (default: the last one) knows it."""
        return sum(self.revenue(Quarter(year, n), key, as_of or self.last) for n in (1, 2, 3, 4))

    def year_operating(self, year: int) -> int:
        return sum(self.operating(Quarter(year, n)) for n in (1, 2, 3, 4))

    def guidance(self, quarter: Quarter) -> tuple[int, int, int]:
        """Return (year, low, high) of the revenue forecast in this quarter's report, in smallest units.

        From the fourth quarter the next year is forecast; half-way through and after nine months the range is
        moved towards what the year will bring, which is what management could see by then.
        """
        year = quarter.year + (quarter.number == 4)
        elapsed = {4: 0, 1: 0, 2: 1, 3: 2}[quarter.number]
        expected = sum(self._plain_revenue(Quarter(year, n)) for n in (1, 2, 3, 4))
        miss = self.noise("guidance", year, spread=0.05) * (1 - 0.45 * elapsed)
        half = (0.03, 0.022, 0.012)[elapsed]
        step = self.profile["guidance_step"] * self.scale
        low, high = (round(expected * (1 + miss + sign * half) / step) * step for sign in (-1, 1))
        return year, int(low), int(high)


@cache
def companies() -> list[Company]:
    """Return every company that has a profile, in alphabetical order of their files."""
    return [Company(read_toml(f"reports/companies/{path.name}")) for path in sorted(PROFILES.glob("*.toml"))]


@cache
def company(key: str) -> Company:
    """Return the company with this key; raise StopIteration if there is none."""
    return next(item for item in companies() if item.key == key)
