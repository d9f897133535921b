"""The world `reports`: eight fictional companies, their quarterly reports and the papers around them."""

from pathlib import Path

from data.make.companies.model import companies
from data.make.companies.papers import papers
from data.make.companies.questions import every_question
from data.make.companies.report import report
from data.make.document import Document


def documents() -> list[Document]:
    """Every document of this world."""
    return [report(company, quarter) for company in companies() for quarter in company.quarters] + papers()


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The golden questions of this world; page numbers are looked up in the files below `corpus`."""
    return {"reports": every_question(corpus)}
