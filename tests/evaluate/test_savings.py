"""The workload of the savings, what they count, and the pairs that the guard of the cache is measured on."""

import math
from dataclasses import dataclass
from uuid import uuid4

import pytest
from llama_index.core.embeddings import MockEmbedding

from lessons.database import engine
from lessons.evaluate.decisions import Pair, cache_pairs, count_hits, plot_thresholds
from lessons.evaluate.evaluation import EvaluationTable
from lessons.evaluate.golden import Golden
from lessons.evaluate.savings import ALL, DEVICES, NONE, chat, plot_savings, savings, workload
from lessons.ingest.index import naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.rag.stages import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.settings import Settings
from lessons.workspace import Workspace


@dataclass(frozen=True)
class Shelf:
    """A retriever that always finds the same two documents."""

    top_k: int | None = None

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        texts = ("A refund takes 14 days.", "Reports are kept for 90 days.")
        return [RetrievedDocument(text[0], text, 1.0, f"{text[0]}.md") for text in texts][: self.top_k]


@pytest.fixture(scope="module")
def served(database: Settings) -> EvaluationTable:
    place = Workspace(database, engine(database), MockEmbedding(embed_dim=3), OfflineLLM())
    stage = Stage(name=f"shelf-{uuid4()}", index=naive_index(), retriever=Shelf(), workspace=place)
    owner = f"reader-{uuid4()}"

    def golden(number: str, question: str, answer: str) -> Golden:
        return Golden(number, question, "en", "fact", answer, (answer,), owner=owner)

    asked = [
        golden("1", "How many days does a refund take?", "14 days"),
        golden("1", "How many days does a refund take?", "14 days"),
        golden("1", "Please tell me how many days a refund takes.", "14 days"),
        golden("2", "For how many days are reports kept?", "90 days"),
        chat("Thank you!"),
    ]
    return savings(stage, asked)


def test_the_workload_has_more_than_300_questions_with_repeats_rewordings_and_small_talk() -> None:
    asked = workload()
    texts = [each.question for each in asked]
    known = [each for each in asked if each.category != "chat"]
    assert len(asked) >= 300
    assert len(texts) - len(set(texts)) > 50
    assert len({each.question for each in known}) - len({each.id for each in known}) > 50
    assert len(known) < len(asked)


def test_the_workload_is_the_same_each_time() -> None:
    assert workload() == workload()


def test_only_questions_for_tuning_are_in_the_workload() -> None:
    assert {each.split for each in workload()} == {"dev"}


def test_each_device_is_served_alone_and_all_together(served: EvaluationTable) -> None:
    assert served.evaluation.stages == [NONE, *DEVICES, ALL]
    assert {len(served.evaluation.of(way)) for way in served.evaluation.stages} == {5}


def test_the_cache_counts_its_hits_and_saves_calls(served: EvaluationTable) -> None:
    kept = served.evaluation.of("cache")
    assert [each.value("hit") for each in kept] == [0, 1, 1, 0, 0]
    assert not any(each.value("wrong hit") for each in kept)
    assert served.mean("cache", "llm_calls") < served.mean(NONE, "llm_calls")
    assert served.mean("cache", "chunks") < served.mean(NONE, "chunks")


def test_what_costs_more_is_told_as_well(served: EvaluationTable) -> None:
    assert served.mean("refine", "llm_calls") > served.mean(NONE, "llm_calls")
    assert served.mean("refine", "cost") > served.mean(NONE, "cost")


def test_correctness_leaves_small_talk_out(served: EvaluationTable) -> None:
    assert math.isnan(served.evaluation.of(NONE)[-1].value("correctness"))
    assert served.mean(NONE, "correctness") == 1.0
    assert served.evaluation.gains(["correctness"])[0].n == 4


def test_the_table_names_every_way_and_no_latency(served: EvaluationTable) -> None:
    shown = repr(served)
    assert all(way in shown for way in served.evaluation.stages)
    assert "ms" not in served._repr_html_()


def test_the_plot_has_a_point_for_each_way(served: EvaluationTable) -> None:
    (axes,) = plot_savings(served).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == served.evaluation.stages


def test_hits_are_counted_by_language_and_by_whether_the_questions_ask_the_same() -> None:
    pairs = [
        Pair("Who hired Ann?", "Who did Ann hire?", False, "role", "en"),
        Pair("Who hired Ann?", "Ann was hired by whom?", True, "voice", "en"),
        Pair("환불은 언제 되나요?", "환불 언제 돼요?", True, "ending", "ko"),
    ]
    counted = count_hits(pairs, [0.99, 0.95, 0.5])
    assert counted.head == ["a hit takes", "wrong hits, en", "right hits, en", "right hits, ko"]
    assert counted.rows == [
        ["similarity", "1 of 1", "1 of 1", "0 of 1"],
        ["guard", "0 of 1", "1 of 1", "1 of 1"],
        ["both", "0 of 1", "1 of 1", "0 of 1"],
    ]


def test_the_curve_of_the_threshold_falls() -> None:
    pairs = cache_pairs()
    (axes,) = plot_thresholds(pairs, [0.9] * len(pairs)).axes
    assert all((line.get_ydata()[:-1] >= line.get_ydata()[1:]).all() for line in axes.lines[:4])
