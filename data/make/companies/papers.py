"""The papers around the reports (letters, press releases, audit notes, contract records), written by hand.

`papers/NAME.SUFFIX.txt` is light Markdown (`data.make.markup`) whose third line says `% type company quarter`; figures
in braces are those that the company's report of that quarter states. A contract sheet names its supplier only, a
purchasing note the suppliers and no terms, a page about people their employers and no figures: a name joins them.
"""

import re
from pathlib import Path

from data.make.companies.model import company
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Document
from data.make.markup import MARKER, parse
from lessons.text import language

LISTS = ("1. ", "- ", "| ", "|")
NO_COMPANY = "-"  # a sheet or page that is nobody's, and has no figures to fill in
FOLDER = Path(__file__).parent / "papers"


def papers() -> list[Document]:
    """Every paper."""
    return [_paper(path) for path in sorted(FOLDER.glob("*.txt"))]


def _paper(path: Path) -> Document:
    title, day, about, *rest = path.read_text(encoding="utf-8").splitlines()
    doc_type, key, known = about.removeprefix("% ").split()
    if key == NO_COMPANY:
        heading, written, blocks = parse("\n".join([title, day, *_spaced(rest)]))
        extra = {"year": written.year, "quarter": (written.month + 2) // 3}
        name, spoken = f"reports/{path.stem}", language("\n".join(rest))
        return Document(name, heading, spoken, "reports", doc_type, written, blocks, extra=extra)
    quarter = Quarter.parse(known)
    voice = Voice(company(key), quarter)
    heading, written, blocks = parse(voice.fill("\n".join([title, day, *_spaced(rest)])))
    return Document(
        path=f"reports/{path.stem}",
        title=heading,
        language=voice.company.language,
        world="reports",
        doc_type=doc_type,
        date=written,
        blocks=blocks,
        subtitle=voice.company.name if path.stem.endswith(".pptx") else "",
        author=voice.company.name,
        nav=voice.company.profile.get("nav", _NAV[voice.company.language]) if path.stem.endswith(".html") else (),
        footer=_FOOTER[voice.company.language].format(voice.company.name) if path.stem.endswith(".html") else "",
        extra={"company": voice.company.name, "year": written.year, "quarter": (written.month + 2) // 3},
    )


def _spaced(lines: list[str]) -> list[str]:
    """The lines with a blank one wherever a list or table does not go on: no line of a paper continues another."""
    out: list[str] = []
    last = ""
    for line in lines:
        found = MARKER.match(line)
        kind = re.sub(r"\d+", "1", found.group()) if found else ""
        if out and not (kind in LISTS and kind == last):
            out.append("")
        out.append(line)
        last = kind
    return out


_NAV = {
    "en": ("Products", "Service", "Investors", "Newsroom", "Careers", "Contact"),
    "ko": ("사업 소개", "투자정보", "보도자료", "지속가능경영", "채용", "문의"),
}
_FOOTER = {
    "en": "© {}. Media contacts, privacy notice and terms of use. Subscribe to our newsletter.",
    "ko": "© {}. 개인정보 처리방침, 이용 약관, 이메일 무단 수집 거부. 보도자료 구독하기.",
}
