"""What a check says of right, nearly right and wrong objects, and of those that misbehave."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.errors import DatabaseError, LessonsError
from lessons.exercises import check, checking, guesses
from lessons.exercises.cases import Exercise, case
from lessons.exercises.catalog import exercise_named
from lessons.exercises.comparing import same

LARGEST = Exercise(
    "99.1",
    "The largest",
    "a function of a list of numbers",
    [case("there are five numbers", 71, [12, 71, 8, 40, 3]), case("there are none", 0, [])],
    seconds=0.5,
)


def said_of(learner: Any) -> str:
    return str(checking.judge(LARGEST, learner))


def test_a_right_function_is_right() -> None:
    assert said_of(lambda numbers: max(numbers, default=0)) == "✓ 99.1 right: The largest"


def test_one_that_fails_at_the_edge_is_nearly_right_and_the_case_is_named() -> None:
    assert said_of(max).startswith("≈ 99.1 nearly right: It goes wrong when there are none: it raises ValueError")


def test_one_that_fails_in_the_plain_case_is_wrong_and_shown_what_it_returned() -> None:
    said = said_of(lambda numbers: sum(numbers))
    assert said.startswith("✗ 99.1 wrong: The exercise expects a function of a list of numbers. Here, given numbers=[")
    assert said.endswith("given numbers=[12, 71, 8, 40, 3], it returns 134 instead of 71.")


def test_what_is_expected_is_shown_in_the_plain_case_only() -> None:
    assert said_of(lambda numbers: max(numbers, default=-1)).endswith("given numbers=[], it returns -1.")


def test_numbers_are_shown_short() -> None:
    assert "it returns 0.333333 instead of 71" in said_of(lambda numbers: 1 / 3)


@pytest.mark.parametrize(("answer", "level"), [(..., "not attempted"), (3, "wrong")])
def test_a_cell_that_uses_an_exercise_says_that_it_comes_first(
    answer: Any, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checking.solved("04.1", (1.0, 0.5))
    assert not checking.solved("04.1", answer)
    assert capsys.readouterr().out == f"Exercise 04.1 comes first ({level}). Solve it, then run this cell again.\n"


@pytest.mark.parametrize(
    ("learner", "part"),
    [
        (7, "this is a number"),
        (lambda: 3, "it cannot be called with 1 argument"),
        (lambda numbers: print(end="") or None, "nothing has come back yet"),
        (lambda numbers: str(sum(numbers)), "what comes is a text, not a number"),
        (lambda numbers: 1 / 0, "it raises ZeroDivisionError"),
        (lambda numbers: exit(), "it raises SystemExit"),
        (lambda numbers: (numbers.sort(), max(numbers, default=0))[1], "it changes what it is given"),
    ],
)
def test_what_cannot_be_judged_gets_a_sentence(learner: Any, part: str) -> None:
    assert part in said_of(learner)


def untouched(numbers: list[int]) -> int:
    """The largest."""
    ...  # noqa: PIE790


@pytest.mark.parametrize("learner", [..., untouched])
def test_what_nobody_has_touched_was_not_attempted_and_is_not_wrong(learner: Any) -> None:
    assert said_of(learner) == "· 99.1 not attempted: The exercise expects a function of a list of numbers."


def test_an_endless_loop_is_broken_off() -> None:
    rounds = [0]

    def endless(numbers: list[int]) -> int:
        while True:
            with suppress(Exception):
                rounds[0] += 1

    assert "it had not finished after 0.5 seconds" in said_of(endless)
    deadline = time.monotonic() + 5
    while (seen := rounds[0]) != (time.sleep(0.05), rounds[0])[1]:
        assert time.monotonic() < deadline, seen


def test_an_unknown_exercise_is_named_with_those_that_there_are() -> None:
    with pytest.raises(LessonsError, match=r"no exercise '04.99'; this notebook has 04.1, 04.2"):
        check("04.99", max)
    with pytest.raises(LessonsError, match="There are no exercises for '98'"):
        check("98.1", max)


def test_a_verdict_shows_no_html_of_the_learner() -> None:
    assert "<b>x" not in checking.judge(LARGEST, lambda numbers: 1 / int("<b>x"))._repr_html_()


def test_a_dead_database_breaks_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(*_: Any, **__: Any) -> None:
        raise DatabaseError("The database cannot be reached.")

    monkeypatch.setattr(guesses, "ensure_owned", dead)
    assert check("04.1", (1.0, 0.5)).right
    assert "The database cannot be reached." in checking.progress("04").caption


@pytest.mark.usefixtures("database")
class TestProgress:
    """The best verdict is kept."""

    @pytest.fixture(autouse=True)
    def new_learner(self, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
        chosen = checking.settings().model_copy(update={"user": request.node.name})
        for module in (checking, guesses):
            monkeypatch.setattr(module, "settings", lambda: chosen)

    def test_of_a_notebook_names_each_exercise(self) -> None:
        check("04.1", (1.0, 0.5))
        rows = checking.progress("04").rows
        assert rows[0] == ["04.1", exercise_named("04.1").title, "right"]
        assert {row[2] for row in rows[1:]} == {"not attempted"}

    @pytest.mark.parametrize("answers", [[(1.0, 0.5), 3], [3, (1.0, 0.5)]])
    def test_the_best_verdict_stays(self, answers: list[Any]) -> None:
        for answer in answers:
            check("04.1", answer)
        assert checking.progress("04").rows[0][2] == "right"

    @pytest.mark.parametrize(
        ("tags", "kept"), [(["solution"], "not attempted"), (["exercise"], "right"), ([], "right")]
    )
    def test_what_a_solution_cell_gets_is_nobodys_progress(
        self, monkeypatch: pytest.MonkeyPatch, tags: list[str], kept: str
    ) -> None:
        shell = SimpleNamespace(get_parent=lambda: {"metadata": {"tags": tags}})
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
        assert check("04.1", (1.0, 0.5)).right
        assert checking.progress("04").rows[0][2] == kept

    def test_of_all_counts_by_notebook(self) -> None:
        check("04.1", (1.0, 0.5))
        counted = next(row for row in checking.progress().rows if row[0] == "04")
        assert counted[1].startswith("✓ ·")
        assert counted[2].startswith("1 of ")


@given(st.recursive(st.floats(-1e6, 1e6) | st.text() | st.booleans(), lambda inner: st.lists(inner, max_size=4)))
def test_everything_is_the_same_as_itself_and_a_list_as_its_tuple(value: Any) -> None:
    assert same(value, value)
    assert same([value], (value,))
    assert not same([value], [value, value])


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), ("a", ["a"]), (1.0, 1.1), (1.0, 10**400), (1.0, 1j), ({"a": 1}, {"b": 1}), (None, 0)],
)
def test_what_differs_is_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)


def test_a_generator_is_no_list() -> None:
    each: Callable[[Any], Any] = lambda numbers: (number for number in numbers)  # noqa: E731
    assert "an object of type generator" in said_of(each)
