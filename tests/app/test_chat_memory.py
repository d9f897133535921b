"""The memory beside the chat: it shows what is known, lets the reader correct it, and forgets on demand."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from lessons.memory.messages import message_store
from lessons.memory.profile import Profile
from lessons.memory.summaries import RecursiveSummary
from lessons.memory.turns import Turns
from lessons.pages import common
from lessons.pages import memory as page_memory
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.tables import plain
from tests.app.test_chat import opened, say, session
from tests.support.app import away, press, shown


@pytest.fixture
def owner(shop: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Somebody of whom nothing is known, to whom the page belongs."""
    name = f"u{uuid4().hex}"
    monkeypatch.setattr(common, "_choose_owner", lambda: name)
    return name


@pytest.fixture
def talked(owner: str) -> AppTest:
    """The page on a conversation of eight turns."""
    name, scope = new_session(), Scope(owner)
    memory = RecursiveSummary.of(workspace(), scope, name)
    for said in ["My budget is 500 dollars.", "저는 EC2를 씁니다.", *(f"Is plan {n} cheap?" for n in range(6))]:
        message_store().add(scope, name, ("user", said), ("assistant", "Noted."))
        memory.remember(said, "Noted.")
    memory.wait_for_updates()
    return opened(name, owner)


def new_session() -> str:
    return f"{uuid4().hex[:20]}_-"


def labels(page: AppTest) -> list[str]:
    return [expander.label for expander in page.expander]


def fact(page: AppTest, key: str) -> Any:
    """The field of a fact of the profile."""
    return next(field for field in page.text_input if field.label == key)


def test_at_first_the_memory_is_empty(owner: str) -> None:
    page = opened(new_session(), owner)
    assert labels(page) == [
        "Window: 0 turns word for word", "Recalled from before (0)", "Profile (0)",
    ]  # fmt: skip
    assert "About 0 tokens" in shown(page)


def test_window_summary_entities_and_profile_are_shown(talked: AppTest) -> None:
    assert labels(talked)[0] == "Window: 5 turns word for word"
    assert int(labels(talked)[1].removeprefix("Recalled from before (").removesuffix(")")) > 2
    assert labels(talked)[-1] == "Profile (2)"
    assert plain("user: My budget is 500 dollars.") in shown(talked)
    assert plain("- budget: 500 dollars") in shown(talked)


def test_another_memory_shows_what_it_would_hand_over(talked: AppTest) -> None:
    talked.selectbox(key="memory").select("tiers").run()
    assert plain("- budget: 500 dollars") in shown(talked)
    talked.selectbox(key="memory").select("window").run()
    assert labels(talked)[0] == "Window: 5 turns word for word"
    assert labels(talked)[1] == "Profile (2): this memory does not use it"
    talked.selectbox(key="memory").select("none").run()
    assert labels(talked)[0] == "Window: 0 turns word for word"


def test_a_question_about_what_was_said_long_ago_is_answered(talked: AppTest, owner: str) -> None:
    assert plain("500 dollars") in shown(say(talked, "What was my budget?"))
    assert page_memory._turns(owner, session(talked))[-1].answer.citations == []


@pytest.mark.parametrize("stage", ["naive", "enhanced", "smart", "reranked", "agentic", "active retrieval", "copilot"])
def test_what_was_asked_first_is_answered_at_every_stage(stage: str, talked: AppTest) -> None:
    talked.selectbox(key="stage").select(stage).run()
    said = shown(say(talked, "What was the first thing I asked?"))
    assert plain("You said earlier: “My budget is 500 dollars.”") in said


def test_a_fact_of_the_profile_can_be_corrected_and_deleted(talked: AppTest, owner: str) -> None:
    page = fact(talked, "budget").set_value("300 dollars").run()
    fact(page, "사용").set_value("").run()
    slots = Profile(workspace().engine, Scope(owner)).slots()
    assert [(slot.key, slot.value) for slot in slots] == [("budget", "300 dollars")]
    assert "Profile (1)" in labels(page)


def test_forget_me_deletes_everything_that_was_said(talked: AppTest, owner: str) -> None:
    before = session(talked)
    press(press(talked, "Forget me"), "Delete all of it")
    assert session(talked) != before
    for page in (talked, opened(before, owner)):
        assert not page.chat_message
        assert "Profile (0)" in labels(page)
    assert RecursiveSummary.of(workspace(), Scope(owner), before).turns.read() == []


def test_a_forgotten_conversation_leaves_the_profile(talked: AppTest, owner: str) -> None:
    before = session(talked)
    press(press(talked, "Forget this conversation"), "Delete it")
    assert RecursiveSummary.of(workspace(), Scope(owner), before).turns.read() == []
    assert len(Profile(workspace().engine, Scope(owner)).slots()) == 2


