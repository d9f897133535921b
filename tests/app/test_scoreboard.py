"""The scoreboard: nothing yet, a stored run with what moved in it, and a run from the page that can be stopped."""

import re
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import (
    COMPARED,
    OUTCOMES,
    UNANSWERABLE,
    WITH_EVIDENCE,
    Evaluation,
    compare_records,
)
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.run import evaluate
from lessons.evaluate.runs import delete, runs, save, shipped
from lessons.models.recorded import read_record, record_path
from lessons.pages.common import UNEXPECTED, Work
from lessons.pages.runs import Board, current
from lessons.pages.scoreboard import conclusion
from lessons.rag.workspace import workspace
from lessons.settings import ROOT, settings
from lessons.stages import stages
from lessons.tables import plain
from tests.evaluate.records import evaluation
from tests.support.app import away, press, shown

RUN, RECORDED = "keyless-test", "Qwen-Coder-test"


def scoreboard_script() -> None:
    from lessons.pages import scoreboard

    scoreboard.page()


@pytest.fixture
def scoreboard(shop: None) -> AppTest:
    """The page before anything is stored."""
    for row in runs(workspace().engine):
        delete(row.id, workspace().engine)
    return AppTest.from_function(scoreboard_script, default_timeout=120)


def ended(work: Callable[[Work], Any]) -> Work:
    """The work after its end."""
    done = Work(work)
    done.join(120)
    return done


def two_stages() -> Evaluation:
    return evaluation({"naive": [0.0, 1.0, 1.0], "smart": [1.0, 0.0, 1.0]}, "correctness")


def test_before_anything_is_measured_the_page_is_full_with_a_reference_run(scoreboard: AppTest) -> None:
    page = scoreboard.run()
    assert not page.exception
    assert page.selectbox(key="run").value == "keyless-test"
    assert "Delete it" not in [button.label for button in page.button]
    run = shipped()[RUN]
    assert page.dataframe[0].value.set_index("")["smart"]["recall@5"] == run.summary("smart").with_interval("recall@5")


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_reference_run_answers_every_question_of_its_split_by_every_stage(split: str) -> None:
    run = shipped()[f"keyless-{split}"]
    asked = {golden.id: golden.question for golden in golden_questions(split)}
    for stage in stages():
        assert {record.question_id: record.question for record in run.of(stage)} == asked


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_table_of_the_readme_is_that_of_the_reference_run() -> None:
    readme, run = text_of("README.md"), shipped()[RUN]
    for stage in stages():
        mean = run.summary(stage)
        values = [mean.with_interval("all@2500tok"), mean.outcomes, f"{mean.tokens:,.0f}"]
        assert re.search(rf"\| {stage.capitalize()} \| [^|]+ \| {re.escape(' | '.join(values))} \|", readme)
    assert any(gain.verdict == "better" and f"({gain.change})" in readme for gain in run.gains(["all@2500tok"]))
    ratios = [run.summary(stage).tokens / run.summary("smart").tokens for stage in ("reranked", "agentic")]
    assert "at {:.1f} and {:.1f} times its tokens".format(*ratios) in " ".join(readme.split())


def test_the_page_of_the_reference_runs_has_all_their_numbers() -> None:
    page = text_of("data/runs/README.md")
    for stage in stages():
        mean = shipped()[RUN].summary(stage)
        values = [mean.with_interval(name) for name in ("recall@5", "all@1000tok", "all@2500tok", "correctness")]
        values += [mean.outcomes, f"{mean.means[UNANSWERABLE]:.2f}"]
        assert f"| {stage.capitalize()} | {' | '.join(values)} | {mean.tokens:,.0f} |" in page
    given = shipped()[RUN].summary(WITH_EVIDENCE)
    half_points, invented = (f"{given.means[name]:.2f}" for name in ("correctness", UNANSWERABLE))
    assert f"| *given the evidence* | | | | {half_points} | {given.outcomes} | {invented} | |" in page
    assert f"the keyless model scores {half_points}:" in page
    gain = compare_records(shipped()[RUN].of("naive"), shipped()[RUN].of("smart"), "correctness", "naive", "smart")
    assert f"(half points {gain.change})" in page


def test_the_page_of_the_reference_runs_has_the_questions_over_several_passages_apart() -> None:
    page, run = text_of("data/runs/README.md"), shipped()["keyless-multihop-test"]
    for stage in stages():
        kinds = [run.summary(stage), *(run.summary(stage, category=kind) for kind in run.groups("category"))]
        values = " | ".join(f"{each.means['all@10']:.2f}" for each in kinds)
        assert f"| {stage.capitalize()} | {values} | {kinds[0].tokens:,.0f} |" in page
    for gain in run.gains(["all@10"]):
        assert gain.change in page or gain.verdict not in ("better", "worse")


