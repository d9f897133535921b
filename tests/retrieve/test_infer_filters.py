"""Filters that a question implies: names and quarters that the store really contains, and nothing uncertain."""

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms.mock import MockLLM

from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Scope
from lessons.search.filter_text import parse_filter
from lessons.search.infer_filters import InferFilters, InferredFilter, infer_filters
from lessons.text.periods import Quarter, periods, pointed_at, quarters
from lessons.trace import Step
from tests.retrieve.attacks import Attacker
from tests.retrieve.conftest import Put

TEXTS = ["words"] * 6


@pytest.fixture
def reports(put: Put, mina: Scope) -> Scope:
    """Two companies with four quarters each, one English and one Korean, and two documents about no quarter."""
    for quarter in range(1, 5):
        put(mina, f"acme-2024-q{quarter}.pdf", *TEXTS, title=f"Acme Marine: Q{quarter} 2024 update")
        put(
            mina,
            f"report-{quarter}.pdf",
            *TEXTS,
            title=f"2024년 {quarter}분기 실적보고서",
            about="한빛소재 주식회사 분기 실적",
        )
    put(mina, "acme-press.md", *TEXTS, title="Acme buys a yard", doc_type="press-release")
    put(mina, "storage.md", *TEXTS, title="How the storage of goods is priced")
    return mina


def documents(found: InferredFilter | None) -> set[str]:
    assert found is not None
    return set(found.documents)


def test_a_name_keeps_the_documents_that_bear_it(store: ChunkStore, reports: Scope) -> None:
    found = infer_filters("What did Acme spend on cranes?", store, reports)
    assert documents(found) == {*(f"acme-2024-q{quarter}.pdf" for quarter in range(1, 5)), "acme-press.md"}
    assert found.reasons == ("named: acme",)


def test_a_name_may_stand_in_the_titles_alone(store: ChunkStore, put: Put, mina: Scope) -> None:
    for quarter in range(1, 4):
        put(mina, f"{quarter}.pdf", *TEXTS, title=f"Borealis Foods: Q{quarter} 2024 update")
    put(mina, "storage.md", *TEXTS, title="How the storage of goods is priced")
    assert documents(infer_filters("What did Borealis spend?", store, mina)) == {"1.pdf", "2.pdf", "3.pdf"}


@pytest.mark.parametrize("question", ["한빛소재가 쓴 돈은?", "한빛소 매출이 얼마예요", "한빛소재의 2024년 매출"])
def test_a_korean_name_is_known_with_its_particles_and_cut_short(
    store: ChunkStore, reports: Scope, question: str
) -> None:
    assert documents(infer_filters(question, store, reports)) == {f"report-{quarter}.pdf" for quarter in range(1, 5)}


def test_a_quarter_leaves_out_the_documents_of_other_quarters_only(store: ChunkStore, reports: Scope) -> None:
    kept = documents(infer_filters("Which sales in the third quarter of 2024?", store, reports))
    assert kept == {"acme-2024-q3.pdf", "report-3.pdf", "acme-press.md", "storage.md"}


@pytest.mark.parametrize(
    "question",
    ["Were sales higher in Q2 or in Q3 2024?", "2024년 2분기와 3분기 가운데 언제 더 많이 팔았나요?"],
)
def test_a_second_quarter_without_a_year_leaves_nothing_out(store: ChunkStore, reports: Scope, question: str) -> None:
    assert infer_filters(question, store, reports) is None


def test_two_quarters_with_their_years_keep_both(store: ChunkStore, reports: Scope) -> None:
    kept = documents(infer_filters("Sales in Q2 2024 and in Q3 2024?", store, reports))
    assert {"acme-2024-q2.pdf", "acme-2024-q3.pdf"} < kept


def test_name_and_quarter_work_together_and_both_are_told(store: ChunkStore, reports: Scope) -> None:
    found = infer_filters("Acme, Q3 2024: how many cranes?", store, reports)
    assert documents(found) == {"acme-2024-q3.pdf", "acme-press.md"}
    assert found.reasons == ("named: acme", "quarter: Q3 2024")


def test_two_names_keep_the_documents_of_both(store: ChunkStore, reports: Scope) -> None:
    assert len(documents(infer_filters("Acme and 한빛소재: who sold more?", store, reports))) == 9


def test_a_kind_of_document_is_known_by_its_name(store: ChunkStore, reports: Scope) -> None:
    assert documents(infer_filters("What does the press release say?", store, reports)) == {"acme-press.md"}


@pytest.mark.parametrize(
    "question",
    [
        "What does storage cost?",
        "Which quarter was best?",
        "Which update came in 2024?",
        "Everybody except Acme?",
        "Acme 말고 다른 회사는요?",
        "Sales in Q3 1999?",
        "Sales since Q1 2024?",
        "",
    ],
)
def test_nothing_is_inferred_from_what_is_uncertain(store: ChunkStore, reports: Scope, question: str) -> None:
    assert infer_filters(question, store, reports) is None


