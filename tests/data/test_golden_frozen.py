"""The test half of the golden questions does not change once stages are tuned against the other half."""

import json
from hashlib import sha256
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
FROZEN = "60cf170835b4c38684cd92360f93d9cbb826819e78118384725b0bcdad4460d4"


def lines(split: str) -> list[str]:
    """The questions of a split as they stand in the files, sorted."""
    found = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(line for line in found if json.loads(line)["split"] == split)


def test_the_test_half_is_as_it_was_frozen() -> None:
    assert sha256("\n".join(lines("test")).encode()).hexdigest() == FROZEN


def test_no_question_stands_in_both_halves() -> None:
    asked = {split: {json.loads(line)["question"] for line in lines(split)} for split in ("dev", "test")}
    assert not asked["dev"] & asked["test"]
    assert min(map(len, asked.values())) >= 80
