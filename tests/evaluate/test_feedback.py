"""Ratings are kept for their owner, and become questions once it is known what is right."""

import json
from dataclasses import replace

import pytest

from lessons.database import engine
from lessons.evaluate.feedback import Rating, Ratings, question_lines
from lessons.evaluate.golden import Evidence
from lessons.evaluate.judge import is_unanswerable, judge_text
from lessons.evaluate.question_sets import read_questions
from lessons.keyless.answer import NOT_FOUND, NOWHERE
from lessons.rag.answer import Answer
from lessons.rag.context import Citation
from lessons.settings import Settings

QUOTE = "The kiosk opens at 7:30."
ANSWER = Answer(
    "언제 열어요?",
    "smart",
    "keyless",
    "At 7:30 [1].",
    True,
    citations=[Citation(1, "kiosk.md", None, "chunk", QUOTE)] * 2,
)
GOOD, BAD = Rating.of(ANSWER, True), Rating.of(ANSWER, False, " ")


@pytest.fixture
def ratings(database: Settings) -> Ratings:
    made = Ratings(engine(database), "feedback-mina")
    made.forget()
    return made


def test_a_rating_keeps_what_was_asked_and_what_the_answer_rests_on(ratings: Ratings) -> None:
    rating = Rating.of(ANSWER, True, history=["Is there a kiosk?", "Yes."])
    ratings.rate(rating)
    assert ratings.all() == [rating]
    assert (rating.stage, rating.answer) == ("smart", "At 7:30 [1].")
    assert rating.passages == (("kiosk.md", QUOTE),)


def test_the_last_rating_of_an_answer_counts_and_can_be_taken_back(ratings: Ratings) -> None:
    for rating in (GOOD, BAD, Rating.of(replace(ANSWER, question="Other"), True)):
        ratings.rate(rating)
    assert [(each.question, each.is_good) for each in ratings.all()] == [("Other", True), (ANSWER.question, False)]
    ratings.take_back(BAD.id)
    assert [each.question for each in ratings.all()] == ["Other"]


def test_nobody_sees_or_deletes_the_ratings_of_another(ratings: Ratings, database: Settings) -> None:
    ratings.rate(GOOD)
    other = Ratings(engine(database), "feedback-joon")
    other.take_back(GOOD.id)
    other.forget()
    assert (other.all(), ratings.all()) == ([], [GOOD])


def test_a_good_answer_is_the_expected_one_with_its_passage_as_evidence() -> None:
    (question,) = read_questions(question_lines([GOOD]), "mina")
    assert (question.question, question.answer) == (ANSWER.question, "At 7:30.")
    assert question.evidence == (Evidence("kiosk.md", QUOTE),)


def test_a_bad_answer_counts_once_somebody_has_written_what_is_right() -> None:
    assert question_lines([BAD]) == ""
    (question,) = read_questions(question_lines([replace(BAD, right="At 8")]), "mina")
    assert (question.answer, question.evidence) == ("At 8", ())


def test_a_follow_up_keeps_what_was_said_before_it() -> None:
    line = question_lines([replace(GOOD, history=("Is there a kiosk?", "Yes."))])
    (question,) = read_questions(line, "mina")
    assert question.history == (("user", "Is there a kiosk?"), ("assistant", "Yes."))


def test_a_good_refusal_says_that_the_question_has_no_answer_and_a_bad_one_says_nothing() -> None:
    refusal = replace(GOOD, question="When?", answer=f"{NOT_FOUND['en']} {NOWHERE['en'].format('boats')}", passages=())
    lines = [question_lines([GOOD, refusal]), json.dumps({"question": "Where?"})]
    questions = read_questions("\n".join(lines), "mina")
    assert [is_unanswerable(question) for question in questions] == [False, True, False]
    assert judge_text(questions[1], refusal.answer) == (1.0, True)
    assert judge_text(questions[1], "At 7:30.") == (0.0, False)
    assert question_lines([replace(refusal, is_good=False)]) == ""


def test_an_answer_without_a_source_is_not_taken_for_right() -> None:
    assert question_lines([replace(GOOD, passages=())]) == ""


def test_a_line_end_of_another_alphabet_does_not_end_the_line() -> None:
    (question,) = read_questions(question_lines([replace(BAD, right="At 8,\u2028not at 7\x85:30")]), "mina")
    assert question.answer.split() == ["At", "8,", "not", "at", "7", ":30"]
