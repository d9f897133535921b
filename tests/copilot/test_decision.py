"""The structured call: used as it is when it can be, replaced by the keyless model's when it cannot."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.llms import LLM

from lessons.copilot.decision import Decision, decide
from lessons.keyless.llm import OfflineLLM
from lessons.rag.types import RetrievedDocument
from lessons.trace import Step

QUESTION = "How long is the warranty?"
TEXTS = ["The warranty lasts 26 months.", "The pump makes 41 decibels.", "Grade M7 only."]
DOCUMENTS = [RetrievedDocument(str(n), text, 1.0, "faq.md", {"chunk_index": n}) for n, text in enumerate(TEXTS)]
GOOD: dict[str, Any] = {
    "ranked_indices": [2, 1],
    "is_sufficient": False,
    "missing": "the price",
    "next_action": "search_again",
    "refined_query": "price of the warranty",
    "confidence": 0.8,
}


def said(**change: Any) -> str:
    return f"say:{json.dumps(GOOD | change)}"


def test_a_usable_decision_is_taken_as_it_is(served: Callable[..., LLM]) -> None:
    step = Step("decide")
    decision = decide(QUESTION, DOCUMENTS, [], served(said()), step)
    assert (decision.ranked_indices, decision.refined_query) == ([2, 1], "price of the warranty")
    assert not step.notes


@pytest.mark.parametrize(
    "behaviour",
    [
        said(ranked_indices=[1, 4]),
        said(ranked_indices=[0]),
        said(ranked_indices=[1, 1]),
        said(ranked_indices=[], is_sufficient=True),
        said(refined_query=" "),
        said(confidence=7),
        said(next_action="dance"),
        "say:" + json.dumps({"ranked_indices": [1]}),
        "say:I would rank the first one highest.",
        'say:{"ranked_indices": [1, 2',
        "empty",
        "truncated",
        "error",
    ],
)
def test_an_unusable_decision_is_replaced_by_the_keyless_one(behaviour: str, served: Callable[..., LLM]) -> None:
    step = Step("decide")
    decision = decide(QUESTION, DOCUMENTS, [], served(behaviour), step)
    assert decision.ranked_indices == [1]
    assert decision.is_sufficient
    assert "keyless" in step.notes[0]


def test_what_suffices_needs_no_further_action(served: Callable[..., LLM]) -> None:
    assert decide(QUESTION, DOCUMENTS, [], served(said(is_sufficient=True)), Step("decide")).next_action == "none"


def keyless(question: str, documents: list[RetrievedDocument] = DOCUMENTS, made: tuple[str, ...] = ()) -> Decision:
    return decide(question, documents, made, OfflineLLM(), Step("decide"))


def test_the_keyless_model_ranks_nothing_for_what_is_not_there() -> None:
    decision = keyless("Which wine suits grilled salmon?")
    assert (decision.ranked_indices, decision.is_sufficient) == ([], False)


def test_it_is_unsure_when_only_one_word_fits() -> None:
    assert keyless("Can the pump brew espresso on Sundays?").confidence < 0.5


def test_it_asks_for_other_words_and_never_twice_for_the_same() -> None:
    first = keyless("When does the museum in Ulm open?")
    made = (f"search_all(query='{first.refined_query}')",)
    assert first.next_action == "search_again"
    assert keyless("When does the museum in Ulm open?", made=made).refined_query != first.refined_query


def part(place: int, text: str, outline: dict[str, list[int]] | None = None, **more: str) -> RetrievedDocument:
    known = {
        "chunk_index": place,
        "has_steps": True,
        "title": "Servicing the pump",
        "outline": outline or {"": [0, 1], "Oil": [0, 1]},
    }
    return RetrievedDocument(f"g{place}", text, 1.0, "guide.md", known | more)


def test_half_of_the_steps_make_it_ask_for_the_section() -> None:
    decision = keyless(
        "How do I change the oil of the pump?", [part(0, "## Oil\n1. Drain the oil of the pump to change it.")]
    )
    assert (decision.is_sufficient, decision.next_action, decision.section) == (False, "get_section", "Oil")


def test_all_of_the_steps_suffice() -> None:
    both = [part(0, "## Oil\n1. Drain the oil of the pump to change it."), part(1, "2. Fill in new oil.")]
    assert keyless("How do I change the oil of the pump?", both).is_sufficient


@pytest.mark.parametrize("asked", ["What are the steps to service the pump?", "How do I set up servicing the pump?"])
def test_words_that_ask_for_steps_are_no_subject_of_a_heading(asked: str) -> None:
    outline = {"": [0], "Steps": [0], "Creating users": [0]}
    found = part(0, "## Steps\n1. Drain the pump before servicing the pump.\n2. Service it.", outline)
    assert keyless(asked, [found]).section == ""


def test_where_no_heading_is_about_it_the_section_of_the_first_passage_tells_the_steps() -> None:
    outline = {"": [0, 1, 2], "Part A": [0, 1], "Part A > A1": [0], "Part A > A2": [1], "Part B": [2]}
    found = [part(1, "## A2\n1. Mount the new filter into the housing.", outline, section="Part A > A2")]
    decision = keyless("How do I mount a new filter?", found)
    assert (decision.next_action, decision.section) == ("get_section", "Part A")
