"""Numbers with their units, in English and Korean: '£4.2 million', '1,234억 원', 'six hours', '마흔세 명'."""

import re
import unicodedata
from dataclasses import dataclass, replace
from decimal import Decimal

from lessons.text.korean import particle_pattern

_DIGITS = "one two three four five six seven eight nine".split()  # noqa: SIM905
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_ONES = _DIGITS + _TEENS
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORD = {word: value for value, word in enumerate(_ONES, 1)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_BELOW_100 = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_DIGITS)}))?|{'|'.join(sorted(_ONES, key=len, reverse=True))})"
)
_ENGLISH = re.compile(
    rf"\b(?:(?:{_BELOW_100}|a) hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100}|a dozen)\b(?!-(?:off|time))", re.I
)
_NOT_A_NUMBER = re.compile(r"\b(?:no|this|that|each|which|any|every|the|some) $", re.I)
_PRONOUN_AFTER = re.compile(r" (?:of|another|that|who|which|is|was|can|more|or)\b", re.I)

_NATIVE_TENS = "열 스물|스무 서른 마흔 쉰 예순 일흔 여든 아흔".split()  # noqa: SIM905
_NATIVE_ONES = "하나|한 둘|두 셋|세|석 넷|네|넉 다섯 여섯 일곱 여덟 아홉".split()  # noqa: SIM905
_NATIVE_VALUES = {
    word: step * n
    for step, row in ((10, _NATIVE_TENS), (1, _NATIVE_ONES))
    for n, words in enumerate(row, start=1)
    for word in words.split("|")
}
_COUNTER = (
    "명|개|번|시간|시|달|살|건|대|곳|가지|척|차례|주|배|사람|회|단계|자리|권|장|잔|알|팀|종류|쪽|해|통|마리"
    "|고객|회사|공장|부서|분기|분"
)
_NATIVE = re.compile(rf"(?<![가-힣\d])({'|'.join(_NATIVE_TENS)})?({'|'.join(_NATIVE_ONES)})?(?=\s?(?:{_COUNTER}))")
_SINO = str.maketrans("일이삼사오육칠팔구", "123456789")
_SINO_NUMBER = re.compile(
    r"(?<![가-힣\d])(?:(?:[일이삼사오육칠팔구]?[천백십])+[일이삼사오육칠팔구]?"
    r"(?=\s?(?:퍼센트|프로|명|개|[원만억조년월일분초건대배주회톤세층점]|달러|파운드|시간))"
    r"|[일이삼사오육칠팔구](?= ?퍼센트)|일(?=주일)|[일이삼사오육](?=개월|학년))"
)
_SPANS = {
    "하루": "1일", "이틀": "2일", "사흘": "3일", "나흘": "4일", "닷새": "5일", "열흘": "10일", "보름": "15일",
    "일주일": "1주", "반년": "6개월", "일년": "1년", "일 년": "1년",
}  # fmt: skip
_SPAN = re.compile(rf"(?<![가-힣])(?:{'|'.join(_SPANS)})")

_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SMALL = {"십": 10, "백": 100, "천": 1000}
_BIG = {"만": 10**4, "억": 10**8, "조": 10**12}
_AFTER = (
    "원|명|개|달러|톤|유로|파운드|엔|위안|여|건|대|주|장|리터|배|번|회|년|시간|척|인|권|가구|이상|이하|가량|정도"
    "|" + particle_pattern("is", "many", "named")
)
_SCALE = rf"[십백천만억조](?=[^가-힣]|[십백천만억조]|$|(?:{_AFTER}))"
_KOREAN = re.compile(
    rf"(?:(?<![\d.,A-Za-z])(?<![A-Za-z\d]-){NUMBER}\s?{_SCALE}|(?<![\w.,])[만천](?=\s?\d|\s?(?:명|원|개|달러|톤))"
    rf"|(?<![\w.,])[천백십]만(?=\s?원|\s?명|\s?달러))"
    rf"(?:\s?(?:{NUMBER})?\s?{_SCALE})*(?:\s?{NUMBER}(?=\s?(?:원|명|개|건|대|달러|주|톤|척)))?"
)
_PART = re.compile(rf"({NUMBER})|([십백천만억조])")


def numerals(text: str) -> dict[str, str]:
    """The numbers of a text that are written in digits: by their plain form, without separators, as they stand."""
    return {re.sub(r",(?=\d{3}\b)", "", match[0]): match[0] for match in _FIGURE.finditer(text)}


