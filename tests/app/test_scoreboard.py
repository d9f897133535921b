"""The scoreboard: nothing yet, a stored run with what moved in it, and a run from the page that can be stopped."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Evaluation, moved
from lessons.evaluate.gates import gate_report
from lessons.evaluate.runs import delete, load, runs, save
from lessons.pages import scoreboard as board
from lessons.pages.scoreboard import UNEXPECTED, Running
from lessons.tables import plain
from lessons.workspace import workspace
from tests.evaluate.records import evaluation
from tests.support.app import press, shown


def scoreboard_script() -> None:
    from lessons.pages import scoreboard

    scoreboard.page()


@pytest.fixture
def scoreboard(shop: None) -> AppTest:
    """The page before anything is stored."""
    for row in runs(workspace().engine):
        delete(row.id, workspace().engine)
    return AppTest.from_function(scoreboard_script, default_timeout=120)


def measured(work: Callable[..., Evaluation]) -> Running:
    """How a run ends whose evaluation is `work`."""
    made = Running()
    board._measure(made, work, workspace())
    return made


def two_stages() -> Evaluation:
    return evaluation({"naive": [0.0, 1.0, 1.0], "smart": [1.0, 0.0, 1.0]}, "correctness")


def test_before_anything_is_measured_the_page_says_how_to(scoreboard: AppTest) -> None:
    page = scoreboard.run()
    assert not page.exception
    assert "Nothing has been measured yet" in page.info[0].value


def test_a_stored_run_shows_its_intervals_and_gains(scoreboard: AppTest) -> None:
    save(two_stages(), workspace().engine)
    page = scoreboard.run()
    assert not page.exception
    table = page.dataframe[0].value
    assert list(table.columns) == ["", "naive", "smart"]
    assert table.set_index("")["naive"]["recall@5"] == two_stages().summary("naive").with_interval("recall@5")
    assert plain(str(two_stages().gains(["recall@5"])[0])) in shown(page)
    assert plain(str(gate_report(two_stages())[-1])) in shown(page)


def test_what_is_drawn_by_category_and_language_is_told_in_numbers(scoreboard: AppTest) -> None:
    run = two_stages()
    save(run, workspace().engine)
    tables = scoreboard.run().dataframe
    for by in ("category", "language"):
        rows = next(table.value.set_index(by) for table in tables if table.value.columns[0] == by)
        assert list(rows.index) == run.groups(by)
        for name in run.groups(by):
            assert rows["smart"][name] == run.summary("smart", **{by: name}).with_interval("recall@5")


def test_the_questions_that_moved_are_listed_best_first(scoreboard: AppTest) -> None:
    save(two_stages(), workspace().engine)
    page = scoreboard.run()
    assert "1 up, 1 down" in shown(page)
    assert list(page.dataframe[-1].value["smart"]) == [1.0, 0.0]
    assert [new.question_id for _, new in moved(two_stages(), "naive", "smart", "correctness")] == ["q0", "q1"]


def test_a_run_is_deleted_only_after_it_is_confirmed(scoreboard: AppTest) -> None:
    first, second = save(two_stages(), workspace().engine), save(two_stages(), workspace().engine)
    page = scoreboard.run()
    assert page.selectbox(key="run").value == second
    page = press(page, "Delete it")
    assert [row.id for row in runs(workspace().engine)] == [first]
    assert page.selectbox(key="run").value == first


def test_a_run_in_the_background_tells_how_far_it_is_and_is_stored() -> None:
    def work(watch: Callable[..., None]) -> Evaluation:
        watch("Asking", 1, 4)
        return two_stages()

    made = measured(work)
    assert (made.label, made.share, made.problem) == ("Asking, 1 of 4", 0.25, None)
    assert made.number is not None
    assert load(made.number, workspace().engine).records == two_stages().records


def test_a_stopped_run_ends_at_the_next_question_and_stores_nothing() -> None:
    before = len(runs(workspace().engine))

    def work(watch: Callable[..., None]) -> Any:
        made.stop()
        watch("Asking", 1, 4)

    made = Running()
    board._measure(made, work, workspace())
    assert made.ended
    assert "stopped" in (made.problem or "")
    assert len(runs(workspace().engine)) == before


@pytest.mark.parametrize(
    ("error", "told"), [(LessonsError("data/corpus is gone."), "data/corpus is gone."), (RuntimeError("x"), UNEXPECTED)]
)
def test_a_run_that_fails_says_why(error: Exception, told: str) -> None:
    def work(*_: object, **__: object) -> Any:
        raise error

    assert measured(work).problem == told


def test_a_run_under_way_is_shown_to_every_tab_and_only_its_owner_may_stop_it(scoreboard: AppTest) -> None:
    board.current().append(Running("Asking, 1 of 4", 0.25, owner="joon"))
    try:
        page = scoreboard.run()
        assert not page.exception
        assert "Stop measuring" not in [button.label for button in page.button]
        board.current()[0].owner = None
        page = press(scoreboard.run(), "Stop measuring")
        assert board.current()[0]._stop.is_set()
    finally:
        board.current().clear()
