"""A rule is switched off for one stage alone, and its worth is told for both halves of the golden questions."""

import pytest

from lessons.evaluate.ablation import Ablation, Without, dev_and_test
from lessons.library import load_corpus
from lessons.models.offline import glossary
from lessons.rag.retrievers import JaccardRetriever
from lessons.rag.stages import Stage, stage_named
from lessons.rag.types import RetrievedDocument, Scope
from lessons.settings import Settings
from lessons.workspace import Workspace
from tests.evaluate.records import evaluation

WORDS = ["staff"]
DOCUMENT = RetrievedDocument("1", "At the end of 2024 there were 412 employees.", 1.0, "a.md")


@pytest.fixture(scope="module")
def stage(database: Settings) -> Stage:
    shelf = JaccardRetriever((DOCUMENT,))
    return stage_named("enhanced").but("shelf", retriever=shelf, workspace=Workspace.open(database))


def test_without_the_glossary_no_word_has_another_form() -> None:
    with glossary.switched_off():
        assert glossary.others(WORDS) == [()]
        with glossary.switched_off():
            pass
        assert glossary.others(WORDS) == [()]
    assert frozenset(["employe"]) in glossary.others(WORDS)[0]


def test_it_is_switched_on_again_after_an_error() -> None:
    with pytest.raises(RuntimeError), glossary.switched_off():
        raise RuntimeError
    assert glossary.others(WORDS)[0]


def test_only_the_stage_without_the_rule_answers_without_it(stage: Stage) -> None:
    question = "How large was the staff at the end of 2024?"
    bare = Without(stage, glossary.switched_off, name="no glossary")
    assert "412" in stage.ask(question, user="nobody").text
    assert "412" not in bare.ask(question, user="nobody").text
    assert "412" in stage.ask(question, user="nobody").text


def test_both_halves_stand_side_by_side_with_paired_intervals() -> None:
    halves = {"dev": evaluation({"bare": [0.0] * 20, "whole": [1.0] * 20}, "correctness"),
              "test": evaluation({"bare": [0.0, 1.0] * 10, "whole": [1.0, 0.0] * 10}, "correctness")}  # fmt: skip
    found = Ablation(halves, ("correctness",))
    dev, test = found.rows
    assert dev == [
        "correctness (half points), dev",
        "20",
        "0.000",
        "1.000",
        "+1.000 [+1.000, +1.000] at 99 %",
        "20",
        "better",
    ]
    assert test[-2:] == ["20", "no difference shown"]
    assert found._repr_html_().count("<tr>") == 3


@pytest.fixture(scope="module")
def shipped(database: Settings) -> Workspace:
    place = Workspace.open(database)
    load_corpus(place, targets=[stage_named("naive").index, stage_named("enhanced").index])
    assert place.store(stage_named("enhanced").index).documents(Scope("reader"))
    return place


def test_enhanced_is_compared_with_naive_on_dev_and_on_test(shipped: Workspace) -> None:
    before, after = (stage_named(name).but(name, workspace=shipped) for name in ("naive", "enhanced"))
    found = dev_and_test(before, after, ("correctness",), limit=3)
    assert list(found.runs) == ["dev", "test"]
    assert all(run.stages == ["naive", "enhanced"] for run in found.runs.values())
    assert [gain.n for gain in found.gains.values()] == [3, 3]
