"""How the keyless model summarises a section: its most typical sentences, or, where there are none, what heads it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import log, sqrt
from typing import Any

from lessons.keyless import task
from lessons.keyless.lines import Line, passages
from lessons.keyless.recall import Said, remembered, settled
from lessons.keyless.values import key_of, same_key, values
from lessons.models.tokens import TokenEstimator
from lessons.text import sentences, terms

LONGEST = 200  # characters
SHORTEST = 36  # columns, of a sentence that can stand for its section; a Korean character takes two
EARLIER = 0.15  # how much a sentence loses for each one before it, up to half of its score
LONGEST_LINE = 160  # characters of a line
_FADES = 0.95  # what is left of a line's weight for each line that came after it
_STANDS = 1.5  # how much more the line weighs that stands for its topic
_NUMBERS = ("money", "percent", "quantity", "date")
Turn = tuple[int, str, str]  # number, question and answer
_MARK = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+|\(?\d{1,2}[.)]|[①-⑳])\s+")


@task("summary")
def summary(llm: Any, text: str, section: str = "", document: Sequence[str] = (), **_: Any) -> str:
    """One or two sentences of the text, at most `LONGEST` characters; headings, items and captions if it has none."""
    lines = [line for passage in passages(text) for line in passage.lines]
    prose = [line.text for line in lines if line.kind == "prose" and _is_sentence(line.text)]
    if len(prose) < sum(line.kind == "item" for line in lines) or not prose:
        return shortened(_outline(lines, section))
    scores = centrality(prose, section, tuple(document) or (text,))
    best = sorted(range(len(prose)), key=lambda i: (-scores[i], i))
    second = [i for i in best[1:3] if scores[i] > 0.6 * scores[best[0]] and len(prose[i] + prose[best[0]]) < LONGEST]
    return shortened(" ".join(prose[i] for i in sorted([best[0], *second[:1]])))


def _is_sentence(text: str) -> bool:
    """Whether it ends like one, is long enough, and is not a row of numbers that a page layout has strung together."""
    words = text.split()
    numbers = sum(any(character.isdigit() for character in word) for word in words)
    width = len(text) + sum("가" <= character <= "힣" for character in text)
    return text[-1] in ".!?。！？”\"'" and width >= SHORTEST and numbers <= 0.4 * len(words)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, cut between two words if it is too long."""
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:·|-–") + "…"


def centrality(prose: Sequence[str], section: str, document: tuple[str, ...]) -> list[float]:
    """How near each sentence is to the centre of all, words of the heading counting double, early ones first."""
    spread, chunks = _spread(document)
    bags = [Counter(terms(sentence)) for sentence in prose]
    wanted = set(terms(section))
    centre: Counter[str] = sum(bags, Counter())
    weight = {term: (log((chunks + 1) / max(spread[term], 1)) + 0.3) * (1 + (term in wanted)) for term in centre}
    near = (sum(min(times, 2) * weight[term] * sqrt(centre[term]) for term, times in bag.items()) for bag in bags)
    early = (1 - min(0.5, EARLIER * position) for position in range(len(bags)))
    return [each / sqrt(sum(bag.values()) + 6) * first for each, bag, first in zip(near, bags, early, strict=True)]


def _outline(lines: list[Line], section: str) -> str:
    """The heading with the first items of a list, or with the caption and the first column of a table."""
    texts = [(line.kind, _MARK.sub("", line.text)) for line in lines]
    heading = section.rpartition(" > ")[2] or next((text for kind, text in texts if kind != "row"), "")
    others = [text for kind, text in texts if kind != "row" and text != heading]
    firsts = [text.strip("| ").split("|")[0].strip() for kind, text in texts if kind == "row"]
    rest = f"{' '.join(others[:1])}: {', '.join(filter(None, firsts))}".lstrip(": ") if firsts else " ".join(others)
    return f"{heading}: {rest}" if heading and rest else heading or rest


@lru_cache(maxsize=4)
def _spread(texts: tuple[str, ...]) -> tuple[Counter[str], int]:
    """In how many of the texts each term stands, and how many texts there are."""
    return Counter(term for text in texts for term in set(terms(text))), len(texts)


