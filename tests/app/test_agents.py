"""Active retrieval and the copilot in the chat: what they did is shown, each device can be switched off."""

import re
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from lessons.ingest.pipeline import ingest
from lessons.library import indexes
from lessons.models.llm import language_model
from lessons.pages import answer
from lessons.pages.chat import DEVICES
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import Settings
from lessons.tables import plain
from tests.app.test_chat import opened, say, session
from tests.support.app import press, shown
from tests.support.openai_server import openai_server

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


@pytest.fixture
def active(shop: None) -> AppTest:
    return opened().selectbox(key="stage").set_value("active retrieval").run()


@pytest.fixture
def copilot(shop: None, tmp_path_factory: pytest.TempPathFactory) -> AppTest:
    path = tmp_path_factory.mktemp("copilot-page") / "faq_kiosk.md"
    path.write_text(FAQ, encoding="utf-8")
    current = workspace()
    for index in indexes():  # as a reader does it: pages that are tested after this one see whole documents
        list(ingest([(path, "faq_kiosk.md")], index, current.store(index), current.embedding, Scope("reader")))
    return opened().selectbox(key="stage").set_value("copilot").run()


def labels(page: AppTest, beginning: str) -> list[str]:
    return [expander.label for expander in page.expander if expander.label.startswith(beginning)]


def test_a_question_shows_what_each_device_did_and_the_budget(active: AppTest) -> None:
    text = shown(say(active, "When does the kiosk open?"))
    assert plain("7:30") in text
    assert f"**intent** {plain('simple: 3 chunks')}" in text
    assert labels(active, "Answer 1")
    assert labels(active, "Prompt: ")
    assert plain("Active retrieval, memory: Recursive summary") in text


def test_the_same_question_in_a_new_conversation_comes_from_the_cache(active: AppTest) -> None:
    say(active, "When does the kiosk open?")
    text = shown(say(press(active, "New conversation"), "When does the kiosk open?"))
    assert "answered from the cache" in text
    assert re.search(r"Answers kept for reuse: \d+, reused: [1-9]", text)


def test_every_device_can_be_switched_off(active: AppTest) -> None:
    for name in DEVICES:
        active.toggle(key=f"device-{name}").set_value(False)
    active.selectbox(key="memory").set_value("none")
    text = shown(say(active.run(), "When does the kiosk open?"))
    assert plain("7:30") in text
    assert not labels(active, "What the agent did")


def test_small_talk_is_not_searched_for(active: AppTest) -> None:
    say(active, "감사합니다")
    assert labels(active, "Retrieved chunks (0 found")


def test_an_answer_of_the_copilot_shows_its_calls_its_decision_and_its_prompt(copilot: AppTest) -> None:
    page = say(copilot, "How much is a coffee?")
    assert plain("2.70") in shown(page)
    assert "Answered" in shown(page)
    assert labels(page, "Calls") == ["Calls and decisions (1 of 3)"]
    assert "of 5,300 tokens" in labels(page, "Prompt: ")[0]
    assert not [box for box in page.selectbox if box.key in ("memory", "purpose")]


def test_a_korean_question_is_answered_in_korean(copilot: AppTest) -> None:
    assert plain("1,500원") in shown(say(copilot, "우산을 빌릴 수 있나요?"))


def test_what_is_not_there_is_told_as_such(copilot: AppTest) -> None:
    assert "Not documented yet" in shown(say(copilot, "Which moons does Jupiter have?"))


def test_what_an_agent_did_survives_a_reload(copilot: AppTest) -> None:
    page = opened(session(say(copilot, "How much is a coffee?")))
    assert [message.name for message in page.chat_message] == ["user", "assistant"]
    assert labels(page, "Calls") == ["Calls and decisions (1 of 3)"]


def test_a_sample_of_the_copilot_is_asked_at_once(copilot: AppTest) -> None:
    sample = copilot.pills(key="again-sample").options[0]
    copilot.pills(key="again-sample").select(sample).run()
    assert not copilot.exception
    assert copilot.chat_message[0].markdown[0].value == sample


def test_a_step_of_a_served_model_is_run_again_with_a_changed_prompt(shop: None) -> None:
    def script() -> None:
        import streamlit as st

        from lessons.pages.answer import _show_step
        from lessons.trace import Step

        step = Step("answer", prompts=["Say when the {kiosk} opens."])
        _show_step("naive", st.session_state.setdefault("answered", step))

    assert not AppTest.from_function(script, default_timeout=120).run().text_area  # the keyless model has no prompts
    with openai_server() as server, pytest.MonkeyPatch.context() as served:
        config = Settings(openai_base_url=server.url)
        place = SimpleNamespace(settings=config, llm=language_model(config))
        served.setattr(answer, "workspace", lambda: place)
        server.behave("say:At half past seven.")
        page = AppTest.from_function(script, default_timeout=120).run()
        page.text_area[0].set_value("Say when the {hut} opens.")
        press(page, "Run this step again")
        assert server.requests[-1]["messages"][-1]["content"] == "Say when the {hut} opens."
        assert "At half past seven." in [block.value for block in page.code]
