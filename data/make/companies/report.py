"""A quarterly report: the company's sections, in its own order, filled from model, bank and story."""

from datetime import timedelta

from data.make.companies import tables
from data.make.companies.model import Company
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Block, Bullets, Document, Footnote, Heading, PageBreak, Paragraph


def report(company: Company, quarter: Quarter) -> Document:
    """The report of one quarter in the company's format."""
    voice = Voice(company, quarter)
    profile = company.profile
    blocks: list[Block] = []
    for name, heading in profile["sections"]:
        if name == "page":
            blocks.append(PageBreak())
            continue
        content = SECTIONS[name](voice)
        if content:
            blocks += [Heading(heading), *content] if heading else content
    published = quarter.end() + timedelta(days=profile["days_to_publish"])
    return Document(
        path=report_path(company, quarter),
        title=voice.fill(profile["title"]),
        subtitle=voice.fill(profile.get("subtitle", "")),
        language=company.language,
        world="reports",
        doc_type="quarterly-report",
        date=published,
        blocks=blocks,
        author=company.name,
        header=voice.fill(profile.get("header", "")),
        footer=voice.fill(profile.get("footer", "")),
        nav=profile.get("nav", ()),
        extra={"company": company.name, "year": quarter.year, "quarter": quarter.number},
    )


def report_path(company: Company, quarter: Quarter) -> str:
    """Where the report of a quarter is written; the company's formats take turns."""
    formats = company.profile["formats"]
    suffix = formats[(quarter - company.first) % len(formats)]
    return f"reports/{company.key}-{quarter.year}-q{quarter.number}.{suffix}"


def _direction(new: int, old: int) -> str:
    return "up" if new >= old else "down"


def _news(voice: Voice, part: str) -> list[str]:
    """What the profile has to tell of this part of the report in this quarter and in no other."""
    return voice.news(voice.company.profile["news"].get(part, []))


def _prose(*texts: str) -> list[Block]:
    """One paragraph of the sentences that there are."""
    found = [text for text in texts if text]
    return [Paragraph(" ".join(found))] if found else []


def _paragraphs(texts: list[str]) -> list[Block]:
    return [Paragraph(text) for text in texts]


def overview(voice: Voice) -> list[Block]:
    """Revenue and profit of the group, against the year before, the quarter before and the year so far."""
    company, now = voice.company, voice.quarter
    old, new = company.revenue(now + -4, None, now), company.revenue(now)
    operating, before = company.operating(now), company.operating(now + -4)
    first = voice.say(f"revenue_{_direction(new, old)}")
    if operating < 0:
        profit = voice.say("profit_loss")
    else:
        profit = voice.say("profit_recovered" if before < 0 else f"profit_{_direction(operating, before)}")
    sequential = voice.say(f"sequential_{_direction(new, company.revenue(now + -1, None, now))}")
    return [*_prose(first, sequential, profit), *_to_date(voice), *_bullets(voice)]


def _to_date(voice: Voice) -> list[Block]:
    company, now = voice.company, voice.quarter
    if now.number == 1:
        return []
    new = sum(company.revenue(quarter, None, now) for quarter in now.to_date())
    old = sum(company.revenue(quarter, None, now) for quarter in (now + -4).to_date())
    return _prose(voice.say(f"to_date_{_direction(new, old)}"))


def _bullets(voice: Voice) -> list[Block]:
    found = voice.story("highlights")
    return [Bullets(found)] if found else []


def letter(voice: Voice) -> list[Block]:
    """Management's own words on the quarter."""
    return _paragraphs(voice.story("letter"))


def figures(voice: Voice) -> list[Block]:
    """The key figures."""
    return [tables.key_figures(voice)]


def segments(voice: Voice) -> list[Block]:
    """A heading, the figures and the reasons for each segment, then the table."""
    company, now = voice.company, voice.quarter
    blocks: list[Block] = []
    for segment in company.segments:
        key = segment["key"]
        new, old = company.revenue(now, key), company.revenue(now + -4, key, now)
        if not new:
            continue
        profit = company.segment_profit(now, key)
        way = _direction(new, old) if old else "new"
        line = voice.say(f"segment_{way}", key)
        earned = "segment_loss" if profit < 0 else "segment_profit" if old else "segment_profit_new"
        blocks += [Heading(segment["name"], 2), *_prose(line, voice.say(earned, key))]
        blocks += _paragraphs(voice.story(key)) + _prose(*_reasons(voice, segment))
    return [*blocks, tables.segments(voice)]


def _reasons(voice: Voice, segment: dict) -> list[str]:
    """Why the segment's revenue moved in this quarter and, now and then, something else about its business."""
    key = segment["key"]
    return [voice.fill(segment["why"][str(voice.quarter)], key), *voice.news(segment["notes"], key)]


