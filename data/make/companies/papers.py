"""The papers around the reports: letters, press releases, audit notes, contract records.

Figures in braces are those that the report of the company and quarter in the front matter states. A contract sheet
names only its supplier, a purchasing note the suppliers and no terms, a page about people their employers and no
figures: a name joins them.
"""

from pathlib import Path

from data.make.companies.model import company
from data.make.companies.quarter import Quarter
from data.make.companies.voice import Voice
from data.make.document import Document
from data.make.sources import SOURCES, document, read_source, shared_fields


def papers() -> list[Document]:
    """Return every paper."""
    return [_paper(path) for path in sorted((SOURCES / "reports" / "papers").glob("*.md"))]


def _paper(path: Path) -> Document:
    fields, body = read_source(path)
    name = f"reports/{path.stem}"
    extra = {"year": fields["date"].year, "quarter": (fields["date"].month + 2) // 3}
    if "company" not in fields:  # a page that is nobody's has no figures
        return document(name, "reports", fields, body, {"extra": extra})
    voice = Voice(company(fields["company"]), Quarter.parse(fields["quarter"]))
    fields["title"] = voice.fill(fields["title"])
    shared = shared_fields("reports", name, fields, voice.company.name)
    if "nav" in shared:
        shared["nav"] = voice.company.profile.get("nav", shared["nav"])
    shared["extra"] = {"company": voice.company.name, **extra}
    return document(name, "reports", fields, voice.fill(body), shared)
