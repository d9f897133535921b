"""The golden questions about the reports rest on words that really stand on the page they name."""

import json
from collections import Counter
from pathlib import Path

import pytest

from data.make.extract import holds, pages, squeeze

DATA = Path(__file__).parents[2] / "data"
QUESTIONS = [json.loads(line) for line in (DATA / "golden" / "reports.jsonl").read_text(encoding="utf-8").splitlines()]
ANSWERABLE = [question for question in QUESTIONS if question["category"] != "unanswerable"]


def places(question: dict) -> list[dict]:
    """Every place of every piece of evidence."""
    return [place for evidence in question["evidence"] for place in [evidence, *evidence.get("any_of", [])]]


@pytest.fixture(scope="module")
def texts() -> dict[str, dict[int | None, str]]:
    files = {place["source_file"] for question in QUESTIONS for place in places(question)}
    return {file: {page: squeeze(text) for page, text in pages(DATA / "corpus" / file)} for file in files}


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_every_quote_stands_on_its_page(question: dict, texts: dict[str, dict[int | None, str]]) -> None:
    assert question["evidence"]
    for place in places(question):
        assert holds(texts[place["source_file"]][place["page"]], place["quote"])
        assert len(place["quote"]) <= 200


def test_no_place_of_a_piece_of_evidence_is_listed_twice() -> None:
    for evidence in (evidence for question in QUESTIONS for evidence in question["evidence"]):
        found = [(place["source_file"], place["quote"]) for place in [evidence, *evidence.get("any_of", [])]]
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_the_reference_answer_holds_its_own_key_facts(question: dict) -> None:
    assert question["key_facts"]
    for fact in question["key_facts"]:
        assert any(alternative.casefold() in question["answer"].casefold() for alternative in fact.split("|"))


def test_unanswerable_questions_have_neither_evidence_nor_key_facts() -> None:
    found = [question for question in QUESTIONS if question["category"] == "unanswerable"]
    assert len(found) >= 10
    assert not any(question["evidence"] or question["key_facts"] for question in found)


def test_ids_and_wordings_are_unique() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["question"] for question in QUESTIONS}) == len(QUESTIONS)


def test_follow_ups_and_only_they_have_a_history() -> None:
    assert all(bool(question["history"]) == (question["category"] == "follow-up") for question in QUESTIONS)


def test_splits_are_balanced_within_every_category_and_language() -> None:
    count = Counter((question["category"], question["language"], question["split"]) for question in QUESTIONS)
    for category, language, _ in list(count):
        assert abs(count[category, language, "dev"] - count[category, language, "test"]) <= 1


def test_every_category_is_well_represented() -> None:
    count = Counter(question["category"] for question in QUESTIONS)
    assert len(count) == 8
    assert min(count.values()) >= 8
