"""The token manager and the context manager."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from lessons.context.compress import ContextManager, Extractive, Managed, TokenManager
from lessons.errors import LessonsError
from lessons.memory.conversation import split_memory
from lessons.models.tokens import ExactTokenCounter, TokenEstimator
from lessons.plan import beginning
from lessons.rag.pipeline import Stage
from lessons.settings import settings

QUESTION = "How long does a refund take?"
texts = st.text(max_size=150)
SHARES = {"question": 200, "documents": 900, "history": 300, "profile": 200, "long_term": 100}
shares = st.fixed_dictionaries({f"share_{name}": st.integers(0, 60) for name in SHARES})


@given(
    total=st.integers(0, 120),
    prompts=st.integers(0, 30),
    shares=shares,
    question=texts,
    documents=st.lists(texts, max_size=7),
    history=st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), max_size=6),
    profile=texts,
    long_term=texts,
    exact=st.booleans(),
)
def test_it_is_never_over_budget_and_never_drops_the_question(
    total, prompts, shares, question, documents, history, profile, long_term, exact
) -> None:  # type: ignore[no-untyped-def]
    tokens = TokenManager(total, prompts, ExactTokenCounter() if exact else TokenEstimator())
    try:
        with patch.multiple(settings(), **shares):
            fitted = ContextManager(tokens).fit(question, documents, history, profile, long_term)
    except LessonsError:
        assert tokens.counter.count(question) > tokens.available
        return
    assert fitted["question"].text == question
    assert fitted.tokens + prompts <= max(total, prompts)
    assert fitted.buffer >= 0
    limits = {name: shares[f"share_{name}"] for name in ("documents", "history", "profile")}
    assert all(piece.tokens <= limits.get(piece.name, total) for piece in fitted.pieces)
    sent = [question, *fitted["documents"].items, *(fitted[name].text for name in ("history", "profile", "long-term"))]
    assert sum(map(tokens.counter.count, sent)) == fitted.tokens


def test_the_defaults_are_those_of_the_row() -> None:
    tokens, config = ContextManager().tokens, settings()
    assert (tokens.window, tokens.reserved) == (4_000, 500)
    assert (config.managed_documents, config.managed_document_chars) == (5, 500)
    assert {name: getattr(config, f"share_{name}") for name in SHARES} == SHARES


def tokens_left(total: int) -> list[int]:
    """Tokens of question, documents, history, profile and long-term memory, each of which wants 10."""
    ten = "a" * 40
    manager = ContextManager(TokenManager(total, 0, TokenEstimator()))
    fitted = manager.fit(ten, [ten], [("user", "a" * 32)], ten, ten)
    return [piece.tokens for piece in fitted.pieces]


@pytest.mark.parametrize(
    ("total", "left"),
    [
        (50, [10, 10, 10, 10, 10]),
        (40, [10, 10, 10, 10, 0]),
        (30, [10, 10, 10, 0, 0]),
        (20, [10, 10, 0, 0, 0]),
        (10, [10, 0, 0, 0, 0]),
    ],
)
def test_the_question_comes_first_then_documents_history_profile_and_long_term(total: int, left: list[int]) -> None:
    assert tokens_left(total) == left


def test_five_documents_of_500_characters_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "share_documents", 3_000)
    fitted = ContextManager().fit(QUESTION, [f"Document {number}. {'b c ' * 300}" for number in range(7)])
    assert [len(document) <= 500 for document in fitted["documents"].items] == [True] * 5
    assert fitted["documents"].items[-1].startswith("Document 4.")


def test_the_newest_turns_are_kept() -> None:
    history = [("user", f"question {number}") for number in range(200)]
    kept = ContextManager().fit(QUESTION, history=history)["history"].items
    assert kept == tuple(history[-len(kept) :])
    assert 0 < len(kept) < 200


def test_a_text_is_cut_after_a_sentence_and_only_then_after_a_word() -> None:
    assert beginning("A short one. And one more that is longer.", 6, TokenEstimator()) == "A short one."
    assert beginning("One sentence that is far too long for this.", 4, TokenEstimator()) == "One sentence"


def test_the_result_can_be_looked_at_piece_by_piece() -> None:
    fitted = ContextManager().fit(QUESTION, ["A refund takes 14 days."], profile="- name: <Mina>")
    assert "documents: 7 tokens, 0 left out" in repr(fitted)
    assert "&lt;Mina&gt;" in fitted._repr_html_()


@pytest.mark.parametrize(
    ("named", "encoding"),
    [
        ({}, "o200k_base"),
        ({"recorded": "qwen3:8b"}, "cl100k_base"),
        ({"recorded": "qwen3:8b", "openai_api_key": SecretStr("sk-")}, "o200k_base"),
    ],
)
def test_tokens_are_those_of_the_model_that_answers(
    monkeypatch: pytest.MonkeyPatch, named: dict[str, Any], encoding: str
) -> None:
    """Live and from its record, a model gets the same prompt; otherwise its reply would not be found."""
    for name, value in named.items():
        monkeypatch.setattr(settings(), name, value)
    assert TokenManager().counter.encoding_name == encoding  # type: ignore[attr-defined]


def test_a_question_that_does_not_fit_is_said_in_a_sentence() -> None:
    with pytest.raises(
        LessonsError, match=r"does not fit: .* 20 tokens, of which 10 are kept free.* raise LESSONS_MANAGED_TOKENS"
    ):
        ContextManager(TokenManager(20, 10)).fit("why " * 30)


LONG = "Nothing of note was recorded on that day, and the weather was mild. " * 100


def test_a_managed_stage_sends_each_part_within_its_share(stage_of: Callable[..., Stage]) -> None:
    history = [("user", f"How much is plan {number}?") for number in range(100)]
    answer = Managed(stage_of(f"A refund takes 14 days. {LONG}", LONG)).ask(
        QUESTION, history=history, memory=f"About the user:\n- name: Mina\nSummary:\n{LONG}"
    )
    assert "14 days" in answer.text
    sent = {piece.name: piece for piece in answer.trace["manage"].output.pieces}
    assert 0 < sent["history"].tokens <= 300
    assert 0 < sent["long-term"].tokens <= 100
    assert sent["profile"].dropped == 0
    assert answer.context.total_tokens <= 900
    assert sent["documents"].dropped > 900
    assert all(len(document.content) <= 500 for document in answer.context.documents)


@pytest.mark.parametrize("total", [560, 800, 1_000, 1_400])
def test_a_managed_stage_that_is_short_of_room_sends_no_more_and_serves_documents_first(
    stage_of: Callable[..., Stage], total: int
) -> None:
    history = [("user", f"How much is plan {number}?") for number in range(100)]
    manager = ContextManager(TokenManager(total, 500))
    notes = f"About the user:\n- name: Mina\nSummary:\n{LONG}"
    answer = Managed(stage_of(f"A refund takes 14 days. {LONG}", LONG), manager).ask(
        QUESTION, history=history, memory=notes
    )
    told, count = answer.trace["manage"].output, manager.tokens.counter.count
    prompt = next(iter(answer.trace["answer"].prompts), "")
    sent = [f"user: {said}" for role, said in history if f"{role}: {said}" in prompt]
    assert told["documents"].tokens == count(answer.context.text)
    assert told["history"].tokens == count("\n".join(sent))
    assert told.room == total - 500
    assert told.tokens <= told.room
    assert not (sent and total == 560)


@pytest.mark.parametrize(("words", "noted"), [(150, False), (250, True)])
def test_a_question_above_its_share_is_sent_whole_and_noted(
    stage_of: Callable[..., Stage], words: int, noted: bool
) -> None:
    question = f"{QUESTION}{' really' * words}"
    answer = Managed(stage_of("A refund takes 14 days.")).ask(question)
    step = answer.trace["manage"]
    assert step.output["question"].text == question
    assert [note.endswith("more than its share of 200") for note in step.notes] == [True] * noted


def test_a_compressor_finds_in_a_long_document_what_its_beginning_lacks(stage_of: Callable[..., Stage]) -> None:
    late = stage_of(f"{LONG}A refund takes 14 days. {LONG}")
    assert "14 days" not in Managed(late).ask(QUESTION).text
    assert "14 days" in Managed(late.but("late", compressor=Extractive())).ask(QUESTION).text


def test_noted_facts_are_told_from_the_rest_of_the_memory() -> None:
    assert split_memory("") == ("", "")
    assert split_memory("About the user:\n- name: Mina\nSummary:\nThey spoke of refunds.") == (
        "About the user:\n- name: Mina",
        "Summary:\nThey spoke of refunds.",
    )
