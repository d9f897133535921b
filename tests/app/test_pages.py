"""The pages in Streamlit's own test runner: what a reader sees when all is well, and when it is not."""

import re
import sys
from time import process_time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from streamlit.testing.v1 import AppTest

from lessons import pages
from lessons.models.keyless import NOT_FOUND, NOTHING_FOUND
from lessons.pages import answer as pages_answer
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.settings import ROOT
from lessons.stages import stages
from lessons.tables import plain
from tests.support.app import press, shown


@pytest.fixture
def compare(shop: None) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    page.text_input(key="question").set_value(question)
    return press(page, "Ask")


def steps(page: AppTest) -> list[str]:
    """What the first answer went through, without the colours."""
    line = next(pills for pills in page.pills if (pills.key or "").startswith("steps-"))
    return [re.sub(r":\w+-badge\[(.*)\]", r"\1", option).replace("\\", "") for option in line.options]


def test_the_first_page_offers_a_question_and_every_stage(compare: AppTest) -> None:
    assert compare.title[0].value == "One question, every stage"
    assert [column.value.lower() for column in compare.subheader] == list(stages())


def test_a_question_is_answered_with_citation_chunks_and_trace(compare: AppTest) -> None:
    page = ask(compare, "When does the kiosk open?")
    assert plain("7:30") in shown(page)
    assert plain("[1] kiosk.md") in shown(page)
    assert page.dataframe[0].value["Passage"][0] == "kiosk.md"
    assert steps(page)[:3] == ["retrieve 1 → 1", "context 1 → 1", "answer"]


def test_an_empty_question_is_told_in_a_sentence(compare: AppTest) -> None:
    assert plain("The question is empty; type one.") in shown(ask(compare, "  "))


def test_a_question_beyond_the_documents_gets_an_honest_answer(compare: AppTest) -> None:
    assert plain(NOT_FOUND["en"]) in shown(ask(compare, "How many moons does Jupiter have?"))


def test_a_stage_says_what_it_changes(compare: AppTest) -> None:
    assert plain("+ chunks know their section") in shown(compare)


def test_only_the_chosen_stages_are_asked(compare: AppTest) -> None:
    compare.pills(key="stages").set_value(["smart", "naive"])
    page = ask(compare, "When does the kiosk open?")
    assert [card.value for card in page.subheader] == [":blue-badge[Naive] :green-badge[Smart]"]
    assert set(page.session_state["result"].answers) == {"naive", "smart"}


def test_without_a_stage_nothing_is_asked(compare: AppTest) -> None:
    compare.pills(key="stages").set_value([])
    page = ask(compare, "When does the kiosk open?")
    assert [info.value for info in page.info] == ["Choose at least one stage."]
    assert "result" not in page.session_state


def test_the_queries_that_a_step_made_are_shown(compare: AppTest) -> None:
    compare.pills(key="stages").set_value(["smart"])
    page = ask(compare, "Please, could you tell me when the kiosk opens?")
    made = page.session_state["result"].answers["smart"].trace["Rewrite"].output
    assert f"rewrite → “{made[0]}”" in steps(page)


def test_a_filter_limits_what_is_searched(compare: AppTest) -> None:
    compare.pills(key="stages").set_value(["naive"])
    compare.text_input(key="filter").set_value('source_file != "kiosk.md"')
    page = ask(compare, "When does the kiosk open?")
    assert plain(NOTHING_FOUND["en"]) in shown(page)
    assert plain("7:30") not in shown(page)


def test_a_file_that_is_not_there_never_reaches_the_filter(compare: AppTest) -> None:
    compare.text_input(key="filter").set_value('source_file == "kiosks.md"')
    page = ask(compare, "When does the kiosk open?")
    assert page.error[0].value == plain("No document is called 'kiosks.md'; did you mean 'kiosk.md'?")
    assert "result" not in page.session_state


def test_a_slip_in_a_filter_is_pointed_at_and_nothing_is_asked(compare: AppTest) -> None:
    compare.text_input(key="filter").set_value("page_number => 2")
    page = ask(compare, "When does the kiosk open?")
    assert page.error[0].value.startswith(plain("The filter is wrong at column 13:"))
    assert page.code[0].value.splitlines()[:2] == ["page_number => 2", " " * 12 + "^"]
    assert "result" not in page.session_state


def test_markup_of_a_document_is_shown_and_never_comes_alive(compare: AppTest) -> None:
    page = ask(compare, "When does the kiosk open?")
    text = shown(next(button for button in page.button if "kiosk" in button.label).click().run())
    assert plain("<script>alert(1)</script>") in text
    assert not re.search(r"(?<!\\)(<|!\[|\]\()", text)


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


@pytest.mark.parametrize(
    "address", ["https://evil.example/a", "HTTP://evil.example", "www.evil.example", "me@evil.example"]
)
def test_plain_leaves_no_address_that_could_become_a_link_and_adds_no_sign_to_it(address: str) -> None:
    assert plain(f"see {address}") == f"see `{address}`"


@pytest.mark.parametrize("letters", ["x.", "_", "가", "www.", "a@", "`"])
def test_plain_takes_no_time_for_a_word_without_end(letters: str) -> None:
    began = process_time()
    plain(letters * 25_000)
    assert process_time() - began < 2


@given(st.text(st.sampled_from("htps:/w.@+-_`\\a가| \n"), max_size=40) | st.text())
def test_plain_opens_no_code_but_that_of_addresses(text: str) -> None:
    marks = [token.content for token in parsed(f"x{text}x") if token.type == "code_inline"]
    assert all("@" in mark or "//" in mark or "www." in mark.lower() for mark in marks)


def parsed(text: str) -> list[Token]:
    return [part for token in MarkdownIt("commonmark").parse(plain(text)) for part in token.children or ()]


def test_something_is_drawn_before_what_the_pages_need_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lessons.pages.compare", None)  # to import it breaks off
    monkeypatch.delattr(pages, "compare")
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert page.exception
    assert "One question, five ways to search and answer" in shown(page)


def test_a_chunk_that_is_in_no_store_is_not_found_in_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_answer, "workspace", lambda: SimpleNamespace(store=lambda index: None))
    answer = Answer(question="When?", stage="naive", model="keyless")
    assert pages_answer.find_passage(answer, RetrievedDocument("1", "In winter.", 1.0, "n.md"), []) is None
