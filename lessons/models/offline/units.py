"""The words of a question that an answer must cover: names, periods, identifiers and the rest, each with its weight."""

import re
from dataclasses import replace

from lessons.models.offline.glossary import others
from lessons.models.offline.passages import search_terms
from lessons.models.offline.unit import Unit
from lessons.models.offline.units_korean import korean_unit, named
from lessons.text import ENGLISH_STOP_WORDS, terms

_WORD = re.compile(r"[^\s?？!,;:()\[\]{}\"“”‘’「」]+(?:’s\b)?")
_VAGUE = frozenset(
    """
    compani name number amount total year type kind mean use make happen need way go long take work exist call give
    show differ list explain describ summar compar question answer document file accord state mention report say one
    """.split()  # noqa: SIM905
)
_MEASURES = frozenset("often far soon long old big large high".split())  # noqa: SIM905  behind 'how': not in the answer
_HANGUL = re.compile("[가-힣]")
_A_YEAR = r"(?:19|20)\d\d"
_YEAR = re.compile(r"(?:mid|early|late|pre|post|end)?-?((?:19|20)\d\d)", re.IGNORECASE)
_ABOUT = [  # a quarter that is meant without being named
    ("q1", re.compile(rf"\b(?:early|(?:start|beginning) of) {_A_YEAR}|{_A_YEAR}년\s?초|연초", re.IGNORECASE)),
    ("q2", re.compile(rf"\bmid(?:dle of)?[ -]{_A_YEAR}|{_A_YEAR}년\s?(?:중반|중순|한가운데)", re.IGNORECASE)),
    ("q4", re.compile(rf"\b(?:late|end of|year[ -]end) {_A_YEAR}|{_A_YEAR}년\s?말|연말", re.IGNORECASE)),
]
_ACRONYM = re.compile(r"[A-Z][A-Z&/]{0,4}s?")  # R&D, ACKs: what it stands for may be written out


LONGEST_WORD = 60  # characters; what is longer is no word, and nothing can be found by it


def read_units(text: str) -> list[Unit]:
    """The units of a text, the quarters first, then in its order."""
    words = _WORD.findall(text)
    capitals = [word for word in words if word[0].isupper()]
    titled = len(words) > 3 and len(capitals) > 0.7 * len(words)
    units: list[Unit] = [
        _unit("quarter", quarter) for quarter in sorted(search_terms(text)) if re.fullmatch("q[1-4]", quarter)
    ]
    words = [_bare(word) for word in words[:400]]
    same = others(words)
    units += [
        Unit(quarter, "word", frozenset([quarter]), frozenset([quarter]), 1.0)
        for quarter, meant in _ABOUT
        if not units and meant.search(text)
    ]
    for position, word in enumerate(words):
        if position and words[position - 1].lower() == "how" and word.lower() in _MEASURES:
            continue
        unit = _read_word(word, position, titled) if 0 < len(word) <= LONGEST_WORD else None
        if unit:
            unit = named(unit, words[position + 1 : position + 2])
            units.append(replace(unit, others=same[position]) if unit.kind == "word" else unit)
    return units


def _bare(word: str) -> str:
    word = word.strip(".'’-–—")
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _read_word(word: str, position: int, titled: bool) -> Unit | None:
    if _HANGUL.search(word) and not re.search(r"[A-Za-z\d]", word):
        return korean_unit(word)
    found = terms(word)
    if not found or re.fullmatch(r"(?:[1-4]분기.*|[Qq][1-4]|quarter|third|fourth)", word):
        return None
    if year := _YEAR.fullmatch(found[0]):
        return _unit("year", year[1])
    if found[0].isdigit() and len(found) == 1 and len(found[0]) < 3:
        return Unit(word, "word", frozenset(found), frozenset(), 1.0)
    if re.fullmatch(r"\d+[-–~]\d+", word):
        return Unit(word, "word", frozenset(found[-2:]), frozenset(), 1.0)
    if any(character.isdigit() for character in found[0]):
        return Unit(word, "code", frozenset(found), frozenset([_number_key(found)]), 1.5)
    lower = word.lower()
    if position == 0 and lower == "may":
        return None
    if _ACRONYM.fullmatch(word):
        return Unit(word, "word", frozenset(found), frozenset(), 1.2)
    if not titled and word[0].isupper() and lower not in ENGLISH_STOP_WORDS and (position > 0 or word[1:2].isupper()):
        return Unit(word, "name", frozenset(found), frozenset(), 1.5)
    return Unit(word, "word", frozenset(found), frozenset(), 0.4 if found[0] in _VAGUE else 1.0)


def _number_key(found: list[str]) -> str:
    """'3개월' must be found as '3개', not as any 3; '15.2%' as itself."""
    return found[1] if len(found) > 1 and _HANGUL.search(found[1]) else found[0]


def _unit(kind: str, key: str) -> Unit:
    return Unit(key, kind, frozenset([key]), frozenset([key]), 1.5)
