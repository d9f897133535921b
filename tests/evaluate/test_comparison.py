"""Chunks of several stages side by side: nothing is lost; and the steps of a trace."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.comparison import Alignment, align, change, summary
from lessons.evaluate.golden import Evidence
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Step, Trace

LONG = "The kiosk opens at seven. It closes at six. On Sundays it stays shut. Coffee costs two euros."
START, END = LONG[:42], LONG[43:]


def chunk(id: str, content: str = "", source: str = "a.pdf", page: int | None = None) -> RetrievedDocument:
    return RetrievedDocument(id, content or f"words of {id} alone {id}", 0.5, source, {"page_number": page})


def answer(stage: str, *documents: RetrievedDocument) -> Answer:
    return Answer("?", stage, "test", context=Context(documents=documents))


def told(alignment: Alignment) -> list[list[str]]:
    return [place.ranks for place in alignment.passages]


def test_the_same_chunk_of_two_stages_shares_a_row() -> None:
    rows = align([answer("naive", chunk("x"), chunk("y")), answer("smart", chunk("y"), chunk("x"))])
    assert told(rows) == [["2", "1 ↑1"], ["1", "2 ↓1"]]


def test_what_a_stage_lost_or_found_anew_is_told() -> None:
    rows = align([answer("naive", chunk("x")), answer("smart", chunk("y")), answer("agentic", chunk("y"))])
    assert told(rows) == [["", "1 new", "1 ="], ["1", "gone", ""]]


def test_smaller_chunks_of_another_index_stand_beside_the_large_one_that_holds_them() -> None:
    rows = align([answer("naive", chunk("all", LONG)), answer("enhanced", chunk("1", END), chunk("2", START))])
    assert told(rows) == [["1", "1, 2 ="]]
    assert rows.passages[0].start == LONG[:80]


def test_the_same_words_in_another_file_are_another_place() -> None:
    rows = align([answer("naive", chunk("x", LONG)), answer("smart", chunk("y", LONG, "b.pdf"))])
    assert len(rows.passages) == 2


def test_chunks_that_one_stage_found_apart_are_not_joined_for_their_overlap() -> None:
    assert len(align([answer("naive", chunk("x", LONG), chunk("y", LONG[20:]))]).passages) == 2


def test_the_evidence_is_marked_where_a_chunk_covers_it_and_listed_where_none_does() -> None:
    evidence = [Evidence("a.pdf", "closes at six"), Evidence("b.pdf", "opens")]
    rows = align([answer("naive", chunk("all", LONG)), answer("enhanced", chunk("2", START))], evidence)
    (place,) = rows.passages
    assert [cell and cell.evidence for cell in place.cells] == [(0,), (0,)]
    assert place.evidence == (0,)
    assert rows.missed == [evidence[1]]


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [(5, 2, "↑3"), (2, 4, "↓2"), (3, 3, "="), (None, 1, "new"), (1, None, "gone"), (None, None, "")],
)
def test_a_change_of_rank_is_counted(before: int | None, now: int | None, told: str) -> None:
    assert change(before, now) == told


words = st.sampled_from(["alpha", "beta", "gamma", "delta", "서울", "부산", "1", "2"])
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)
pool = st.lists(st.tuples(texts, st.sampled_from("ab")), min_size=1, max_size=8, unique=True)


@st.composite
def found(draw: st.DrawFn) -> list[list[RetrievedDocument]]:
    """What up to five stages found among a few chunks whose texts may overlap."""
    chunks = [chunk(str(number), *each) for number, each in enumerate(draw(pool))]
    lists = st.lists(st.sampled_from(chunks), unique_by=lambda each: each.id, max_size=len(chunks))
    return draw(st.lists(lists, min_size=1, max_size=5))


def answers(lists: Sequence[Sequence[RetrievedDocument]]) -> list[Answer]:
    return [answer(str(number), *documents) for number, documents in enumerate(lists)]


@given(found())
def test_every_rank_of_every_stage_is_in_exactly_one_cell(lists: list[list[RetrievedDocument]]) -> None:
    places = align(answers(lists)).passages
    for number, documents in enumerate(lists):
        ranks = [rank for place in places if (cell := place.cells[number]) for rank in cell.ranks]
        assert sorted(ranks) == list(range(1, len(documents) + 1))


@given(found())
def test_a_place_is_in_one_file_and_some_stage_found_it(lists: list[list[RetrievedDocument]]) -> None:
    for place in align(answers(lists)).passages:
        assert any(place.cells)
        for documents, cell in zip(lists, place.cells, strict=True):
            assert {documents[rank - 1].source for rank in (cell.ranks if cell else ())} <= {place.source_file}


@given(found())
def test_the_order_of_the_stages_does_not_decide_which_chunks_share_a_place(
    lists: list[list[RetrievedDocument]],
) -> None:
    def groups(order: list[list[RetrievedDocument]]) -> set[frozenset[str]]:
        return {
            frozenset(
                documents[rank - 1].id
                for documents, cell in zip(order, place.cells, strict=True)
                for rank in (cell.ranks if cell else ())
            )
            for place in align(answers(order)).passages
        }

    assert groups(lists) == groups(lists[::-1])


@given(st.integers(1, 50), st.integers(1, 50))
def test_a_change_and_its_way_back_are_mirrored(before: int, now: int) -> None:
    assert change(before, now).translate(str.maketrans("↑↓", "↓↑")) == change(now, before)


def searching() -> Trace:
    """An agent's trace: a decision, a search of two steps, an answer."""
    search = Step("search_documents", {"query": "fees"}, ms=30, notes=["fees → 2 documents"])
    search.nest(Step("Expand", ["fees"], ["fees", "late fees"], ms=10, llm_calls=1, tokens_in=50, tokens_out=5))
    search.nest(Step("retrieve", ["fees", "late fees"], [], ms=15))
    answer = Step("answer", "fees", "They are 5 [1].", ms=5, llm_calls=1, tokens_in=100, tokens_out=9, cost=0.25)
    return Trace([Step("decide", "fees", ms=20), search, answer])


def test_what_the_steps_within_used_is_counted_once() -> None:
    assert summary(searching()) == "55 ms, 2 model calls, 164 tokens, $0.2500"
