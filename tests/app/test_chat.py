"""The chat: a conversation goes on, survives a reload, is nobody else's, and can be forgotten."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.pages import memory as page_memory
from lessons.pages.asking import Sample, golden_samples
from lessons.pages.memory import Turn
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query
from lessons.tables import plain
from tests.support.app import press, shown


def script() -> None:
    from lessons.pages import chat

    chat.page()


def opened(address: str = "", owner: str = "reader") -> AppTest:
    """The page as a new tab shows it at this address."""
    page = AppTest.from_function(script, default_timeout=120)
    if address:
        page.query_params.update({"session": address, "owner": owner})
    page.run()
    assert not page.exception
    return page


def session(page: AppTest) -> str:
    """The id in the address, which AppTest keeps as a text or as a list of texts."""
    named = page.query_params["session"]
    return named if isinstance(named, str) else named[0]


def say(page: AppTest, words: str) -> AppTest:
    page.chat_input[0].set_value(words).run()
    assert not page.exception
    return page if page.error else page.run()  # a browser asks for the page anew by itself


def rests_on(session_id: str) -> list[Turn]:
    """What is kept of the answers of a conversation for a reload."""
    return page_memory._turns("reader", session_id)


@pytest.fixture
def begun(shop: None) -> AppTest:
    """A conversation of one turn."""
    return say(opened(), "When does the kiosk open?")


def test_a_question_is_answered_with_its_citation(begun: AppTest) -> None:
    assert [message.name for message in begun.chat_message] == ["user", "assistant"]
    assert plain("7:30") in shown(begun)
    assert plain("[1] kiosk.md") in shown(begun)


def test_the_purpose_says_how_many_chunks_are_read(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("lessons.pages.chat.with_top_k", lambda stage, top_k: asked.append(top_k) or stage)
    page, read = opened(), []
    for purpose in ("chat", "plan", "session"):
        page.selectbox(key="purpose").set_value(purpose).run()
        read.append(asked[-1])
    assert read == [5, 10, 3]


def test_a_plan_is_answered_from_its_materials_and_a_chat_from_all(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[frozenset[str] | None] = []

    def pieces(stage: Stage, query: Query, *_: object) -> Iterator[str]:
        searched.append(query.scope.ref_ids)
        yield "At nine."

    monkeypatch.setattr(Stage, "_answer", pieces)
    page = opened()
    page.selectbox(key="purpose").set_value("plan").run()
    say(page, "When does the kiosk open?")
    page.multiselect(key="materials").set_value(["kiosk.md"]).run()
    say(page, "When does the kiosk open?")
    page.selectbox(key="purpose").set_value("chat").run()
    say(page, "When does the kiosk open?")
    assert searched == [None, {"kiosk.md"}, None]


def test_a_follow_up_is_understood_from_what_was_said_and_says_how(begun: AppTest) -> None:
    text = shown(say(begun, "And when does it close?"))
    asked = rests_on(session(begun))[1].answer.trace["Condense"].output[0]
    assert "kiosk" in asked
    assert plain(f"Understood as: {asked}") in text
    assert plain("18:15") in text


def test_a_reload_shows_the_conversation_with_what_it_rests_on_and_goes_on_with_it(begun: AppTest) -> None:
    page = opened(session(begun))
    said = "7:30", "[1] kiosk.md", "Agentic, memory: Recursive summary"
    assert [each for each in said if plain(each) not in shown(page)] == []
    assert plain("18:15") in shown(say(page, "And when does it close?"))
    assert len(page.chat_message) == 4


def test_another_owner_does_not_see_the_session(begun: AppTest) -> None:
    assert opened(session(begun)).chat_message
    assert not opened(session(begun), "mina").chat_message
    begun.sidebar.selectbox[0].select("mina").run()
    assert not begun.chat_message


def test_a_new_conversation_leaves_the_old_one_where_it_was(begun: AppTest) -> None:
    before = session(begun)
    page = press(begun, "New conversation")
    assert not page.chat_message
    assert session(page) != before
    assert opened(before).chat_message


def test_a_forgotten_conversation_is_gone_with_what_it_rests_on_and_after_a_reload_too(begun: AppTest) -> None:
    before = session(begun)
    assert opened(before).chat_message
    assert rests_on(before)
    assert not press(press(begun, "Forget this conversation"), "Delete it").chat_message
    assert not rests_on(before)
    assert not opened(before).chat_message


def test_an_answer_that_breaks_off_is_told_and_not_remembered(begun: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(*args: object) -> Iterator[str]:
        yield "The kiosk"
        raise LessonsError("The model went away; ask again.")

    monkeypatch.setattr(Stage, "_answer", pieces)
    assert plain("The model went away; ask again.") in shown(say(begun, "And when does it close?"))
    assert len(opened(session(begun)).chat_message) == 2


@pytest.mark.parametrize("name", ["monday", "x" * 21 + "\0", "x" * 500])
def test_an_id_that_was_not_made_here_is_not_taken(shop: None, name: str) -> None:
    assert session(opened(name)) != name


def test_markup_of_a_question_is_shown_and_never_comes_alive(begun: AppTest) -> None:
    poison = "<b>kiosk</b> ![x](https://evil.example/x.png)"
    page = say(begun, poison)
    assert plain(poison) in shown(page)
    assert plain(poison) in shown(opened(session(page)))


def test_a_question_is_asked_again(begun: AppTest) -> None:
    assert len(press(begun, "Ask again").chat_message) == 4


def test_a_question_that_was_answered_twice_is_shown_twice_after_a_reload(begun: AppTest) -> None:
    page = press(begun, "Ask again")
    assert shown(opened(session(page))).count(plain("[1] kiosk.md")) == 2


def test_a_question_that_failed_is_asked_again(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(*args: object) -> Iterator[str]:
        raise LessonsError("The model went away; ask again.")
        yield ""

    page = opened()
    with monkeypatch.context() as broken:
        broken.setattr(Stage, "_answer", pieces)
        say(page, "When does the kiosk open?")
    assert page.error[0].value == plain("The model went away; ask again.")
    assert not page.info  # that nothing has been said yet
    assert plain("7:30") in shown(press(page, "Ask again"))


def test_a_sample_question_is_said_at_once(begun: AppTest) -> None:
    page = press(begun, "New conversation")
    sample = Sample(golden_samples("reader")[0].question)
    page.pills(key="again-sample").set_value(sample).run()
    assert not page.exception
    assert page.chat_message[0].markdown[0].value == plain(sample.question)
