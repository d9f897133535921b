"""The page of the active agent: its wrappers as switches, and what they saved."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from lessons.context.active import SWITCHES
from lessons.tables import plain
from tests.support.app import press, shown


def script() -> None:
    from lessons.pages import active

    active.page()


@pytest.fixture
def page(shop: None) -> AppTest:
    page = AppTest.from_function(script, default_timeout=120).run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    page.text_input(key="active-question").set_value(question)
    return press(page, "Ask")


def happened(page: AppTest) -> dict[str, str]:
    return dict(page.dataframe[0].value.itertuples(index=False))


def test_a_question_shows_what_each_wrapper_did_beside_the_bare_stage(page: AppTest) -> None:
    page = ask(page, "When does the kiosk open?")
    assert happened(page)["intent"] == "simple: 3 chunks"
    assert happened(page)["iterations"].startswith("quality")
    assert all("against Smart alone" in metric.delta for metric in page.metric[:3])
    assert plain("7:30") in shown(page)


def test_the_same_question_in_a_new_conversation_comes_from_the_cache(page: AppTest) -> None:
    ask(page, "When does the kiosk open?")
    page = ask(press(page, "New conversation"), "When does the kiosk open?")
    assert happened(page)["similar question"].startswith("hit")
    assert page.metric[0].value == "0"
    assert re.search(r"Answers kept for reuse: \d+, reused: [1-9]", shown(page))


def test_every_wrapper_can_be_switched_off(page: AppTest) -> None:
    for wrapper in SWITCHES:
        page.toggle(key=f"wrapper-{wrapper}").set_value(False)
    page = ask(page, "When does the kiosk open?")
    assert happened(page)["similar question"] == "none"
    assert {happened(page)[step] for step in ("intent", "budget", "iterations")} == {"–"}
    assert "New conversation" not in shown(page)


def test_small_talk_is_not_searched_for(page: AppTest) -> None:
    page = ask(page, "감사합니다")
    assert happened(page)["retrieved"].startswith("0 chunks")
