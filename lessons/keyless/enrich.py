"""What the keyless model adds to a chunk: its keywords and a summary of one or two of its own sentences.

No dictionary and no model: a Korean word that takes an object particle somewhere is a noun everywhere.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any, NamedTuple

from lessons.keyless import task
from lessons.keyless.lines import Line, passages
from lessons.text import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS, terms
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

MOST_WORDS = 3  # of a keyword
HEADING, NAME, CODE = 1.6, 1.4, 3.0  # how much more a word weighs that stands in the heading, is a name, an identifier

LONGEST = 200  # characters of a summary
SHORTEST = 36  # columns, of a sentence that can stand for its section; a Korean character takes two
EARLIER = 0.15  # how much a sentence loses for each one in front of it, up to half of its score
_MARK = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+|\(?\d{1,2}[.)]|[①-⑳])\s+")

Phrase = tuple[str, ...]  # words in lower case


class Word(NamedTuple):
    """A word that may be part of a keyword; none goes on behind its `last`, and weak ones alone are none."""

    text: str
    boost: float = 1.0
    last: bool = False
    weak: bool = False


@task("keywords")
def keywords(llm: Any, text: str, count: int, section: str = "", document: Sequence[str] = (), **_: Any) -> Any:
    """Return the `count` phrases of highest C-value (Frantzi, Ananiadou & Mima 2000), rare words counting more."""
    nouns, spread, chunks = _document(tuple(document) or (text,))
    spelling: dict[Phrase, str] = {}
    boost: dict[Phrase, float] = {}
    times: defaultdict[Phrase, float] = defaultdict(float)  # not counting most of those inside a longer phrase
    for phrase, words, is_maximal in _phrases(f"{section}\n{text}", nouns):
        spelling.setdefault(phrase, " ".join(word.text for word in words))
        boost[phrase] = max(word.boost for word in words)
        times[phrase] += 1.0 if is_maximal else 0.3
    heading = {phrase for phrase, *_ in _phrases(section, nouns)}

    def weight(phrase: Phrase) -> float:
        rarity = sum(log((chunks + 1) / max(spread[word], 1)) + 0.1 for word in phrase) / len(phrase)
        nested = (1 + 0.5 * (len(phrase) - 1)) * times[phrase] * boost[phrase]
        return nested * rarity * (HEADING if phrase in heading else 1.0)

    best: list[Phrase] = []
    for phrase in sorted(spelling, key=lambda phrase: -weight(phrase)):
        if len(best) < count and not any(_overlap(phrase, other) for other in best):
            best.append(phrase)
    return {"keywords": [spelling[phrase] for phrase in best]}


def _phrases(text: str, nouns: frozenset[str]) -> Iterator[tuple[Phrase, list[Word], bool]]:
    """Yield the phrases of a text, each with its words and whether it stands alone instead of in a longer one."""
    for run in _runs(text, nouns):
        for size in range(1, MOST_WORDS + 1):
            for start in range(len(run) - size + 1):
                words = run[start : start + size]
                if not all(word.weak for word in words):
                    yield tuple(_singular(word.text) for word in words), words, size in (len(run), MOST_WORDS)


def _overlap(first: Phrase, second: Phrase) -> bool:
    """Tell whether one phrase says nothing that the other does not."""
    shared = len(set(first) & set(second))
    return shared == min(len(first), len(second)) or (shared > 0 and len(first) + len(second) > 4)


@lru_cache(maxsize=4)
def _document(texts: tuple[str, ...]) -> tuple[frozenset[str], Counter[str], int]:
    """Return the Korean nouns of a document, in how many of its chunks each word stands, and how many it has."""
    nouns = korean_nouns(texts)
    words = ({_singular(word.text) for run in _runs(text, nouns) for word in run} for text in texts)
    return nouns, Counter(word for chunk in words for word in chunk), len(texts)


def _is_plural(word: str) -> bool:
    return word[-1] == "s" and not word.endswith(("ss", "us", "is"))


def _singular(word: str) -> str:
    word = word.lower()
    return word[:-1] if len(word) > 4 and _is_plural(word) else word


def _runs(text: str, nouns: frozenset[str]) -> Iterator[list[Word]]:
    """Yield neighbouring words that may form one keyword. `nouns` are the document's Korean nouns (`korean_nouns`)."""
    for line in text.splitlines():
        run: list[Word] = []
        for word in [*_words(line, nouns), None]:
            if run and (word is None or word.boost == CODE or run[-1].last):
                yield run
                run = []
            run += [word] if word else []


