"""Which words of a text can name its subject: nouns as a reader would write them, without particles and endings.

No dictionary and no model: a Korean word that takes an object particle somewhere is a noun everywhere.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from typing import Any, NamedTuple

from lessons.keyless import task
from lessons.text import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS
from lessons.text.korean import korean_nouns, read_korean
from lessons.text.word_lists import KOREAN_NO_NOUNS, words_of

_TOKEN = re.compile(
    r"(?P<code>(?=[\w./-]{0,100}\d)(?=[\w./-]{0,100}[^\W\d_])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9가-힣]+)+|[A-Za-z]+\d[A-Za-z0-9]*)"
    r"|(?P<latin>[A-Za-zÀ-ɏ]+(?:[-'’&][A-Za-zÀ-ɏ]+)*\+*)|(?P<hangul>[가-힣]+)|(?P<break>\S)"
)
_CODE = re.compile(
    r"[A-Z][A-Za-z]*\d+[A-Za-z]?|[A-Za-z]{1,8}(?:[-_/.][A-Za-z0-9]+)*[-_/]\d[A-Za-z0-9.]*|\d{4}-[가-힣]+-\d+"
)
_NO_CODE = re.compile(r"Q[1-4]|[A-Z]\d?|v?[\d.]+[A-Z]*|UTC.*|H[12]", re.IGNORECASE)
_NO_NOUNS = ENGLISH_STOP_WORDS | words_of("english_no_nouns")

LONGEST = 3  # words of a keyword
HEADING, NAME, CODE = 1.6, 1.4, 3.0  # how much more a word weighs that stands in the heading, is a name, an identifier

Phrase = tuple[str, ...]  # words in lower case


class Word(NamedTuple):
    """A word that may be part of a keyword; none goes on behind its `last`, and weak ones alone are none."""

    text: str
    boost: float = 1.0
    last: bool = False
    weak: bool = False


@task("keywords")
def keywords(llm: Any, text: str, count: int, section: str = "", document: Sequence[str] = (), **_: Any) -> Any:
    """The `count` phrases of highest C-value (Frantzi, Ananiadou & Mima 2000), words rare in the file counting more."""
    nouns, spread, chunks = _document(tuple(document) or (text,))
    shown: dict[Phrase, str] = {}
    boost: dict[Phrase, float] = {}
    times: defaultdict[Phrase, float] = defaultdict(float)  # not counting most of those inside a longer phrase
    for phrase, words, whole in _phrases(f"{section}\n{text}", nouns):
        shown.setdefault(phrase, " ".join(word.text for word in words))
        boost[phrase] = max(word.boost for word in words)
        times[phrase] += 1.0 if whole else 0.3
    heading = {phrase for phrase, *_ in _phrases(section, nouns)}

    def weight(phrase: Phrase) -> float:
        rarity = sum(log((chunks + 1) / max(spread[word], 1)) + 0.1 for word in phrase) / len(phrase)
        nested = (1 + 0.5 * (len(phrase) - 1)) * times[phrase] * boost[phrase]
        return nested * rarity * (HEADING if phrase in heading else 1.0)

    chosen: list[Phrase] = []
    for phrase in sorted(shown, key=lambda phrase: -weight(phrase)):
        if len(chosen) < count and not any(_overlap(phrase, other) for other in chosen):
            chosen.append(phrase)
    return {"keywords": [shown[phrase] for phrase in chosen]}


def _phrases(text: str, nouns: frozenset[str]) -> Iterator[tuple[Phrase, list[Word], bool]]:
    """The phrases of a text, each with its words and whether it stands alone instead of in a longer one."""
    for run in runs(text, nouns):
        for size in range(1, LONGEST + 1):
            for start in range(len(run) - size + 1):
                words = run[start : start + size]
                if not all(word.weak for word in words):
                    yield tuple(_singular(word.text) for word in words), words, size in (len(run), LONGEST)


def _overlap(one: Phrase, other: Phrase) -> bool:
    """Whether one phrase says nothing that the other does not."""
    shared = len(set(one) & set(other))
    return shared == min(len(one), len(other)) or (shared > 0 and len(one) + len(other) > 4)


@lru_cache(maxsize=4)
def _document(texts: tuple[str, ...]) -> tuple[frozenset[str], Counter[str], int]:
    """The Korean nouns of a document, in how many of its chunks each word stands, and how many chunks it has."""
    nouns = korean_nouns(texts)
    words = ({_singular(word.text) for run in runs(text, nouns) for word in run} for text in texts)
    return nouns, Counter(word for each in words for word in each), len(texts)


def _singular(word: str) -> str:
    word = word.lower()
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def runs(text: str, nouns: frozenset[str]) -> Iterator[list[Word]]:
    """Neighbouring words that may form one keyword. `nouns` are the document's Korean nouns (`korean_nouns`)."""
    for line in text.splitlines():
        run: list[Word] = []
        for word in [*_words(line, nouns), None]:
            if run and (word is None or word.boost == CODE or run[-1].last):
                yield run
                run = []
            run += [word] if word else []


