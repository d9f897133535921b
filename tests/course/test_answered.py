"""A comparison of notebooks is told the answer of the same stage to the same question again, and no other."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lessons.evaluate import run
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import Golden
from lessons.ingest.pipeline import ingest
from lessons.rag.pipeline import Stage
from lessons.rag.retrievers import VectorRetriever
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.stages import stages
from tests.support.answered import answer_once

QUESTION = Golden("pier", "When does the pier close?", "en", "fact", "At eight", owner="answered")


@dataclass(frozen=True)
class Nearest(VectorRetriever):
    """Not of the package, as what a notebook defines."""


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    return Workspace.open(database)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The names of the stages that were really asked."""
    names: list[str] = []
    monkeypatch.setenv("LESSONS_TEST_ANSWERED", str(tmp_path / "answered.sqlite"))
    monkeypatch.setattr(run, "_ask", run._ask)  # and put back afterwards
    ask = run._ask

    def noted(stage: Stage, question: Golden) -> Record:
        names.append(stage.name)
        return ask(stage, question)

    run._ask = noted
    answer_once(run)
    return names


def told(*of: Stage, place: Workspace, question: Golden = QUESTION) -> list[Record]:
    return list(run.answers([stage.but(stage.name, workspace=place) for stage in of], [question]))


def put(place: Workspace, folder: Path, text: str) -> None:
    (folder / "pier.md").write_text(text, encoding="utf-8")
    for index in {stage.index.name: stage.index for stage in stages().values()}.values():
        list(ingest([(folder / "pier.md", "pier.md")], index, place.store(index), place.embedding, Scope("answered")))


def test_a_stage_is_asked_once(place: Workspace, tmp_path: Path, asked: list[str]) -> None:
    put(place, tmp_path, "The pier closes at eight.")
    first, again = told(*stages().values(), place=place), told(*stages().values(), place=place)
    assert asked == list(stages())
    assert first == again


def test_whatever_makes_another_answer_is_asked_for(place: Workspace, tmp_path: Path, asked: list[str]) -> None:
    put(place, tmp_path, "The pier closes at eight.")
    naive = stages()["naive"]
    told(naive, place=place)
    told(naive.but("naive", retriever=VectorRetriever(top_k=1)), place=place)
    told(naive, place=replace(place, settings=place.settings.model_copy(update={"context_tokens": 100})))
    told(naive, place=place, question=replace(QUESTION, question="What closes at eight?"))
    put(place, tmp_path, "The pier closes at nine.")
    assert "nine" in told(naive, place=place)[0].answer
    assert len(asked) == 5


def test_what_is_not_of_the_package_is_asked_each_time(place: Workspace, tmp_path: Path, asked: list[str]) -> None:
    put(place, tmp_path, "The pier closes at eight.")
    own = stages()["naive"].but("own", retriever=Nearest())
    told(own, own, place=place)
    assert asked == ["own", "own"]
