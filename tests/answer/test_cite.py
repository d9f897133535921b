"""Citations lead back to words that stand in the chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.rag.context import around, best_quote, citations
from lessons.rag.types import Context, RetrievedDocument

REPORT = RetrievedDocument(
    id="r1",
    content="Cloud segment\nRevenue rose 15% to 42 million dollars. Costs fell.\nThe plant in Busan reopened in May.",
    score=0.9,
    source="report.pdf",
    metadata={"page_number": 3},
)
FAQ = RetrievedDocument(
    id="f1", content="환불은 14일 안에 가능합니다. 영수증이 필요합니다.", score=0.8, source="faq.md"
)
CONTEXT = Context("…", (REPORT, FAQ), 10)


def test_a_citation_names_file_page_and_the_supporting_sentence() -> None:
    (citation,) = citations("Revenue rose by 15% [1].", CONTEXT)
    assert (citation.source_file, citation.page, citation.chunk_id) == ("report.pdf", 3, "r1")
    assert citation.quote == "Revenue rose 15% to 42 million dollars."
    assert str(citation) == "[1] report.pdf, p. 3: “Revenue rose 15% to 42 million dollars.”"


LONG = RetrievedDocument(
    id="l1",
    content="The ferry leaves at six.\n\nA ticket costs 40 crowns. Dogs and their\n\nowners travel free.",
    score=0.9,
    source="ferry.pdf",
    metadata={"page_number": 2, "page_starts": [[0, 2], [26, 3], [68, 4]]},
)


@pytest.mark.parametrize(
    ("answer", "page", "label"),
    [
        ("It leaves at six [1].", 2, "ferry.pdf, p. 2: “"),
        ("A ticket costs 40 crowns [1].", 3, "ferry.pdf, p. 3: “"),
        ("Owners travel free [1].", 4, "ferry.pdf, p. 4: “"),
        ("Xylophone [1].", 2, "ferry.pdf, pp. 2–4"),
    ],
)
def test_a_citation_names_the_page_on_which_its_quote_stands(answer: str, page: int, label: str) -> None:
    (citation,) = citations(answer, Context("…", (LONG,), 10))
    assert citation.page == page
    assert str(citation).startswith(f"[1] {label}")


def test_a_quote_of_a_shortened_document_keeps_its_page() -> None:
    short = LONG.shortened("A ticket costs 40 crowns.").with_score(0.5)
    (citation,) = citations("A ticket costs 40 crowns [1].", Context("…", (short,), 10))
    assert (citation.page, citation.pages) == (3, (3,))


def test_each_statement_is_cited_in_the_order_of_the_answer() -> None:
    cited = citations("14일 안에 환불됩니다 [2]. Revenue rose [1]. 영수증도 필요합니다 [2].", CONTEXT)
    assert [citation.number for citation in cited] == [2, 1, 2]
    assert cited[2].quote == "영수증이 필요합니다."


def test_a_sentence_is_quoted_once() -> None:
    assert len(citations("Revenue rose [1]. Revenue rose by 15% [1].", CONTEXT)) == 1


def test_two_numbers_after_one_sentence_cite_both() -> None:
    assert [citation.number for citation in citations("Both say so [1][2].", CONTEXT)] == [1, 2]


def test_a_number_that_no_document_carries_is_left_out() -> None:
    assert citations("Revenue rose [7], as in [0].", CONTEXT) == []


def test_a_sentence_broken_over_lines_can_be_quoted() -> None:
    content = "The budget alert is sent to every owner of the account as\nsoon as the forecast passes the limit."
    assert best_quote("alert is sent to owners", content).startswith("The budget alert")


@given(st.text(max_size=200), st.text(max_size=400))
def test_a_quote_always_stands_in_its_content(claim: str, content: str) -> None:
    assert " ".join(best_quote(claim, content).split()) in " ".join(content.split())


TABLE = """# Quarterly report, Q4 2024

Item | Q4 2024 | Q3 2024
--- | --- | ---
Revenue | 389.0 | 350.9
Costs | 61.2 | 60.4"""


@pytest.mark.parametrize(
    "claim", ["Quarterly report, Q4 2024: Revenue, Q3 2024: 350.9", "In Q3 2024 revenue was 350.9"]
)
def test_the_row_that_holds_a_figure_is_quoted_and_not_the_title(claim: str) -> None:
    assert best_quote(claim, TABLE) == "Revenue | 389.0 | 350.9"


def test_a_row_without_figures_is_quoted_and_not_the_names_of_its_columns() -> None:
    table = "| Occasion | Days off | Paid |\n| --- | --- | --- |\n| Jury duty | as needed | yes |"
    assert best_quote("Occasion: Jury duty, Days off: as needed, Paid: yes", table) == "| Jury duty | as needed | yes |"


def test_the_heading_stands_for_the_title_of_a_document_that_has_none() -> None:
    untitled = Context("…", (RetrievedDocument("t", TABLE, 1.0, "q4.md"),))
    (citation,) = citations("Quarterly report, Q4 2024: Revenue, Q3 2024: 350.9 [1]", untitled)
    assert citation.quote == "Revenue | 389.0 | 350.9"


def test_a_heading_supports_no_figure() -> None:
    content = "# Results\n\n## Revenue of 2024\n\nCosts fell by a tenth, as the plant had planned.\n"
    assert best_quote("Revenue was 42 in 2024", content) == ""


def test_what_a_claim_repeats_of_the_title_finds_no_sentence() -> None:
    content = "New in 4.3. Open Alerts > Delivery and choose days."
    assert best_quote("Guide for 4.3: Open Alerts > Delivery", content, "Guide for 4.3").startswith("Open Alerts")


def test_a_document_without_a_supporting_sentence_is_cited_without_a_quote() -> None:
    (citation,) = citations("환불은 2주 안에 됩니다 [1].", CONTEXT)
    assert (citation.source_file, citation.quote) == ("report.pdf", "")
    assert str(citation) == "[1] report.pdf, p. 3"


@pytest.mark.parametrize(
    ("content", "cut"),
    [
        ("It opens. At\n seven (sharp). Then", ("It opens. ", "At\n seven (sharp).", " Then")),
        ("At seven (sharp).", ("", "At seven (sharp).", "")),
        ("At eight.", ("At eight.", "", "")),
    ],
)
def test_a_quote_is_found_again_whatever_the_line_breaks(content: str, cut: tuple[str, str, str]) -> None:
    assert around("At seven (sharp).", content) == cut


@given(st.text(), st.text())
def test_nothing_is_lost_around_a_quote(quote: str, content: str) -> None:
    assert "".join(around(quote, content)) == content
