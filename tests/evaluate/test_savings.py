"""What intents, compression and each wrapper save, and what that costs in right answers."""

import math
from dataclasses import dataclass
from uuid import uuid4

import pytest
from llama_index.core.embeddings import MockEmbedding

from lessons.database import engine
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import Golden
from lessons.evaluate.savings import (
    ALL,
    METHODS,
    NONE,
    WHOLE,
    WRAPPERS,
    chat,
    compression_table,
    costs,
    savings,
    savings_table,
    workload,
)
from lessons.ingest.index import naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.tables import Table
from tests.evaluate.records import evaluation, record


@dataclass(frozen=True)
class Shelf:
    """A retriever that always finds the same two documents."""

    top_k: int | None = None

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        texts = ("A refund takes 14 days.", "Reports are kept for 90 days.")
        return [RetrievedDocument(text[0], text, 1.0, f"{text[0]}.md") for text in texts][: self.top_k]


@pytest.fixture(scope="module")
def served(database: Settings) -> Evaluation:
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


def test_each_device_is_served_alone_and_all_together(served: Evaluation) -> None:
    assert served.stages == [NONE, *WRAPPERS, ALL]
    assert {len(served.of(way)) for way in served.stages} == {5}


def test_the_cache_counts_its_hits_and_saves_calls(served: Evaluation) -> None:
    kept = served.of("cache")
    assert [each.value("hit") for each in kept] == [0, 1, 1, 0, 0]
    assert not any(each.value("wrong hit") for each in kept)
    assert served.mean("cache", "llm_calls") < served.mean(NONE, "llm_calls")
    assert served.mean("cache", "chunks") < served.mean(NONE, "chunks")


def test_what_costs_more_is_told_as_well(served: Evaluation) -> None:
    assert served.mean("refine", "llm_calls") > served.mean(NONE, "llm_calls")
    assert served.mean("refine", "cost") > served.mean(NONE, "cost")


def test_correctness_leaves_small_talk_out(served: Evaluation) -> None:
    assert math.isnan(served.of(NONE)[-1].value("correctness"))
    assert served.mean(NONE, "correctness") == 1.0
    assert served.gains(["correctness"])[0].n == 4


def test_the_table_names_every_way_and_no_latency(served: Evaluation) -> None:
    table = savings_table(served)
    assert [row[0] for row in table.rows] == served.stages
    assert "ms" not in repr(table)


def test_each_way_to_decide_is_compared_with_the_stage_alone() -> None:
    scores = {"plain": (1, 1), "by intent": (1, 0.5), "always chat": (0, 0)}
    shown = costs(evaluation(scores, "correctness"))
    by_name = {name: (correctness, delta) for name, correctness, delta, *_ in shown.rows}
    assert list(by_name) == list(scores)
    assert by_name["always chat"][1].startswith("-1.00")
    assert by_name["by intent"][0].startswith("0.75")
    assert by_name["by intent"][1].startswith("-0.25")
    assert by_name["plain"][1] == ""
    assert shown._repr_html_().count("<tr>") == 4


RIGHT = {"cut off": (1.0, 0.0), "extractive": (1.0, 1.0), "abstractive": (0.5, 1.0), "hybrid": (1.0, 0.5)}


def answered(method: str, share: str, number: int, right: float) -> Record:
    return record(method, number, category=share, metrics={"correctness": right})


@pytest.fixture
def results() -> Table:
    whole = [answered(WHOLE, "100%", number, 1.0) for number in range(2)]
    shares = ("50%", "25%")
    rest = [answered(way, share, at, RIGHT[way][at]) for way in METHODS for share in shares for at in range(2)]
    return compression_table(Evaluation("golden", "dev", (*whole, *rest)))


def test_the_whole_context_is_the_same_for_every_method(results: Table) -> None:
    assert {row[1] for row in results.rows} == {"1.00 [–] (100 · 0 · 0 · 0)"}


def test_the_table_has_a_row_for_each_method_and_a_column_for_each_share(results: Table) -> None:
    assert results.head[1:] == ["100%", "50%", "25%"]
    assert "cut off | 1.00 [–] (100 · 0 · 0 · 0) | 0.50 [–] (50 · 0 · 0 · 50)" in repr(results)