def _words(line: str, nouns: frozenset[str]) -> Iterator[Word | None]:
    """Yield the words of a line in order, None where a keyword cannot go on."""
    tokens = list(_TOKEN.finditer(line))
    end = 0
    for position, token in enumerate(tokens):
        is_glued = token.start() == end and position > 0
        end = token.end()
        if token["break"] or (token["hangul"] and is_glued and tokens[position - 1]["break"] is None):
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
    """Tell whether an English word stands in front of a determiner, or with a plain -s between two other words."""
    previous = tokens[position - 1]["latin"] if position else None
    following = tokens[position + 1]["latin"] if position + 1 < len(tokens) else None
    if following is None:
        return False
    between = previous and not {previous.lower(), following.lower()} & _NO_NOUNS
    return following.lower() in words_of("determiners") or bool(between and _ends_phrase(tokens[position]["latin"]))


def _ends_phrase(word: str) -> bool:
    return word.islower() and _is_plural(word) and word not in words_of("plurals_that_go_on")


def _english(token: str, at_start: bool) -> Word | None:
    token = re.sub(r"['’]s?$", "", token)
    lower = token.lower()
    is_capital = token[0].isupper() and not at_start
    is_acronym = len(token) > 1 and token.isupper()
    if not is_acronym and (lower in _NO_NOUNS or len(token) < 3):
        return None
    participle = lower.endswith("ed") and lower not in words_of("nouns_like_participles")
    adverb = lower.endswith("ly") and lower not in words_of("nouns_like_adverbs")
    if not is_capital and (participle or adverb or "'" in lower):
        return None
    weak = lower in words_of("english_weak_words") and not is_acronym
    return Word(token, NAME if is_capital or is_acronym else 1.0, _ends_phrase(token), weak)


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


@task("summary")
def summary(llm: Any, text: str, section: str = "", document: Sequence[str] = (), **_: Any) -> str:
    """Quote one or two sentences of the text, at most `LONGEST` characters; headings and items if it has none."""
    lines = [line for passage in passages(text) for line in passage.lines]
    prose = [line.text for line in lines if line.kind == "prose" and _is_sentence(line.text)]
    if len(prose) < sum(line.kind == "item" for line in lines) or not prose:
        return shortened(_outline(lines, section))
    scores = centrality(prose, section, tuple(document) or (text,))
    best = sorted(range(len(prose)), key=lambda i: (-scores[i], i))
    second = [i for i in best[1:3] if scores[i] > 0.6 * scores[best[0]] and len(prose[i] + prose[best[0]]) < LONGEST]
    return shortened(" ".join(prose[i] for i in sorted([best[0], *second[:1]])))


def _is_sentence(text: str) -> bool:
    """Tell whether it ends like one, is long enough, and is not a row of numbers that a layout has strung together."""
    words = text.split()
    numbers = sum(any(character.isdigit() for character in word) for word in words)
    width = len(text) + sum("가" <= character <= "힣" for character in text)
    return text[-1] in ".!?。！？”\"'" and width >= SHORTEST and numbers <= 0.4 * len(words)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return the text, cut between two words if it is too long."""
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:·|-–") + "…"


def centrality(prose: Sequence[str], section: str, document: tuple[str, ...]) -> list[float]:
    """Score how near each sentence is to the centre of all, words of the heading counting double, early ones first."""
    spread, chunks = _spread(document)
    bags = [Counter(terms(sentence)) for sentence in prose]
    heading = set(terms(section))
    centre: Counter[str] = sum(bags, Counter())
    weight = {term: (log((chunks + 1) / max(spread[term], 1)) + 0.3) * (1 + (term in heading)) for term in centre}
    near = [sum(min(times, 2) * weight[term] * sqrt(centre[term]) for term, times in bag.items()) for bag in bags]
    early = [1 - min(0.5, EARLIER * position) for position in range(len(bags))]
    return [score / sqrt(sum(bag.values()) + 6) * first for score, bag, first in zip(near, bags, early, strict=True)]


def _outline(lines: list[Line], section: str) -> str:
    """Join the heading and the first items of a list, or the caption and the first column of a table."""
    texts = [(line.kind, _MARK.sub("", line.text)) for line in lines]
    heading = section.rpartition(" > ")[2] or next((text for kind, text in texts if kind != "row"), "")
    items = [text for kind, text in texts if kind != "row" and text != heading]
    labels = [text.strip("| ").split("|")[0].strip() for kind, text in texts if kind == "row"]
    body = f"{' '.join(items[:1])}: {', '.join(filter(None, labels))}".lstrip(": ") if labels else " ".join(items)
    return f"{heading}: {body}" if heading and body else heading or body


@lru_cache(maxsize=4)
def _spread(texts: tuple[str, ...]) -> tuple[Counter[str], int]:
    """Count in how many of the texts each term stands, and the texts."""
    return Counter(term for text in texts for term in set(terms(text))), len(texts)
