"""The tables of a quarterly report."""

from collections.abc import Callable

from data.make.companies.facts import cell, growth, percent
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Table


def _change(voice: Voice, new: int, old: int) -> str:
    if old <= 0 or new < 0:
        return "–"
    return f"{growth(new, old):+.1f}%"


def key_figures(voice: Voice) -> Table:
    """The quarter beside the same quarter of the year before and the preceding one."""
    company, now = voice.company, voice.quarter
    year_ago, before = now + -4, now + -1
    label = now.label
    language = company.language
    head = [
        voice.label("item"),
        label(language),
        year_ago.label(language),
        voice.label("change"),
        before.label(language),
    ]
    amounts: list[tuple[str, Callable[[Quarter], int]]] = [
        ("revenue", lambda quarter: company.revenue(quarter, None, now)),
        ("operating", company.operating),
        ("net", company.net),
        ("orders", company.orders),
        ("backlog", company.backlog),
        ("capex", company.capex),
        ("free_cash", company.free_cash),
        ("cash", company.cash),
        ("debt", company.debt),
    ]
    rows = [head]
    for name, value in amounts:
        new, old, last = value(now), value(year_ago), value(before)
        change = _change(voice, new, old)
        rows.append([voice.label(name), cell(company, new), cell(company, old), change, cell(company, last)])
    margins = [f"{percent(company.operating(q), company.revenue(q, None, now)):.1f}%" for q in (now, year_ago, before)]
    rows.insert(3, [voice.label("margin"), margins[0], margins[1], "", margins[2]])
    heads = [company.heads(quarter) for quarter in (now, year_ago, before)]
    rows.append(
        [voice.label("heads"), f"{heads[0]:,}", f"{heads[1]:,}", _change(voice, heads[0], heads[1]), f"{heads[2]:,}"]
    )
    return Table(rows, voice.label("caption_key"))


def segments(voice: Voice) -> Table:
    """Revenue and profit by segment, down to the group's operating profit."""
    company, now = voice.company, voice.quarter
    rows = [[voice.label(name) for name in ("segment", "revenue", "change", "operating", "margin")]]
    for segment in company.segments:
        key = segment["key"]
        revenue, profit = company.revenue(now, key), company.segment_profit(now, key)
        change = _change(voice, revenue, company.revenue(now + -4, key, now))
        margin = f"{percent(profit, revenue):.1f}%" if revenue else "–"
        rows.append([segment["name"], cell(company, revenue), change, cell(company, profit), margin])
    rows.append([voice.label("group_costs"), "", "", cell(company, -company.group_costs(now)), ""])
    if company.exceptional(now):
        rows.append([voice.label("exceptional"), "", "", cell(company, company.exceptional(now)), ""])
    total, operating = company.revenue(now), company.operating(now)
    change = _change(voice, total, company.revenue(now + -4, None, now))
    margin = f"{percent(operating, total):.1f}%"
    rows.append([voice.label("total"), cell(company, total), change, cell(company, operating), margin])
    return Table(rows, voice.label("caption_segments"))


def history(voice: Voice) -> Table:
    """Revenue of five quarters by segment."""
    company, now = voice.company, voice.quarter
    quarters = [now + offset for offset in range(-4, 1)]
    rows = [[voice.label("segment"), *(quarter.label(company.language) for quarter in quarters)]]
    for segment in company.segments:
        values = [cell(company, company.revenue(quarter, segment["key"], now)) for quarter in quarters]
        rows.append([segment["name"], *values])
    rows.append([voice.label("total"), *(cell(company, company.revenue(quarter, None, now)) for quarter in quarters)])
    return Table(rows, voice.label("caption_history"))


def profit_history(voice: Voice) -> Table:
    """Operating profit of five quarters by segment."""
    company, now = voice.company, voice.quarter
    quarters = [now + offset for offset in range(-4, 1)]
    rows = [[voice.label("segment"), *(quarter.label(company.language) for quarter in quarters)]]
    for segment in company.segments:
        values = [cell(company, company.segment_profit(quarter, segment["key"])) for quarter in quarters]
        rows.append([segment["name"], *values])
    rows.append([voice.label("group_costs"), *(cell(company, -company.group_costs(quarter)) for quarter in quarters)])
    rows.append([voice.label("exceptional"), *(cell(company, company.exceptional(quarter)) for quarter in quarters)])
    rows.append([voice.label("total"), *(cell(company, company.operating(quarter)) for quarter in quarters)])
    return Table(rows, voice.label("caption_history_op"))


