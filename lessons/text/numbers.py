"""Numbers in one spelling, of two languages: '£4.2m' and '420만 파운드' are 4200000£, 'six hours' and '6시간' 6h."""

import re
import unicodedata
from calendar import month_abbr, month_name
from decimal import Decimal
from functools import lru_cache

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
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SMALL = {"십": 10, "백": 100, "천": 1000}
_BIG = {"만": 10**4, "억": 10**8, "조": 10**12}
_AFTER = (
    "원|명|개|달러|톤|유로|파운드|엔|위안|여|건|대|주|장|리터|배|번|회|년|시간|척|인|권|가구|이상|이하|가량|정도"
    "|" + particle_pattern("is", "many", "named")
)
_SCALE = rf"[십백천만억조](?=[^가-힣]|[십백천만억조]|$|(?:{_AFTER}))"
_KOREAN_AMOUNT = re.compile(
    rf"(?:(?<![\d.,A-Za-z])(?<![A-Za-z\d]-){_NUMBER}\s?{_SCALE}|(?<![\w.,])[만천](?=\s?\d|\s?(?:명|원|개|달러|톤))"
    rf"|(?<![\w.,])[천백십]만(?=\s?원|\s?명|\s?달러))"
    rf"(?:\s?(?:{_NUMBER})?\s?{_SCALE})*(?:\s?{_NUMBER}(?=\s?(?:원|명|개|건|대|달러|주|톤|척)))?"
)
_AMOUNT_PART = re.compile(rf"({_NUMBER})|([십백천만억조])")
_BARE_SCALE = re.compile(r"(?<![\w.,])[만천](?=\s)")  # 만 65세
_HAS_SCALE = re.compile(r"\d\s?[십백천만억조]|[십백천만]\s?[억조]|[십백천]만\s?(?:원|명|달러)")  # and not 천만에요

_UNITS = {
    "%": "per ?cent|퍼센트|프로(?![가-힣])", "$": "dollars?|달러", "£": "pounds?|파운드", "€": "euros?|유로",
    "₩": "won|원", "min": "minutes?|분(?!기)", "h": "hours?|시간", "d": "days?|일", "w": "weeks?|주일?",
    "mo": "months?|개월", "y": "years?|년", "p": "people|users?|employees|명",
}  # fmt: skip
_SCALES = {"trillion": 12, "billion": 9, "bn": 9, "million": 6, "mn": 6, "m": 6, "thousand": 3, "k": 3}
_CURRENCIES = {"usd": "$", "gbp": "£", "eur": "€", "krw": "₩"}
_MONTHS = {name.lower(): n for names in (month_name, month_abbr) for n, name in enumerate(names) if n}
_MONTH = "|".join(_MONTHS)
_DATE = rf"\b(?:(\d\d?) ({_MONTH})|({_MONTH})\.? (\d\d?))\b(?:,? (\d{{4}}))?"
_UNIT = "|".join(rf"((?<=\d)[\s-]?(?:{words})(?![a-z]))" for words in _UNITS.values())


def numerals(text: str) -> dict[str, str]:
    """Map each number of a text that is written in digits, without separators, to how it is written."""
    return {re.sub(r",(?=\d{3}\b)", "", match[0]): match[0] for match in _FIGURE.finditer(text)}


def number_words(text: str) -> str:
    """Write number words as digits: '6 hours', '43 명', '1일' for 하루. 'one of them' and the like stay."""
    text = _ENGLISH.sub(_english_value, re.sub(r"\ba fortnight\b", "1 fortnight", text))
    text = _SPAN.sub(lambda match: _SPANS[match[0]], text)
    text = _NATIVE.sub(lambda match: str(sum(_NATIVE_VALUES.get(word, 0) for word in match.groups()) or ""), text)
    return _SINO_NUMBER.sub(lambda match: _korean_value(match[0].translate(_SINO)), text)


def amounts(text: str) -> list[str]:
    """List the plain digits of each Korean amount of a text: '30000000' for 3천만, '12000000000' for 백이십억."""
    if not _HAS_SCALE.search(text):
        return []
    text = number_words(unicodedata.normalize("NFKC", _BARE_SCALE.sub(" ", text)))
    values = (_korean_value(match[0]) for match in _KOREAN_AMOUNT.finditer(text))
    return [value for value in values if value.isdecimal()]


@lru_cache(maxsize=2_000)
def spellings(text: str) -> tuple[str, str]:
    """Return a text in lower case with digits for number words, and then with one spelling for numbers (below)."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", text)).casefold().replace("−", "-")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", number_words(text))
    return text, one_spelling(text)


def one_spelling(text: str) -> str:
    """Write the amounts, units and dates of a text in one way: 4200000£, 6h, '2024년 5월 3일'."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", number_words(text))
    for pattern, write in (
        (rf"\b({'|'.join(_CURRENCIES)})\s?(?=\d)", lambda match: _CURRENCIES[match[1].lower()]),
        (_DATE, _korean_date),
        (_KOREAN_AMOUNT.pattern, lambda match: _korean_value(match[0])),
        (rf"(?<![\w.])({_NUMBER})\s?({'|'.join(_SCALES)})(?![a-z])", _english_amount),
        (rf"([$£€₩])\s?({_NUMBER})", lambda match: match[2] + match[1]),
        (_UNIT, lambda match: [*_UNITS][(match.lastindex or 1) - 1]),
    ):
        text = re.sub(f"(?i){pattern}", write, text)
    return text


def _english_value(match: re.Match[str]) -> str:
    words, text = match[0].lower(), match.string
    if words == "one" and (_NOT_A_NUMBER.search(text[: match.start()]) or _PRONOUN_AFTER.match(text, match.end())):
        return match[0]
    total = 0
    for word in re.split(r"[- ]", words):
        total = (total or 1) * 100 if word == "hundred" else 12 if word == "dozen" else total + _WORD.get(word, 0)
    return str(total)


def _english_amount(match: re.Match[str]) -> str:
    return f"{Decimal(match[1].replace(',', '')).scaleb(_SCALES[match[2].lower()]).normalize():f}"


def _korean_value(text: str) -> str:
    """Return what digits and Korean scales say together: 42000000 for 4,200만, 4천2백만 or 사천이백만."""
    total = section = Decimal(0)
    current: Decimal | None = None
    for number, scale in _AMOUNT_PART.findall(text):
        if number:
            current = Decimal(number.replace(",", ""))
        elif scale in _SMALL:
            section, current = section + (1 if current is None else current) * _SMALL[scale], None
        else:
            total, section, current = total + ((section + (current or 0)) or 1) * _BIG[scale], Decimal(0), None
    return f"{(total + section + (current or 0)).normalize():f}"


def _korean_date(match: re.Match[str]) -> str:
    year = f"{match[5]}년 " if match[5] else ""
    return f"{year}{_MONTHS[(match[2] or match[3]).lower()]}월 {match[1] or match[4]}일"