def test_a_conversation_under_another_memory_is_taken_up(shop: None) -> None:
    page = opened()
    page.selectbox(key="memory").select("none").run()
    say(page, "When does the kiosk open?")
    assert "Window: 0 turns word for word" in labels(page)
    page.selectbox(key="memory").select("recursive").run()
    page.run()
    assert "Window: 1 turn word for word" in labels(page)


def test_a_memory_that_was_dropped_for_its_age_is_not_made_again(talked: AppTest, owner: str) -> None:
    scope, engine = Scope(owner), workspace().engine
    fact(talked, "budget").set_value("").run()
    Turns(engine, scope, session(talked)).forget()
    with engine.begin() as connection:
        aged = text(
            "UPDATE conversation_messages SET timestamp = timestamp - interval '25 hours' WHERE user_id = :owner"
        )
        assert connection.execute(aged, {"owner": owner}).rowcount == 16
    talked.run()
    page = opened(session(talked), owner)
    assert labels(page)[0] == "Window: 0 turns word for word"
    assert len(page.chat_message) == 16
    assert "Profile (1)" in labels(page)


def test_a_conversation_of_today_is_taken_up_by_a_memory_that_did_not_hear_it(owner: str) -> None:
    name, scope = new_session(), Scope(owner)
    message_store().add(scope, name, ("user", "My budget is 500 dollars."), ("assistant", "Noted."))
    opened(name, owner)
    memory = RecursiveSummary.of(workspace(), scope, name)
    assert [turn.question for turn in memory.turns.last(2)] == ["My budget is 500 dollars."]


def test_what_was_said_beyond_the_messages_that_are_kept_changes_nothing(owner: str) -> None:
    name, scope = new_session(), Scope(owner)
    memory = RecursiveSummary.of(workspace(), scope, name)
    for number in range(60):
        memory.turns.add(f"Question {number}?", "Noted.")
    message_store().add(scope, name, *(("user", "Question 59?"), ("assistant", "Noted.")))
    message_store().add(scope, name, *(("user", "Under another memory?"), ("assistant", "Noted.")))
    opened(name, owner)
    assert [turn.question for turn in memory.turns.last(2)] == ["Question 59?", "Under another memory?"]


def test_what_a_user_said_answers_in_another_conversation(talked: AppTest, owner: str) -> None:
    page = say(opened(new_session(), owner), "What is my budget?")
    assert "500 dollars" in page_memory._turns(owner, session(page))[-1].answer.text


def say_unsaved(page: AppTest, words: str) -> None:
    """Say it while nothing can be written down."""
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(type(message_store()), "add", away)
        say(page, words)


def test_a_turn_that_could_not_be_saved_is_saved_with_the_next_one_after_a_reload_too(owner: str) -> None:
    page = opened(new_session(), owner)
    say_unsaved(page, "My budget is 500 dollars.")
    messages = message_store().get_or_create(Scope(owner), session(page))
    assert not messages.history()
    say(opened(session(page), owner), "Is plan 9 cheap?")
    asked = ["My budget is 500 dollars.", "Is plan 9 cheap?"]
    assert [said for _, said in messages.history()][::2] == asked
    turns = RecursiveSummary.of(workspace(), Scope(owner), session(page)).turns
    assert [turn.question for turn in turns.last(3)] == asked


def test_a_turn_that_could_not_be_saved_is_forgotten_with_its_conversation(talked: AppTest, owner: str) -> None:
    say_unsaved(talked, "Is plan 8 cheap?")
    press(press(opened(session(talked), owner), "Forget this conversation"), "Delete it")
    say(talked, "Is plan 9 cheap?")
    turns = RecursiveSummary.of(workspace(), Scope(owner), session(talked)).turns
    assert [turn.question for turn in turns.last(2)] == ["Is plan 9 cheap?"]


def test_a_turn_of_which_only_the_message_was_saved_is_taken_up_once(
    owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(new_session(), owner)
    with monkeypatch.context() as broken:
        broken.setattr(RecursiveSummary, "remember", away)
        say(page, "My budget is 500 dollars.")
    assert not say(page.run(), "Is plan 9 cheap?").error
    asked = ["My budget is 500 dollars.", "Is plan 9 cheap?"]
    history = message_store().get_or_create(Scope(owner), session(page)).history()
    assert [said for _, said in history][::2] == asked
    turns = RecursiveSummary.of(workspace(), Scope(owner), session(page)).turns
    assert [turn.question for turn in turns.last(3)] == asked


def test_a_tab_left_open_tells_the_memory_nothing_twice_and_nothing_forgotten(talked: AppTest, owner: str) -> None:
    name = session(talked)
    turns = RecursiveSummary.of(workspace(), Scope(owner), name).turns
    say(opened(name, owner), "Is plan 9 cheap?")
    talked.run()
    assert [turn.number for turn in turns.last(1)] == [9]
    press(press(opened(name, owner), "Forget this conversation"), "Delete it")
    talked.run()
    assert turns.read() == []
