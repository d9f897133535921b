"""Questions that are answered with letters, however they are written."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lessons.exercises.registry import Case
from lessons.exercises.same import kind

ALONE = re.compile(r"\b[a-z]\b")


def letters(given: Any) -> str | None:
    """The letters of 'b', '(B) It is.', 'ac', 'a and c' or ['a', 'c'], small, in their order; None if it has none."""
    if isinstance(given, (set, frozenset)):
        given = sorted(given, key=str)
    if not isinstance(given, str):
        texts = isinstance(given, Sequence) and all(isinstance(each, str) for each in given)
        return letters(" ".join(given)) if texts else None
    alone, word = ALONE.findall(given.lower()), given.strip().lower()
    return "".join(dict.fromkeys(alone)) or (word if word.isalpha() and word.isascii() else None)


def chosen(right: str, why_not: dict[str, str]) -> Iterator[Case]:
    """One case: the right letter. `why_not` says of each other one what speaks against it, as half a sentence."""

    def accept(given: Any) -> bool | str:
        answer = letters(given)
        if answer is None and not isinstance(given, str):
            return f"what comes is {kind(given)}, not a text"
        if answer is None or len(answer) > 1:
            return f"{given!r} is not one letter"
        return answer == right or f"{given!r} is not it: {why_not.get(answer, 'there is no such letter')}"

    yield Case("one letter is chosen", accept=accept)
