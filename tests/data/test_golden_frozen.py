"""The test half of the golden questions does not change once stages are tuned against the other half."""

import json
from hashlib import sha256
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
FROZEN = "9b64b81fdd237e7ba57a50a115dd8277dc44314ba175aef48c8471ab2b5066bf"
FROZEN_PLACES = "bf7cad4fefcba33efc72bd7d1474b7a508f7591f01183e3b689e36f574e1ea56"


def questions(split: str) -> list[dict]:
    """The questions of a split as they stand in the files."""
    lines = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    return [question for question in map(json.loads, lines) if question["split"] == split]


def digest(rows: list) -> str:
    return sha256("\n".join(sorted(json.dumps(row, ensure_ascii=False) for row in rows)).encode()).hexdigest()


def without_other_places(question: dict) -> dict:
    first = [{key: item[key] for key in item if key != "any_of"} for item in question["evidence"]]
    return question | {"evidence": first}


def test_the_test_half_is_as_it_was_frozen() -> None:
    assert digest([without_other_places(question) for question in questions("test")]) == FROZEN


def test_the_other_places_of_its_evidence_are_as_they_were_decided() -> None:
    assert digest([[question["id"], question["evidence"]] for question in questions("test")]) == FROZEN_PLACES


def test_no_question_stands_in_both_halves() -> None:
    asked = {split: {question["question"] for question in questions(split)} for split in ("dev", "test")}
    assert not asked["dev"] & asked["test"]
    assert min(map(len, asked.values())) >= 80
