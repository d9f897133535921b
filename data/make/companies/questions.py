"""Golden questions about the companies, with every figure filled in from the model.

Beyond the fields of `data.make.questions` a block may begin with `c: company quarter`, the report whose figures stand
in braces; `{n_rev}` is the bare number, `{en_rev}` and `{ko_rev}` the amount in the other language's words, and
`{veldrane/2023Q4/rev}` a figure of another report. Evidence is `file :: words`, or `file :: ~ word & word` for the
shortest passage that holds all the words; `~ word & word … word & word` finds one passage behind the other, such as the
header of a table and a row of it. `@2023Q4` and `veldrane@2023Q4` name a report as file, and an `o` may name several.
"""

import itertools
import re
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

from data.make.companies.facts import FIGURES, Facts
from data.make.companies.model import Company, company
from data.make.companies.quarter import Quarter
from data.make.companies.report import report_path
from data.make.extract import GAP, pages, squeeze
from data.make.questions import LONGEST, cite, read_blocks, split_questions

SENTENCE_END = re.compile(r"(?<=[.!?])\s")
CURRENCIES = {"£": "파운드", "$": "달러", "€": "유로"}


class Answers(Facts):
    """Figures as bare numbers, in the other language, or from another company's report."""

    style = ""

    def __getitem__(self, name: str):  # type: ignore[no-untyped-def]
        if "/" in name:
            key, quarter, figure = name.split("/")
            return Answers(company(key), Quarter.parse(quarter), {})[figure]
        style, _, figure = name.partition("_")
        if figure and style in ("n", "en", "ko"):
            styled = Answers(self.company, self.quarter, {})
            styled.style = style
            return styled[figure]
        return super().__getitem__(name)

    def money(self, amount: int) -> str:
        value, digits = abs(amount) / self.company.scale, self.company.profile["decimals"]
        match self.style:
            case "n":
                return f"{value:,.{digits}f}"
            case "en":
                return f"{value / 10_000:,.2f} trillion won" if value >= 10_000 else f"{value / 10:,.1f} billion won"
            case "ko":
                large, small = divmod(round(value * 100), 10_000)
                words = [f"{large:,}억"] * bool(large) + [f"{small:,}만"] * bool(small)
                return f"{' '.join(words)} {CURRENCIES[self.company.profile['currency']]}"
        return super().money(amount)


def _without_ports_fee(facts: Facts, quarter: Quarter, _: str | None) -> str:
    return f"{facts.company.revenue(quarter, 'ports') / facts.company.scale - 2.9:.1f}"


def _without_fee(facts: Facts, quarter: Quarter, _: str | None) -> str:
    return f"{facts.company.year_operating(quarter.year) / facts.company.scale - 120:.1f}"


FIGURES.update(ports_without=_without_ports_fee, without_fee=_without_fee)


def company_questions(corpus: Path) -> list[dict]:
    """Return every question; raise ValueError for evidence that no page holds."""
    return split_questions(
        "reports", map(_fields, read_blocks("reports/questions.txt")), partial(_evidence, corpus=corpus)
    )


def _fields(block: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """(field, value) pairs with the figures filled in and report names resolved to files."""
    facts, about = None, None
    fields = []
    for name, value in block:
        if name == "c":
            key, quarter = value.split()
            about, facts = company(key), Answers(company(key), Quarter.parse(quarter), {})
            continue
        if facts:
            value = facts.fill(value)
        fields += [(name, part) for part in (_resolved(value, about) if name in ("e", "o") else [value])]
    return fields


def _resolved(value: str, about: Company | None) -> list[str]:
    files, _, words = value.partition(" :: ")
    return [f"{_file(name, about)} :: {words}" for name in files.split()]


def _file(name: str, about: Company | None) -> str:
    key, at, quarter = name.partition("@")
    if not at:
        return f"reports/{name}"
    reporter = company(key) if key else about
    assert reporter is not None
    return report_path(reporter, Quarter.parse(quarter))


def _evidence(name: str, value: str, corpus: Path) -> dict:
    file, _, words = value.partition(" :: ")
    if not words.startswith("~ "):
        return cite(name, value, corpus)
    parts = [part.split(" & ") for part in words.removeprefix("~ ").split(GAP)]
    candidates = []
    for number, passages in _passages(corpus / file):
        shortest = [_shortest(passages, needles) for needles in parts]
        if all(shortest):
            ranks, texts = zip(*shortest, strict=True)
            candidates.append((max(ranks), len(GAP.join(texts)), number, GAP.join(texts)))
    if not candidates:
        raise ValueError(f"{name}: no passage of {file} holds {parts}.")
    *_, page, quote = min(candidates, key=lambda candidate: (*candidate[:2], candidate[2] or 0))
    return {"source_file": file, "page": page, "quote": quote}


def _shortest(passages: list[tuple[int, str]], needles: list[str]) -> tuple[int, str] | None:
    """Return the passage of the best rank, and among these the shortest, that holds all the words."""
    fitting = [item for item in passages if len(item[1]) <= LONGEST and all(needle in item[1] for needle in needles)]
    return min(fitting, key=lambda item: (item[0], len(item[1])), default=None)


@cache
def _passages(path: Path) -> list[tuple[int | None, list[tuple[int, str]]]]:
    """Return (rank, passage) pairs of each page: whole sentences come first, then single lines, then runs of lines."""
    ranked_pages = []
    for number, text in pages(path):
        lines = [squeeze(line).removeprefix("• ").removeprefix("- ") for line in text.splitlines() if line.strip()]
        wrapped = 0.7 * max(map(len, lines), default=0) if path.suffix == ".pdf" else LONGEST * 99
        ranked = []
        for at, size in itertools.product(range(len(lines)), range(1, 5)):
            run = lines[at : at + size]
            joined = " ".join(run)
            begins = at == 0 or lines[at - 1][-1] in ".!?" or len(lines[at - 1]) < wrapped
            if all(len(line) >= wrapped for line in run[:-1]):
                sentences = SENTENCE_END.split(joined)[0 if begins else 1 :]
                ranked += [(0, sentence) for sentence in sentences if sentence[-1] in ".!?"]
            ranked.append((3 if size > 1 else 1 if begins else 2, joined))
        ranked_pages.append((number, ranked))
    return ranked_pages
