"""Numbers with their units, in English and Korean: '£4.2 million', '1,234억 원', '15 퍼센트', 'six hours'."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from lessons.evaluate.judge.numbers import NUMBER

_UNITS: list[tuple[str, str, str]] = [  # pattern, kind, factor; the first that fits wins
    (r"%\s?p\b|%\s?포인트|퍼센트 ?포인트|percentage[- ]points?|%-points?|pp\b|p\.p\.|포인트", "point", "1"),
    (r"%|percent\b|per ?cent\b|pct\b|퍼센트|프로(?![가-힣])", "percent", "1"),
    (r"basis points?|bps?\b|bp\b", "point", "0.01"),
    (r"(?:us |u\.s\. )?dollars?\b|usd\b|us\$|달러|불(?![가-힣])", "USD", "1"),
    (r"(?:south )?(?:korean )?won\b|krw\b|원(?![칙래인본천료])", "KRW", "1"),
    (r"(?:british )?pounds?(?: sterling)?\b|gbp\b|파운드", "GBP", "1"),
    (r"euros?\b|eur\b|유로", "EUR", "1"),
    (r"yen\b|jpy\b|엔(?![가-힣])", "JPY", "1"),
    (r"(?:working|business) days?|영업일", "working days", "1"),
    (r"seconds?\b|secs?\b|초(?![과기등반점])", "time", "1"),
    (r"minutes?\b|mins?\b|분(?!기|야|석|자)", "time", "60"),
    (r"hours?\b|hrs?\b|시간", "time", "3600"),
    (r"days?\b|일(?!부(?!터)|[반상정괄치련])", "time", "86400"),
    (r"fortnights?\b", "time", "1209600"),
    (r"weeks?\b|주(?:일|간)?(?![당식민요문년소])", "time", "604800"),
    (r"months?\b|개월|달(?!러)", "months", "1"),
    (r"years?\b|년", "months", "12"),
    (r"tb\b|terabytes?|테라바이트", "bytes", "1e12"),
    (r"gb\b|gigabytes?|기가바이트", "bytes", "1e9"),
    (r"mb\b|megabytes?|메가바이트", "bytes", "1e6"),
    (r"kb\b|kilobytes?|킬로바이트", "bytes", "1e3"),
    (r"mg\b|milligrams?|밀리그램", "mass", "0.001"),
    (r"kg\b|kilograms?|kilos?\b|킬로그램", "mass", "1000"),
    (r"tons?\b|tonnes?|t\b|톤", "mass", "1e6"),
    (r"g\b|grams?\b|그램", "mass", "1"),
    (r"km\b|kilomet(?:er|re)s?|킬로미터", "length", "1000"),
    (r"cm\b|centimet(?:er|re)s?|센티미터|센티", "length", "0.01"),
    (r"mm\b(?!Hg)|millimet(?:er|re)s?|밀리미터", "length", "0.001"),
    (r"m\b|met(?:er|re)s?\b|미터", "length", "1"),
    (r"ml\b|millilit(?:er|re)s?|밀리리터", "volume", "0.001"),
    (r"l\b|lit(?:er|re)s?\b|리터", "volume", "1"),
    (r"°\s?c\b|degrees?(?: celsius)?|도(?![가-힣])|도(?=[를가이의에로])", "degrees", "1"),
    (r"people\b|persons?\b|employees?\b|users?\b|명|인(?![가-힣])|사람", "people", "1"),
    (r"times\b|개(?!월)|건|곳|대(?![가-힣])|회(?!사)|번|배|척|가지|종", "count", "1"),
]  # fmt: skip
_UNIT = "|".join(f"(?P<u{i}>{pattern})" for i, (pattern, _, _) in enumerate(_UNITS))
_CURRENCIES = {"£": "GBP", "$": "USD", "us$": "USD", "€": "EUR", "₩": "KRW", "¥": "JPY"} | {
    code.lower(): code for code in ("KRW", "USD", "GBP", "EUR", "JPY", "CNY")
}
_SCALES = {
    "thousand": 3, "k": 3, "million": 6, "mn": 6, "mln": 6, "m": 6,
    "billion": 9, "bn": 9, "b": 9, "trillion": 12, "tn": 12, "trn": 12,
}  # fmt: skip
_PATTERN = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.,])(?P<s1>(?<![\w가-힣%.)\x01\x00])[-+]\s?)?"
    r"(?P<cur>(?:us\$|[£$€₩¥]|\b(?:krw|usd|gbp|eur|jpy|cny))\s?)?(?P<s2>[-+])?"
    rf"(?:\x02(?P<man>[\d.]*)\x02(?P<big>\d+(?:\.\d+)?)\x01|(?P<num>{NUMBER})(?![\d]|\.\d))"
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|mln|mn|bn|trn|tn|k(?![a-z])"
    r"|(?(cur)[mb]\b|[mb](?=\s?(?:won|dollars?|pounds?|euros?)\b))))?"
    rf"(?:[-\s]{{0,2}}여?\s?(?:{_UNIT}))?(?![A-Za-z\d])",
    re.I | re.A,  # ASCII, so that a Korean particle ends a word: 5cm를
)
_RANGE = re.compile(r"\s?(?:~|-|–|to|or|에서|부터)\s?", re.I)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|over|more than|under|just)\s*$"
    r"|(?:약|대략|거의)\s*$",
    re.I,
)
_ABOUT_AFTER = re.compile(r"\s?(?:가량|정도|수준|안팎|내외|쯤|남짓|or so\b|이상|넘)", re.I)
COUNTS = frozenset({"", "count", "people"})
MONEY = frozenset({"USD", "KRW", "GBP", "EUR", "JPY", "CNY"})


@dataclass(frozen=True)
class Quantity:
    """A number. `value` is in the base unit of its kind, `written` the leading digits as they stand ('4.2' of 4.2 bn).

    Kinds: a currency, percent, point, time (seconds), months, bytes …; 'people' (43명), 'count' (12건, 3 times);
    '' without a unit.
    """

    value: Decimal
    written: Decimal
    kind: str = ""
    sign: int = 0
    about: bool = False
    scaled: bool = False
    number: Decimal = Decimal(0)  # without the unit: 4200000000 for 4.2 bn pounds, 6 for six hours
    start: int = 0
    end: int = 0

    @property
    def figures(self) -> int:
        """Significant digits, without trailing zeros."""
        return len(self.written.normalize().as_tuple().digits)


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text that went through `digits`. In '10–12 %' both numbers are percentages."""
    found = [_read(match) for match in _PATTERN.finditer(text)]
    for place in range(len(found) - 2, -1, -1):
        first, second = found[place], found[place + 1]
        if not _RANGE.fullmatch(text, first.end, second.start):
            continue
        if first.kind in MONEY and not second.kind:
            found[place + 1] = second = replace(second, kind=first.kind)
        if (
            not first.scaled
            and second.written
            and first.kind in ("", second.kind)
            and (second.scaled or not first.kind)
        ):
            factor = second.value / second.written
            number = first.number * second.number / second.written
            found[place] = replace(
                first, value=first.value * factor, number=number, kind=second.kind, scaled=second.scaled
            )
    return found


def _read(match: re.Match[str]) -> Quantity:
    kind, factor = "", Decimal(1)
    for place, (_, name, size) in enumerate(_UNITS):
        if match[f"u{place}"]:
            kind, factor = name, Decimal(size)
            break
    if match["cur"]:
        kind, factor = _CURRENCIES[match["cur"].strip().lower()], Decimal(1)
    number = Decimal(match["big"] or match["num"].replace(",", ""))
    written = Decimal(match["man"]) if match["man"] else number
    if match["scale"]:
        number = number.scaleb(_SCALES[match["scale"].lower()])
    sign = {"-": -1, "+": 1}.get((match["s1"] or match["s2"] or "").strip(), 0)
    about = bool(_ABOUT.search(match.string[: match.start()]) or _ABOUT_AFTER.match(match.string, match.end()))
    return Quantity(
        value=number * factor,
        written=written,
        kind=kind,
        sign=sign,
        about=about,
        scaled=bool(match["scale"] or match["big"]),
        number=number,
        start=match.start(),
        end=match.end(),
    )
