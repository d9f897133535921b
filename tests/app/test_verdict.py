"""The verdict on a comparison: its sentences, and the stages that say the same."""

import pytest

from lessons.evaluate.golden import Evidence, Golden
from lessons.pages.verdict import (
    Score,
    changes_marked,
    merged,
    missing_words,
    scored,
    sentence,
    worth,
)
from lessons.rag.answer import Answer
from lessons.rag.context import Citation
from lessons.rag.types import Context, RetrievedDocument
from lessons.tables import plain, plain_line

NAMES = ("naive", "enhanced", "smart", "reranked", "agentic")


def score(text: str, status: str) -> Score:
    return Score(Answer("q", "smart", "keyless", text), status, (), text)


def scores(*statuses: str) -> dict[str, Score]:
    return {name: score(name, status) for name, status in zip(NAMES, statuses, strict=False)}


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ("wrong refused right right right", "Smart is the first that is right."),
        ("wrong refused right wrong right", "Right: Smart and Agentic; not right: Naive, Enhanced and Reranked."),
        ("right right", "Every stage is right."),
        ("right wrong right", "Right: Naive and Smart; not right: Enhanced."),
        ("wrong partly refused", "No stage is right."),
        ("refused refused", "No stage is right."),
    ],
)
def test_the_verdict_on_a_golden_question_says_who_is_right_first(statuses: str, expected: str) -> None:
    assert sentence(scores(*statuses.split()), True) == expected


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ("refused refused answered answered answered", "Refused: 2; answered: 3. Which is right?"),
        ("refused answered", "Refused: 1; answered: 1. Which is right?"),
        ("answered answered", "Every stage answers. Which is right?"),
        ("refused", "Every stage refuses. Do the documents say it?"),
    ],
)
def test_where_no_right_answer_is_known_no_stage_is_praised(statuses: str, expected: str) -> None:
    assert sentence(scores(*statuses.split()), False) == expected


def test_of_answers_that_are_all_the_same_none_is_to_be_chosen() -> None:
    same = {name: score("At 7:30.", "answered") for name in NAMES}
    assert sentence(same, False) == "Every stage gives the same answer. Is it right?"
    assert sentence({"naive": same["naive"]}, False) == "Every stage answers. Which is right?"


def test_words_of_a_question_that_stand_in_no_cited_passage_are_named() -> None:
    passage = RetrievedDocument("1", "The waiting room screen records consultations in the capital.", 1.0, "a.md")
    cited = [Citation(1, "a.md", None, "1", "records consultations")]
    answer = Answer("What is the capital of Australia?", "smart", "keyless", "It records [1].", True, citations=cited)
    answer.context = Context("", (passage,))
    assert [(word.text, word.required) for word in missing_words(answer)] == [("Australia", True)]
    answer.question = "What is the wage in the capital?"  # a common noun, which may have another word there
    assert [(word.text, word.required) for word in missing_words(answer)] == [("wage", False)]
    answer.question = "When does the screen record a consultation?"
    assert missing_words(answer) == []
    answer.question = "호주의 수도는 어디인가요?"  # words in another language say nothing
    assert missing_words(answer) == []
    answer.question, answer.citations = "What is the capital of Australia?", []
    assert missing_words(answer) == []


def test_what_changed_is_marked_and_what_went_is_not_written() -> None:
    marked = changes_marked("The kiosk opens at 8:00.", "The old kiosk opens at 7:30.")
    assert marked == f"The kiosk opens at :blue-background[{plain_line('8:00.')}]"
    assert changes_marked("Same.", "Same.") == plain("Same.")


def test_a_stage_is_worth_its_tokens_or_not() -> None:
    tokens = {"naive": 100.0, "smart": 210.0}
    known = {"naive": [1.0, 1, 1, 0, 0, 0], "smart": [1.0, 1, 1, 1, 0, 0]}
    assert worth(known, tokens) == (
        "On your 6 questions Smart is worth it: 4 right of 6, Naive 3, at 2.1 times the tokens. "
        "With so few, this may be chance."
    )
    assert worth({name: [1.0, 0.0] for name in tokens}, tokens) == (
        "On your questions (2) all stages are equal: 1 right. Naive costs least."
    )
    assert worth({name: [1.0, 0.0] for name in tokens}, {"naive": 205.0, "smart": 210.0}) == (
        "On your questions (2) all stages are equal: 1 right."
    )
    assert worth({"naive": [1.0, 1.0], "smart": [1.0, 0.5]}, tokens).startswith(
        "On your 2 questions Naive is enough: 2 right of 2, Smart 1."
    )
    clear = worth({"naive": [0.0] * 12, "smart": [1.0] * 12}, tokens)
    assert clear.endswith("at 2.1 times the tokens.")


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
