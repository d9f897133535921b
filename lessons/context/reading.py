"""What a question pins down, in a form in which two questions that ask the same agree.

Numbers, dates, times and measures get one spelling each: 'June 21st, 2025' and '2025년 6월 21일' are #2025-06-21.
"""

# ruff: noqa: E501

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lessons.text.dates import Moment, replace_moments
from lessons.text.numbers import number_words

WEAK = frozenset(("", "topic", "subject", "object", "predicate", "of", "in", "on", "at", "for"))
"""Roles that may go unmarked: English then tells them by position, Korean drops the particle."""
OPEN = frozenset(("", "topic", "predicate"))
"""Roles that agree with every weak one."""


@dataclass(frozen=True)
class Word:
    """A content word with the part it plays: a preposition, a particle, or '' where its position tells.

    `stems` are the forms it can be an inflection of.
    """

    stems: frozenset[str]
    role: str = ""
    light: bool = False  # says little: one question may have it and the other not

    @property
    def text(self) -> str:
        return min(self.stems, key=lambda stem: (-len(stem), stem), default="")

    @property
    def is_asked(self) -> bool:
        """Whether it stands for who or what is asked for; 'until when' is not left out like 'who' may be."""
        return self.text == "?" and self.role in WEAK

    @property
    def is_number(self) -> bool:
        return self.text.startswith("#")


@dataclass(frozen=True)
class Reading:
    """The constraints of a question.

    `asks` is what it wants to know (who, when, how many …), `words` are its content words and numbers in the order of
    an active statement, `negated` counts its negations, `modality` is can, must or forbidden. `tense` is empty where
    the question does not show it, and `persons` where there is one only: 'can I call you' has two.
    """

    language: str
    asks: frozenset[str]
    words: tuple[Word, ...]
    negated: int = 0
    modality: frozenset[str] = frozenset()
    tense: str = ""
    persons: tuple[str, ...] = ()


_Writer = Callable[[re.Match[str]], str]
_ORDINALS = {
    name: value
    for value, name in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)  # noqa: SIM905
}
_LARGE = {"만": 10**4, "억": 10**8, "k": 1000, "million": 10**6, "billion": 10**9}
_MEASURES = """
g: 1 g gram grams 그램; 1000 kg kilo kilos kilogram kilograms 킬로그램 킬로; 1000000 ton tons tonne tonnes 톤
mm: 1 mm 밀리미터; 10 cm centimetre centimetres centimeter centimeters 센티미터 센티
mm: 1000 m metre metres meter meters 미터; 1000000 km kilometre kilometres kilometer kilometers 킬로미터
ml: 1 ml millilitre millilitres milliliter milliliters 밀리리터; 1000 l litre litres liter liters 리터
min: 1 min mins minute minutes 분; 60 h hr hrs hour hours 시간
day: 1 day days 일; 7 week weeks 주일 주
month: 1 month months 개월 달; 12 year years 년
%: 1 % percent 퍼센트 프로
usd: 1 dollar dollars usd 달러
eur: 1 euro euros eur 유로
"""
UNITS = {
    name: (float(factor), base)
    for base, _, measures in (line.partition(":") for line in _MEASURES.strip().splitlines())
    for factor, *names in (measure.split() for measure in measures.split(";"))
    for name in names
}
"""How many of which base unit, by name."""


def _or(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def _compiled(*forms: tuple[str, _Writer]) -> list[tuple[re.Pattern[str], _Writer]]:
    return [(re.compile(pattern), write) for pattern, write in forms]


def _moment(moment: Moment) -> str:
    """A date as 2025-06-21, a quarter as 2025q3, a time as 15:00, or 03:00~ before or after noon."""
    if moment.minute is not None:
        return "{:02}:{:02}".format(*divmod(moment.minute, 60)) + "~" * moment.vague
    part = f"q{moment.quarter}" if moment.quarter else f"h{moment.half}" if moment.half else ""
    date = "".join(f"-{each:02}" for each in (moment.month, moment.day) if each)
    return f"{moment.year or ''}{part}{date}"


def _measure(found: re.Match[str]) -> str:
    factor, base = UNITS[found["unit"]]
    return f"{float(found['value']) * factor:.15g}{base}"


_VALUE = r"(?<![\d.])(?P<value>\d+(?:\.\d+)?)"
_SPELLED = _compiled(
    (r"(?<=\d),(?=\d{3}(?!\d))", lambda found: ""),
    (rf"{_VALUE} ?({_or(_LARGE)})(?![a-z])", lambda found: f"{float(found[1]) * _LARGE[found[2]]:.15g}"),
)
_MARKED = _compiled(
    (r"\b[a-z][a-z_-]*\d[a-z\d./_-]*", lambda found: found[0].rstrip(".-/")),
    (r"([$€])(\d+(?:\.\d+)?)", lambda found: found[2] + {"$": "usd", "€": "eur"}[found[1]]),
    (rf"{_VALUE}[ -]?(?P<unit>{_or(UNITS)})(?![a-z]|년|간격)", _measure),
    (r"\b(\d+)(?:st|nd|rd|th)\b|(\d+) ?번째|제 ?(\d+)(?=[회차장조항])", lambda found: f"{found[1] or found[2] or found[3]}."),
    (rf"\b({_or(_ORDINALS)})\b", lambda found: f"{_ORDINALS[found[1]]}."),
    (r"첫 ?번째|첫째|(?<![가-힣])첫(?= )", lambda found: "1."),
    (_VALUE, lambda found: found[0]),
)  # fmt: skip
_HELD = 0xE000  # the first character for private use; one stands for each quantity already read


def quantities(text: str) -> str:
    """A question in lower case with each quantity in one spelling behind a '#', as in 'is #2025q3 before #15:00'."""
    held: list[str] = []

    def hold(written: str, found: re.Match[str]) -> str:
        glued = re.match("[가-힣]", found.string[found.end() :])
        held.append(f" #{written}{'' if glued else ' '}")
        return chr(_HELD + len(held) - 1)

    text = number_words(re.sub("[\ue000-\uf8ff]", " ", text))
    text = replace_moments(text, lambda moment, found: hold(_moment(moment), found)).lower()
    for pattern, write in _SPELLED:
        text = pattern.sub(write, text)
    for pattern, write in _MARKED:
        text = pattern.sub(lambda found, write=write: hold(write(found), found), text)  # type: ignore[misc]
    return re.sub("[\ue000-\uf8ff]", lambda found: held[ord(found[0]) - _HELD], text)
