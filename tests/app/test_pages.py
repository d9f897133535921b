"""The pages in Streamlit's own test runner: what a reader sees when all is well, and when it is not."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from lessons.answer.prompts import NOT_FOUND
from lessons.ingest.index import naive_index
from lessons.ingest.pipeline import ingest
from lessons.ingest.scope import Scope
from lessons.pages.common import plain
from lessons.settings import ROOT, Settings
from lessons.workspace import workspace

POISON = "# Kiosk <script>alert(1)</script>\n\nThe kiosk opens at 7:30. ![x](https://evil.example/x.png) <img src=x>\n"


@pytest.fixture(scope="module")
def shop(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give the reader a document, so that the shipped ones need not be loaded."""
    path = tmp_path_factory.mktemp("shop") / "kiosk.md"
    path.write_text(POISON, encoding="utf-8")
    place, index = workspace(), naive_index()
    results = list(ingest([(path, "kiosk.md")], index, place.store(index), place.embedding, Scope("reader")))
    assert results[0].status in ("added", "unchanged")


@pytest.fixture
def compare(shop: None) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    page.text_area[0].set_value(question)
    next(button for button in page.button if button.label == "Ask").click()
    page.run()
    assert not page.exception
    return page


def shown(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.markdown, *page.caption, *page.error, *page.warning])


def test_the_first_page_offers_a_question_and_every_stage(compare: AppTest) -> None:
    assert compare.title[0].value == "One question, every stage"
    assert "Naive" in [column.value for column in compare.subheader]


def test_a_question_is_answered_with_citation_chunks_and_trace(compare: AppTest) -> None:
    page = ask(compare, "When does the kiosk open?")
    assert plain("7:30") in shown(page)
    assert plain("[1] kiosk.md") in shown(page)
    assert page.expander[0].label.startswith("Retrieved chunks")
    assert list(page.dataframe[0].value["step"]) == ["retrieve", "context", "answer"]


def test_an_empty_question_is_told_in_a_sentence(compare: AppTest) -> None:
    assert plain("The question is empty; type one.") in shown(ask(compare, "  "))


def test_a_question_beyond_the_documents_gets_an_honest_answer(compare: AppTest) -> None:
    assert plain(NOT_FOUND["en"]) in shown(ask(compare, "How many moons does Jupiter have?"))


def test_markup_of_a_document_is_shown_and_never_comes_alive(compare: AppTest) -> None:
    text = shown(ask(compare, "When does the kiosk open?"))
    assert plain("<script>alert(1)</script>") in text
    assert not re.search(r"(?<!\\)[<\[]", text)


def test_a_rerun_does_not_ask_again(compare: AppTest) -> None:
    page = ask(compare, "When does the kiosk open?")
    before = page.session_state["answers"][0]
    assert page.run().session_state["answers"][0] is before


def test_another_owner_does_not_see_the_readers_documents(compare: AppTest) -> None:
    compare.sidebar.selectbox[0].select("mina").run()
    page = ask(compare, "When does the kiosk open?")
    assert plain("7:30") not in shown(page)


@pytest.mark.parametrize(
    "text", ["<b>", "[a](javascript:alert(1))", "![](x)", "$x$", ":red[x]", "a_b_c", "| a |", "`x`"]
)
def test_plain_leaves_no_markdown_alive(text: str) -> None:
    escaped = plain(text)
    assert escaped.replace("\\", "") == text
    assert all(escaped[max(0, i - 1)] == "\\" for i, sign in enumerate(escaped) if sign in "<>[]()!$:`_|")
