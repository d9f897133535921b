"""From a question to an answer or to one of the three fallbacks."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.llms import LLM

from lessons.copilot.copilot import REPLIES, Copilot, CopilotAnswer, fit_prompt
from lessons.copilot.decision import ALL_STEPS, STEPS_RULE
from lessons.copilot.tools import MENU_LINKS, Call, menus, menus_for
from lessons.models.keyless import NOT_TOLD
from lessons.models.tokens import TokenEstimator
from lessons.rag.prompts import CITATION_RULE, DEFAULT_RESPONSE_FORMAT, SYSTEM
from lessons.rag.types import RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.trace import Step
from tests.copilot.conftest import OWNER


def ask(question: str, place: Workspace, history: tuple[tuple[str, str], ...] = ()) -> CopilotAnswer:
    return Copilot(workspace=place).ask(question, user=OWNER, history=history)


def test_a_fact_takes_one_call(place: Workspace) -> None:
    answer = ask("How long is the warranty of the pump?", place)
    assert (answer.outcome, len(answer.gathered.calls)) == ("answered", 1)
    assert "26 months" in answer.text
    assert answer.citations[0].source_file == "faq.md"


def test_what_faq_and_guides_do_not_hold_is_found_in_other_documents(place: Workspace) -> None:
    answer = ask("When is the garden party?", place)
    assert [call.tool for call in answer.gathered.calls] == ["search_all", "search_others"]
    assert "9 June" in answer.text


def test_a_procedure_is_told_to_its_last_step(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "copilot_guide_chunks", 2)
    answer = ask("How do I service the Zephyr pump, from the inlet to the outlet?", place)
    assert [call.tool for call in answer.gathered.calls] == ["search_all", "get_section"]
    assert answer.outcome == "answered"
    assert all(f"{name} valve" in answer.text for name in ("inlet", "filter", "rotor", "outlet"))


@pytest.mark.parametrize(
    "asked", ["What are the steps to service the Zephyr pump?", "How do I set up servicing Zephyr?"]
)
def test_however_a_procedure_is_asked_for_it_is_told_whole(place: Workspace, asked: str) -> None:
    answer = ask(asked, place)
    assert answer.outcome == "answered"
    assert all(f"{name} valve" in answer.text for name in ("inlet", "filter", "rotor", "outlet"))


def test_the_current_edition_is_told(place: Workspace) -> None:
    answer = ask("How do I fit the seal?", place)
    assert "silicone" in answer.text
    assert "tallow" not in answer.text
    assert {citation.source_file for citation in answer.citations} == {"guide_seal_20.md"}


def test_what_only_an_old_edition_says_is_told_with_a_caveat(place: Workspace) -> None:
    answer = ask("Where are old seals collected by the dealer?", place)
    assert "Ghent" in answer.text
    assert answer.text.endswith(REPLIES["replaced"]["en"])


def test_an_old_edition_is_read_when_its_version_is_named(place: Workspace) -> None:
    answer = ask("How do I fit the seal according to the guide for Zephyr 1.0?", place)
    assert "tallow" in answer.text
    assert REPLIES["replaced"]["en"] not in answer.text


def test_a_question_about_one_thing_of_a_guide_does_not_pour_it_out(place: Workspace) -> None:
    answer = ask("How do I order spare parts for the Zephyr pump?", place)
    assert len(answer.text.splitlines()) <= 3


def test_a_follow_up_is_understood(place: Workspace) -> None:
    said = (("user", "How long is the warranty of the pump?"), ("assistant", "26 months [1]."))
    answer = ask("And how loud is it?", place, said)
    assert "41 decibels" in answer.text
    assert answer.layout is not None
    assert "pump" in answer.layout.question
    assert "26 months" in answer.layout.memory


def test_a_korean_question_gets_a_korean_answer(place: Workspace) -> None:
    assert "9주마다" in ask("필터는 얼마나 자주 갈아야 하나요?", place).text


SAID_BEFORE = (
    ("user", "우리 예산은 $10,000이야"),
    ("assistant", "기억해 두겠습니다: 예산: $10,000."),
    ("user", "우리는 AWS를 써"),
    ("user", "How loud is the pump?"),
    ("assistant", "The pump makes 41 decibels [1]."),
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("내 예산이 얼마라고 했지?", "10,000"),
        ("우리가 쓰는 클라우드가 뭐였지?", "AWS"),
        ("아까 그거 다시 알려줘", "41 decibels"),
        ("뭐하던 중이었지?", "How loud is the pump?"),
        ("what were we doing", "How loud is the pump?"),
        ("we use Azure", "Azure"),
        ("와파린 복용하고 있습니다", "와파린"),
        ("감사합니다", "천만에요"),
        ("Which documents do you see?", "FAQ: the Zephyr pump"),
        ("어떤 문서를 볼 수 있어?", "제피르 펌프"),
    ],
)
def test_what_needs_no_document_is_answered_without_a_search(question: str, said: str, place: Workspace) -> None:
    answer = ask(question, place, SAID_BEFORE)
    assert said in answer.text
    assert (answer.outcome, answer.found, answer.gathered.calls) == ("answered", True, [])


@pytest.mark.parametrize("question", ["what is my name", "제가 먹는 약이 뭐라고 했죠?"])
def test_what_the_conversation_does_not_hold_is_refused(question: str, place: Workspace) -> None:
    answer = ask(question, place, SAID_BEFORE)
    assert answer.text in NOT_TOLD.values()
    assert (answer.found, answer.gathered.calls) == (False, [])


def test_a_follow_up_that_comes_out_as_an_earlier_question_is_refused(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = "How loud is the pump?"
    monkeypatch.setattr("lessons.agent.Condense.transform", lambda *_: [again])
    assert ask("And its colour?", place, SAID_BEFORE).text == REPLIES["not_understood"]["en"]
    assert "41 decibels" in ask(again, place, SAID_BEFORE).text


@pytest.mark.parametrize(
    ("question", "language"), [("Which wine suits grilled salmon?", "en"), ("고양이는 왜 밤에 우나요?", "ko")]
)
def test_nothing_ranked_is_not_documented(question: str, language: str, place: Workspace) -> None:
    answer = ask(question, place)
    assert (answer.outcome, answer.text, answer.found) == ("not_documented", REPLIES["not_documented"][language], False)
    assert len(answer.gathered.calls) <= settings().copilot_calls


def test_low_confidence_offers_menus(place: Workspace) -> None:
    answer = ask("Does the warranty of the pump cover theft by neighbours?", place)
    assert answer.outcome == "nothing_relevant"
    assert answer.menus[-1] is menus()[-1]


def decision(**change: object) -> str:
    good = {"ranked_indices": [1], "is_sufficient": False, "missing": "more", "next_action": "search_again"}
    return f"say:{json.dumps(good | {'refined_query': 'try #', 'confidence': 0.9} | change)}"


def test_still_insufficient_after_three_calls_gives_the_best_there_is(
    place: Workspace, served: Callable[..., LLM]
) -> None:
    answer = ask("How loud is the pump?", replace(place, llm=served(*[decision()] * 3, "say:41 decibels [1].")))
    assert len(answer.gathered.calls) == 3
    assert answer.outcome == "best_effort"
    assert answer.text.startswith("41 decibels")
    assert answer.text.endswith(REPLIES["best_effort"]["en"])


def test_a_call_that_was_made_before_ends_the_loop(place: Workspace, served: Callable[..., LLM]) -> None:
    repeats = decision(refined_query="the same again")
    answer = ask("How loud is the pump?", replace(place, llm=served(repeats, repeats, "say:41 [1].")))
    assert len(answer.gathered.calls) == 2


@pytest.mark.parametrize(
    ("question", "tool", "limits"),
    [
        ("How do I service the pump?", "search_by_metadata", {"doc_type": "guide", "has_steps": True}),
        ("How loud is the pump?", "search_all", {}),
    ],
)
def test_only_a_further_search_for_steps_keeps_to_the_sections_that_tell_them(
    question: str, tool: str, limits: dict[str, object], place: Workspace, served: Callable[..., LLM]
) -> None:
    again, enough = decision(refined_query="valve"), decision(next_action="none")
    answer = ask(question, replace(place, llm=served(again, enough, "say:It is told there [1].")))
    assert answer.gathered.calls[1] == Call(tool, {"query": "valve", **limits})


def test_a_section_that_is_not_there_does_not_end_the_answer(place: Workspace, served: Callable[..., LLM]) -> None:
    wrong = decision(next_action="get_section", section="Wings")
    answer = ask(
        "How loud is the pump?", replace(place, llm=served(wrong, decision(next_action="none"), "say:41 [1]."))
    )
    assert "has no section" in answer.trace["get_section"].notes[0]
    assert answer.outcome == "best_effort"


@pytest.mark.parametrize(
    ("asked", "rules"),
    [
        ("How loud is the pump?", (CITATION_RULE["en"], DEFAULT_RESPONSE_FORMAT["en"])),
        ("How do I service the Zephyr pump?", (STEPS_RULE["en"], ALL_STEPS["en"])),
        ("제피르 펌프는 어떻게 정비하나요?", (STEPS_RULE["ko"], ALL_STEPS["ko"])),
    ],
)
def test_steps_are_told_only_if_asked_for_though_a_model_names_a_section_for_any_question(
    asked: str, rules: tuple[str, str], place: Workspace, served: Callable[..., LLM]
) -> None:
    named = decision(section="", is_sufficient=True, next_action="none")
    answer = ask(asked, replace(place, llm=served(named, "say:Open the lid [1].")))
    assert all(rule in answer.trace["answer"].prompts[0] for rule in rules)


def test_each_call_and_decision_is_announced_before_the_answer(place: Workspace) -> None:
    events = list(Copilot(workspace=place).stream("How loud is the pump?", user=OWNER).events())
    assert [event.name for event in events if isinstance(event, Step)] == ["search_all", "decide"]
    assert isinstance(events[-1], str)


def test_a_search_that_fails_is_told_and_not_called_undocumented(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.copilot.tools.CopilotTools.search_all", lambda *_: 1 / 0)
    answer = ask("How loud is the pump?", place)
    assert answer.outcome == "unavailable"
    assert "Nothing could be retrieved" in answer.warnings[0]


@pytest.mark.parametrize(
    ("question", "menu"),
    [
        ("Can anomalies become Jira tickets?", "Alerts > Delivery"),
        ("How do I print invoices?", "Settings > Billing"),
        ("예산 알림을 텔레그램으로 받고 싶어요", "알림 > 전달"),
        ("커넥터를 옮길 수 있나요?", "설정 > 커넥터"),
    ],
)
def test_the_menus_fit_the_question(question: str, menu: str) -> None:
    names = [each.name(question) for each in menus_for(question)]
    assert menu in names
    assert len(names) <= MENU_LINKS


texts = st.text("ab 가나다漢字🙂\n-:.", max_size=3_000)


@given(texts, st.lists(texts, max_size=8), st.lists(texts, max_size=8), texts)
def test_a_layout_is_never_over_budget_and_never_drops_the_question(
    question: str, contents: list[str], said: list[str], memory: str
) -> None:
    documents = [RetrievedDocument(str(n), text, 1.0, "a.md", {}) for n, text in enumerate(contents)]
    history = [("assistant" if n % 2 else "user", text) for n, text in enumerate(said)]
    layout = fit_prompt(question, documents, history, memory)
    assert layout.question == question
    assert all(part.tokens <= part.limit for part in layout.plan.pieces)
    assert layout.plan.tokens <= layout.plan.room == 5_300
    assert layout.context.total_tokens == TokenEstimator().count(layout.context.text)


def test_the_parts_stand_in_their_order_with_their_shares() -> None:
    layout = fit_prompt(
        "And January?", [], [("user", "November?")], "Noted:\n- month: November\nThe user compares months."
    )
    assert [(part.name, part.limit) for part in layout.plan.pieces] == [
        ("system", 1_500),
        ("summary", 500),
        ("entities", 200),
        ("turns", 1_500),
        ("documents", 1_500),
        ("question", 100),
    ]
    assert [part.tokens > 0 for part in layout.plan.pieces] == [True, True, True, True, False, True]


def test_the_prompt_that_is_sent_keeps_this_order(place: Workspace) -> None:
    memory, question = "Noted:\n- city: Ghent\nThe user compares pumps.", "How loud is the pump?"
    said = (("user", "When do you open?"), ("assistant", "At nine."))
    answer = Copilot(workspace=place).ask(question, user=OWNER, history=said, memory=memory)
    prompt = answer.trace["answer"].prompts[0]
    parts = (SYSTEM["en"], "The user compares pumps.", "city: Ghent", "At nine.", "41 decibels", question)
    places = [prompt.index(part) for part in parts]
    assert places == sorted(places)
