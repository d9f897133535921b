"""The verdict on a comparison: its sentences, and the stages that say the same."""

import pytest

from lessons.evaluate.golden import Evidence, Golden
from lessons.pages.verdict import Score, about_cost, about_evidence, merged, scored, verdict
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Step, Trace

NAMES = ("naive", "enhanced", "smart", "reranked", "agentic")


def score(text: str, status: str, tokens: int = 0, ranks: tuple[int | None, ...] = (), read: int = 5) -> Score:
    documents = tuple(RetrievedDocument(str(at), "words", 1.0, "a.md") for at in range(read))
    trace = Trace([Step("answer", llm_calls=1, tokens_in=tokens)])
    return Score(
        Answer("q", "smart", "keyless", text, context=Context("", documents), trace=trace), status, ranks, text
    )


def scores(*statuses: str, tokens: tuple[int, ...] = (0,) * 5, ranks: tuple[int | None, ...] = ()) -> dict[str, Score]:
    """A score for each status, all that are right with the same words."""
    each = zip(NAMES, statuses, tokens, ranks or [None] * 5, strict=False)
    return {
        name: score("yes" if status == "right" else name, status, spent, (rank,) if ranks else ())
        for name, status, spent, rank in each
    }


@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        ("wrong refused right right right", "Smart is the first that is right."),
        ("wrong refused right wrong right", "Smart is the first that is right; not right after it: Reranked."),
        ("right right", "Every stage is right."),
        ("right wrong right", "Right: Naive and Smart; not right: Enhanced."),
        ("wrong partly refused", "No stage is right."),
        ("refused refused", "No stage is right."),
    ],
)
def test_the_verdict_on_a_golden_question_says_who_is_right_first(statuses: str, sentence: str) -> None:
    assert verdict(scores(*statuses.split()), True) == sentence


def test_where_no_right_answer_is_known_no_stage_is_praised() -> None:
    sentence = verdict(scores("refused", "answered", "answered"), False)
    assert sentence == "No right answer is known here. Stages that answer: 2, that refuse: 1."


def test_the_verdict_says_what_the_same_answer_costs() -> None:
    right = scores("wrong", "refused", "right", "right", "right", tokens=(900, 800, 1000, 2200, 3240))
    assert about_cost(right) == "Reranked and Agentic: the same answer for 2.2 and 3.2 times the tokens."
    assert about_cost(scores("wrong", "right", tokens=(900, 800))) == ""


def test_the_verdict_says_who_did_not_find_the_evidence_and_who_did_not_use_it() -> None:
    missed = scores("wrong", "wrong", "refused", ranks=(None, 6, 2))
    expected = "Naive did not find the evidence ★. Smart read the evidence ★ and still missed the answer."
    assert about_evidence(missed) == expected
    assert about_evidence(scores("wrong", "wrong", ranks=(None, None))) == "No stage found the evidence ★."


def test_neighbours_that_say_the_same_are_one_group_whatever_number_they_cite() -> None:
    known = Golden("x", "When?", "en", "fact", "At 7:30.", ("7:30",), (Evidence("a.md", "at 7:30"),))
    texts = {
        "naive": "At 9.",
        "smart": "At 7:30 [1].",
        "reranked": "At 7:30 [2].",
        "agentic": "The documents do not say.",
    }
    found = {name: scored(Answer("When?", name, "keyless", text), known) for name, text in texts.items()}
    assert merged(NAMES, found) == [["naive"], ["enhanced"], ["smart", "reranked"], ["agentic"]]
    assert [each.status for each in found.values()][:3] == ["wrong", "right", "right"]
    assert found["smart"].facts.replace("\u00a0", " ") == "★ not found · 0 calls · 0 tokens · 0 ms · free"


def test_a_right_refusal_is_right() -> None:
    known = Golden("x", "How many moons?", "en", "unanswerable")
    assert (
        scored(Answer("q", "naive", "keyless", "The documents do not answer this question."), known).status == "right"
    )
