"""The chat: a conversation goes on, survives a reload, is nobody else's, and can be forgotten."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from lessons.errors import LessonsError
from lessons.evaluate.feedback import Rating, Ratings
from lessons.pages import conversations
from lessons.pages.asking import Sample, golden_samples
from lessons.pages.conversations import Turn
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query
from lessons.rag.workspace import workspace
from lessons.settings import settings
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
    return page


def rests_on(session_id: str) -> list[Turn]:
    """What is kept of the answers of a conversation for a reload."""
    return list(conversations._turns("reader", session_id).values())


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
    asked = begun.session_state["chat"][1][1].answer.trace["Condense"].output[0]
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


def test_earlier_conversations_are_listed_and_gone_back_to(begun: AppTest) -> None:
    before = session(begun)
    page = press(begun, "New conversation")
    assert not page.chat_message
    page.button(key=f"go-{before}").click().run()
    assert session(page) == before
    assert plain("7:30") in shown(page)
    assert f"go-{before}" not in [button.key for button in opened(before, "mina").button]


def test_a_shared_app_lists_no_conversations(begun: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "is_shared", lambda: True)
    press(begun, "New conversation")
    assert not [button for button in begun.button if str(button.key).startswith("go-")]


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


@pytest.fixture
def rated(begun: AppTest) -> Iterator[AppTest]:
    yield begun
    Ratings(workspace().engine, "reader").forget()


def ratings(owner: str = "reader") -> list[Rating]:
    return Ratings(workspace().engine, owner).all()


def thumb(page: AppTest, chosen: int | None) -> AppTest:
    page.feedback[0].set_value(chosen).run()
    assert not page.exception
    return page


def test_a_thumb_below_an_answer_is_kept_with_what_it_rests_on(rated: AppTest) -> None:
    thumb(rated, 1)
    (kept,) = ratings()
    assert (kept.question, kept.stage, kept.is_good, kept.history) == ("When does the kiosk open?", "agentic", True, ())
    assert kept.passages[0][0] == "kiosk.md"
    assert "7:30" in kept.passages[0][1]
    assert not ratings("mina")
    assert opened(session(rated)).feedback[0].value == 1
    thumb(rated, None)
    assert not ratings()


def test_after_a_thumb_down_one_may_say_what_is_right(rated: AppTest) -> None:
    field = thumb(rated, 0).text_input[0]
    assert [each.right for each in ratings()] == [""]
    field.set_value("At eight.").run()
    assert [(each.is_good, each.right) for each in ratings()] == [(False, "At eight.")]
    assert not [each for each in thumb(rated, 1).text_input if each.label == field.label]


def test_each_turn_is_rated_by_itself_with_what_was_said_before(rated: AppTest) -> None:
    page = press(thumb(rated, 1), "Ask again")
    assert [each.value for each in page.feedback] == [1, None]
    page.feedback[1].set_value(0).run()
    assert {len(each.history): each.is_good for each in ratings()} == {0: True, 2: False}
    assert [each.value for each in opened(session(page)).feedback] == [1, 0]


def test_turns_that_say_the_same_are_told_apart(rated: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "memory_window", 0)
    page = press(rated, "Ask again")
    assert not page.exception
    page.feedback[1].set_value(0).run()
    assert [each.is_good for each in ratings()] == [False]


def test_a_page_leaves_a_rating_alone_that_another_tab_gave(rated: AppTest) -> None:
    other = thumb(opened(session(rated)), 1)
    assert not rated.run().exception
    assert [each.is_good for each in ratings()] == [True]
    assert not thumb(other, None).exception
