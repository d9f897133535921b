"""The golden dialogues rest on words that stand in the documents, or that the user said before."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from data.make.extract import pages, squeeze

DATA = Path(__file__).parents[2] / "data"
LINES = [
    line
    for path in sorted((DATA / "golden" / "dialogues").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
DIALOGUES = [json.loads(line) for line in LINES]
ASKED = [
    (dialogue, number, turn)
    for dialogue in DIALOGUES
    for number, turn in enumerate(dialogue["turns"], 1)
    if "answer" in turn
]
FROZEN = "0a03ae67256a5924257a2e9a32d180d4ae7f525ae05c6f27c8a1ce4944d9d841"


@pytest.fixture(scope="module")
def texts() -> dict[str, dict[int | None, str]]:
    files = {evidence["source_file"] for _, _, turn in ASKED for evidence in turn["evidence"]}
    return {file: {page: squeeze(text) for page, text in pages(DATA / "corpus" / file)} for file in files}


def test_the_test_half_is_as_it_was_frozen() -> None:
    held_out = [line for line in LINES if json.loads(line)["split"] == "test"]
    assert sha256("\n".join(held_out).encode()).hexdigest() == FROZEN


def test_every_quote_stands_in_its_document_or_was_said_before(texts: dict[str, dict[int | None, str]]) -> None:
    for dialogue, number, turn in ASKED:
        assert turn["evidence"] or turn["said"]
        for evidence in turn["evidence"]:
            assert squeeze(evidence["quote"]) in texts[evidence["source_file"]][evidence["page"]]
        for said in turn["said"]:
            assert said["turn"] < number
            assert said["quote"] in dialogue["turns"][said["turn"] - 1]["question"]


def test_every_reference_answer_holds_its_own_key_facts() -> None:
    for _, _, turn in ASKED:
        assert turn["key_facts"]
        for fact in turn["key_facts"]:
            assert any(alternative.casefold() in turn["answer"].casefold() for alternative in fact.split("|"))


def test_a_question_needs_earlier_turns_unless_it_stands_alone() -> None:
    assert all(bool(turn["needs"]) == (turn["kind"] != "plain") for _, _, turn in ASKED)
    assert all(need < number for _, number, turn in ASKED for need in turn["needs"])


def test_a_corrected_fact_was_stated_before_and_the_latest_statement_counts() -> None:
    corrected = [turn for _, _, turn in ASKED if turn["kind"] == "corrected"]
    assert len(corrected) >= 6
    assert all(turn["needs"] == [said["turn"]] and not turn["evidence"] for turn in corrected for said in turn["said"])


def test_ids_are_unique_and_dialogues_have_their_length() -> None:
    assert len({dialogue["id"] for dialogue in DIALOGUES}) == len(DIALOGUES) >= 20
    assert all(6 <= len(dialogue["turns"]) <= 14 for dialogue in DIALOGUES)


def test_languages_and_halves_are_balanced() -> None:
    count = Counter((dialogue["language"], dialogue["split"]) for dialogue in DIALOGUES)
    assert len(count) == 4
    assert len(set(count.values())) == 1


@pytest.mark.parametrize(("least", "most"), [(1, 1), (2, 5), (6, 11), (12, 13)])
def test_near_and_far_references_occur_in_both_halves(least: int, most: int) -> None:
    far = [
        dialogue["split"]
        for dialogue, number, turn in ASKED
        if turn["needs"] and least <= number - min(turn["needs"]) <= most
    ]
    assert min(Counter(far)[split] for split in ("dev", "test")) >= 4