def history(voice: Voice) -> list[Block]:
    """Five quarters by segment."""
    return [*_prose(voice.say("history")), tables.history(voice), tables.profit_history(voice)]


def year(voice: Voice) -> list[Block]:
    """The year so far, quarter by quarter."""
    return [tables.year_to_date(voice)] if voice.quarter.number > 1 else []


def costs(voice: Voice) -> list[Block]:
    """Costs by kind."""
    return [*_prose(voice.say("costs"), *voice.story("costs")), tables.costs(voice)]


def orders(voice: Voice) -> list[Block]:
    """Order intake, order book and the contracts of the quarter."""
    company, now = voice.company, voice.quarter
    way = _direction(company.backlog(now), company.backlog(now + -1))
    blocks = [*_prose(voice.say(f"orders_{way}"), *voice.story("orders"))]
    table = tables.orders(voice)
    return [*blocks, *_prose(voice.say("orders_listed")), table] if len(table.rows) > 1 else blocks


def cash(voice: Voice) -> list[Block]:
    """Cash, capital expenditure, borrowings and dividends."""
    company, now = voice.company, voice.quarter
    grew = company.cash(now) > company.cash(now + -1)
    if company.operating_cash(now) < 0:
        first = voice.say("cash_burn")
    elif grew and company.free_cash(now) < 0:
        first = ""
    else:
        first = voice.say("cash_up" if grew else "cash_down")
    borrowed = company.borrowed(now)
    debt = voice.say("debt_new" if borrowed > 0 else "debt_repaid" if borrowed < 0 else "debt")
    paid = voice.say("dividend_paid") if company.dividend(now) else ""
    return [*_prose(first, debt, paid, *voice.story("cash")), tables.cash_flow(voice)]


def people(voice: Voice) -> list[Block]:
    """Employees by site."""
    company, now = voice.company, voice.quarter
    way = _direction(company.heads(now), company.heads(now + -1))
    texts = [voice.say(f"people_{way}"), *voice.story("people"), *_news(voice, "people")]
    return [*_prose(*texts), tables.people(voice)]


def research(voice: Voice) -> list[Block]:
    """Research and development."""
    return [*_prose(voice.say("research"), *_news(voice, "research")), *_paragraphs(voice.story("research"))]


def regions(voice: Voice) -> list[Block]:
    """Revenue by region."""
    return [*_prose(voice.say("regions"), *voice.story("regions")), tables.regions(voice)]


def measures(voice: Voice) -> list[Block]:
    """Operating data."""
    return [*_prose(voice.say("measures")), tables.measures(voice)]


def risks(voice: Voice) -> list[Block]:
    """What could go wrong: the matters of the quarter, then the standing risks in turn."""
    return _paragraphs([*voice.story("risks"), *voice.standing("risks", 2)])


def outlook(voice: Voice) -> list[Block]:
    """The forecast and what it rests on."""
    now, guidance = voice.quarter, voice.company.guidance
    (_, low, high), (_, old_low, old_high) = guidance(now), guidance(now + -1)
    if now.number in (4,) or now == voice.company.first:
        kind = "first"
    elif guidance(now) == guidance(now + -1):
        kind = "kept"
    elif low >= old_low and high <= old_high:
        kind = "narrowed"
    else:
        kind = "raised" if low + high > old_low + old_high else "cut"
    return [*_prose(voice.say(f"guidance_{kind}"), *voice.story("outlook")), *_paragraphs(voice.standing("outlook", 1))]


def restatement(voice: Voice) -> list[Block]:
    """Comparative figures that changed with this report."""
    changes = [
        change for change in voice.company.profile.get("restatement", []) if change["reported"] == str(voice.quarter)
    ]
    blocks: list[Block] = []
    for change in changes:
        blocks += [*_prose(voice.say("restated", note=change["note"])), tables.restated(voice, change)]
    return blocks


def climate(voice: Voice) -> list[Block]:
    """Energy, water, accidents: the matters of the quarter."""
    return _paragraphs([*voice.story("climate"), *_news(voice, "climate")])


def basis(voice: Voice) -> list[Block]:
    """How the report was prepared, the same words every quarter."""
    return [*_paragraphs([voice.fill(text) for text in voice.company.profile["basis"]])]


def notes(voice: Voice) -> list[Block]:
    """Small print."""
    return [Footnote(voice.fill(text)) for text in voice.company.profile.get("small_print", [])]


SECTIONS = {
    function.__name__: function
    for function in (
        overview, letter, figures, segments, history, year, costs, orders, cash, people, research, regions,
        measures, risks, outlook, restatement, climate, basis, notes,
    )
}  # fmt: skip
