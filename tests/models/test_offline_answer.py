import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.answer.prompts import ANSWER, NOT_FOUND
from lessons.models.offline import OfflineLLM
from lessons.text import language
from tests.models.answer_cases import ANSWERED, FAQ_EN, REPORTS_EN, TABLE, UNANSWERED, Case, context

CITATION = re.compile(r" ?\[(\d+)\]")


def ask(question: str, documents: str) -> str:
    return OfflineLLM().predict(ANSWER, question=question, context=documents, response_format="")


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.question)
def test_answers_with_the_words_of_the_right_document(case: Case) -> None:
    said = ask(case.question, case.context)
    assert all(words in said for words in case.says), said
    assert not any(words in said for words in case.omits), said
    assert {int(number) for number in CITATION.findall(said)} == set(case.cites), said


@pytest.mark.parametrize(("documents", "question"), UNANSWERED, ids=lambda value: value[:60])
def test_says_that_it_is_not_there(documents: str, question: str) -> None:
    assert ask(question, documents) == NOT_FOUND[language(question)]
