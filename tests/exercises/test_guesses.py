"""Predictions in the notebooks: what is stored and said before and after the answer, and how they are scored."""

import json
import re

import numpy as np
import pytest

from lessons.errors import DatabaseError, LessonsError
from lessons.exercises import calibration, checking, guess, guesses, progress, settle
from lessons.exercises.catalog import NOTEBOOKS
from lessons.exercises.guesses import FILE, brier, questions
from tests.exercises.notebook import cells, path_of, source

YES_OR_NO, NUMBERS, NAMES = "04.A", "00.B", "16.A"


@pytest.fixture(autouse=True)
def new_reader(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    chosen = checking.settings().model_copy(update={"user": request.node.name})
    for module in (checking, guesses):
        monkeypatch.setattr(module, "settings", lambda: chosen)


@pytest.fixture
def korean_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGUAGE", raising=False)
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")


def note_of(*arguments: object, **sure: float) -> str:
    """The sentence below the options."""
    return guess(*arguments, **sure).rows[-1][-1]  # type: ignore[arg-type]


def test_every_text_stands_in_both_languages() -> None:
    for item in json.loads(FILE.read_text(encoding="utf-8")).values():
        assert {*item["question"]} == {"en", "ko"}
        assert all(re.search("[가-힣]", text["ko"]) for text in item.get("options", {}).values() if text)
        assert re.search("[가-힣]", item["question"]["ko"])


@pytest.mark.parametrize("given", [{}, {"choice": "yes"}, {"sure": 0.8}])
def test_a_stub_shows_the_question_with_its_options_and_how_to_fill_it_in(given: dict) -> None:
    shown = guess(YES_OR_NO, **given)
    assert str(shown).splitlines()[1:3] == ["yes | ", "no | "]
    assert "sure=0.7" in str(shown)
    assert questions()[YES_OR_NO]["question"]["en"] in shown._repr_html_()


@pytest.mark.parametrize(
    ("choice", "sure", "part"), [("maybe", 0.5, "yes, no"), ("yes", 80, "from 0 to 1"), ("yes", -0.1, "from 0 to 1")]
)
def test_no_option_and_no_probability_are_rejected(choice: str, sure: float, part: str) -> None:
    with pytest.raises(LessonsError, match=part):
        guess(YES_OR_NO, choice, sure=sure)


def test_an_unknown_question_is_rejected() -> None:
    with pytest.raises(LessonsError, match=r"under '99.A'"):
        settle("99.A", True)


@pytest.mark.usefixtures("database")
class TestStored:
    """On the real database."""

    def test_a_prediction_tells_nothing_before_it_is_settled(self, capsys: pytest.CaptureFixture[str]) -> None:
        before = progress("04").rows
        assert note_of(YES_OR_NO, "no", sure=0.8) == "Your prediction: no, 80% sure."
        assert capsys.readouterr().out == ""
        assert progress("04").rows == before

    @pytest.mark.parametrize(
        ("truth", "line"),
        [
            (False, "04.A ✓ right: no; you were 80% sure"),
            (np.bool_(True), "04.A ✗ wrong: it is yes; you said no and were 80% sure"),
        ],
    )
    def test_settling_says_whether_it_was_right(
        self, truth: bool, line: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        guess(YES_OR_NO, False, sure=0.8)
        settle(YES_OR_NO, truth)
        assert capsys.readouterr().out == f"{line}\n"

    @pytest.mark.parametrize(("measured", "right"), [(6, True), (4.4, False), (np.float64(7.9), True), (100, False)])
    def test_of_options_that_are_numbers_the_nearest_is_right(
        self, measured: float, right: bool, capsys: pytest.CaptureFixture[str]
    ) -> None:
        guess(NUMBERS, 6, sure=0.5)
        settle(NUMBERS, measured)
        assert ("right" in capsys.readouterr().out) == right

    def test_the_meaning_of_an_option_stands_for_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        guess(NAMES, "terms", sure=0.5)
        settle(NAMES, "용어")
        assert "right" in capsys.readouterr().out

    def test_what_no_option_names_is_shown_as_it_was_measured(self, capsys: pytest.CaptureFixture[str]) -> None:
        guess(NAMES, "walk", sure=0.5)
        settle(NAMES, "neither")
        assert "it is neither; you said walk" in capsys.readouterr().out

    def test_without_a_prediction_nothing_is_said_or_stored(self, capsys: pytest.CaptureFixture[str]) -> None:
        settle(YES_OR_NO, True)
        assert capsys.readouterr().out == ""
        assert note_of(YES_OR_NO, "no", sure=0.6) == "Your prediction: no, 60% sure."

    def test_it_may_be_changed_until_it_is_settled_and_then_the_first_stays(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        guess(YES_OR_NO, "no", sure=0.6)
        guess(YES_OR_NO, "yes", sure=0.7)
        settle(YES_OR_NO, False)
        assert note_of(YES_OR_NO, "no", sure=1) == ("You know the answer; your first prediction stays: yes, 70% sure.")
        settle(YES_OR_NO, True)
        line = "04.A ✗ wrong: it is no; you said yes and were 70% sure"
        assert capsys.readouterr().out.splitlines() == [line, line]

    def test_predictions_are_ones_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        guess(YES_OR_NO, "no", sure=0.6)
        other = guesses.settings().model_copy(update={"user": "somebody else"})
        monkeypatch.setattr(guesses, "settings", lambda: other)
        assert guesses._guesses("") == []

    def test_progress_counts_and_scores_them_and_shows_the_wrong_ones_surest_first(self) -> None:
        before = progress("04").rows
        for id_, sure, truth in (("04.A", 0.6, False), ("04.B", 0.9, False), ("04.C", 0.8, True)):
            guess(id_, "yes", sure=sure)
            settle(id_, truth)
        guess("05.A", "yes", sure=0.5)
        summary, *wrong = progress("04").rows[len(before) :]
        # (0.6² + 0.9² + 0.2²) / 3 = 0.403
        assert summary[1:] == [
            "predictions: 3, right: 1, on average 77% sure",
            "Brier score 0.40 (perfect: 0, a coin: 0.25)",
        ]
        assert [row[0] for row in wrong] == ["04.B", "04.A"]
        assert wrong[0][2] == "✗ wrong: it is no; you said yes and were 90% sure"
        assert "04.B" in str(progress())

    def test_a_reader_of_korean_gets_korean(self, korean_shell: None, capsys: pytest.CaptureFixture[str]) -> None:
        assert guess(YES_OR_NO).rows[0] == ["yes", "예"]
        assert note_of(YES_OR_NO, "no", sure=0.9) == "예상: 아니요, 확신 90%."
        settle(YES_OR_NO, True)
        assert capsys.readouterr().out == "04.A ✗ 틀렸습니다. 결과: 예, 예상: 아니요, 확신 90%\n"
        assert "브라이어 점수" in str(progress("04"))
        with pytest.raises(LessonsError) as error:
            guess(YES_OR_NO, "maybe", sure=0.5)
        assert re.search("[가-힣]", guesses._(str(error.value)))

    def test_the_plot_has_a_point_for_each_tenth_with_its_number(self) -> None:
        for id_, sure in (("04.A", 0.62), ("04.B", 0.68), ("04.C", 1.0)):
            guess(id_, "yes", sure=sure)
            settle(id_, id_ != "04.A")
        axes = calibration().axes[0]
        points = [(round(line.get_xdata()[0], 2), line.get_ydata()[0]) for line in axes.lines[1:]]
        assert points == [(0.65, 0.5), (1.0, 1.0)]
        assert [text.get_text() for text in axes.texts] == ["2", "1"]


def test_the_plot_of_no_predictions_is_the_diagonal() -> None:
    assert len(calibration().axes[0].lines) == 1


def test_without_a_database_nothing_breaks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def dead(*_: object) -> None:
        raise DatabaseError("The database cannot be reached.")

    monkeypatch.setattr(guesses, "ensure_owned", dead)
    assert "not stored" in note_of(YES_OR_NO, "yes", sure=0.7)
    settle(YES_OR_NO, True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("sure", "right", "score"),
    [([1, 1], [1, 1], 0), ([1, 1], [0, 0], 1), ([0.5, 0.5], [1, 0], 0.25), ([0.9, 0.7, 0.6], [1, 0, 1], 0.22)],
)
def test_the_brier_score_is_the_mean_squared_difference(sure: list[float], right: list[int], score: float) -> None:
    assert brier(np.array(sure), np.array(right, dtype=bool)) == pytest.approx(score)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_asks_two_to_four_times_and_each_question_is_settled_in_a_later_cell(notebook: str) -> None:
    code = [source(cell) for cell in cells(notebook)]
    ids = [id_ for id_ in questions() if id_.startswith(notebook)]
    assert 2 <= len(ids) <= 4
    for id_ in ids:
        (asked,) = [number for number, text in enumerate(code) if f'guess("{id_}", ..., sure=...)' in text]
        (answered,) = [number for number, text in enumerate(code) if f'settle("{id_}", ' in text]
        assert asked < answered


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_prediction_that_the_text_asks_for_is_made_in_the_next_cell(notebook: str) -> None:
    every = json.loads(path_of(notebook).read_text(encoding="utf-8"))["cells"]
    asking = [at for at, cell in enumerate(every) if re.search(r"\bPredict\b", source(cell))]
    assert [every[at]["id"] for at in asking if "guess(" not in source(every[at + 1])] == []


def test_no_other_cell_asks_or_settles() -> None:
    text = "\n".join(source(cell) for notebook in NOTEBOOKS for cell in cells(notebook))
    assert {*re.findall(r'(?:guess|settle)\("([^"]+)"', text)} == {*questions()}