@task("recursive_summary")
def recursive_summary(
    llm: Any, turns: Sequence[Turn], summary: str = "", count: int = 20, tokens: int = 500, **_: Any
) -> str:
    """The new summary, at most `count` lines of a sentence each: what the old one says and what these turns add.

    A topic that is over keeps what its user stated and one line more; of too many, those that say least and oldest go.
    """
    old: list[Said] = []
    for line in remembered(summary):
        old += [replace(line, topic=_topic(old, line.text))] if line.source != "noted" else []
    lines = _current(_followed_by(old, turns))
    present, stands = lines[-1].topic - 1 if lines else 0, _fullest(lines)
    lines = [one for one in lines if one.topic >= present or _is_statement(one) or one is stands[one.topic]]
    weights = [
        (_weight(one) + _STANDS * (one is stands[one.topic])) * _FADES ** (len(lines) - 1 - at)
        for at, one in enumerate(lines)
    ]
    return _fitting(lines, sorted(range(len(lines)), key=lambda at: -weights[at])[:count], tokens)


@task("turns_summary")
def turns_summary(llm: Any, turns: Sequence[Turn], tokens: int, **_: Any) -> str:
    """The lines of these turns that say most for their length, in their order, at most as many tokens."""
    lines = _current(_followed_by([], turns))
    order = sorted(range(len(lines)), key=lambda at: -_weight(lines[at]) / (20 + len(lines[at].text)))
    return _fitting(lines, order, tokens)


def _fitting(lines: Sequence[Said], order: Sequence[int], tokens: int) -> str:
    """The lines, taken in this order, that fit in so many tokens together, written in their own order."""
    kept = ""
    chosen: list[int] = []
    for at in order:
        text = "\n".join(f"{lines[each].source}: {lines[each].text}" for each in sorted([*chosen, at]))
        if TokenEstimator().count(text) <= tokens:
            chosen, kept = [*chosen, at], text
    return kept


def _is_statement(line: Said) -> bool:
    """Whether the user says something instead of asking."""
    return line.source == "user" and not line.text.endswith(("?", "？"))


def _weight(line: Said) -> float:
    """How much a line says: values and names count, and most of all what users say themselves."""
    return 1 + min(3, len(values(line.text))) + 3 * _is_statement(line) + 0.5 * (line.source == "user")


def _followed_by(lines: list[Said], turns: Sequence[Turn]) -> list[Said]:
    """The lines with what each turn adds: what its user states, the last question, the answer's best sentence."""
    for _number, question, answer in turns:
        topic, wanted = _topic(lines, f"{question} {answer}"), set(terms(question))
        asked, replies = sentences(" ".join(question.split())), sentences(" ".join(answer.split()))[:8]
        told = [sentence for sentence in asked if values(sentence) or sentence == asked[-1]]
        said = [Said("assistant", shortened(each, LONGEST_LINE), topic) for each in replies]
        best = sorted(said, key=lambda line: -_weight(line) - 2 * len(wanted & set(terms(line.text))))[:1]
        lines = [*lines, *(Said("user", shortened(each, LONGEST_LINE), topic) for each in told[-3:]), *best]
    return [one for one in lines if _is_statement(one) or values(one.text) or len(terms(one.text)) > 2]


def _topic(lines: list[Said], text: str) -> int:
    """The topic of the lines before, or the next one if the text shares too few terms with it."""
    if not lines:
        return 0
    last = lines[-1].topic
    known = {term for line in lines[-8:] if line.topic == last for term in terms(line.text)}
    found = set(terms(text))
    return last if len(found) < 4 or len(found & known) >= 0.25 * min(len(found), len(known)) else last + 1


def _current(lines: Sequence[Said]) -> list[Said]:
    """Each line once, where it was said last, corrections carried out, without what was stated anew later."""
    last = {(line.source, line.text): line for line in lines}
    lines = settled([line for line in lines if last[line.source, line.text] is line])
    numbers = [_numbers(line) for line in lines]
    return [
        line
        for at, line in enumerate(lines)
        if not any(later.get(key, text) != text for later in numbers[at + 1 :] for key, text in numbers[at].items())
    ]


def _numbers(line: Said) -> dict[str, str]:
    """The numbers that a user states, by what they are the numbers of."""
    known = values(line.text) if _is_statement(line) else []
    return {same_key(key_of(line.text, value)): value.text for value in known if value.kind in _NUMBERS}


def _fullest(lines: Sequence[Said]) -> dict[int, Said]:
    """The line that stands for each topic: of those that are no statements of the user, the one with most values."""
    order = sorted(lines, key=lambda line: (_is_statement(line), -len(values(line.text))))
    return {line.topic: line for line in reversed(order)}
