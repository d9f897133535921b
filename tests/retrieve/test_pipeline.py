"""The four steps of the pipeline: any but the retriever may be missing, and each leaves its mark in the trace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import pytest
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from lessons.models.llm import KEYLESS
from lessons.rag.pipeline import Pipeline, changed
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace
from lessons.search.jaccard import JaccardRetriever, jaccard
from lessons.search.other_transforms import Normalize, Passthrough
from lessons.settings import Settings
from lessons.stages import stage_named, stages
from lessons.trace import Step, Trace

NO_RESOURCES = cast(Resources, None)  # nothing in these pipelines reaches for a database or a model


def document(name: str, content: str) -> RetrievedDocument:
    return RetrievedDocument(id=name, content=content, score=0.0, source=name)


LIBRARY = JaccardRetriever(
    (
        document("refund", "Refunds are paid within fourteen days."),
        document("invoice", "Invoices are sent on the first day of the month."),
        document("환불", "환불은 결제일부터 14일 안에 신청할 수 있습니다."),
    )
)


@dataclass(frozen=True)
class Backwards:
    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        return list(reversed(documents))


@dataclass(frozen=True)
class Rewritten:
    model: str

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        step.answered[self.model] += 1
        return ["refunds"]


def run(pipeline: Pipeline, text: str, **query: Any) -> tuple[list[str], Trace]:
    trace = Trace()
    context = pipeline.run(Query(text, Scope("reader"), **query), NO_RESOURCES, trace)
    return [each.id for each in context.documents], trace


def test_a_retriever_alone_is_a_pipeline() -> None:
    names, trace = run(Pipeline(retriever=LIBRARY), "when are refunds paid?")
    assert names[0] == "refund"
    assert [step.name for step in trace] == ["retrieve", "context"]


def test_nothing_retrieved_gives_the_empty_context() -> None:
    assert run(Pipeline(retriever=LIBRARY), "zebra")[0] == []


def test_every_step_that_is_there_stands_in_the_trace() -> None:
    pipeline = Pipeline(retriever=LIBRARY, query=(Passthrough(), Normalize()), reranker=Backwards())
    _, trace = run(pipeline, "  REFUNDS, paid?? ")
    assert [step.name for step in trace] == ["Passthrough", "Normalize", "retrieve", "rerank", "context"]
    assert trace["Normalize"].output == ["refunds, paid"]
    assert all(step.ms > 0 for step in trace)


def test_a_reranker_changes_the_order_and_rerank_false_keeps_the_score_order() -> None:
    pipeline = Pipeline(retriever=LIBRARY, reranker=Backwards())
    by_score, _ = run(Pipeline(retriever=LIBRARY), "refunds paid the first day")
    assert len(by_score) == 2
    assert run(pipeline, "refunds paid the first day")[0] == by_score[::-1]
    assert run(pipeline, "refunds paid the first day", rerank=False)[0] == by_score


@pytest.mark.parametrize(("model", "searched"), [("any", ["refunds", "Are refunds paid?"]), (KEYLESS, ["refunds"])])
def test_what_a_generative_model_makes_of_a_question_is_searched_beside_it(model: str, searched: list[str]) -> None:
    _, trace = run(Pipeline(retriever=LIBRARY, query=(Rewritten(model),)), "Are refunds paid?")
    assert trace["retrieve"].input == searched


def test_jaccard_finds_korean_words_behind_their_particles() -> None:
    assert run(Pipeline(retriever=LIBRARY), "환불을 신청하려면?")[0] == ["환불"]


def test_jaccard_takes_the_best_of_several_queries_and_keeps_each_document_once() -> None:
    found = LIBRARY.search(["refunds", "invoices month"], Query("x", Scope("reader")))
    assert sorted(each.id for each in found) == ["invoice", "refund"]


def test_jaccard_keeps_to_its_threshold_and_to_top_k() -> None:
    query = Query("x", Scope("reader"), top_k=1)
    assert len(LIBRARY.search(["refunds first day paid"], query)) == 1
    assert JaccardRetriever(LIBRARY.documents, threshold=0.9).search(["refunds"], query) == []


@pytest.mark.parametrize(("left", "right", "expected"), [("a b", "", 0), ("cost tag", "cost tag", 1), ("", "", 0)])
def test_jaccard_runs_from_nothing_shared_to_all_shared(left: str, right: str, expected: float) -> None:
    assert jaccard(left, right) == expected


def test_a_stage_is_the_one_before_it_with_these_parts_changed() -> None:
    steps = [changed(before, after) for before, after in pairwise(stages().values())]
    assert steps == [["index"], ["retriever", "query"], ["retriever", "reranker"], ["agent"]]


def test_a_filter_of_ones_own_narrows_the_search_and_is_traced(database: Settings) -> None:
    only = MetadataFilters(filters=[MetadataFilter(key="source_file", value="a.md")])
    seen: list[Any] = []

    class OnlyA:
        def narrow(self, queries: list[str], query: Query, resources: Resources, step: Step) -> Query:
            step.notes.append("a.md alone")
            return replace(query, filters=only)

    class Spy:
        def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
            seen.append(query.filters)
            return []

    place = Workspace.open(database)
    spying = stage_named("naive").but("spying", filters=OnlyA(), retriever=Spy(), workspace=place)
    step = spying.ask("When is the midterm?", user="mina").trace["filters"]
    assert (seen, step.notes, step.output) == ([only], ["a.md alone"], only)


def test_a_stage_searches_within_the_scope_of_a_plan(database: Settings) -> None:
    seen: list[Scope] = []

    class Spy:
        def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
            seen.append(query.scope)
            return []

    spying = stage_named("naive").but("spying", retriever=Spy(), workspace=Workspace.open(database))
    for user in (Scope("mina", frozenset({"a.md"})), "mina"):
        spying.ask("When is the midterm?", user=user)
    assert seen == [Scope("mina", frozenset({"a.md"})), Scope("mina")]
