"""Active retrieval, assembled: each wrapper does its part, and can be switched off."""

from uuid import uuid4

import pytest

from lessons.context.active import SWITCHES, ActiveAgent
from lessons.context.cache import CACHE_STEP
from lessons.context.refine import JUDGE_STEP
from lessons.context.wrapper import Wrapper
from lessons.errors import LessonsError
from lessons.memory.summaries import Tiers
from lessons.rag.pipeline import Stage
from tests.support.waiting import until

REFUND = "How many days does a refund take?"


@pytest.fixture
def user() -> str:
    return f"active-{uuid4()}"


def steps(agent: ActiveAgent, question: str, user: str) -> list[str]:
    return [step.name for step in agent.ask(question, "session", user).answer.trace]


def test_a_question_passes_every_wrapper_and_the_state_says_what_each_did(stage: Stage, user: str) -> None:
    state = ActiveAgent(stage).ask(REFUND, "session", user)
    assert "14 days" in state.answer.text
    assert state.intent is not None
    assert state.plan is not None
    assert state.plan["documents"].tokens
    assert state.quality is not None
    assert [each.answer for each in state.iterations] == [state.answer.text]
    assert [name for name, _ in state.rows][:2] == ["similar question", "intent"]


def test_an_answered_question_is_reused_in_another_session(stage: Stage, user: str) -> None:
    agent = ActiveAgent(stage)
    agent.ask(REFUND, "first", user)
    again = agent.ask(REFUND, "second", user)
    assert again.answer.from_cache == REFUND
    assert "hit" in dict(again.rows)["similar question"]
    assert again.intent is None
    assert not again.answer.trace.llm_calls


def test_small_talk_needs_no_document_and_no_budget(stage: Stage, user: str) -> None:
    state = ActiveAgent(stage).ask("Thank you!", "session", user)
    assert state.plan is None
    assert not state.answer.context.documents


def test_what_the_user_said_of_themselves_and_the_last_turns_are_known_to_the_next_question(
    stage: Stage, user: str
) -> None:
    agent = ActiveAgent(stage)
    agent.ask("My name is Mina. How many days does a refund take?", "session", user)
    memory = agent.memory("session", user)
    assert isinstance(memory, Tiers)
    until(lambda: not memory.has_open_turns())
    state = agent.ask("Where can reports be saved?", "session", user)
    assert "Mina" in state.profile
    assert state.turns == 1
    assert ActiveAgent(stage).ask("Where can reports be saved?", "another", user).turns == 0


@pytest.mark.parametrize(
    ("stated", "question", "said"),
    [
        ("저는 당뇨가 있고 메트포르민을 먹어요", "제가 먹는 약이 뭐라고 했죠?", "메트포르민"),
        ("our budget is $10,000", "what is my budget?", "$10,000"),
        ("we use AWS", "우리가 쓰는 클라우드가 뭐였지?", "AWS"),
        (REFUND, "Tell me that again, please.", "14 days"),
        (REFUND, "뭐하던 중이었지?", "refund"),
    ],
)
def test_a_question_about_the_conversation_is_answered_from_it_without_a_document(
    stage: Stage, user: str, stated: str, question: str, said: str
) -> None:
    agent = ActiveAgent(stage)
    agent.ask(stated, "session", user)
    state = agent.ask(question, "session", user)
    assert said in state.answer.text
    assert not state.answer.context.documents


@pytest.mark.parametrize("said", ["감사합니다", "안녕하세요", "thanks a lot"])
def test_thanks_after_a_subject_search_nothing(stage: Stage, user: str, said: str) -> None:
    agent = ActiveAgent(stage)
    agent.ask(REFUND, "session", user)
    state = agent.ask(said, "session", user)
    assert "14 days" not in state.answer.text
    assert not state.answer.context.documents
    assert not state.answer.from_cache


@pytest.mark.parametrize(
    ("wrapper", "step"), [("cache", CACHE_STEP), ("intent", "intent"), ("manager", "manage"), ("refine", JUDGE_STEP)]
)
def test_a_wrapper_that_is_switched_off_leaves_no_step(stage: Stage, user: str, wrapper: str, step: str) -> None:
    agent = ActiveAgent(stage)
    assert step in steps(agent, REFUND, user)
    assert step not in steps(agent.without(wrapper), REFUND, f"{user}-without")


def test_compression_is_a_part_of_the_stage(stage: Stage) -> None:
    with_all, without = ActiveAgent(stage).pipeline, ActiveAgent(stage).without("compression").pipeline
    assert isinstance(with_all, Wrapper)
    assert isinstance(without, Wrapper)
    assert with_all.stage.compressor
    assert not without.stage.compressor


def test_without_its_memory_it_remembers_nothing(stage: Stage, user: str) -> None:
    agent = ActiveAgent(stage).without("memory")
    agent.ask(REFUND, "session", user)
    assert agent.ask("And on which card?", "session", user).turns == 0


def test_without_any_wrapper_it_is_the_stage(stage: Stage, user: str) -> None:
    bare = ActiveAgent(stage).without(*SWITCHES)
    assert bare.ask(REFUND, "session", user).answer.text == stage.ask(REFUND, user=user).text


def test_a_wrapper_that_there_is_not_is_refused_with_those_there_are(stage: Stage) -> None:
    with pytest.raises(LessonsError, match=r"no wrapper 'haste'; the wrappers are cache, .*memory"):
        ActiveAgent(stage).without("haste")
