"""A quarterly report: the company's sections, in its own order, filled from model, bank and story."""

from collections.abc import Callable
from datetime import timedelta

from data.make.companies import tables
from data.make.companies.model import Company
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Block, Bullets, Document, Footnote, Heading, PageBreak, Paragraph


def report(company: Company, quarter: Quarter) -> Document:
    """Return the report of one quarter in the company's format."""
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
    """Return the path of the report of a quarter; the company's formats take turns."""
    formats = company.profile["formats"]
    suffix = formats[(quarter - company.first) % len(formats)]
    return f"reports/{company.key}-{quarter.year}-q{quarter.number}.{suffix}"


def _direction(new: int, old: int) -> str:
    return "up" if new >= old else "down"


def _news(voice: Voice, part: str) -> list[str]:
    """Return what the profile has for this part of the report in this quarter and in no other."""
    return voice.news(voice.company.profile["news"].get(part, []))


def _prose(*texts: str) -> list[Block]:
    """Make one paragraph of the sentences that are not empty."""
    sentences = [text for text in texts if text]
    return [Paragraph(" ".join(sentences))] if sentences else []


def _paragraphs(texts: list[str]) -> list[Block]:
    return [Paragraph(text) for text in texts]


def overview(voice: Voice) -> list[Block]:
    """Compare revenue and profit of the group with the year before, the quarter before and the year so far."""
    company, now = voice.company, voice.quarter
    old, new = company.revenue(now + -4, None, now), company.revenue(now)
    operating, old_operating = company.operating(now), company.operating(now + -4)
    first = voice.say(f"revenue_{_direction(new, old)}")
    if operating < 0:
        profit = voice.say("profit_loss")
    else:
        profit = voice.say(
            "profit_recovered" if old_operating < 0 else f"profit_{_direction(operating, old_operating)}"
        )
    sequential = voice.say(f"sequential_{_direction(new, company.revenue(now + -1, None, now))}")
    highlights = voice.story("highlights")
    return [*_prose(first, sequential, profit), *_to_date(voice), *([Bullets(highlights)] if highlights else [])]


def _to_date(voice: Voice) -> list[Block]:
    company, now = voice.company, voice.quarter
    if now.number == 1:
        return []
    new = sum(company.revenue(quarter, None, now) for quarter in now.to_date())
    old = sum(company.revenue(quarter, None, now) for quarter in (now + -4).to_date())
    return _prose(voice.say(f"to_date_{_direction(new, old)}"))


def segments(voice: Voice) -> list[Block]:
    """Give each segment a heading, its figures and the reasons; the table comes last."""
    company, now = voice.company, voice.quarter
    blocks: list[Block] = []
    for segment in company.segments:
        key = segment["key"]
        new, old = company.revenue(now, key), company.revenue(now + -4, key, now)
        if not new:
            continue
        line = voice.say(f"segment_{_direction(new, old) if old else 'new'}", key)
        loss = company.segment_profit(now, key) < 0
        earned = voice.say("segment_loss" if loss else "segment_profit" if old else "segment_profit_new", key)
        reasons = voice.fill(segment["why"][str(now)], key), *voice.news(segment["notes"], key)
        blocks += [Heading(segment["name"], 2), *_prose(line, earned)]
        blocks += _paragraphs(voice.story(key)) + _prose(*reasons)
    return [*blocks, tables.segments(voice)]


def orders(voice: Voice) -> list[Block]:
    """State order intake, order book and the contracts of the quarter."""
    company, now = voice.company, voice.quarter
    direction = _direction(company.backlog(now), company.backlog(now + -1))
    blocks = [*_prose(voice.say(f"orders_{direction}"), *voice.story("orders"))]
    table = tables.orders(voice)
    return [*blocks, *_prose(voice.say("orders_listed")), table] if len(table.rows) > 1 else blocks


def cash(voice: Voice) -> list[Block]:
    """State cash, capital expenditure, borrowings and dividends."""
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
    dividend = voice.say("dividend_paid") if company.dividend(now) else ""
    return [*_prose(first, debt, dividend, *voice.story("cash")), tables.cash_flow(voice)]


def people(voice: Voice) -> list[Block]:
    """State the employees by site."""
    company, now = voice.company, voice.quarter
    direction = _direction(company.heads(now), company.heads(now + -1))
    texts = [voice.say(f"people_{direction}"), *voice.story("people"), *_news(voice, "people")]
    return [*_prose(*texts), tables.people(voice)]


def outlook(voice: Voice) -> list[Block]:
    """State the forecast and what it rests on."""
    now, guidance = voice.quarter, voice.company.guidance
    (_, low, high), (_, old_low, old_high) = guidance(now), guidance(now + -1)
    if now.number == 4 or now == voice.company.first:
        kind = "first"
    elif guidance(now) == guidance(now + -1):
        kind = "kept"
    elif low >= old_low and high <= old_high:
        kind = "narrowed"
    else:
        kind = "raised" if low + high > old_low + old_high else "cut"
    return [*_prose(voice.say(f"guidance_{kind}"), *voice.story("outlook")), *_paragraphs(voice.standing("outlook", 1))]


def restatement(voice: Voice) -> list[Block]:
    """List comparative figures that changed with this report."""
    blocks: list[Block] = []
    for change in voice.company.profile.get("restatement", []):
        if change["reported"] == str(voice.quarter):
            blocks += [*_prose(voice.say("restated", note=change["note"])), tables.restated(voice, change)]
    return blocks


SECTIONS: dict[str, Callable[[Voice], list[Block]]] = {
    "overview": overview,
    "letter": lambda voice: _paragraphs(voice.story("letter")),
    "figures": lambda voice: [tables.key_figures(voice)],
    "segments": segments,
    "history": lambda voice: [*_prose(voice.say("history")), tables.history(voice), tables.profit_history(voice)],
    "year": lambda voice: [tables.year_to_date(voice)] if voice.quarter.number > 1 else [],
    "costs": lambda voice: [*_prose(voice.say("costs"), *voice.story("costs")), tables.costs(voice)],
    "orders": orders,
    "cash": cash,
    "people": people,
    "research": lambda voice: [
        *_prose(voice.say("research"), *_news(voice, "research")),
        *_paragraphs(voice.story("research")),
    ],
    "regions": lambda voice: [*_prose(voice.say("regions"), *voice.story("regions")), tables.regions(voice)],
    "measures": lambda voice: [*_prose(voice.say("measures")), tables.measures(voice)],
    # the matters of the quarter, then the standing risks in turn
    "risks": lambda voice: _paragraphs([*voice.story("risks"), *voice.standing("risks", 2)]),
    "outlook": outlook,
    "restatement": restatement,
    "climate": lambda voice: _paragraphs([*voice.story("climate"), *_news(voice, "climate")]),
    "basis": lambda voice: _paragraphs([voice.fill(text) for text in voice.company.profile["basis"]]),
    "notes": lambda voice: [Footnote(voice.fill(text)) for text in voice.company.profile.get("small_print", [])],
}
"""The sections of a report; a profile names those of its company, in their order and with their headings."""
