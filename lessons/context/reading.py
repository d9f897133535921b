"""What a question pins down, in a form in which two questions that ask the same agree.

Numbers, dates, times and measures get one spelling each: 'June 21st, 2025' and '2025년 6월 21일' are #2025-06-21.
"""

# ruff: noqa: E501

import re
from calendar import month_abbr, month_name
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

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
_MONTHS = {name.lower(): number for names in (month_name, month_abbr) for number, name in enumerate(names) if name}
_UNDER_20 = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {name: value for value, name in enumerate(_UNDER_20.split())}
_ENGLISH |= {name: 10 * tens for tens, name in enumerate(_TENS.split(), 2)}
_ENGLISH |= {"dozen": 12, "hundred": 100, "thousand": 1000}
_ORDINALS = {
    name: value
    for value, name in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)  # noqa: SIM905
}
_NATIVE_TENS = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50}
_NATIVE = {name: value for value, name in enumerate("한 두 세 네 다섯 여섯 일곱 여덟 아홉".split(), 1)}  # noqa: SIM905
_DIGITS = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", 1)}
_PLACES = {"십": 10, "백": 100, "천": 1000}
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


def _year(found: re.Match[str]) -> str:
    year = next((year for name in ("year", "behind") if (year := found.groupdict("").get(name))), "")
    return f"20{year}" if len(year) == 2 else year


def _date(found: re.Match[str]) -> str:
    parts = found.groupdict("")
    name = parts.get("month") or parts.get("alone") or parts["may"]
    month = _MONTHS.get(name) or int(name)
    return f"{_year(found)}-{month:02}" + (f"-{int(parts['day']):02}" if parts.get("day") else "")


def _part_of_year(found: re.Match[str]) -> str:
    """A quarter or a half, with its year if that stands beside it."""
    name = found["part"]
    number = _ORDINALS.get(re.split("[ -]", name)[0]) or {"상": 1, "하": 2}.get(name[0]) or re.sub(r"\D", "", name)
    return f"{_year(found)}{'h' if re.search('half|반기|^h', name) else 'q'}{number}"


def _time(found: re.Match[str]) -> str:
    half, minute = found.groupdict("").get("half", ""), found.groupdict("").get("minute") or "0"
    hour = int(found["hour"]) % 12 + 12 * (half in ("pm", "오후", "저녁", "밤")) if half else int(found["hour"])
    return f"{hour:02}:{30 if minute == '반' else int(minute):02}"


def _spelled(found: re.Match[str]) -> str:
    parts = [_ENGLISH[part] for part in re.split(r"[\s-]+", found[0])]
    return str(parts[0] * parts[1] if parts[1:] and parts[1] >= 100 else sum(parts))


def _sino(found: re.Match[str]) -> str:
    total = digit = 0
    for letter in found[0]:
        total, digit = (total + (digit or 1) * _PLACES[letter], 0) if letter in _PLACES else (total, _DIGITS[letter])
    return str(total + digit)


def _native(found: re.Match[str]) -> str:
    return str(_NATIVE_TENS.get(found[1], 0) + _NATIVE.get(found[2], 0))


def _measure(found: re.Match[str]) -> str:
    factor, base = UNITS[found["unit"]]
    return f"{float(found['value']) * factor:.15g}{base}"


