"""The reader's own questions: given, run through stages, shown, exported; and what cannot be used."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from lessons.evaluate.feedback import Rating, Ratings
from lessons.evaluate.question_sets import read_questions
from lessons.evaluate.runs import as_jsonl, delete, load, runs, save
from lessons.pages import runs as board
from lessons.rag.workspace import workspace
from lessons.tables import plain
from tests.evaluate.records import evaluation
from tests.support.app import press, shown
from tests.support.waiting import until

EVIL = "<script>alert(1)</script>![x](http://evil.example)"
SET = f"question,answer\nWhen does the kiosk open?,At 7:30\n키오스크는 몇 시에 닫아요?,18:15\n{EVIL},\n"


def script() -> None:
    from lessons.pages import scoreboard

    scoreboard.page()


def opened() -> AppTest:
    page = AppTest.from_function(script, default_timeout=120)
    page.session_state["question-set"] = "own"
    return page


@pytest.fixture
def page(shop: None) -> Iterator[AppTest]:
    """The page before anything of the reader's is stored."""
    for row in runs(workspace().engine, "reader"):
        if row.user_id:
            delete(row.id, workspace().engine, "reader")
    board.current().clear()
    yield opened()
    board.current().clear()


def runnable(page: AppTest) -> bool:
    return not next(button for button in page.button if button.label == "Run").disabled


def test_before_anything_is_given_the_page_says_how_to(page: AppTest) -> None:
    page.run()
    assert not page.exception
    assert "No questions of yours have been run yet" in page.info[0].value
    press(page, "Run")
    assert "Give at least one question" in page.info[0].value


def test_a_set_is_counted_before_it_is_run(page: AppTest) -> None:
    page.run().text_area(key="own-text").set_value(SET)
    assert plain("3 questions, 2 with an answer, 0 with a source.").replace("\\", "") in shown(page.run())
    assert runnable(page)
    page.pills(key="own-stages").set_value([])
    assert not runnable(page.run())


def test_columns_that_are_ignored_and_files_that_are_no_documents_are_named(page: AppTest) -> None:
    rows = [{"user_input": "When does the kiosk open?", "reference": "7:30", "source": "kiosk.mdd", "persona": "Ida"}]
    page.run().file_uploader[0].set_value(("set.json", json.dumps(rows).encode(), "application/json"))
    warned = [each.value for each in page.run().warning]
    assert [
        plain(told) in said for told, said in zip(["Ignored: persona.", "none named kiosk.mdd"], warned, strict=True)
    ] == [True] * 2
    assert runnable(page)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"", "no question in it"),
        ("a.csv", b"answer\n7:30\n", "no column named question"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "no text that can be read"),
        ("a.txt", b"why?\n" * 10_000, "10,000 questions"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(page: AppTest, name: str, content: bytes, told: str) -> None:
    page.run().file_uploader[0].set_value((name, content, "text/plain"))
    page.run()
    assert not page.exception
    assert plain(told) in page.error[0].value
    assert not runnable(page)


def test_a_set_is_run_and_shown_by_stage_with_its_metrics(page: AppTest) -> None:
    page.run().file_uploader[0].set_value(("질문.csv", SET.encode("cp949"), "text/csv"))
    page.run().pills(key="own-stages").set_value(["naive", "smart"])
    press(page.run(), "Run")
    until(lambda: not board.current() or board.current()[0].has_ended)
    page.run()
    assert not page.exception
    metrics, answers = (table.value for table in page.dataframe)
    assert {"correctness (half points)", "right", "wrong (no answer there)", "tokens", "p50 (ms)", "p95 (ms)"} <= set(
        metrics[""]
    )
    assert list(answers.columns) == ["question", "naive", "smart"]
    assert "7:30" in answers["naive"][0]
    (row,) = [row for row in runs(workspace().engine, "reader") if row.user_id]
    assert (row.questions, row.user_id) == (3, "reader")
    page.selectbox(key="own-question").set_value(2)
    assert plain(EVIL) in shown(page.run())


def stored(owner: str) -> int:
    made = evaluation({"naive": [0.0, 1.0], "smart": [1.0, 1.0]}, "correctness")
    return save(made, workspace().engine, owner)


def test_another_owners_run_is_not_seen(page: AppTest) -> None:
    number = stored("mina")
    assert "No questions of yours" in page.run().info[0].value
    page.sidebar.selectbox[0].set_value("mina").run()
    assert page.selectbox(key="own-run").value == number
    delete(number, workspace().engine, "mina")


def test_a_run_is_exported_and_deleted_only_after_it_is_confirmed(page: AppTest) -> None:
    number = stored("reader")
    page.run()
    assert [button.label for button in page.download_button] == ["Download as CSV", "Download as JSONL"]
    lines = as_jsonl(load(number, workspace().engine, "reader")).splitlines()
    assert len([json.loads(line) for line in lines]) == 4
    press(press(page, "Delete"), "Delete it")
    assert "No questions of yours" in page.info[0].value


def test_rated_answers_are_taken_over_once_it_is_known_what_is_right(shop: None) -> None:
    ratings = Ratings(workspace().engine, "reader")
    passages = (("kiosk.md", "The kiosk opens at 7:30."),)
    ratings.rate(Rating("When does it open?", "naive", "At 7:30 [1].", True, passages=passages))
    bad = Rating("When does it close?", "naive", "At 7:30 [1].", False, passages=passages)
    ratings.rate(bad)
    try:
        page = press(opened().run(), "Take over the rated answers of the chat (1)")
        (first,) = read_questions(page.text_area(key="own-text").value, "reader")
        assert (first.answer, first.evidence[0].quote) == ("At 7:30.", "The kiosk opens at 7:30.")
        ratings.rate(replace(bad, right="At 18:15"))
        press(page.run(), "Take over the rated answers of the chat (2)")
        answers = [golden.answer for golden in read_questions(page.text_area(key="own-text").value, "reader")]
        assert answers == ["At 7:30.", "At 18:15"]
        assert "2 questions, 2 with an answer, 1 with a source." in shown(page)
        page.text_area(key="own-text").set_value("One question a line?").run()
        assert next(button for button in page.button if button.label.startswith("Take over")).disabled
    finally:
        ratings.forget()
