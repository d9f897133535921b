"""How the keyless model finds keywords: noun phrases that are frequent in a chunk and rare in its document."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Any

from lessons.models.offline.korean import korean_nouns
from lessons.models.offline.tasks import task
from lessons.models.offline.words import Word, runs

LONGEST = 3  # words of a keyword
HEADING, NAME, CODE = 1.6, 1.4, 3.0  # how much more a word weighs that stands in the heading, is a name, an identifier

Phrase = tuple[str, ...]  # words in lower case


@task("keywords")
def keywords(llm: Any, text: str, count: int, section: str = "", document: Sequence[str] = (), **_: Any) -> Any:
    """The `count` heaviest phrases as {"keywords": […]}. `document` are the texts of all chunks of the file."""
    nouns, spread, chunks = _document(tuple(document) or (text,))
    found = _Phrases(f"{section}\n{text}", nouns)
    in_heading = set(_Phrases(section, nouns).shown)
    weights = {
        phrase: found.weight(phrase, spread, chunks) * (HEADING if phrase in in_heading else 1.0)
        for phrase in found.shown
    }
    chosen: list[Phrase] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], found.first[phrase])):
        if len(chosen) < count and not any(_overlap(phrase, other) for other in chosen):
            chosen.append(phrase)
    return {"keywords": [found.shown[phrase] for phrase in chosen]}


class _Phrases:
    """The phrases of a text: as written, where they first stand, how often, and how often inside longer ones."""

    def __init__(self, text: str, nouns: frozenset[str]) -> None:
        self.shown: dict[Phrase, str] = {}
        self.first: dict[Phrase, int] = {}
        self.times: Counter[Phrase] = Counter()
        self.within: Counter[Phrase] = Counter()
        self.boost: dict[Phrase, float] = {}
        for run in runs(text, nouns):
            for words in _windows(run):
                self._add(words, whole=len(words) == len(run) or len(words) == LONGEST)

    def _add(self, words: list[Word], whole: bool) -> None:
        phrase = _key(words)
        self.shown.setdefault(phrase, " ".join(word.text for word in words))
        self.first.setdefault(phrase, len(self.first))
        self.boost[phrase] = CODE if words[0].is_code else NAME if any(word.is_name for word in words) else 1.0
        self.times[phrase] += 1
        self.within[phrase] += not whole

    def weight(self, phrase: Phrase, spread: Counter[str], chunks: int) -> float:
        """C-value (Frantzi, Ananiadou & Mima 2000) with rare words counting more."""
        rarity = sum(log((chunks + 1) / max(spread[word], 1)) + 0.1 for word in phrase) / len(phrase)
        alone = self.times[phrase] - 0.7 * self.within[phrase]
        return (1 + 0.5 * (len(phrase) - 1)) * alone * rarity * self.boost[phrase]


def _windows(run: list[Word]) -> list[list[Word]]:
    """The parts of a run that may be a keyword."""
    parts = [run[i : i + size] for size in range(1, LONGEST + 1) for i in range(len(run) - size + 1)]
    return [part for part in parts if not all(word.is_weak for word in part)]


def _key(words: list[Word]) -> Phrase:
    return tuple(_singular(word.text.lower()) for word in words)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _overlap(one: Phrase, other: Phrase) -> bool:
    """Whether one phrase says nothing that the other does not."""
    shared = len(set(one) & set(other))
    return shared == min(len(one), len(other)) or (shared > 0 and len(one) + len(other) > 4)


@lru_cache(maxsize=4)
def _document(texts: tuple[str, ...]) -> tuple[frozenset[str], Counter[str], int]:
    """The Korean nouns of a document, in how many of its chunks each word stands, and how many chunks it has."""
    nouns = korean_nouns(texts)
    spread: Counter[str] = Counter()
    for text in texts:
        spread.update({_singular(word.text.lower()) for run in runs(text, nouns) for word in run})
    return nouns, spread, len(texts)