def _words(line: str, nouns: frozenset[str]) -> Iterator[Word | None]:
    """The words of a line in order, None where a keyword cannot go on."""
    tokens = list(_TOKEN.finditer(line))
    end = 0
    for position, token in enumerate(tokens):
        glued = token.start() == end and position > 0
        end = token.end()
        if token["break"] or (token["hangul"] and glued and tokens[position - 1]["break"] is None):
            yield None  # a sign, or the particle behind a name or a number: 'API는', '3분기'
        elif token["code"]:
            code = re.sub("(?<=[0-9A-Za-z])[가-힣]+$", "", token["code"])
            yield Word(code, CODE, last=True) if _CODE.fullmatch(code) and not _NO_CODE.fullmatch(code) else None
        elif token["latin"]:
            at_start = position == 0 or line[: token.start()].rstrip()[-1:] in ".!?:#*|"
            yield None if _is_verb(tokens, position) else _english(token["latin"], at_start)
        else:
            yield _korean(token["hangul"], nouns)


def _is_verb(tokens: list[re.Match[str]], position: int) -> bool:
    """Whether an English word stands before a determiner, or with a plain -s between two other words."""
    word, after = tokens[position]["latin"], tokens[position + 1]["latin"] if position + 1 < len(tokens) else None
    before = tokens[position - 1]["latin"] if position else None
    if after is None:
        return False
    between = bool(before) and not {str(before).lower(), after.lower()} & _NO_NOUNS
    return after.lower() in words_of("determiners") or (between and _is_plural(word))


def _is_plural(word: str) -> bool:
    plain = word.islower() and word[-1] == "s" and not word.endswith(("ss", "us", "is"))
    return plain and word not in words_of("plurals_that_go_on")


def _english(token: str, at_start: bool) -> Word | None:
    token = re.sub(r"['’]s?$", "", token)
    lower = token.lower()
    capital = token[0].isupper() and not at_start
    acronym = len(token) > 1 and token.isupper()
    if not acronym and (lower in _NO_NOUNS or len(token) < 3):
        return None
    participle = lower.endswith("ed") and lower not in words_of("nouns_like_participles")
    adverb = lower.endswith("ly") and lower not in words_of("nouns_like_adverbs")
    if not capital and (participle or adverb or "'" in lower):
        return None
    weak = lower in words_of("english_weak_words") and not acronym
    return Word(token, NAME if capital or acronym else 1.0, _is_plural(token), weak)


def _korean(token: str, nouns: frozenset[str]) -> Word | None:
    stem, kind = read_korean(token)
    if kind == "none" or stem in KOREAN_NO_NOUNS or stem in KOREAN_STOP_WORDS or len(stem) < 2:
        return None
    if kind == "maybe" and stem not in nouns:
        return None
    if kind == "open" and token in nouns:
        stem = token
    weak = kind == "action" or stem[-1] == "별" or stem in words_of("korean_weak_words")
    return Word(stem, last=stem != token, weak=weak)
