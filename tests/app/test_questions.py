"""The reader's own questions: given, run through stages, shown, exported; and what cannot be used."""

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

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


def test_an_empty_answer_is_shown_as_what_it_is_measured_as(page: AppTest) -> None:
    rows = "question,answer\nWhen does the kiosk open?,7:30\nWhich moons has Jupiter?,\n"
    page.run().text_area(key="own-text").set_value(rows)
    table = page.run().dataframe[0].value
    assert [*table.columns] == ["question", "expected answer"]
    assert [*table["expected answer"]] == ["7:30", "The documents do not say; an honest refusal is right."]


def test_what_was_read_of_a_file_is_shown_before_it_is_run(page: AppTest) -> None:
    rows = 'question,answer,source_file\nWhen does it open?,7:30,kiosk.md\nWhen?,8:00,hut.md\n"Who pays,Ida,\nWhy?,x,\n'
    page.run().file_uploader[0].set_value(("set.csv", rows.encode(), "text/csv"))
    page.run()
    table = page.dataframe[0].value
    assert list(table["question"])[:2] == ["When does it open?", "When?"]
    assert list(table["source"])[:2] == ["✓ kiosk.md", "✗ hut.md"]
    warned = "\n".join(each.value for each in page.warning)
    assert plain("Of 5 lines, 3 are questions: a quotation mark that is not closed joins lines.") in warned
    assert plain("hut.md: what rests on it is not measured") in warned
    page.run().file_uploader[0].set_value(("set.csv", b"question,answer\nWhy?,x\n,\n,\n", "text/csv")).run()
    assert not page.warning  # empty rows, as a spreadsheet saves them
    assert not page.run().file_uploader[0].set_value(("set.txt", b'"', "text/plain")).run().exception


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
    until(lambda: not any(running.is_alive() for running in board.current().values()))
    page.run()
    assert not page.exception
    metrics, _groups, answers = (table.value for table in page.dataframe)
    assert {"correctness (half points)", "right", "wrong (no answer there)", "tokens", "p50 (ms)", "p95 (ms)"} <= set(
        metrics[""]
    )
    assert list(answers.columns) == ["naive", "smart", "question"]
    assert answers["naive"][0].startswith("✓ ")
    assert "7:30" in answers["naive"][0]
    (row,) = [row for row in runs(workspace().engine, "reader") if row.user_id]
    assert (row.questions, row.user_id) == (3, "reader")
    assert "On your questions (3) all stages are equal" in page.info[0].value.replace("\\", "")


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
