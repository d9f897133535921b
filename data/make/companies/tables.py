"""The tables of a quarterly report."""

from collections.abc import Callable, Iterable

from data.make.companies.facts import cell, growth, percent
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Table

Amount = Callable[[Quarter], int]


def _table(voice: Voice, name: str, head: Iterable[str], rows: Iterable[list[str]]) -> Table:
    """Make a table under the caption `name`; its head has labels of the bank, or quarters."""
    return Table([[voice.labels.get(title, title) for title in head], *rows], voice.label(f"caption_{name}"))


def _by_quarter(voice: Voice, name: str, corner: str, quarters: list[Quarter], rows: dict[str, Amount]) -> Table:
    """Make a table with a row for each amount and a column for each quarter."""
    company = voice.company
    cells = [[title, *(cell(company, amount(quarter)) for quarter in quarters)] for title, amount in rows.items()]
    return _table(voice, name, [corner, *_labels(voice, quarters)], cells)


def _labels(voice: Voice, quarters: list[Quarter]) -> list[str]:
    return [quarter.label(voice.company.language) for quarter in quarters]


def _change(new: int, old: int) -> str:
    return "–" if old <= 0 or new < 0 else f"{growth(new, old):+.1f}%"


def key_figures(voice: Voice) -> Table:
    """Compare the quarter with the same quarter of the year before, and with the previous one."""
    company, now = voice.company, voice.quarter
    quarters = [now, now + -4, now + -1]
    amounts: dict[str, Amount] = {
        "revenue": lambda quarter: company.revenue(quarter, None, now),
        "operating": company.operating,
        "net": company.net,
        "orders": company.orders,
        "backlog": company.backlog,
        "capex": company.capex,
        "free_cash": company.free_cash,
        "cash": company.cash,
        "debt": company.debt,
    }
    rows = []
    for name, amount in amounts.items():
        new, old, previous = map(amount, quarters)
        cells = cell(company, new), cell(company, old), _change(new, old), cell(company, previous)
        rows.append([voice.label(name), *cells])
    new, old, previous = (f"{percent(company.operating(q), company.revenue(q, None, now)):.1f}%" for q in quarters)
    rows.insert(2, [voice.label("margin"), new, old, "", previous])
    heads = [company.heads(quarter) for quarter in quarters]
    rows.append([voice.label("heads"), f"{heads[0]:,}", f"{heads[1]:,}", _change(*heads[:2]), f"{heads[2]:,}"])
    new, old, previous = _labels(voice, quarters)
    return _table(voice, "key", ["item", new, old, "change", previous], rows)


def segments(voice: Voice) -> Table:
    """List revenue and profit by segment, down to the group's operating profit."""
    company, now = voice.company, voice.quarter

    def row(title: str, revenue: int, old: int, profit: int) -> list[str]:
        margin = f"{percent(profit, revenue):.1f}%" if revenue else "–"
        return [title, cell(company, revenue), _change(revenue, old), cell(company, profit), margin]

    rows = []
    for segment in company.segments:
        key = segment["key"]
        old = company.revenue(now + -4, key, now)
        rows.append(row(segment["name"], company.revenue(now, key), old, company.segment_profit(now, key)))
    rows.append([voice.label("group_costs"), "", "", cell(company, -company.group_costs(now)), ""])
    if company.exceptional(now):
        rows.append([voice.label("exceptional"), "", "", cell(company, company.exceptional(now)), ""])
    old = company.revenue(now + -4, None, now)
    rows.append(row(voice.label("total"), company.revenue(now), old, company.operating(now)))
    return _table(voice, "segments", ["segment", "revenue", "change", "operating", "margin"], rows)


def history(voice: Voice) -> Table:
    """List the revenue of five quarters by segment."""
    company, now = voice.company, voice.quarter

    def revenue_of(key: str | None) -> Amount:
        return lambda quarter: company.revenue(quarter, key, now)

    rows = {segment["name"]: revenue_of(segment["key"]) for segment in company.segments}
    return _by_quarter(voice, "history", "segment", _five(now), rows | {voice.label("total"): revenue_of(None)})


def profit_history(voice: Voice) -> Table:
    """List the operating profit of five quarters by segment."""
    company = voice.company

    def profit_of(key: str) -> Amount:
        return lambda quarter: company.segment_profit(quarter, key)

    rows = {segment["name"]: profit_of(segment["key"]) for segment in company.segments}
    rows |= {
        voice.label("group_costs"): lambda quarter: -company.group_costs(quarter),
        voice.label("exceptional"): company.exceptional,
        voice.label("total"): company.operating,
    }
    return _by_quarter(voice, "history_op", "segment", _five(voice.quarter), rows)


