"""The copilot's page: calls, decisions and the end of an answer are told apart, and the cost model has its sliders."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.memory.turns import Turns
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import settings
from lessons.tables import plain
from tests.support.app import away, press, shown

FAQ = """# FAQ: the kiosk

## How much is a coffee?

A coffee costs 2.70 euros.

## May I bring a dog?

Dogs wait outside.

## 우산을 빌릴 수 있나요?

우산은 하루 1,500원에 빌려 드립니다.

## Is there a cash machine?

No.
"""


def script() -> None:
    from lessons.pages import copilot

    copilot.page()


@pytest.fixture
def page(shop: None, tmp_path_factory: pytest.TempPathFactory) -> AppTest:
    path = tmp_path_factory.mktemp("copilot-page") / "faq_kiosk.md"
    path.write_text(FAQ, encoding="utf-8")
    place = workspace()
    for index in indexes():  # as a reader does it: pages that are tested after this one see whole documents
        list(ingest([(path, "faq_kiosk.md")], index, place.store(index), place.embedding, Scope("reader")))
    opened = AppTest.from_function(script, default_timeout=120).run()
    assert not opened.exception
    return opened


@pytest.fixture
def say(page: AppTest) -> Callable[[str], AppTest]:
    def say(words: str) -> AppTest:
        page.chat_input[0].set_value(words).run()
        assert not page.exception
        return page

    return say


def test_a_question_stands_above_the_field_also_before_it_is_answered(
    say: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object) -> None:
        raise LessonsError("Not now.")

    monkeypatch.setattr("lessons.pages.copilot.allow_questions", never)
    kinds = [each.type for each in say("How much is a coffee?").tabs[0]]
    assert kinds.index("chat_message") < kinds.index("chat_input")


def test_an_answer_shows_its_calls_its_decision_and_its_prompt(say: Callable[[str], AppTest]) -> None:
    page = say("How much is a coffee?")
    assert plain("2.70") in shown(page)
    assert "Answered" in shown(page)
    assert [each.label for each in page.expander if each.label.startswith("Calls")] == ["Calls and decisions (1 of 3)"]
    assert any(each.label.startswith("Prompt: ") and "of 5,300 tokens" in each.label for each in page.expander)


def test_a_korean_question_is_answered_in_korean(say: Callable[[str], AppTest]) -> None:
    assert plain("1,500원") in shown(say("우산을 빌릴 수 있나요?"))


def test_what_is_not_there_is_told_as_such(say: Callable[[str], AppTest]) -> None:
    assert "Not documented yet" in shown(say("Which moons does Jupiter have?"))


def reloaded(page: AppTest) -> AppTest:
    """The page as its address gives it to a new visit."""
    again = AppTest.from_function(script, default_timeout=120)
    named = page.query_params["copilot"]
    again.query_params["copilot"] = named if isinstance(named, str) else named[0]
    return again.run()


def test_the_conversation_and_its_calls_survive_a_reload(say: Callable[[str], AppTest]) -> None:
    page = say("How much is a coffee?")
    again = reloaded(page)
    assert [message.name for message in again.chat_message] == ["user", "assistant"]
    assert "Calls and decisions (1 of 3)" in [each.label for each in again.expander]


def test_a_turn_that_could_not_be_saved_is_saved_with_the_next_one(
    say: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Turns, "add", away)
        say("How much is a coffee?")
    assert len(reloaded(say("May I bring a dog?")).chat_message) == 4


def test_the_cost_of_a_month_follows_the_sliders(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "price_per_million_output_tokens", 600.0)
    press(page, "Measure")
    assert not page.exception
    before = [metric.value for metric in page.metric]
    page.slider[0].set_value(5_000).run()
    assert len(before) == 4
    assert [metric.value for metric in page.metric] != before
    for turns in (20, 50, 100):
        page.slider[1].set_value(turns).run()
        assert page.slider[1].value == turns


def test_a_sample_is_asked_at_once(page: AppTest) -> None:
    sample = page.pills(key="copilot-sample").options[0]
    page.pills(key="copilot-sample").select(sample).run()
    assert not page.exception
    assert page.chat_message[0].markdown[0].value == plain(sample)
    assert "copilot-sample" not in [pills.key for pills in page.pills]


def test_earlier_conversations_are_listed_and_gone_back_to(say: Callable[[str], AppTest]) -> None:
    page = say("How much is a coffee?")
    before = page.session_state["copilot"]
    press(page, "New conversation")
    assert not page.chat_message
    page.button(key=f"go-{before}").click().run()
    assert page.session_state["copilot"] == before
    assert plain("2.70") in shown(page)
