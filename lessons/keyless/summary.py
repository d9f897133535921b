"""How the keyless model summarises a section: its most typical sentences, or, where there are none, what heads it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log, sqrt
from typing import Any

from lessons.keyless import task
from lessons.keyless.lines import Line, passages
from lessons.keyless.notes import stated
from lessons.keyless.recall import put_right, remembered
from lessons.keyless.values import Value, key_of, same_key, values
from lessons.models.tokens import TokenEstimator
from lessons.text import sentences, terms

LONGEST = 200  # characters
SHORTEST = 36  # columns, of a sentence that can stand for its section; a Korean character takes two
EARLIER = 0.15  # how much a sentence loses for each one before it, up to half of its score
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
    found = []
    for position, bag in enumerate(bags):
        near = sum(min(times, 2) * weight[term] * sqrt(centre[term]) for term, times in bag.items())
        found.append(near / sqrt(sum(bag.values()) + 6) * (1 - min(0.5, EARLIER * position)))
    return found


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
    spread: Counter[str] = Counter()
    for text in texts:
        spread.update(set(terms(text)))
    return spread, len(texts)


LONGEST_LINE = 160  # characters of a line
_FADES = 0.95  # what is left of a line's weight for each line that came after it
Turn = tuple[int, str, str]  # number, question and answer
_STANDS = 1.5  # how much more the line weighs that stands for its topic
_NUMBERS = ("money", "percent", "quantity", "date")


@dataclass(frozen=True)
class Told:
    """A sentence of the conversation. `topic` numbers the run of turns that speak of the same things."""

    role: str
    text: str
    topic: int

    @property
    def is_statement(self) -> bool:
        """Whether the user says something instead of asking."""
        if self.role != "user" or self.text.endswith(("?", "？")):
            return False
        return bool(values(self.text) or stated(self.text))

    @property
    def says_something(self) -> bool:
        """Whether it is more than 'Noted.' or 'Thanks!'."""
        return bool(self.is_statement or values(self.text) or len(terms(self.text)) > 2)

    @property
    def weight(self) -> float:
        """How much it says: values and names count, and most of all what users say themselves."""
        return 1 + min(3, len(values(self.text))) + 3 * self.is_statement + 0.5 * (self.role == "user")


@task("recursive_summary")
def recursive_summary(
    llm: Any, turns: Sequence[Turn], summary: str = "", count: int = 20, tokens: int = 500, **_: Any
) -> str:
    """The new summary, at most `count` lines of a sentence each: what the old one says and what these turns add."""
    lines = _settled(_followed_by(_old(summary), turns))
    return _written(_heaviest(_finished_shrunk(lines), count, tokens))


@task("turns_summary")
def turns_summary(llm: Any, turns: Sequence[Turn], tokens: int, **_: Any) -> str:
    """The lines of these turns that say most for their length, in their order, at most as many tokens."""
    lines = _settled(_followed_by([], turns))
    order = sorted(range(len(lines)), key=lambda at: -lines[at].weight / (20 + len(lines[at].text)))
    return _written([lines[at] for at in sorted(_fitting(lines, order, tokens))])


def _fitting(lines: Sequence[Told], order: Iterable[int], tokens: int) -> list[int]:
    """The places of the lines, taken in this order, that fit in so many tokens together."""
    kept: list[int] = []
    for at in order:
        if TokenEstimator().count(_written([lines[each] for each in [*kept, at]])) <= tokens:
            kept.append(at)
    return kept


def _written(lines: Iterable[Told]) -> str:
    return "\n".join(f"{line.role}: {line.text}" for line in lines)


def _old(summary: str) -> list[Told]:
    lines: list[Told] = []
    for line in remembered(summary):
        if line.source != "noted":
            lines.append(Told(line.source, line.text, _topic(lines, line.text)))
    return lines


def _followed_by(lines: list[Told], turns: Sequence[Turn]) -> list[Told]:
    """The lines with what each turn adds: what its user states, the last question, the answer's best sentence."""
    lines = list(lines)
    for _number, question, answer in turns:
        topic = _topic(lines, f"{question} {answer}")
        asked = sentences(" ".join(question.split()))
        told = [sentence for sentence in asked if values(sentence) or sentence == asked[-1]]
        lines += [Told("user", shortened(sentence, LONGEST_LINE), topic) for sentence in told[-3:]]
        wanted = set(terms(question))
        said = [
            Told("assistant", shortened(each, LONGEST_LINE), topic) for each in sentences(" ".join(answer.split()))[:8]
        ]
        if said:
            lines.append(max(said, key=lambda line: line.weight + 2 * len(wanted & set(terms(line.text)))))
    return [line for line in lines if line.says_something]


