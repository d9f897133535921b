"""Which words of a text can name its subject: nouns as a reader would write them, without particles and endings.

No dictionary and no model: closed lists of function words, the endings of verbs, and Korean's own spelling rules, by
which 을 follows a consonant and 를 a vowel. What stays uncertain in one place is settled by the other chunks of the
document: a word that takes an object particle somewhere is a noun everywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lessons.models.offline.korean import read_korean
from lessons.models.offline.word_lists import (
    DETERMINERS,
    ENGLISH_NO_NOUNS,
    ENGLISH_WEAK_WORDS,
    KOREAN_NO_NOUNS,
    KOREAN_WEAK_WORDS,
    NOUNS_LIKE_ADVERBS,
    NOUNS_LIKE_PARTICIPLES,
    PLURALS_THAT_GO_ON,
)
from lessons.text import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS

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
    if after.lower() in DETERMINERS:
        return True
    return bool(before and _is_plain(before) and _is_plain(after)) and _is_plural(word)


def _is_plain(word: str) -> bool:
    return word.lower() not in ENGLISH_STOP_WORDS and word.lower() not in ENGLISH_NO_NOUNS


def _is_plural(word: str) -> bool:
    return (
        word.islower() and word[-1] == "s" and not word.endswith(("ss", "us", "is")) and word not in PLURALS_THAT_GO_ON
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
    if not acronym and (lower in ENGLISH_STOP_WORDS or lower in ENGLISH_NO_NOUNS or len(token) < 3):
        return None
    if not capital and (
        (lower.endswith("ed") and lower not in NOUNS_LIKE_PARTICIPLES)
        or (lower.endswith("ly") and lower not in NOUNS_LIKE_ADVERBS)
        or "'" in lower
    ):
        return None
    return Word(
        token, is_name=capital or acronym, last=_is_plural(token), is_weak=lower in ENGLISH_WEAK_WORDS and not acronym
    )


def _korean(token: str, nouns: frozenset[str]) -> Word | None:
    stem, kind = read_korean(token)
    if kind == "none" or stem in KOREAN_NO_NOUNS or stem in KOREAN_STOP_WORDS or len(stem) < 2:
        return None
    if kind == "maybe" and stem not in nouns:
        return None
    if kind == "open" and token in nouns:
        stem = token
    return Word(stem, last=stem != token, is_weak=kind == "action" or stem[-1] == "별" or stem in KOREAN_WEAK_WORDS)
