"""The page that shows what a model is sent: intent, budget, compression."""

import pytest
from streamlit.testing.v1 import AppTest

from lessons.keyless.conversation import REPLIES
from lessons.tables import plain
from tests.support.app import press, shown


def script() -> None:
    from lessons.pages import context

    context.page()


@pytest.fixture
def page(shop: None) -> AppTest:
    page = AppTest.from_function(script, default_timeout=120).run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    page.text_input(key="context-question").set_value(question)
    return press(page, "Ask")


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_a_question_shows_its_intent_its_budget_and_its_answer(page: AppTest) -> None:
    page = ask(page, "When does the kiosk open?")
    assert metrics(page) == {"Intent": "Simple question", "Passages fetched": "3"}
    parts = page.dataframe[0].value.set_index("part")
    assert list(parts.index) == ["question", "documents", "history", "profile", "long-term", "buffer"]
    assert parts.loc["profile", "what is sent"].endswith("Altis Cloud")
    assert parts["tokens"].sum() == 3_500
    assert plain("7:30") in shown(page)
    assert "nothing was compressed" in shown(page)


def test_a_greeting_is_answered_without_a_budget(page: AppTest) -> None:
    page = ask(page, "감사합니다")
    assert metrics(page) == {"Intent": "Small talk", "Passages fetched": "no search"}
    assert plain(REPLIES["thanks"]["ko"]) in shown(page)
    assert "The budget" not in [header.value for header in page.header]


@pytest.mark.parametrize("way", ["Cut to their beginnings", "Extractive", "Abstractive", "Hybrid"])
def test_documents_that_do_not_fit_are_shown_before_and_after(page: AppTest, way: str) -> None:
    page.selectbox(key="way").set_value(way)
    page.slider[1].set_value(50)
    page = ask(page, "When does the kiosk open?")
    before = next(box for box in page.expander if box.label.startswith(plain("kiosk.md")))
    assert not before.label.endswith(f" {before.label.split(' ')[1]} sent")
    assert "nothing was compressed" not in shown(page)


def test_a_question_that_does_not_fit_is_told_in_a_sentence(page: AppTest) -> None:
    page.slider[0].set_value(600)
    assert plain("the model may be sent 600 tokens, of which 500 are kept free") in shown(ask(page, "why " * 400))


def test_another_owner_does_not_see_what_was_sent_for_the_last_one(page: AppTest) -> None:
    page = ask(page, "When does the kiosk open?")
    page = page.selectbox(key="owner-box").set_value("mina").run()
    assert "Nothing has been sent yet" in "".join(each.value for each in page.info)
    assert not page.metric
