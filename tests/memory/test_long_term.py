"""Long-term memories: bounded for ever, once per window, nothing lost in a crash, nobody else's, forgotten at will."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, text

from lessons.database import engine
from lessons.errors import DatabaseError
from lessons.keyless.llm import OfflineLLM
from lessons.memory import profile, summaries
from lessons.memory.messages import InMemoryStore
from lessons.memory.profile import Profile
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers, limit_summary
from lessons.memory.turns import State, Turns
from lessons.models.embedding import embedding_model
from lessons.models.tokens import TokenEstimator
from lessons.rag.types import Scope
from lessons.settings import Settings, settings
from lessons.trace import Step
from tests.memory.worker import Noting

MINA, JOON = Scope("mina"), Scope("joon")
Make = Callable[..., LongTerm]


@pytest.fixture(scope="module")
def place(database: Settings) -> Engine:
    return engine(database)


@pytest.fixture
def make(place: Engine, database: Settings) -> Make:
    """A memory of a session of its own, without a profile unless asked for."""
    embedding = embedding_model(database, place)

    def make(
        kind: type[LongTerm], scope: Scope = MINA, session: str | None = None, with_profile: bool = False
    ) -> LongTerm:
        return kind(place, OfflineLLM(), embedding, scope, session or str(uuid4()), with_profile)

    return make


def told(memory: LongTerm, *questions: str) -> None:
    for question in questions:
        memory.remember(question, f"An answer to “{question}” [1].")
    memory.wait_for_updates()


def numbered(count: int, first: int = 1) -> list[str]:
    return [f"What does plan {number} cost for {number * 10} users?" for number in range(first, first + count)]


@pytest.mark.parametrize("kind", [RecursiveSummary, Tiers])
def test_five_turns_are_handed_over_word_for_word_and_nothing_else(make: Make, kind: type[LongTerm]) -> None:
    memory = make(kind)
    assert memory.recall("?").history == ()
    told(memory, *numbered(5))
    recalled = memory.recall("?")
    assert [content for role, content in recalled.history if role == "user"] == numbered(5)
    assert (recalled.memory, memory.state) == ("", State())


@pytest.mark.parametrize("kind", [RecursiveSummary, Tiers])
def test_what_was_asked_first_is_recalled_however_long_ago_it_was(make: Make, kind: type[LongTerm]) -> None:
    memory = make(kind)
    told(memory, *numbered(25))
    first, *_others = memory.recall("내가 처음에 뭐라고 물었지?").memory.splitlines()
    assert first == f"user: {numbered(1)[0]}"
    assert first not in memory.recall("And plan 25?").memory.splitlines()


@pytest.mark.parametrize("kind", [RecursiveSummary, Tiers])
def test_the_sixth_turn_sends_the_first_five_into_the_summary(make: Make, kind: type[LongTerm]) -> None:
    memory = make(kind)
    told(memory, "My budget is 500 dollars.", *numbered(5, first=2))
    recalled = memory.recall("?")
    assert [content for role, content in recalled.history if role == "user"] == numbered(5, first=2)
    assert "500 dollars" in recalled.memory
    assert memory.state.upto == 5


def test_citations_of_old_documents_are_not_remembered(make: Make) -> None:
    memory = make(RecursiveSummary)
    told(memory, *numbered(7))
    assert "[1]" not in str(memory.recall("?"))


def test_turns_that_await_their_update_are_handed_over_meanwhile(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make(RecursiveSummary)
    monkeypatch.setattr(memory, "update", lambda: None)
    told(memory, *numbered(8))
    assert len(memory.recall("?").history) == 2 * 8
    told(memory, *numbered(20))
    assert len(memory.recall("?").history) == 2 * 10


def test_a_recursive_state_stays_flat_and_keeps_no_log(make: Make, place: Engine) -> None:
    memory = make(RecursiveSummary)
    sizes = []
    for number in range(1, 81):
        memory.turns.add(f"My limit {number} is {number} dollars. How do I set alert {number}?", f"Choose {number}.")
        if number % 5 == 1:
            memory.update()
            sizes.append(memory.recall("?").tokens)
            assert len(memory.state.summary.splitlines()) <= settings().summary_sentences == 20
            assert len(memory.state.entities) <= settings().entities_kept == 25
    assert max(sizes[8:]) <= 1.1 * max(sizes[4:8])
    assert len(memory.turns.last(1_000)) <= 2 * settings().memory_window  # with the first, which stays


def test_the_nearest_old_turn_comes_back_and_the_third_tier_keeps_to_its_tokens(make: Make) -> None:
    memory = make(Tiers)
    told(memory, "My dog is called Choco and loves cheese.", *numbered(26, first=2))
    lines = memory.recall("What does my dog like to eat?").memory.splitlines()
    older = lines[1 : lines.index("Summary of the turns before the last ones:")]
    assert "Choco" in older[0]
    assert TokenEstimator().count("\n".join(older)) <= settings().tiers_older_tokens == 100
    assert "Choco" not in memory.state.summary


LONG_ANSWERS = {
    "en": (
        "My dog is called Choco. " + "How many days does a refund take, and whom do I write to about it? " * 2,
        "A refund takes seven days after the goods have come back to the shop and were looked at. " * 3,
    ),
    "ko": (
        "제 강아지 이름은 초코예요. 환불은 며칠 걸리나요?",
        "환불은 반품된 상품이 물류 창고에 도착하고 검수가 끝난 날부터 이레 안에 결제하신 카드로 들어갑니다. " * 3,
    ),
}


@pytest.mark.parametrize(("question", "answer"), LONG_ANSWERS.values(), ids=LONG_ANSWERS)
def test_of_an_old_turn_with_a_long_answer_both_sides_come_back(question: str, answer: str, make: Make) -> None:
    memory = make(Tiers)
    memory.turns.add(question, answer)
    told(memory, *numbered(26, first=2))
    lines = memory.recall(question).memory.splitlines()
    older = lines[1 : lines.index("Summary of the turns before the last ones:")]
    assert older[0].startswith(f"user: {question[:8]}")
    assert any(line.startswith(f"assistant: {answer[:8]}") for line in older)
    assert TokenEstimator().count("\n".join(older)) <= settings().tiers_older_tokens


def test_the_summary_of_the_middle_tier_is_at_most_half_of_its_turns(make: Make) -> None:
    memory = make(Tiers)
    told(memory, *numbered(21))
    middle = " ".join(" ".join(part for _, part in turn.messages) for turn in memory.turns.last(20)[:15])
    count = TokenEstimator().count
    assert count(memory.state.summary) <= min(count(middle) / 2, settings().tiers_summary_tokens)


def test_a_crash_between_answer_and_update_loses_nothing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make(RecursiveSummary, with_profile=True, scope=Scope(f"u{uuid4().hex}"))
    with monkeypatch.context() as broken:
        broken.setattr(RecursiveSummary, "update_state", lambda *args: 1 / 0)
        told(memory, "I live in Daegu.", "My limit is 500 dollars.", *numbered(9, first=3))
    assert memory.state == State()
    told(memory, "And the next one?")
    assert memory.state.upto == 10
    assert "500 dollars" in memory.state.summary
    assert [slot.value for slot in memory.profile.slots()] == ["Daegu", "500 dollars"]


def test_a_worker_that_is_killed_while_it_works_leaves_the_window_to_the_next(make: Make, database: Settings) -> None:
    session = str(uuid4())
    command = [sys.executable, "-m", "tests.memory.worker", str(database.data_dir), session, "6", "dies"]
    died = subprocess.run(command, capture_output=True, text=True, check=False)
    memory = make(RecursiveSummary, session=session)
    assert (died.returncode, died.stdout, memory.state) == (9, "5\n", State())
    told(memory, "Are you there?")
    assert memory.state.upto == 5


def test_two_processes_take_up_every_window_once(make: Make, database: Settings) -> None:
    session = str(uuid4())
    command = [sys.executable, "-m", "tests.memory.worker", str(database.data_dir), session, "13", "lives"]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    taken = sorted(int(line) for worker in workers for line in worker.communicate()[0].split())
    assert taken == list(range(5, 26, 5))
    assert make(RecursiveSummary, session=session).state.upto == 25


def test_a_state_that_has_moved_on_is_not_overwritten(place: Engine) -> None:
    turns = Turns(place, MINA, str(uuid4()))
    turns.add("a", "b")
    first = State(5, "one")
    assert turns.replace_state("m", State(), first)
    assert not turns.replace_state("m", State(), State(5, "late"))
    assert turns.replace_state("m", first, State(10, "two"))
    assert not turns.replace_state("m", first, State(10, "late"))
    assert turns.state("m").summary == "two"


def test_what_was_forgotten_during_an_update_does_not_come_back(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, update_state = make(RecursiveSummary), RecursiveSummary.update_state

    def forgotten_meanwhile(self: RecursiveSummary, *args: object) -> State:
        self.forget()
        return update_state(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(RecursiveSummary, "update_state", forgotten_meanwhile)
    told(memory, *numbered(6))
    assert (memory.state, memory.turns.last(10)) == (State(), [])


def test_the_same_session_of_another_owner_is_another_one(make: Make) -> None:
    hers = make(RecursiveSummary)
    told(hers, "My limit is 500 dollars.", *numbered(6))
    his = make(RecursiveSummary, JOON, hers.session_id)
    assert (his.recall("?").history, his.recall("?").memory) == ((), "")
    his.forget()
    assert hers.recall("?").memory


def test_a_statement_without_its_where_shows_no_other_owners_memory(make: Make, place: Engine) -> None:
    from lessons.database.owners import owner_transaction

    told(make(RecursiveSummary, with_profile=True), "My limit is 500 dollars.", *numbered(6))
    with owner_transaction(place, "nobody") as connection:
        for table in ("memory_sessions", "memory_turns", "memory_states", "profile_slots"):
            assert connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0  # noqa: S608


def test_a_session_that_was_not_used_for_a_day_is_dropped(make: Make, place: Engine) -> None:
    old, new = make(RecursiveSummary), make(RecursiveSummary)
    for memory in (old, new):
        told(memory, *numbered(6))
    with place.begin() as connection:
        ago = text("UPDATE memory_sessions SET used_at = now() - interval '25 hours' WHERE session_id = :session")
        connection.execute(ago, {"session": old.session_id})
    assert new.recall("?").history
    assert (old.state, old.turns.last(10)) == (State(), [])
    assert new.state.upto == 5


@pytest.mark.parametrize("kind", [RecursiveSummary, Tiers])
def test_the_profile_is_handed_over_in_other_sessions_too(make: Make, kind: type[LongTerm]) -> None:
    user = Scope(f"u{uuid4().hex}")
    told(make(kind, user, with_profile=True), "I have diabetes.", "저는 EC2를 씁니다.")
    there = make(kind, user, with_profile=True).recall("?").memory
    assert there.splitlines() == ["What the user said about themselves:", "- has: diabetes", "- 사용: EC2"]
    assert make(kind, user).recall("?").memory == ""


def test_nothing_of_an_answer_becomes_a_fact_about_the_user(make: Make) -> None:
    memory = make(RecursiveSummary, Scope(f"u{uuid4().hex}"), with_profile=True)
    memory.remember("What does the leaflet say?", "I have diabetes. My name is Mina. My budget is 500 dollars.")
    memory.wait_for_updates()
    assert memory.profile.slots() == []


def test_a_slot_can_be_corrected_and_deleted_and_stays_away_until_it_is_stated_again(place: Engine, make: Make) -> None:
    memory = make(RecursiveSummary, Scope(f"u{uuid4().hex}"), with_profile=True)
    told(memory, "I have diabetes.", "My name is Mina.")
    memory.profile.put("name", "Minah")
    memory.profile.delete("has")
    told(memory, *numbered(6))
    assert [(slot.key, slot.value) for slot in memory.profile.slots()] == [("name", "Minah")]
    told(memory, "I have diabetes.")
    assert len(memory.profile.slots()) == 2
    Profile(place, memory.scope).forget()
    assert memory.profile.slots() == []


def test_a_name_that_is_a_stop_word_is_kept_where_the_message_says_it(place: Engine) -> None:
    profile = Profile(place, Scope(f"u{uuid4().hex}"))
    profile.learn(OfflineLLM(), "My name is Will. My dog is An.", "", Step("learn"))
    assert [(slot.key, slot.value) for slot in profile.slots()] == [("name", "Will"), ("dog", "An")]


@pytest.mark.parametrize("value", ["Will", "all", "?", "ant"])
def test_what_a_message_does_not_say_as_a_name_is_no_fact(
    place: Engine, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    known = Profile(place, Scope(f"u{uuid4().hex}"))
    facts = profile.StatedFacts(slots=[profile.Stated(key="name", value=value)])
    monkeypatch.setattr(profile, "structured", lambda *given, **named: facts)
    known.learn(OfflineLLM(), "I will go to all the Willows, an antenna?", "", Step("learn"))
    assert known.slots() == []


def test_a_user_has_at_most_25_slots_the_latest_ones(place: Engine) -> None:
    profile = Profile(place, Scope(f"u{uuid4().hex}"))
    for number in range(30):
        profile.put(f"fact {number}", str(number))
    assert [slot.value for slot in profile.slots()] == [str(number) for number in range(5, 30)]


def test_what_a_model_writes_beyond_the_limits_is_cut_from_the_front() -> None:
    summary = "\n".join(f"user: This is sentence {number}." for number in range(40))
    assert limit_summary(summary, 20, 10_000).splitlines()[0] == "user: This is sentence 20."
    assert TokenEstimator().count(limit_summary(summary, 40, 50)) <= 50


@pytest.mark.parametrize("said", ["This is sentence {}. ", "이것은 {}번째 문장입니다. "])
def test_of_a_summary_in_one_paragraph_the_last_sentences_stay(said: str) -> None:
    summary = "".join(map(said.format, range(21)))
    assert limit_summary(summary, 20, 500).splitlines() == [said.format(number).strip() for number in range(1, 21)]
    assert limit_summary(summary, 20, 20).splitlines()[-1] == said.format(20).strip()


def test_of_a_last_sentence_that_is_too_long_the_first_words_stay() -> None:
    kept = limit_summary(f"user: Hi.\nuser: The list is {'word ' * 500}", 20, 50)
    assert kept.startswith("user: The list is word")
    assert 40 < TokenEstimator().count(kept) <= 50


def test_a_list_that_a_model_writes_is_no_list_of_facts() -> None:
    assert limit_summary("- user: They moved.\n\n* assistant: Noted.\n-\n-5 °C", 20, 100) == (
        "user: They moved.\nassistant: Noted.\n-5 °C"
    )


def test_a_database_that_is_down_is_told_in_a_sentence() -> None:
    nowhere = create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    memory = Noting(nowhere, OfflineLLM(), None, MINA, "s")  # type: ignore[arg-type]
    with pytest.raises(DatabaseError):
        memory.recall("?")


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_child_forked_after_an_update_has_threads_of_its_own() -> None:
    both = Barrier(2)
    wait([summaries._pool().submit(both.wait) for _ in range(2)])
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            summaries._pool().submit(int).result(5)
            os._exit(0)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_user_who_is_forgotten_during_an_update_stays_forgotten(
    make: Make, place: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, structured = make(RecursiveSummary, Scope(f"u{uuid4().hex}"), with_profile=True), profile.structured

    def forgotten_meanwhile(*given: Any, **named: Any) -> Any:
        facts = structured(*given, **named)
        profile.forget_user(place, memory.scope, InMemoryStore())
        return facts

    monkeypatch.setattr(profile, "structured", forgotten_meanwhile)
    told(memory, "I have diabetes.")
    assert memory.profile.slots() == []


def test_a_fact_with_a_long_name_can_be_corrected_and_deleted(make: Make) -> None:
    known = make(RecursiveSummary, Scope(f"u{uuid4().hex}"), with_profile=True).profile
    known.put("the name of the dog that lives with my aunt in Busan", "Choco")
    (slot,) = known.slots()
    known.put(slot.key, "Coco")
    assert [each.value for each in known.slots()] == ["Coco"]
    known.delete(slot.key)
    assert known.slots() == []


def test_fewer_turns_in_the_second_tier_than_in_the_first_are_summarised_too(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "tiers_summarised", 1)
    memory = make(Tiers)
    told(memory, *numbered(12))
    assert memory.state.summary


def test_a_memory_says_once_that_the_keyless_model_keeps_plain_statements_only(make: Make) -> None:
    memory = make(RecursiveSummary)
    told(memory, *numbered(12))
    assert memory.usage.notes == [summaries.PLAIN]