def test_the_least_certain_condition_is_dropped_when_too_few_chunks_are_left(
    store: ChunkStore, put: Put, reports: Scope
) -> None:
    put(reports, "acme-press.md", "one", title="Acme buys a yard")
    put(reports, "acme-2024-q3.pdf", "two", title="Acme Marine: Q3 2024 update")
    found = infer_filters("Acme, Q3 2024: how many cranes?", store, reports)
    assert found.reasons == ("named: acme",)


def test_a_new_document_is_known_at_once(store: ChunkStore, put: Put, reports: Scope) -> None:
    assert len(documents(infer_filters("Acme?", store, reports))) == 5
    put(reports, "acme-memo.md", *TEXTS, title="Acme: a memo")
    assert "acme-memo.md" in documents(infer_filters("Acme?", store, reports))


def test_names_of_another_owner_or_outside_the_plan_are_unknown(store: ChunkStore, reports: Scope, joon: Scope) -> None:
    assert infer_filters("What did Acme spend?", store, joon) is None
    narrow = reports.only(["acme-press.md", "report-1.pdf"])
    assert infer_filters("What did Acme spend?", store, narrow) is None


def test_the_filter_is_one_that_the_store_takes(store: ChunkStore, reports: Scope) -> None:
    found = infer_filters("Acme, Q3 2024?", store, reports)
    nodes = store.get_nodes(filters=found.filters, scope=reports)
    assert {node.metadata["source_file"] for node in nodes} == documents(found)


def test_hostile_questions_name_no_document_of_another_owner(
    store: ChunkStore, put: Put, reports: Scope, joon: Scope
) -> None:
    put(joon, "his.md", *TEXTS, title="Acme: his own")
    for question in Attacker(11, joon.user_id, "Acme", "Q3 2024", "his.md").texts(500):
        found = infer_filters(question, store, reports)
        assert found is None or "his.md" not in found.documents


@pytest.mark.parametrize(
    "text",
    [
        "Q3 2024",
        "2024-q3",
        "2024 Q3",
        "third quarter of 2024",
        "Q3 of 2024",
        "2024년 3분기",
        "24년 3분기",
        "2024년도 3분기",
    ],
)
def test_a_quarter_is_read_however_it_is_written(text: str) -> None:
    assert quarters(f"about {text}, say") == {Quarter(2024, 3)}


@pytest.mark.parametrize("text", ["Q3", "2024", "3분기", "Q5 2024", "a quarter of 2024"])
def test_half_of_a_quarter_is_none(text: str) -> None:
    assert quarters(text) == set()


def narrowed(store: ChunkStore, query: Query, text: str) -> tuple[Query, Step]:
    step = Step("filters")
    resources = Resources(store, MockEmbedding(embed_dim=3), MockLLM())
    return InferFilters().narrow([text], query, resources, step), step


def test_a_query_is_narrowed_to_what_its_first_phrasing_implies_and_the_trace_says_why(
    store: ChunkStore, reports: Scope
) -> None:
    query, step = narrowed(store, Query("And their cranes?", reports), "What did Acme spend on cranes in Q3 2024?")
    assert step.notes == ["named: acme (2 documents)", "quarter: Q3 2024 (2 documents)"]
    assert {node.metadata["source_file"] for node in store.get_nodes(filters=query.filters, scope=reports)} == {
        "acme-2024-q3.pdf", "acme-press.md",
    }  # fmt: skip


def test_a_filter_that_was_given_is_left_as_it_is(store: ChunkStore, reports: Scope) -> None:
    given = Query("What did Acme spend?", reports, parse_filter('source_file == "storage.md"'))
    query, step = narrowed(store, given, given.text)
    assert (query, step.notes) == (given, [])


@pytest.mark.parametrize("text", ["APRİL 2024", "Aprıl 2024", "the fİrst quarter of 2024", "Auguſt 2024"])
def test_a_letter_that_only_looks_like_another_breaks_no_question(text: str) -> None:
    assert periods(text)
    assert pointed_at("sıx months ago") == pointed_at("six months ago")


@pytest.mark.parametrize("question", ["Compare sales in Q3 2024 and 2023", "2023년과 2024년 3분기 매출을 비교해 줘"])
def test_a_second_year_means_the_same_quarter(store: ChunkStore, reports: Scope, question: str) -> None:
    found = infer_filters(question, store, reports)
    assert found
    assert found.reasons == ("quarter: Q3 2023, Q3 2024",)


@pytest.mark.parametrize("text", ["2024년 3/4분기 매출", "3/4분기 2024년 매출", "2024년 3분기"])
def test_a_quarter_of_four_is_counted_by_its_first_number(text: str) -> None:
    assert quarters(text) == {Quarter(2024, 3)}


def test_abroad_is_no_exception(store: ChunkStore, reports: Scope) -> None:
    found = documents(infer_filters("한빛소재가 해외에서 판 금액은?", store, reports))
    assert found == {f"report-{quarter}.pdf" for quarter in range(1, 5)}
    assert infer_filters("한빛소재 외에 어느 회사가 있나요?", store, reports) is None
