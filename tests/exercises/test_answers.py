"""Answers that a reader really types: right in another form, nearly right, and of a kind that nobody asked for."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lessons.exercises import catalog
from lessons.exercises.catalog import exercise_named, exercises
from lessons.exercises.checking import judge
from tests.exercises.notebook import checked

RIGHT = [
    ("00.1", "B"),
    ("00.1", " (b) "),
    ("00.1", "(b) The document says so."),
    ("01.1", ["a"]),
    ("03.1", 61.0),
    ("03.1", np.int64(61)),
    ("04.1", [1, 0.5]),
    ("04.1", np.array([1.0, 0.5])),
    ("06.1", 1_000),
    ("08.1", np.array(11)),
    ("13.1", "ACD"),
    ("13.1", "a, c, d"),
    ("13.1", "a, c and d"),
    ("13.1", ("a", "c", "d")),
    ("13.1", {"d", "c", "a"}),
    ("14.1", 307),
    ("14.1", np.float32(307.2)),
]

NEARLY = [
    ("03.1", "61", "comes as a text"),
    ("04.1", (0.5, 1.0), "the other way round"),
    ("04.1", (100, 50), "100 times too large"),
    ("05.1", (2, 5), "the other way round"),
    ("13.1", "dca", "in another order"),
    ("13.1", "ac", "worse than the margin"),
    ("14.1", 307_200, "1,000 times too large"),
    ("14.1", 286.1, "GiB"),
    ("14.1", "307.2", "comes as a text"),
]

ODD = [None, 3, "x", [], {"a"}, {}, (None, None), True, float("nan"), np.array(3.0), object, SimpleNamespace()]


def by(id_: str, change: Any) -> Any:
    """The notebook's solution, and what the change makes of what it gives."""
    solution = checked(id_[:2], "solution")[id_]
    return lambda *given: change(solution(*given))


ALIKE = [
    ("00.2", tuple),
    ("01.2", np.float64),
    ("01.3", np.array),
    ("03.2", Counter),
    ("03.5", lambda pair: pair and [*pair]),
    ("09.2", np.array),
    ("13.3", float),
    ("13.4", lambda pair: [set(half) for half in pair]),
    ("14.4", tuple),
    ("16.4", np.array),
]

CHANGED = [
    ("00.2", set, "it is a set, not a list"),
    ("00.2", lambda found: [str(each) for each in found], "as texts"),
    ("00.2", dict.fromkeys, "it is a dict, not a list"),
    ("00.4", lambda dollars: dollars / 1000, "1,000 times too small"),
    ("01.2", lambda cosine: -cosine, "its sign"),
    ("01.2", lambda cosine: round(cosine, 3), "it is rounded"),
    ("01.3", lambda places: [place + 1 for place in places], "one too large"),
    ("01.4", lambda windows: windows[:-1], "the last one is missing"),
    ("03.2", lambda fused: sorted(fused.items()), "it is a list, not a dict"),
    ("03.5", lambda pair: pair and pair[::-1], "the other way round"),
    ("04.4", lambda order: order[::-1], "the other way round"),
    ("06.2", lambda share: 100 * share, "100 times too large"),
    ("06.4", lambda pair: pair[::-1], "the higher end comes first"),
    ("06.4", lambda pair: (-pair[1], -pair[0]), "before minus after"),
    ("06.4", lambda pair: (pair[0] - (pair[1] - pair[0]) / 4, pair[1]), "too wide"),
    ("06.4", lambda pair: (pair[0] + (pair[1] - pair[0]) / 8, pair[1] + (pair[1] - pair[0]) / 8), "draw more often"),
    ("07.3", sorted, "it is a list, not a set"),
    ("07.5", str.title, "capitals"),
    ("08.2", lambda messages: messages[::-1], "the other way round"),
    ("09.1", iter, "not a list"),
    ("13.3", lambda count: count - 1, "rounded down"),
    ("13.4", lambda pair: (pair[0], pair[1][1:]), "are in no list"),
    ("14.4", lambda placed: [each for each in placed if each] + [[]] * 9, "lists for 4 servers"),
    ("14.4", lambda placed: [placed[0] * 2, *placed[1:]], "on two servers"),
]


def verdict_on(id_: str, learner: Any) -> Any:
    return judge(replace(exercise_named(id_), seconds=3), learner)


@pytest.mark.parametrize(("id_", "answer"), RIGHT)
def test_a_right_answer_is_right_however_it_is_written(id_: str, answer: Any) -> None:
    assert verdict_on(id_, answer).right


@pytest.mark.parametrize(("id_", "change"), ALIKE)
def test_a_right_result_of_another_type_is_right(id_: str, change: Any) -> None:
    assert verdict_on(id_, by(id_, change)).right


@pytest.mark.parametrize(("id_", "answer", "hint"), NEARLY)
def test_an_answer_that_is_nearly_right_is_told_what_is_off(id_: str, answer: Any, hint: str) -> None:
    verdict = verdict_on(id_, answer)
    assert (verdict.level, hint in verdict.message) == ("nearly right", True), verdict


@pytest.mark.parametrize(("id_", "change", "hint"), CHANGED)
def test_a_result_that_is_nearly_right_is_told_what_is_off(id_: str, change: Any, hint: str) -> None:
    verdict = verdict_on(id_, by(id_, change))
    assert (verdict.level, hint in verdict.message) == ("nearly right", True), verdict


@pytest.mark.parametrize(("id_", "off", "slip"), [(each.id, *slip) for each in exercises() for slip in each.slips])
def test_a_known_slip_is_nearly_right_under_its_own_hint(id_: str, off: str, slip: Any) -> None:
    plain = next(iter(exercise_named(id_).cases))  # type: ignore[arg-type]
    verdict = verdict_on(id_, slip if plain.arguments is None else lambda *given: slip)
    assert (verdict.level, off in verdict.message) == ("nearly right", True), verdict


@pytest.mark.parametrize("id_", [each.id for each in exercises()])
def test_what_nobody_asked_for_gets_a_sentence_and_no_error(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "dev_questions", list)
    for odd in ODD:
        for learner in (odd, lambda *given, odd=odd: odd):
            assert judge(exercise_named(id_), learner).message


def test_a_hint_does_not_tell_the_answer() -> None:
    slipped = [each for each in exercises() if each.slips]
    plain = [(each.slips, case) for each in slipped for case in each.cases if case.arguments is None]
    pairs = [(slip, str(case.expected)) for slips, case in plain for slip, _ in slips]
    assert len(pairs) >= 10
    assert [(slip, answer) for slip, answer in pairs if answer in slip] == []
