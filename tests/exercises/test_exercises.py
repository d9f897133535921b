"""Every exercise accepts the solution of its notebook, and none of the mistakes made on purpose."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from lessons.evaluate.golden import Evidence, Golden
from lessons.exercises import measured
from lessons.exercises.catalog import NOTEBOOKS, exercise_named, exercises
from lessons.exercises.checking import judge
from lessons.exercises.measured import Asked
from lessons.rag.types import RetrievedDocument
from tests.exercises.mistakes import mistakes_of
from tests.exercises.notebook import cells, checked, source

EACH = [each.id for each in exercises()]
WRONG = [
    pytest.param(id_, learner, id=f"{id_} {getattr(learner, '__name__', learner)!s}")
    for notebook in NOTEBOOKS
    for id_, made in mistakes_of(notebook).items()
    for learner in made
]


@pytest.fixture(autouse=True)
def made_up_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of the dev questions, which would need the documents loaded."""
    monkeypatch.setattr(measured, "dev_questions", lambda: [asked(number) for number in range(12)])


def asked(number: int) -> Asked:
    """The gold is first by words, far ahead, and in the middle by meaning; five others are good in both."""
    random = Random(number)
    question = Golden(str(number), "invoice region", "en", "fact", evidence=(Evidence("gold.md", "gold"),))
    made = [
        RetrievedDocument(f"{number}-{place}", "alert", 0.0, "a.md", legs={"meaning": (20 - place) / 20})
        for place in range(20)
    ]
    for place in random.sample(range(5), 3):
        made[place].legs["words"] = 2 - place / 10
    made[10] = replace(made[10], content="gold invoice region", source="gold.md", legs={"meaning": 0.5, "words": 30.0})
    return Asked(question, made)


@pytest.mark.parametrize("id_", EACH)
def test_the_solution_is_accepted(id_: str) -> None:
    verdict, title = judge(exercise_named(id_), checked(id_[:2], "solution")[id_]), exercise_named(id_).title
    assert str(verdict) == f"✓ {id_} right: {title}"


@pytest.mark.parametrize(("id_", "learner"), WRONG)
def test_a_mistake_is_found_and_named(id_: str, learner: Any) -> None:
    impatient = replace(exercise_named(id_), seconds=3)
    verdict = judge(impatient, learner)
    assert not verdict.right
    assert verdict.said


@pytest.mark.parametrize("id_", EACH)
def test_there_are_three_mistakes_or_more(id_: str) -> None:
    assert len(mistakes_of(id_[:2])[id_]) >= 3


@pytest.mark.parametrize("id_", EACH)
def test_the_stub_of_the_notebook_is_rejected_and_says_the_same_each_time(id_: str) -> None:
    stub, each = checked(id_[:2], "exercise")[id_], exercise_named(id_)
    first, second = judge(each, stub), judge(each, stub)
    assert not first.right
    assert str(first) == str(second)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_has_three_to_six_exercises_each_with_its_solution(notebook: str) -> None:
    ids = [each.id for each in exercises(notebook)]
    assert 3 <= len(ids) <= 6
    assert list(checked(notebook, "exercise")) == ids == list(checked(notebook, "solution"))


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_solution_is_hidden_and_the_notebook_ends_in_its_progress(notebook: str) -> None:
    assert all(cell["metadata"]["jupyter"] == {"source_hidden": True} for cell in cells(notebook, "solution"))
    assert source(cells(notebook)[-1]) == f'progress("{notebook}")'