def test_the_page_of_records_says_how_often_the_recorded_model_was_right() -> None:
    page, run = " ".join(text_of("data/recorded/README.md").split()), shipped()[RECORDED]
    naive, smart = (f"{run.summary(stage).means['right']:.2f}" for stage in ("naive", "smart"))
    assert f"right on {naive} (Naive) to {smart} (Smart) of the questions that have an answer" in page
    assert f"and on {run.mean_with_evidence('right'):.2f} with the evidence in its hands" in page
    record = read_record(record_path("qwen2.5-coder-1.5b-instruct-q4_k_m", settings().recorded_dir))
    assert f"in {len(record.replies)} replies" in page


def test_a_run_is_compared_with_a_reference_run_by_question_and_interval(scoreboard: AppTest) -> None:
    base = shipped()[RUN]
    worse = [replace(each, metrics=each.metrics | {"correctness": 0.0}) for each in base.of("smart")]
    number = save(replace(base, records=tuple(worse)), workspace().engine)
    page = scoreboard.run()
    page.selectbox(key="compared-with").set_value("keyless-test").run()
    assert not page.exception
    old, new = "smart (keyless-test)", f"smart (run {number})"
    gain = compare_records(base.of("smart"), worse, "correctness", old, new)
    assert plain(str(gain)) in shown(page)
    assert gain.verdict == "worse"
    table = page.dataframe[-1].value
    assert list(table.columns) == [old, new, "question"]
    lost = [{"✓": 1.0, "◐": 0.5}.get(sign, 0.0) for sign in table[old]]
    assert lost == sorted(lost, reverse=True)
    assert {*lost} == {1.0, 0.5, 0.0}


def test_a_question_is_nobody_s_to_translate(scoreboard: AppTest) -> None:
    made = evaluation({"naive": [0.0], "smart": [1.0]}, "correctness")
    asked = tuple(replace(each, question="summary", category="summary") for each in made.records)
    save(replace(made, records=asked), workspace().engine)
    scoreboard.query_params["lang"] = "ko"
    table = scoreboard.run().dataframe[-1].value
    assert list(table["질문"]) == ["summary"]


def test_what_a_run_is_compared_with_stays_when_another_run_is_chosen(scoreboard: AppTest) -> None:
    first, second = (save(two_stages(), workspace().engine) for _ in range(2))
    page = scoreboard.run()
    page.selectbox(key="compared-with").set_value("keyless-test").run()
    page.selectbox(key="run").set_value(first).run()
    assert page.selectbox(key="compared-with").value == "keyless-test"
    assert page.selectbox(key="run").value == first != second


def test_every_question_has_a_sign_for_each_stage(scoreboard: AppTest) -> None:
    made = evaluation({"naive": [0.0, 0.5, 1.0], "smart": [1.0, 0.0, 0.0]}, "correctness")
    save(made, workspace().engine)
    page = scoreboard.run()
    table = page.dataframe[-1].value
    assert (list(table["naive"]), list(table["smart"])) == (["✗", "◐", "✓"], ["✓", "✗", "✗"])


def test_the_scoreboard_begins_with_what_it_comes_to_and_bold_is_what_is_shown(scoreboard: AppTest) -> None:
    page, run = scoreboard.run(), shipped()[RUN]
    sentence = conclusion(Board(RUN, run))
    assert page.info[0].value == plain(sentence)
    assert "Smart is better than Enhanced: recall@5" in sentence
    assert (
        "Not shown to be better: Enhanced than Naive by recall@5 (at 0.7 times the tokens), Reranked than" in sentence
    )
    better = {gain.candidate for gain in run.gains(COMPARED) if gain.verdict == "better"}
    assert "Bold: shown to be better than a stage before" in shown(page)
    styles = page.dataframe[0].proto.arrow_data.styler.styles
    styled = set(re.findall(r"#T_\w+_row\d+_col(\d+)", styles))
    columns = [*page.dataframe[0].value.columns]
    assert {columns[int(number)] for number in styled} == better


