"""The utterances on which the intent classifier is measured do not change, and none of them is trained on."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

CONTEXT = Path(__file__).parents[2] / "data" / "context"
FROZEN = "724e4c26a864bd01e7ee04f95f63cdcf4aa137c2f5e81180543c95f0df522493"


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CONTEXT / name).read_text(encoding="utf-8").splitlines()]


def letters(row: dict[str, str]) -> str:
    return "".join(sign for sign in row["text"].casefold() if sign.isalnum())


def test_the_test_set_is_as_it_was_frozen() -> None:
    text = (CONTEXT / "intent_test.jsonl").read_text(encoding="utf-8")
    assert sha256(text.encode()).hexdigest() == FROZEN


def test_every_intent_has_twenty_utterances_in_each_language_and_none_is_trained_on() -> None:
    test, trained = rows("intent_test.jsonl"), rows("utterances.jsonl")
    assert set(Counter((row["intent"], row["language"]) for row in test).values()) == {20}
    shared = len({letters(row) for row in test} & {letters(row) for row in trained} - {""})
    assert shared == 0  # counted, because whoever tunes the classifier must not see the texts