def year_to_date(voice: Voice) -> Table:
    """The quarters of the year so far and their sum, with the year before."""
    company, now = voice.company, voice.quarter
    rows = [[voice.label("quarter"), voice.label("revenue"), voice.label("operating"), voice.label("net")]]
    for year in (now.year - 1, now.year):
        quarters = [Quarter(year, number) for number in range(1, now.number + 1)]
        revenues = [company.revenue(quarter, None, now) for quarter in quarters]
        profits = [company.operating(quarter) for quarter in quarters]
        nets = [company.net(quarter) for quarter in quarters]
        for values in zip(quarters, revenues, profits, nets, strict=True):
            rows.append([values[0].label(company.language), *(cell(company, value) for value in values[1:])])
        sums = [cell(company, sum(values)) for values in (revenues, profits, nets)]
        rows.append([f"{voice.label('total')} {year}", *sums])
    return Table(rows, voice.label("caption_ytd"))


def costs(voice: Voice) -> Table:
    """Operating costs by kind."""
    company, now = voice.company, voice.quarter
    language = company.language
    rows = [[voice.label("cost"), now.label(language), (now + -4).label(language)]]
    new, old = company.costs(now), company.costs(now + -4)
    for name in new:
        title = voice.labels.get(name, name)
        rows.append([title, cell(company, new[name]), cell(company, old[name])])
    rows.append([voice.label("total"), cell(company, sum(new.values())), cell(company, sum(old.values()))])
    return Table(rows, voice.label("caption_costs"))


def cash_flow(voice: Voice) -> Table:
    """From operating cash flow to the change in cash."""
    company, now = voice.company, voice.quarter
    language = company.language
    items: list[tuple[str, Callable[[Quarter], int]]] = [
        ("operating_cash", company.operating_cash),
        ("working_capital", company.working_capital),
        ("capex", lambda quarter: -company.capex(quarter)),
        ("free_cash", company.free_cash),
        ("dividend", lambda quarter: -company.dividend(quarter)),
        ("acquisition", lambda quarter: -company.acquisitions(quarter)),
        ("borrowed", company.borrowed),
        ("cash", company.cash),
    ]
    rows = [[voice.label("item"), now.label(language), (now + -1).label(language), (now + -4).label(language)]]
    rows += [
        [voice.label(name), *(cell(company, value(quarter)) for quarter in (now, now + -1, now + -4))]
        for name, value in items
    ]
    return Table(rows, voice.label("caption_cash"))


def people(voice: Voice) -> Table:
    """Employees by site with arrivals and departures."""
    company, now = voice.company, voice.quarter
    rows = [[voice.label("site"), voice.label("heads"), voice.label("joined"), voice.label("left")]]
    for site in [*company.profile["sites"], None]:
        values = company.heads(now, site), company.hired(now, site), company.left(now, site)
        rows.append([site or voice.label("total"), *(f"{value:,}" for value in values)])
    return Table(rows, voice.label("caption_people"))


def regions(voice: Voice) -> Table:
    """Revenue by region, this quarter and a year ago."""
    company, now = voice.company, voice.quarter
    language = company.language
    new, old = company.regions(now), company.regions(now + -4)
    rows = [[voice.label("region"), now.label(language), (now + -4).label(language), voice.label("change")]]
    rows += [
        [name, cell(company, new[name]), cell(company, old[name]), _change(voice, new[name], old[name])] for name in new
    ]
    return Table(rows, voice.label("caption_regions"))


def measures(voice: Voice) -> Table:
    """Operating data over three quarters and a year ago."""
    company, now = voice.company, voice.quarter
    quarters = [now, now + -1, now + -2, now + -4]
    rows = [[voice.label("measure"), *(quarter.label(company.language) for quarter in quarters)]]
    for number, spec in enumerate(company.profile["measure"]):
        digits = spec.get("decimals", 0)
        rows.append([spec["name"], *(f"{company.measure(quarter, number):,.{digits}f}" for quarter in quarters)])
    return Table(rows, voice.label("caption_measures"))


def orders(voice: Voice) -> Table:
    """The contracts signed in the quarter."""
    company = voice.company
    rows = [[voice.label(name) for name in ("number", "customer", "scope", "value", "delivery")]]
    signed = [order for order in company.profile.get("order", []) if order["quarter"] == str(voice.quarter)]
    for order in signed:
        rows.append(
            [
                order["id"],
                order["customer"],
                order["scope"],
                cell(company, company.units(order["value"])),
                order["delivery"],
            ]
        )
    return Table(rows, voice.label("caption_orders"))


def restated(voice: Voice, change: dict) -> Table:
    """Restated quarters, as first reported and as they are now."""
    company, now = voice.company, voice.quarter
    keys = [key for key in (change["from"], change.get("to")) if key]
    names = {segment["key"]: segment["name"] for segment in company.segments}
    rows = [[voice.label("quarter"), voice.label("segment"), voice.label("before"), voice.label("after")]]
    for text in change["quarters"]:
        quarter = Quarter.parse(text)
        for key in keys:
            values = company.revenue(quarter, key, now + -1), company.revenue(quarter, key, now)
            rows.append([quarter.label(company.language), names[key], *(cell(company, value) for value in values)])
    return Table(rows, voice.label("caption_restated"))
