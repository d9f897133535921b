"""What intents, compression and each wrapper save, and what that costs in right answers."""

import math
from dataclasses import dataclass
from uuid import uuid4

import pytest
from llama_index.core.embeddings import MockEmbedding

from lessons.database import engine
from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.golden import Golden
from lessons.evaluate.savings import (
    ALL,
    NONE,
    WRAPPERS,
    chat,
    savings,
    workload,
)
from lessons.ingest.index import naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import Settings


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
