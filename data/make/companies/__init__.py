"""The world `reports`: eight fictional companies, their quarterly reports and the papers around them."""

from data.make.companies.model import companies
from data.make.companies.papers import papers
from data.make.companies.report import report
from data.make.document import Document


def documents() -> list[Document]:
    """Return every document of this world."""
    return [report(company, quarter) for company in companies() for quarter in company.quarters] + papers()