def number_words(text: str) -> str:
    """The text with number words as digits: '6 hours', '43 명', '1일' for 하루. 'one of them' and the like stay."""
    text = _ENGLISH.sub(_english, re.sub(r"\ba fortnight\b", "1 fortnight", text))
    text = _SPAN.sub(lambda match: _SPANS[match[0]], text)
    text = _NATIVE.sub(lambda match: str(sum(_NATIVE_VALUES.get(word, 0) for word in match.groups()) or ""), text)
    return _SINO_NUMBER.sub(lambda match: str(_amount(match[0].translate(_SINO))), text)


def digits(text: str) -> str:
    """The text in NFKC with number words and Korean scales as digits.

    '4조 2,000억' is '4200000000000', marked by a following `\\x01`, and its written leading number stands between two
    `\\x02` in front, so that '254억' and '254만' can be told to be alike.
    """
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("△", "-")
    text = re.sub(r"(?<![\w.])\.(?=\d)", "0.", text)  # .5 %
    return _KOREAN.sub(_scaled, number_words(text))


def _english(match: re.Match[str]) -> str:
    words, text = match[0].lower(), match.string
    if words == "one" and (_NOT_A_NUMBER.search(text[: match.start()]) or _PRONOUN_AFTER.match(text, match.end())):
        return match[0]
    total = 0
    for word in re.split(r"[- ]", words):
        total = (total or 1) * 100 if word == "hundred" else 12 if word == "dozen" else total + _WORD.get(word, 0)
    return str(total)


def _scaled(match: re.Match[str]) -> str:
    parts = _PART.findall(match[0])
    mantissa = parts[0][0].replace(",", "") if len(parts) == 2 else ""
    return f"\x02{mantissa}\x02{_amount(match[0]).normalize():f}\x01"


def _amount(text: str) -> Decimal:
    """What digits say together with Korean scales: 4,200만 is '4천2백만', and 23 is '2십3'."""
    total = section = Decimal(0)
    current: Decimal | None = None
    for number, scale in _PART.findall(text):
        if number:
            current = Decimal(number.replace(",", ""))
        elif scale in _SMALL:
            section, current = section + (1 if current is None else current) * _SMALL[scale], None
        else:
            total, section, current = total + ((section + (current or 0)) or 1) * _BIG[scale], Decimal(0), None
    return total + section + (current or 0)


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
MONEY = frozenset({"USD", "KRW", "GBP", "EUR", "JPY", "CNY"})
_SIGNS = {"£": "GBP", "$": "USD", "us$": "USD", "€": "EUR", "₩": "KRW", "¥": "JPY"}
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


@dataclass(frozen=True)
class Quantity:
    """A number with its unit."""

    value: Decimal  # in the base unit of its kind
    written: Decimal  # the leading digits as they stand: 4.2 of 4.2 bn
    kind: str = (
        ""  # a currency, percent, time (seconds), months, bytes …; people (43명), count (12건); '' without a unit
    )
    sign: int = 0
    scaled: bool = False
    start: int = 0
    end: int = 0


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text that went through `digits`. In '10–12 %' both numbers are percentages."""
    found = [_read(match) for match in _PATTERN.finditer(text)]
    for place in range(len(found) - 2, -1, -1):
        first, second = found[place], found[place + 1]
        if not _RANGE.fullmatch(text, first.end, second.start):
            continue
        if first.kind in MONEY and not second.kind:
            found[place + 1] = second = replace(second, kind=first.kind)
        bare = not first.scaled and first.kind in ("", second.kind) and (second.scaled or not first.kind)
        if bare and second.written:
            value = first.value * (second.value / second.written)
            found[place] = replace(first, value=value, kind=second.kind, scaled=second.scaled)
    return found


def _read(match: re.Match[str]) -> Quantity:
    units = ((name, Decimal(size)) for place, (_, name, size) in enumerate(_UNITS) if match[f"u{place}"])
    kind, factor = next(units, ("", Decimal(1)))
    if match["cur"]:
        currency = match["cur"].strip()
        kind, factor = _SIGNS.get(currency.lower(), currency.upper()), Decimal(1)
    number = Decimal(match["big"] or match["num"].replace(",", ""))
    written = Decimal(match["man"]) if match["man"] else number
    if match["scale"]:
        number = number.scaleb(_SCALES[match["scale"].lower()])
    sign = {"-": -1, "+": 1}.get((match["s1"] or match["s2"] or "").strip(), 0)
    scaled = bool(match["scale"] or match["big"])
    return Quantity(number * factor, written, kind, sign, scaled, *match.span())