def _topic(lines: list[Told], text: str) -> int:
    """The topic of the lines before, or the next one if the text shares too few terms with it."""
    if not lines:
        return 0
    last = lines[-1].topic
    known = {term for line in lines[-8:] if line.topic == last for term in terms(line.text)}
    found = set(terms(text))
    return last if len(found) < 4 or len(found & known) >= 0.25 * min(len(found), len(known)) else last + 1


def _settled(lines: list[Told]) -> list[Told]:
    """Each line once, where it was said last, with every correction carried out."""
    last = {(line.role, line.text): at for at, line in enumerate(lines)}
    lines = [line for at, line in enumerate(lines) if last[line.role, line.text] == at]
    for _round in range(len(lines)):
        if (fewer := _without_stale(lines)) == lines:
            break
        lines = fewer
    return lines


def _without_stale(lines: list[Told]) -> list[Told]:
    """The lines with the first correction carried out: the corrected line takes over the value, the correction goes."""
    for at, line in enumerate(lines):
        if line.role != "user":
            continue
        for before in reversed(range(max(0, at - 6), at)):
            if lines[before].is_statement and (fixed := put_right(lines[before].text, line.text)):
                return [*lines[:before], replace(lines[before], text=fixed), *lines[before + 1 : at], *lines[at + 1 :]]
        if (stale := _stated_again(lines[:at], line)) is not None:
            return lines[:stale] + lines[stale + 1 :]
    return lines


def _stated_again(before: list[Told], line: Told) -> int | None:
    """Where the user said earlier what this line says anew, with another number."""
    if not line.is_statement:
        return None
    now = _labelled(line.text)
    for at, old in enumerate(before):
        if old.is_statement and any(key in now and now[key] != text for key, text in _labelled(old.text).items()):
            return at
    return None


def _labelled(text: str) -> dict[str, str]:
    def key(value: Value) -> str:
        return same_key(key_of(text, value))

    return {key(value): value.text for value in values(text) if value.kind in _NUMBERS}


def _finished_shrunk(lines: list[Told]) -> list[Told]:
    """The last two topics whole; of each before them what the user stated, and one line more, the fullest."""
    present = lines[-1].topic - 1 if lines else 0
    stands = _fullest(lines)
    return [line for line in lines if line.topic >= present or line.is_statement or line is stands[line.topic]]


def _fullest(lines: list[Told]) -> dict[int, Told]:
    """The line that stands for each topic: of those that are no statements of the user, the one with most values."""
    fullest: dict[int, Told] = {}
    for line in lines:
        best = fullest.setdefault(line.topic, line)
        if not line.is_statement and (best.is_statement or len(values(line.text)) > len(values(best.text))):
            fullest[line.topic] = line
    return fullest


def _heaviest(lines: list[Told], count: int, tokens: int) -> list[Told]:
    """The lines that weigh most, the older ones less and less, as many as fit."""
    stands, last = _fullest(lines), len(lines) - 1
    weights = [(line.weight + _STANDS * (line is stands[line.topic])) for line in lines]
    order = sorted(range(len(lines)), key=lambda at: -weights[at] * _FADES ** (last - at))[:count]
    return [lines[at] for at in sorted(_fitting(lines, order, tokens))]
