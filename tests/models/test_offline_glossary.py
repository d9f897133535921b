"""A word is found where a document says the same in another one, or in the other language."""

import pytest

from lessons.keyless import words as words_room
from lessons.keyless.words import GROUPS, SAME, read_question, synonyms
from lessons.text import terms
from tests.models.answer_cases import FAQ_EN, FAQ_KO, ask, context, refuses

FACTORY = context(
    (
        "ferry-works.md",
        "# Ferry works\n\nThe plant in Harlen has 312 employees. Its inventory is counted in May.\n\n"
        "The canteen seats 90 guests. The roof was painted white.",
    )
)
FACTORY_KO = context(
    (
        "연락선_공장.md",
        "# 연락선 공장\n\n하를렌 공장의 근로자는 312명입니다. 재고는 5월에 셉니다.\n\n식당은 90석입니다.",
    )
)


@pytest.mark.parametrize(
    ("question", "documents", "words"),
    [
        ("How many staff work at the factory?", FACTORY, "312 employees"),
        ("공장 직원은 몇 명인가요?", FACTORY_KO, "312명"),
        ("공장 직원은 몇 명인가요?", FACTORY, "312 employees"),
        ("How many people are the staff of the factory?", FACTORY_KO, "312명"),
        ("How long does a reimbursement take?", FAQ_EN, "five business days"),
        ("How many business days does a refund take?", FAQ_KO, "5일"),
    ],
)
def test_another_word_for_the_same_is_found_by_the_glossary_alone(
    question: str, documents: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words in ask(question, documents)
    monkeypatch.setattr(words_room, "synonyms", lambda said: [()] * len(said))
    assert words not in ask(question, documents)


def test_a_word_of_another_meaning_is_not_found() -> None:
    assert refuses("How many ferries does the factory lease in Portugal?", FACTORY)


def test_the_asked_word_counts_more_than_one_that_means_the_same() -> None:
    unit = next(unit for unit in read_question("How many staff are there?").units if unit.text == "staff")
    assert unit.covered(frozenset(terms("staff"))) == 1
    assert unit.covered(frozenset(terms("employees"))) == SAME
    assert unit.covered(frozenset(terms("임직원"))) == SAME


def test_words_that_are_one_form_are_replaced_together() -> None:
    operating, profit = synonyms(["operating", "profit"])
    assert operating == profit
    assert frozenset(terms("영업이익")) in operating


def test_korean_endings_do_not_hide_a_word() -> None:
    assert synonyms(["직원들은"]) == synonyms(["직원"]) != [()]


def test_no_form_stands_in_its_group_twice() -> None:
    lines = [line for line in GROUPS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert all(len({form.strip() for form in line.split("=")}) == line.count("=") + 1 for line in lines)
