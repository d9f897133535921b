"""Every exercise accepts the solution of its notebook, and none of the mistakes made on purpose."""

import re
from collections import Counter
from dataclasses import replace
from random import Random
from statistics import median
from typing import Any

import nbformat
import pytest

from lessons.evaluate.golden import Evidence, Golden
from lessons.exercises import catalog, checking, hint
from lessons.exercises.catalog import NOTEBOOKS, SearchedQuestion, exercise_named, exercises
from lessons.exercises.checking import judge
from lessons.rag.types import RetrievedDocument
from tests.exercises.mistakes import mistakes_of
from tests.exercises.notebook import cells, checked, path_of, source

EACH = [each.id for each in exercises()]
ENGLISH = re.compile(r"\b[a-z]{2,},? [a-z]{2,},? [a-z]{2,}\b")
VALUES = re.compile(r"'[^']*'|`[^`]*`|입력이 .*|예외가 발생합니다.*")
"""In a Korean verdict, what is as the learner's object gave it."""

WRONG = [
    pytest.param(id_, learner, id=f"{id_} {getattr(learner, '__name__', learner)!s}")
    for notebook in NOTEBOOKS
    for id_, made in mistakes_of(notebook).items()
    for learner in made
]


@pytest.fixture(autouse=True)
def made_up_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of the dev questions, which would need the documents loaded."""
    monkeypatch.setattr(catalog, "dev_questions", lambda: [asked(number) for number in range(12)])


def asked(number: int) -> SearchedQuestion:
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
    return SearchedQuestion(question, made)


@pytest.mark.parametrize("id_", EACH)
def test_the_solution_is_accepted(id_: str) -> None:
    verdict, title = judge(exercise_named(id_), checked(id_[:2], "solution")[id_]), exercise_named(id_).title
    assert str(verdict) == f"✓ {id_} right: {title}"


def test_a_fusion_with_equal_scores_is_right_however_floats_round_them() -> None:
    def from_the_median(scores: dict[str, float]) -> dict[str, float]:
        middle = median(scores.values())
        spread = median(abs(score - middle) for score in scores.values())
        return {id_: (score - middle) / spread for id_, score in scores.items()}

    def fused(lists: list[dict[str, float]]) -> dict[str, float]:
        scaled = [from_the_median(scores) for scores in lists if scores]
        ids = dict.fromkeys(id_ for scores in scaled for id_ in scores)
        return {id_: sum(scores.get(id_, min(scores.values())) for scores in scaled) for id_ in ids}

    assert judge(exercise_named("03.6"), fused).right


def test_an_order_worse_than_the_given_one_is_wrong_and_the_given_one_nearly_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions = [asked(number) for number in range(12)]
    for question in questions:
        question.documents[10].legs["meaning"] = 2.0  # the gold is first
    monkeypatch.setattr(catalog, "dev_questions", lambda: questions)
    orders = lambda _, documents: sorted(documents, key=lambda each: each.score), lambda _, documents: documents
    levels = [judge(exercise_named("04.5"), order).level for order in orders]
    assert levels == ["wrong", "nearly right"]


@pytest.mark.parametrize(("id_", "learner"), WRONG)
def test_a_mistake_is_found_and_named(id_: str, learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "ko")
    impatient = replace(exercise_named(id_), seconds=3)
    verdict = judge(impatient, learner)
    assert not verdict.right
    assert verdict.message
    assert not ENGLISH.search(VALUES.sub("", verdict.message))


def test_each_exercise_has_a_mistake() -> None:
    assert {id_ for notebook in NOTEBOOKS for id_ in mistakes_of(notebook)} == {*EACH}


@pytest.mark.parametrize("id_", EACH)
def test_the_stub_of_the_notebook_is_not_attempted_if_it_has_no_code_and_else_wrong_each_time(id_: str) -> None:
    stub, each = checked(id_[:2], "exercise")[id_], exercise_named(id_)
    (code,) = (source(cell) for cell in cells(id_[:2], "exercise") if f'"{id_}"' in source(cell))
    first, second = judge(each, stub), judge(each, stub)
    assert not first.right
    assert str(first) == str(second)
    assert (first.level == "not attempted") == bool(re.search(r"^ +\.\.\.$|, \.\.\.\)", code, re.M))


@pytest.mark.parametrize("id_", EACH)
def test_hints_come_in_steps_and_do_not_tell_the_answer(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_hints_shown", Counter())  # another test may have asked for a hint
    each, solution = exercise_named(id_), checked(id_[:2], "solution")[id_]
    assert len(each.hints) >= 2
    assert [hint(id_) for _ in each.hints] == [
        f"{id_}, hint {step} of {len(each.hints)}: {text}" for step, text in enumerate(each.hints, 1)
    ]
    answers = [str(solution)] if isinstance(solution, int | float | str) else []
    assert not [text for text in each.hints for answer in answers if re.search(rf"\b{re.escape(answer)}\b", text)]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_has_three_to_six_exercises_each_with_its_solution(notebook: str) -> None:
    ids = [each.id for each in exercises(notebook)]
    assert 3 <= len(ids) <= 6
    assert list(checked(notebook, "exercise")) == ids == list(checked(notebook, "solution"))


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_solution_is_hidden_and_the_notebook_ends_in_its_progress(notebook: str) -> None:
    assert all(cell["metadata"]["jupyter"] == {"source_hidden": True} for cell in cells(notebook, "solution"))
    assert source(cells(notebook)[-1]) == f'progress("{notebook}")'


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_an_explanation_is_tagged_as_a_solution_so_that_class_copies_leave_it_out(notebook: str) -> None:
    texts = [cell for cell in nbformat.read(path_of(notebook), as_version=4).cells if "<summary>Why" in cell.source]
    assert texts
    assert [cell.id for cell in texts if "solution" not in cell.metadata.get("tags", [])] == []


def test_each_task_names_its_kind_and_every_kind_exists() -> None:
    kinds = {
        id_: re.search(rf"\*\*{re.escape(id_)}\*\* · \*(\w+)\* · ", path_of(id_[:2]).read_text(encoding="utf-8"))
        for id_ in EACH
    }
    assert [id_ for id_, found in kinds.items() if not found] == []
    assert {found[1] for found in kinds.values() if found} == {"predict", "fill", "fix", "build"}


def test_what_is_built_in_an_exercise_becomes_a_stage_or_its_memory_and_is_measured_on_dev() -> None:
    """The cell that does it comes after the solution. An exact search is compared by the ids that it finds."""
    built = {}
    for number in NOTEBOOKS:
        for id_ in re.findall(r"\*\*(\d\d\.\d)\*\* · \*build\*", path_of(number).read_text(encoding="utf-8")):
            after = [source(cell) for cell in cells(number)]
            after = after[next(place for place, code in enumerate(after) if f'check("{id_}"' in code) :]
            built[id_] = "\n".join(code for code in after if f'solved("{id_}"' in code)
    assert len({id_[:2] for id_ in built}) >= 8
    assert [
        id_
        for id_, code in built.items()
        if not re.search(r"evaluate|compare_records|summarise|measure\(|compression|searched|document\.id", code)
    ] == []
