"""What a question pins down, so that two that ask the same agree: 'June 21st, 2025' and '2025년 6월 21일' are one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lessons.text import numbers
from lessons.text.dates import Moment, replace_moments

ADNOMINAL = frozenset(("predicate", "future", "past"))  # any may stand before a noun: 출고된, 출고될, 출고되던
OPEN = ADNOMINAL | {"", "topic"}  # roles that agree with every weak one
WEAK = OPEN | {"subject", "object", "of", "in", "on", "at", "for"}
"""Roles that may go unmarked: English then tells them by position, Korean drops the particle."""


@dataclass(frozen=True)
class Word:
    """A content word with the part it plays: a preposition, a particle, or '' where its position tells."""

    stems: frozenset[str]  # the forms it can be an inflection of
    role: str = ""
    light: bool = False  # says little: one question may have it and the other not

    @property
    def text(self) -> str:
        return min(self.stems, key=lambda stem: (-len(stem), stem), default="")

    @property
    def is_asked(self) -> bool:
        """Whether it stands for who or what is asked for; 'until when' is not left out like 'who' may be."""
        return self.text == "?" and self.role in WEAK


@dataclass(frozen=True)
class Reading:
    """The constraints of a question."""

    language: str
    asks: frozenset[str]  # what it wants to know: who, when, how many …
    words: tuple[Word, ...]  # its content words and numbers in the order of an active statement
    negated: int = 0  # how many negations it has
    modality: frozenset[str] = frozenset()  # can, must or forbidden
    tense: str = ""  # empty where the question does not show it
    persons: tuple[str, ...] = ()  # the first and the second, as they follow each other

    @property
    def numbers(self) -> list[str]:
        return sorted(word.text for word in self.words if word.text.startswith("#"))


def by_word(groups: Mapping[str, str]) -> dict[str, str]:
    """The name of its group for each word; the words of a group stand between spaces."""
    return {word: name for name, words in groups.items() for word in words.split()}


_MARKS = re.compile(r"\x02[\d.]*\x02|\x01")  # of `numbers.digits`
_CODE = re.compile(r"\b[a-z][a-z_-]{0,60}\d[a-z\d./_-]*")
_NTH = {name: n for n, name in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)}  # noqa: SIM905
_ORDINAL = re.compile(
    rf"\b(?:(\d+)(?:st|nd|rd|th)|({'|'.join(_NTH)}))\b|(?<!\d)(\d+) ?번째|제 ?(\d+)(?=[회차장조항])"
    r"|(첫 ?번째|첫째|(?<![가-힣])첫(?= ))"
)
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # a character for private use stands for each quantity already read


def _moment(moment: Moment) -> str:
    """A date as 2025-06-21, a quarter as 2025q3, a time as 15:00, or 03:00~ before or after noon."""
    if moment.minute is not None:
        return "{:02}:{:02}".format(*divmod(moment.minute, 60)) + "~" * moment.vague
    part = f"q{moment.quarter}" if moment.quarter else f"h{moment.half}" if moment.half else ""
    date = "".join(f"-{each:02}" for each in (moment.month, moment.day) if each)
    return f"{moment.year or ''}{part}{date}"


def _nth(found: re.Match[str]) -> str:
    name = found[1] or found[2] or found[3] or found[4] or "first"
    return f"{_NTH.get(name, name)}."


def _measure(quantity: numbers.Quantity, written: str) -> tuple[str, str]:
    """The number in the base unit of its kind, and what is left of it: the noun that is counted."""
    is_version = not quantity.kind and not quantity.scaled  # or may be one: 4.10 is another than 4.1
    value = f"{'-' * (quantity.sign < 0)}{quantity.value if is_version else quantity.value.normalize():f}"
    if quantity.kind in ("people", "count"):
        return value, re.search(r"(?<![^\W\d])[^\W\d]*$", written)[0]  # type: ignore[index]
    return value + quantity.kind.lower(), ""


def quantities(text: str) -> str:
    """A question in lower case with each quantity in one spelling behind a '#', as in 'is #2025q3 before #15:00'."""
    held: list[str] = []

    def hold(written: str, after: str) -> str:
        held.append(f" #{written}{'' if re.match('[가-힣]', after) else ' '}")
        return chr(0xE000 + len(held) - 1)

    text = _MARKS.sub("", numbers.digits(_PRIVATE.sub(" ", text)))
    text = replace_moments(text, lambda moment, found: hold(_moment(moment), found.string[found.end() :])).lower()
    for pattern, write in ((_CODE, lambda found: found[0].rstrip(".-/")), (_ORDINAL, _nth)):
        text = pattern.sub(lambda found, write=write: hold(write(found), found.string[found.end() :]), text)  # type: ignore[misc]
    for each in reversed(numbers.quantities(text)):
        value, noun = _measure(each, text[each.start : each.end])
        after = noun + text[each.end :]
        text = text[: each.start] + hold(value, after) + after
    return _PRIVATE.sub(lambda found: held[ord(found[0]) - 0xE000], text)
