"""What the pages show while the database or the model is away: a sentence where a person looks, never a traceback."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from lessons.faults.lab import Lab, logged
from lessons.faults.model import broken_model
from lessons.memory.messages import StoredMessages
from lessons.pages import common
from lessons.rag import pipeline
from lessons.rag.prompts import NOT_SEARCHED
from lessons.tables import plain
from tests.support.app import press, shown

QUESTION = "When does the kiosk open?"
PAGES = ["chat", "compare"]


@pytest.fixture
def pages(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """The app on the database of the lab."""
    common._open.clear()
    for module in (common, pipeline):
        monkeypatch.setattr(module, "workspace", lambda: lab.workspace)
    yield lab
    common._open.clear()


def chat() -> None:
    from lessons.pages import chat

    chat.page()


def compare() -> None:
    from lessons.pages import compare

    compare.page()


def opened(name: str) -> AppTest:
    """The page, with the naive stage chosen where there is a choice."""
    page = AppTest.from_function({"chat": chat, "compare": compare}[name], default_timeout=120).run()
    if name == "compare":
        page.pills(key="stages").set_value(["naive"]).run()
    assert not page.exception
    return page


def ask(page: AppTest) -> AppTest:
    if not page.chat_input:
        page.text_input(key="question").set_value(QUESTION)
        return press(page, "Ask")
    page.chat_input[0].set_value(QUESTION).run()
    page.run()  # as the browser asks for once an answer has ended
    assert not page.exception
    return page


@pytest.mark.parametrize("name", PAGES)
def test_a_broken_model_is_a_warning_beside_the_answer(pages: Lab, name: str) -> None:
    page = opened(name)
    with broken_model(pages.workspace, "too_many"):
        ask(page)
    assert plain("7:30") in shown(page)
    assert plain("is limiting requests (429)") in shown(page)


@pytest.mark.parametrize("name", PAGES)
def test_a_database_that_is_away_is_a_sentence_and_the_next_question_is_answered(pages: Lab, name: str) -> None:
    page = opened(name)
    with pages.database.stopped(), logged():
        ask(page)
        assert plain("start the database there, or correct DATABASE_URL.") in shown(page)
    page.run()
    assert plain("7:30") in shown(ask(page))


def test_a_chat_without_its_database_says_what_is_missing_and_answers_that_nothing_could_be_searched(
    pages: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("chat", "memory"):
        monkeypatch.setattr(f"lessons.pages.{module}.message_store", lambda: StoredMessages(pages.workspace.engine))
    opened("chat")
    with pages.database.stopped(), logged():
        page = opened("chat")
        assert plain("What was said before and what the memory knows cannot be shown.") in shown(page)
        assert plain(NOT_SEARCHED["en"]) in shown(ask(page))
    page.run()
    assert plain("7:30") in shown(ask(page))
