"""What a Korean question pins down: endings are cut off letter by letter, particles tell who does what."""

import re
import unicodedata

from lessons.context.cache import korean_words as known
from lessons.context.cache.reading import Reading
from lessons.retrieve.periods import quarters

_TOKEN = re.compile(r"[a-z0-9]+(?:[-._/][a-z0-9]+)*[가-힣]*|[가-힣]+")
_LATIN = re.compile(r"([a-z0-9][-a-z0-9._/]*)([가-힣]*)")
_LONG = 3  # syllables of a word that may lose an ending of one, as 사고 may not


def read_korean(question: str) -> Reading:
    """The constraints of a Korean question."""
    text = known.POLITE.sub(" ", question.lower())
    for pattern, instead in known.REWRITTEN:
        text = pattern.sub(instead, text)
    text = " ".join(text.split()).strip(" ,.!?~")
    numbers = [number for token in _TOKEN.findall(text) if (number := _number(token))]
    words = [read for token in _TOKEN.findall(_undirected(text)) if (read := _word(token))]
    asks = _asks(text)
    return Reading(
        language="ko",
        asks=frozenset(asks),
        periods=frozenset(quarters(question)),
        numbers=tuple(sorted(numbers)),
        negated=frozenset(found.strip() for found in known.NEGATION.findall(text)),
        directions=tuple(sorted(name for pattern, name in known.DIRECTIONS for _ in pattern.findall(text))),
        words=tuple(word for word, _ in words),
        order=_order(numbers),
        roles=tuple((word, part) for word, part in words if part),
        duty="의무" in text and "how" not in asks,
        tense=("past" if known.PAST.search(text) else "present") if asks == {"who"} and not numbers else "",
    )


def _asks(text: str) -> set[str]:
    found = {ask for pattern, ask in known.ASKS if pattern.search(text)}
    whether = known.WHETHER.search(text) and not known.WHAT.search(text)
    return found or {"whether" if whether else "what"}


def _undirected(text: str) -> str:
    for pattern, _ in known.DIRECTIONS:
        text = pattern.sub(" ", text)
    return text


def _number(token: str) -> str:
    """A number, a period or an identifier; empty for a word."""
    latin = _LATIN.fullmatch(token)
    return latin[1] if latin and any(map(str.isdigit, latin[1])) else known.NUMBERS.get(token, "")


def _word(token: str) -> tuple[str, str] | None:
    """The word without particle and ending, and the part that its particle gives it; None for what says nothing."""
    if token in known.NUMBERS:
        return None
    if _number(token):
        unit = _LATIN.sub(r"\2", token)  # 30일: the number is read elsewhere, its unit is a word
        return (known.PARTICLE.sub("", unit), "") if unit and not known.ALONE.fullmatch(unit) else None
    if known.ALONE.fullmatch(token) or known.VAGUE.fullmatch(token):
        return None
    found = known.PARTICLE.search(token)
    core = _stem(known.PARTICLE.sub("", token))
    core = known.SYNONYMS.get(core, core)
    part = known.PARTS.get(found["particle"], "") if found else ""
    return None if not core or known.VAGUE.fullmatch(core) else (core, part)


def _stem(token: str) -> str:
    """A predicate without its endings; a word that would vanish stays."""
    letters = whole = unicodedata.normalize("NFD", token)
    for ending in known.ENDINGS if len(token) >= _LONG else known.ENDINGS[:-1]:
        letters = ending.sub("", letters) or letters
        if ending is known.ENDINGS[0] and letters != whole:
            for contracted, full in known.CONTRACTED:
                letters = contracted.sub(full, letters)
    return unicodedata.normalize("NFC", letters)


def _order(numbers: list[str]) -> tuple[str, ...]:
    """The numbers in their order where there are several years; particles tell the order of the rest."""
    years = sum(bool(re.fullmatch(r"(?:19|20)\d\d", number)) for number in numbers)
    return tuple(numbers) if years > 1 else ()