def test_a_click_on_the_scoreboard_computes_nothing_again(scoreboard: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    page = scoreboard.run()
    monkeypatch.setattr("lessons.evaluate.evaluation.interval", away)
    monkeypatch.setattr("lessons.pages.runs.draw", away)
    page.selectbox(key="metric").set_value(page.selectbox(key="metric").value).run()
    assert not page.exception
    assert not page.error


def test_runs_without_a_common_question_say_so(scoreboard: AppTest) -> None:
    number = save(two_stages(), workspace().engine)
    page = scoreboard.run()
    page.selectbox(key="compared-with").set_value("keyless-test").run()
    assert page.selectbox(key="run").value == number
    assert "no question in common" in page.info[-1].value


def test_a_stored_run_shows_its_intervals_and_gains(scoreboard: AppTest) -> None:
    save(two_stages(), workspace().engine)
    page = scoreboard.run()
    assert not page.exception
    table = page.dataframe[0].value
    assert list(table.columns) == ["", "naive", "smart"]
    meant = "\n".join(caption.value for caption in scoreboard.caption)
    assert plain("share of the evidence among the first 5 chunks") in meant
    assert table.set_index("")["naive"]["recall@5"] == two_stages().summary("naive").with_interval("recall@5")
    gain = str(two_stages().gains(["recall@5"])[0])
    assert plain(gain.removeprefix("recall@5: ")) in shown(page)
    assert plain(str(gate_report(two_stages())[-1])) in shown(page)


def test_a_run_shows_the_four_outcomes_and_answers_where_there_are_none(scoreboard: AppTest) -> None:
    page = scoreboard.run()
    table, run = page.dataframe[0].value.set_index(""), shipped()[RUN]
    for name in (*OUTCOMES, UNANSWERABLE, "belonging"):
        assert table["smart"][run.label(name)] == run.summary("smart").with_interval(name)
    assert not {"strict (fully right)", "refusal prec.", "refusal recall"} & {*table.index}
    scoreboard.query_params["lang"] = "ko"
    names = [*scoreboard.run().dataframe[0].value[""]]
    assert {"정답", "부분 정답", "답변 거절", "오답", "오답(문서에 답 없음)"} <= {*names}


def test_a_metric_is_told_by_category_and_language(scoreboard: AppTest) -> None:
    run = two_stages()
    save(run, workspace().engine)
    table = scoreboard.run().dataframe[1].value.set_index("")
    for by in ("category", "language"):
        for name in run.groups(by):
            summary = run.summary("smart", **{by: name})
            assert table["smart"][f"{name} ({summary.n})"] == summary.with_interval("recall@5")


def test_a_run_is_deleted_only_after_it_is_confirmed(scoreboard: AppTest) -> None:
    first, second = save(two_stages(), workspace().engine), save(two_stages(), workspace().engine)
    page = scoreboard.run()
    assert page.selectbox(key="run").value == second
    page = press(press(page, "Delete"), "Delete it")
    assert [row.id for row in runs(workspace().engine)] == [first]
    assert page.selectbox(key="run").value == first


def test_work_in_the_background_tells_how_far_it_is_and_what_came_of_it() -> None:
    def work(progress: Work) -> str:
        progress.watch("Asking", 1, 4)
        return "done"

    done = ended(work)
    assert (done.label, done.count, done.total, done.result, done.problem) == ("Asking", 1, 4, "done", "")


def stopped_after(shown: int) -> Work:
    """A run of two stages on two questions of the reader's, stopped when so many answers are there."""
    questions = [Golden(f"own-{at}", "fact", "en", "reader", "When does the kiosk open?", "7:30") for at in range(2)]
    asked = [stages()["naive"], stages()["enhanced"]]

    def work(progress: Work) -> Evaluation:
        def watched(label: str, done: int, total: int) -> None:
            progress.is_stopped = label == "Asking" and done > shown
            progress.watch(label, done, total)

        return evaluate(asked, own_questions=questions, watch=watched, workspace=workspace())

    return ended(work)


def test_a_stopped_run_keeps_what_was_answered_and_says_so(shop: None) -> None:
    run = stopped_after(3).result
    assert [record.stage for record in run.records] == ["naive", "naive", "enhanced"]
    assert "the run was stopped; questions answered: naive 2, enhanced 1." in str(run.remarks)


def test_a_run_that_is_stopped_before_its_first_answer_stores_nothing(shop: None) -> None:
    made = stopped_after(0)
    assert made.result is None
    assert "stopped before there was an answer" in made.problem


@pytest.mark.parametrize(
    ("error", "told"), [(LessonsError("data/corpus is gone."), "data/corpus is gone."), (RuntimeError("x"), UNEXPECTED)]
)
def test_a_run_that_fails_says_why(error: Exception, told: str) -> None:
    def work(*_: object, **__: object) -> Any:
        raise error

    assert ended(work).problem == told


def test_a_run_under_way_is_shown_to_its_owner_who_may_stop_it(scoreboard: AppTest) -> None:
    scoreboard.session_state["question-set"] = "own"
    is_over = Event()

    def under_way() -> Work:
        def work(progress: Work) -> None:
            progress.watch("Asking", 1, 4)
            is_over.wait(240)

        return Work(work)

    current()["joon"] = under_way()
    try:
        assert not scoreboard.run().get("progress")
        current()["reader"] = under_way()
        page = scoreboard.run()
        assert page.get("progress")[0].proto.text == plain("Asking: 1 of 4")
        press(page, "Stop measuring")
        assert [name for name, running in current().items() if running.is_stopped] == ["reader"]
    finally:
        is_over.set()
        current().clear()
