import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.models.keyless import NOT_FOUND, NOTHING_FOUND
from lessons.rag.prompts import REFUSALS
from lessons.text import language
from tests.models.answer_cases import (
    ANSWERED,
    FAQ_EN,
    LEAFLET_EN,
    REPORTS_EN,
    REPORTS_KO,
    TABLE,
    UNANSWERED,
    Case,
    ask,
    context,
    refuses,
)

MISSING = re.compile(r"The documents do not say: “[^”]*”\.|“[^”]*”에 대한 답은 문서에 나와 있지 않습니다\.")
CITATION = re.compile(r" ?\[(\d+)\]")


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.question)
def test_answers_with_the_words_of_the_right_document(case: Case) -> None:
    said = ask(case.question, case.context)
    assert all(words in said for words in case.says), said
    assert not any(words in said for words in case.omits), said
    assert {int(number) for number in CITATION.findall(said)} == set(case.cites), said


@pytest.mark.parametrize(("documents", "question"), UNANSWERED, ids=lambda value: value[:60])
def test_says_that_it_is_not_there(documents: str, question: str) -> None:
    assert refuses(question, documents)


def test_a_refusal_names_what_stands_nowhere() -> None:
    refusal = ask("Does Solvarin interact with warfarin?", LEAFLET_EN)
    assert refusal == f"{NOT_FOUND['en']} The passages found do not mention “interact”, “warfarin”."


def test_a_refusal_names_what_stands_nowhere_in_korean() -> None:
    refusal = ask("새빛전자의 매출은 얼마인가요?", REPORTS_KO)
    assert refusal == f"{NOT_FOUND['ko']} 찾은 문서에 나오지 않는 말: “새빛전자”."


def test_prefixes_nothing_and_changes_no_word() -> None:
    said = ask("What was Tessin Optics' operating margin in Q3 2024?", REPORTS_EN)
    assert said == "The operating margin was 6.6% [3]."


def test_cites_before_the_full_stop() -> None:
    said = ask("How long does the business plan keep cost data?", FAQ_EN)
    assert "The business plan keeps it for 25 months [2]." in said


def test_a_table_row_is_said_with_its_header_cells() -> None:
    said = ask("How much does the Team plan cost per month?", TABLE)
    assert said == "Plan: Team, Price (USD per month): 49, Seats: 20, Retention: 12 months [1]."


def test_a_reference_in_a_document_is_not_taken_for_a_citation() -> None:
    documents = context(("paper.pdf, p. 1", "The reactor was cooled with helium [7]. It ran for nine years."))
    assert ask("What was the reactor cooled with?", documents) == "The reactor was cooled with helium [1]."


def test_a_context_without_header_lines_is_answered_without_citation() -> None:
    assert ask("When does the office open?", "The office opens at 9:00.") == "The office opens at 9:00."


@pytest.mark.parametrize("question", ["", "   \n\t ", "😀🎉", "???", "the of and", "무엇인가요?", "\x00"])
def test_a_question_without_words_is_not_answered(question: str) -> None:
    assert ask(question, FAQ_EN) in NOT_FOUND.values()


@pytest.mark.parametrize("documents", ["", "  \n "])
@pytest.mark.parametrize(("question", "language"), [("환불은 얼마나 걸리나요?", "ko"), ("When do they open?", "en")])
def test_without_a_document_nothing_was_found(question: str, language: str, documents: str) -> None:
    assert ask(question, documents) == NOTHING_FOUND[language] != NOT_FOUND[language]


@pytest.mark.parametrize("documents", ["[Source: 1 | empty.md]\n", "---"])
def test_a_document_without_words_answers_nothing(documents: str) -> None:
    assert refuses("환불은 얼마나 걸리나요?", documents)


@pytest.mark.parametrize(
    "question", ["refund " * 14_000, "환불" * 50_000, "x" * 100_000], ids=["words", "한글", "one word"]
)
def test_a_question_of_100_000_characters_is_answered_in_time(question: str) -> None:
    started = perf_counter()
    ask(question, FAQ_EN)
    assert perf_counter() - started < 2


WORDS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(REPORTS_EN.split() + REPORTS_KO.split() + ["|", "\n", "1.", "# ", "[9]"]), max_size=60
    ).map(" ".join),
)


@given(question=WORDS, texts=st.lists(WORDS, max_size=4))
def test_says_only_words_of_the_context_and_cites_only_its_documents(question: str, texts: list[str]) -> None:
    documents = context(*((f"file{number}.md", text) for number, text in enumerate(texts)))
    said = ask(question, documents)
    assert said == ask(question, documents)
    if not said.startswith(REFUSALS):
        said = MISSING.sub("", said)
        words = documents + documents.replace("|", " ")
        assert all(word in words or word.rstrip(".,:") in words for word in CITATION.sub("", said).split())
        numbers = {int(number) for number in CITATION.findall(said)}
        assert numbers <= set(range(1, len(texts) + 1))


def test_a_word_of_how_often_need_not_stand_in_the_answer() -> None:
    documents = context(
        (
            "backups.md",
            "# Backups\n\n## When backups are made\nBackups are made every hour, at minute 15. "
            "A restored machine can be a day behind its backups, however often they are made.",
        )
    )
    assert "every hour" in ask("How often are backups made?", documents)


@pytest.mark.parametrize(
    ("question", "own", "other", "said"),
    [
        (
            "Can I pay at the door?",
            "### How are courses paid?\n\nBy transfer, or in cash at the door.",
            "### Can I look around before I pay?\n\nYes, once, and without an appointment at the door.",
            "By transfer, or in cash at the door",
        ),
        (
            "주차장을 예약할 수 있나요?",
            "### 자리는 어떻게 잡나요?\n\n주차장은 전화로 예약합니다.",
            "### 주차장에 세차장이 있나요?\n\n네, 예약 없이 씁니다.",
            "주차장은 전화로 예약합니다",
        ),
    ],
)
def test_a_yes_to_another_question_is_not_said(question: str, own: str, other: str, said: str) -> None:
    assert ask(question, context(("faq.md", f"{other}\n\n{own}"))).startswith(said)
    assert ask(question, context(("faq.md", other))) == NOT_FOUND[language(question)]


def test_a_yes_to_the_question_that_is_asked_is_said() -> None:
    documents = context(("faq.md", "### Is the workshop open to guests?\n\nYes, on the first Friday of a month."))
    assert ask("Is the workshop open for guests?", documents) == "Yes, on the first Friday of a month [1]."
