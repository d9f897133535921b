"""Which words of a text can name its subject: nouns as a reader would write them, without particles and endings.

No dictionary and no model: closed lists of function words, the endings of verbs, and Korean's own spelling rules, by
which 을 follows a consonant and 를 a vowel. What stays uncertain in one place is settled by the other chunks of the
document: a word that takes an object particle somewhere is a noun everywhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any

from lessons.keyless import task
from lessons.text import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS
from lessons.text.korean import korean_nouns, read_korean
from lessons.text.word_lists import KOREAN_NO_NOUNS, words_of

_DETERMINERS = words_of("determiners")
_ENGLISH_NO_NOUNS = words_of("english_no_nouns")
_ENGLISH_WEAK_WORDS = words_of("english_weak_words")
_KOREAN_WEAK_WORDS = words_of("korean_weak_words")
_NOUNS_LIKE_ADVERBS = words_of("nouns_like_adverbs")
_NOUNS_LIKE_PARTICIPLES = words_of("nouns_like_participles")
_PLURALS_THAT_GO_ON = words_of("plurals_that_go_on")
_TOKEN = re.compile(
    r"(?P<code>(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9가-힣]+)+|[A-Za-z]+\d[A-Za-z0-9]*)"
    r"|(?P<latin>[A-Za-zÀ-ɏ]+(?:[-'’&][A-Za-zÀ-ɏ]+)*\+*)|(?P<hangul>[가-힣]+)|(?P<break>\S)"
)
_CODE = re.compile(
    r"[A-Z][A-Za-z]*\d+[A-Za-z]?|[A-Za-z]{1,8}(?:[-_/.][A-Za-z0-9]+)*[-_/]\d[A-Za-z0-9.]*|\d{4}-[가-힣]+-\d+"
)
_NO_CODE = re.compile(r"Q[1-4]|[A-Z]\d?|v?[\d.]+[A-Z]*|UTC.*|H[12]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A word that may be part of a keyword. `last` means that no keyword goes on behind it."""

    text: str
    last: bool = False
    is_code: bool = False
    is_name: bool = False
    is_weak: bool = False


def runs(text: str, nouns: frozenset[str]) -> Iterator[list[Word]]:
    """Neighbouring words that may form one keyword. `nouns` are the document's Korean nouns (`korean_nouns`)."""
    for line in text.splitlines():
        run: list[Word] = []
        for word in [*_words(line, nouns), None]:
            if run and (word is None or word.is_code):
                yield run
                run = []
            if word is not None:
                run.append(word)
                if word.last or word.is_code:
                    yield run
                    run = []


def _words(line: str, nouns: frozenset[str]) -> Iterator[Word | None]:
    """The words of a line in order, None where a keyword cannot go on."""
    tokens = list(_TOKEN.finditer(line))
    end = 0
    for position, token in enumerate(tokens):
        glued = token.start() == end and position > 0
        end = token.end()
        if token["break"]:
            yield None
        elif token["code"]:
            yield _code(token["code"])
        elif token["latin"]:
            at_start = position == 0 or line[: token.start()].rstrip()[-1:] in ".!?:#*|"
            yield None if _is_verb(tokens, position) else _english(token["latin"], at_start)
        elif glued and tokens[position - 1]["break"] is None:
            yield None  # the particle behind a name or a number: 'API는', '3분기'
        else:
            yield _korean(token["hangul"], nouns)


def _is_verb(tokens: list[re.Match[str]], position: int) -> bool:
    """Whether an English word stands before a determiner, or with a plain -s between two other words."""
    after = tokens[position + 1]["latin"] if position + 1 < len(tokens) else None
    if after is None:
        return False
    word, before = tokens[position]["latin"], tokens[position - 1]["latin"] if position else None
    if after.lower() in _DETERMINERS:
        return True
    return bool(before and _is_plain(before) and _is_plain(after)) and _is_plural(word)


def _is_plain(word: str) -> bool:
    return word.lower() not in ENGLISH_STOP_WORDS and word.lower() not in _ENGLISH_NO_NOUNS


def _is_plural(word: str) -> bool:
    return (
        word.islower() and word[-1] == "s" and not word.endswith(("ss", "us", "is")) and word not in _PLURALS_THAT_GO_ON
    )


def _code(token: str) -> Word | None:
    token = re.sub("(?<=[0-9A-Za-z])[가-힣]+$", "", token)
    if _CODE.fullmatch(token) and not _NO_CODE.fullmatch(token):
        return Word(token, is_code=True)
    return None


def _english(token: str, at_start: bool) -> Word | None:
    token = re.sub(r"['’]s?$", "", token)
    lower = token.lower()
    capital = token[0].isupper() and not at_start
    acronym = len(token) > 1 and token.isupper()
    if not acronym and (lower in ENGLISH_STOP_WORDS or lower in _ENGLISH_NO_NOUNS or len(token) < 3):
        return None
    if not capital and (
        (lower.endswith("ed") and lower not in _NOUNS_LIKE_PARTICIPLES)
        or (lower.endswith("ly") and lower not in _NOUNS_LIKE_ADVERBS)
        or "'" in lower
    ):
        return None
    return Word(
        token, is_name=capital or acronym, last=_is_plural(token), is_weak=lower in _ENGLISH_WEAK_WORDS and not acronym
    )


def _korean(token: str, nouns: frozenset[str]) -> Word | None:
    stem, kind = read_korean(token)
    if kind == "none" or stem in KOREAN_NO_NOUNS or stem in KOREAN_STOP_WORDS or len(stem) < 2:
        return None
    if kind == "maybe" and stem not in nouns:
        return None
    if kind == "open" and token in nouns:
        stem = token
    return Word(stem, last=stem != token, is_weak=kind == "action" or stem[-1] == "별" or stem in _KOREAN_WEAK_WORDS)


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