_MONTH = rf"(?P<month>{_or(_MONTHS)})\b\.?"
_YEAR, _BEHIND = (rf"(?P<{name}>(?<![\d.])(?:(?:19|20)\d\d(?![\d.,]\d|\d)|\d\d(?=년)))" for name in ("year", "behind"))
_DAY = r"(?<![\d#])(?P<day>\d\d?)(?:st|nd|rd|th)?\b"
_PART = rf"(?P<part>\b[qh][1-4](?!\d)|\b(?:{_or(_ORDINALS)}|[1-4](?:st|nd|rd|th))[ -](?:quarter|half)\b|[1-4] ?분기|[상하]반기)"
_VALUE = r"(?<![\d.])(?P<value>\d+(?:\.\d+)?)"
_COUNTER = "번|개|명|분|잔|시|살|마리|달|가지|군데|장|권|병|대|곳|사람|주|차례|그릇|벌|켤레|층|칸|시간|인분|학년|배"
_SPELLED = _compiled(
    (r"(?<=\d),(?=\d{3}(?!\d))", lambda found: ""),
    (rf"(?<!which )(?<!no )(?<!any )(?<!this )\b(?:{_or(_ENGLISH)})(?:[\s-](?:{_or(_ENGLISH)}))?\b", _spelled),
    (rf"(?<![가-힣])({_or(_NATIVE_TENS)})?({_or(_NATIVE)})?(?<=[가-힣])(?= ?(?:{_COUNTER})(?!요))", _native),
    (r"(?<![가-힣])(?:[일이삼사오육칠팔구]?[십백천])+[일이삼사오육칠팔구]?(?= ?(?:[만억원년월일분주세층명개점]|퍼센트|프로))"
     r"|(?<![가-힣])일(?=주일)|(?<![가-힣])[일이삼사오육](?=개월|학년)", _sino),
    (rf"{_VALUE} ?({_or(_LARGE)})(?![a-z])", lambda found: f"{float(found[1]) * _LARGE[found[2]]:.15g}"),
)  # fmt: skip
_MARKED = _compiled(
    (rf"(?:{_YEAR}[년도의\s,-]*)?{_PART}(?:[\s,-]*(?:of |in )?{_BEHIND}년?)?", _part_of_year),
    (rf"{_YEAR}[-./년] ?(?P<month>\d\d?)[-./월] ?(?P<day>\d\d?)일?", _date),
    (rf"(?:{_YEAR}년 ?)?(?P<month>\d\d?)월(?: ?(?P<day>\d\d?)일)?", _date),
    (rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", _date),
    (rf"{_MONTH} {_DAY}(?:,? {_YEAR})?", _date),
    (rf"{_MONTH},? {_YEAR}|\b(?P<alone>(?!may\b)(?:{_or(name.lower() for name in month_name if name)}))\b|(?<=in )(?P<may>may)\b", _date),
    (r"\b[a-z][a-z_-]*\d[a-z\d./_-]*", lambda found: found[0].rstrip(".-/")),
    (r"(?P<hour>\d\d?)(?::(?P<minute>\d\d))? ?(?P<half>[ap]m)\b", _time),
    (r"(?P<half>오전|오후|아침|저녁|새벽|밤) ?(?P<hour>\d\d?)시(?: ?(?P<minute>\d\d?|반)분?)?", _time),
    (r"(?P<hour>\d\d?):(?P<minute>\d\d)(?!\d)", _time),
    (r"([$€])(\d+(?:\.\d+)?)", lambda found: found[2] + {"$": "usd", "€": "eur"}[found[1]]),
    (rf"{_VALUE}[ -]?(?P<unit>{_or(UNITS)})(?![a-z]|년|간격)", _measure),
    (r"\b(\d+)(?:st|nd|rd|th)\b|(\d+) ?번째|제 ?(\d+)(?=[회차장조항])", lambda found: f"{found[1] or found[2] or found[3]}."),
    (rf"\b({_or(_ORDINALS)})\b", lambda found: f"{_ORDINALS[found[1]]}."),
    (r"첫 ?번째|첫째|(?<![가-힣])첫(?= )", lambda found: "1."),
    (_VALUE, lambda found: found[0]),
)  # fmt: skip
_HELD = 0xE000  # the first character for private use; one stands for each quantity already read


def quantities(text: str) -> str:
    """A question in lower case with each quantity in one spelling behind a '#', as in 'is #2025-q3 before #15:00'."""
    held: list[str] = []

    def hold(write: _Writer, found: re.Match[str]) -> str:
        glued = re.match("[가-힣]", found.string[found.end() :])
        held.append(f" #{write(found)}{'' if glued else ' '}")
        return chr(_HELD + len(held) - 1)

    text = re.sub("[\ue000-\uf8ff]", " ", text)
    for pattern, write in _SPELLED:
        text = pattern.sub(write, text)
    for pattern, write in _MARKED:
        text = pattern.sub(partial(hold, write), text)
    return re.sub("[\ue000-\uf8ff]", lambda found: held[ord(found[0]) - _HELD], text)
