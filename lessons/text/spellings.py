"""One spelling for numbers, amounts, units and dates of both languages: '£4.2m' and '420만 파운드' are 4200000£."""

import re
import unicodedata
from calendar import month_abbr, month_name
from decimal import Decimal
from functools import lru_cache

from lessons.text import normalize
from lessons.text.numbers import number_words

UNITS = {
    "%": "per ?cent|퍼센트|프로(?![가-힣])", "$": "dollars?|달러", "£": "pounds?|파운드", "€": "euros?|유로",
    "₩": "won|원", "min": "minutes?|분(?!기)", "h": "hours?|시간", "d": "days?|일", "w": "weeks?|주일?",
    "mo": "months?|개월", "y": "years?|년", "p": "people|users?|employees|명",
}  # fmt: skip
SCALES = {
    "trillion": 12, "조": 12, "천억": 11, "billion": 9, "bn": 9, "억": 8, "천만": 7, "million": 6, "mn": 6, "m": 6,
    "백만": 6, "만": 4, "thousand": 3, "k": 3, "천": 3,
}  # fmt: skip
SIGNS = {"usd": "$", "gbp": "£", "eur": "€", "krw": "₩"}
_MONTHS = {name.casefold(): n for names in (month_name, month_abbr) for n, name in enumerate(names) if n}
_NUMBER, _MONTH = r"\d+(?:\.\d+)?", "|".join(_MONTHS)
_PART = rf"({_NUMBER})\s?({'|'.join(SCALES)})(?![a-z])"
_UNIT = "|".join(rf"((?<=\d)[\s-]?(?:{words})(?![a-z]))" for words in UNITS.values())
_DATE = rf"\b(?:(\d\d?) ({_MONTH})|({_MONTH})\.? (\d\d?))\b(?:,? (\d{{4}}))?"


@lru_cache(maxsize=2_000)
def spellings(text: str) -> tuple[str, str]:
    """A text in lower case with digits for number words; and with one spelling for amounts, units and dates, too."""
    text = number_words(unicodedata.normalize("NFKC", normalize(text))).casefold().replace("−", "-")
    one = written = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    for pattern, write in (
        (rf"\b({'|'.join(SIGNS)})\s?(?=\d)", lambda match: SIGNS[match[1]]),
        (_DATE, _date),
        (rf"(?<![\w.]){_PART}(?:\s?{_PART})*", _amount),
        (rf"([$£€₩])\s?({_NUMBER})", lambda match: match[2] + match[1]),
        (_UNIT, lambda match: [*UNITS][(match.lastindex or 1) - 1]),
    ):
        one = re.sub(pattern, write, one)
    return written, one


def _date(match: re.Match[str]) -> str:
    year = f"{match[5]}년 " if match[5] else ""
    return f"{year}{_MONTHS[match[2] or match[3]]}월 {match[1] or match[4]}일"


def _amount(match: re.Match[str]) -> str:
    parts = (Decimal(number).scaleb(SCALES[scale]) for number, scale in re.findall(_PART, match[0]))
    return f"{sum(parts, Decimal(0)).normalize():f}"
