"""How the keyless model summarises a section: its most typical sentences, or, where there are none, what heads it."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any

from lessons.keyless import task
from lessons.keyless.lines import Line, passages
from lessons.text import terms

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