def _five(now: Quarter) -> list[Quarter]:
    return [now + offset for offset in range(-4, 1)]


def year_to_date(voice: Voice) -> Table:
    """List the quarters of the year so far and of the year before, each with their sum."""
    company, now = voice.company, voice.quarter
    rows = []
    for end in (now + -4, now):
        amounts = [
            (company.revenue(quarter, None, now), company.operating(quarter), company.net(quarter))
            for quarter in end.to_date()
        ]
        titles = [*_labels(voice, end.to_date()), f"{voice.label('total')} {end.year}"]
        amounts.append(tuple(map(sum, zip(*amounts, strict=True))))
        rows += [[title, *(cell(company, value) for value in row)] for title, row in zip(titles, amounts, strict=True)]
    return _table(voice, "ytd", ["quarter", "revenue", "operating", "net"], rows)


def costs(voice: Voice) -> Table:
    """List operating costs by kind, this quarter and a year ago."""
    company, now = voice.company, voice.quarter

    def cost_of(name: str) -> Amount:
        return lambda quarter: company.costs(quarter)[name]

    rows = {voice.labels.get(name, name): cost_of(name) for name in company.costs(now)}
    rows[voice.label("total")] = lambda quarter: sum(company.costs(quarter).values())
    return _by_quarter(voice, "costs", "cost", [now, now + -4], rows)


def cash_flow(voice: Voice) -> Table:
    """Derive the change in cash from operating cash flow."""
    company, now = voice.company, voice.quarter
    amounts: dict[str, Amount] = {
        "operating_cash": company.operating_cash,
        "working_capital": company.working_capital,
        "capex": lambda quarter: -company.capex(quarter),
        "free_cash": company.free_cash,
        "dividend": lambda quarter: -company.dividend(quarter),
        "acquisition": lambda quarter: -company.acquisitions(quarter),
        "borrowed": company.borrowed,
        "cash": company.cash,
    }
    rows = {voice.label(name): amount for name, amount in amounts.items()}
    return _by_quarter(voice, "cash", "item", [now, now + -1, now + -4], rows)


def people(voice: Voice) -> Table:
    """List employees by site with arrivals and departures."""
    company, now = voice.company, voice.quarter
    rows = []
    for site in [*company.profile["sites"], None]:
        counts = company.heads(now, site), company.hired(now, site), company.left(now, site)
        rows.append([site or voice.label("total"), *(f"{count:,}" for count in counts)])
    return _table(voice, "people", ["site", "heads", "joined", "left"], rows)


def regions(voice: Voice) -> Table:
    """List revenue by region, this quarter and a year ago."""
    company, quarters = voice.company, [voice.quarter, voice.quarter + -4]
    new, old = map(company.regions, quarters)
    rows = [[name, cell(company, new[name]), cell(company, old[name]), _change(new[name], old[name])] for name in new]
    return _table(voice, "regions", ["region", *_labels(voice, quarters), "change"], rows)


def measures(voice: Voice) -> Table:
    """List operating data of three quarters and of a year ago."""
    company, now = voice.company, voice.quarter
    quarters = [now, now + -1, now + -2, now + -4]
    rows = []
    for number, spec in enumerate(company.profile["measure"]):
        digits = spec.get("decimals", 0)
        rows.append([spec["name"], *(f"{company.measure(quarter, number):,.{digits}f}" for quarter in quarters)])
    return _table(voice, "measures", ["measure", *_labels(voice, quarters)], rows)


def orders(voice: Voice) -> Table:
    """List the contracts signed in the quarter."""
    company = voice.company
    rows = [
        [
            order["id"],
            order["customer"],
            order["scope"],
            cell(company, company.units(order["value"])),
            order["delivery"],
        ]
        for order in company.profile.get("order", [])
        if order["quarter"] == str(voice.quarter)
    ]
    return _table(voice, "orders", ["number", "customer", "scope", "value", "delivery"], rows)


def restated(voice: Voice, change: dict) -> Table:
    """List restated quarters, as first reported and as they are now."""
    company, now = voice.company, voice.quarter
    names = {segment["key"]: segment["name"] for segment in company.segments}
    rows = []
    for quarter in map(Quarter.parse, change["quarters"]):
        for key in filter(None, (change["from"], change.get("to"))):
            amounts = company.revenue(quarter, key, now + -1), company.revenue(quarter, key, now)
            cells = [cell(company, amount) for amount in amounts]
            rows.append([quarter.label(company.language), names[key], *cells])
    return _table(voice, "restated", ["quarter", "segment", "before", "after"], rows)
