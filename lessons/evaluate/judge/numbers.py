"""Numbers written out in English or Korean, turned into digits: 'sixty-two' and '마흔세 명' become '62' and '43 명'."""

import re
import unicodedata
from decimal import Decimal

_ONES = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORD = {word: value for value, word in enumerate(_ONES, 1)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_BELOW_100 = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[:9])}))?|{'|'.join(sorted(_ONES, key=len, reverse=True))})"
)
_ENGLISH = re.compile(
    rf"\b(?:(?:{_BELOW_100}|a) hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100}|a dozen)\b(?!-(?:off|time))", re.I
)
_NOT_A_NUMBER = re.compile(r"\b(?:no|this|that|each|which|any|every|the|some) $", re.I)
_PRONOUN_AFTER = re.compile(r" (?:of|another|that|who|which|is|was|can|more|or)\b", re.I)

_NATIVE_TENS = {
    word: 10 * n
    for n, words in enumerate(["열", "스물|스무", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"], start=1)
    for word in words.split("|")
}
_NATIVE_ONES = {
    word: n
    for n, words in enumerate(
        ["하나|한", "둘|두", "셋|세|석", "넷|네|넉", "다섯", "여섯", "일곱", "여덟", "아홉"], start=1
    )
    for word in words.split("|")
}
_COUNTER = (
    "명|개|번|시간|시|달|살|건|대|곳|가지|척|차례|주|배|사람|회|단계|자리|권|장|잔|알|팀|종류|쪽|해|통|마리"
    "|고객|회사|공장|부서|분기|분"
)
_NATIVE = re.compile(rf"(?<![가-힣\d])({'|'.join(_NATIVE_TENS)})?({'|'.join(_NATIVE_ONES)})?(?=\s?(?:{_COUNTER}))")
_SINO = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", 1)}
_SINO_NUMBER = re.compile(
    r"(?<![가-힣\d])((?:[일이삼사오육칠팔구]?[백십])+[일이삼사오육칠팔구]?|[일이삼사오육칠팔구](?= ?퍼센트))"
    r"(?=\s?(?:퍼센트|프로|명|개월|개|원|만|억|조|일(?![가-힣])|년|분|초|건|대|배|달러|파운드|시간|회|톤|주))"
)
_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "열흘": 10, "보름": 15}
_KOREAN_SPANS = re.compile(rf"(?<![가-힣])(?:({'|'.join(_DAYS)})|(일주일)|(반년)|(일 ?년))")

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SMALL = {"십": 10, "백": 100, "천": 1000}
_BIG = {"만": 10**4, "억": 10**8, "조": 10**12}
_AFTER = (
    "원|명|개|달러|톤|유로|파운드|엔|위안|여|건|대|주|장|리터|배|번|회|년|시간|척|인|권|가구|이상|이하|가량|정도"
    "|에서|으로|로|의|을|를|은|는|이|가|과|와|도|까지|부터"
)
_SCALE = rf"[십백천만억조](?=[^가-힣]|[십백천만억조]|$|(?:{_AFTER}))"
_KOREAN = re.compile(
    rf"(?:(?<![\d.,A-Za-z])(?<![A-Za-z\d]-){NUMBER}\s?{_SCALE}|(?<![\w.,])[만천](?=\s?\d|\s?(?:명|원|개|달러|톤))"
    rf"|(?<![\w.,])[천백십]만(?=\s?원|\s?명|\s?달러))"
    rf"(?:\s?(?:{NUMBER})?\s?{_SCALE})*(?:\s?{NUMBER}(?=\s?(?:원|명|개|건|대|달러|주|톤|척)))?"
)
_PART = re.compile(rf"({NUMBER})|([십백천만억조])")


def digits(text: str) -> str:
    """The text in NFKC with spelled numbers as digits. 'one of them' and the like stay words.

    Korean scales become plain numbers ('4조 2,000억' is '4200000000000') marked by a following `\\x01`, whose written
    leading number stands between two `\\x02` in front, so that '254억' and '254만' can be told to be alike.
    """
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("△", "-")
    text = _ENGLISH.sub(_english, re.sub(r"\ba fortnight\b", "1 fortnight", text))
    text = _KOREAN_SPANS.sub(_span, text)
    text = _NATIVE.sub(_native, text)
    return _KOREAN.sub(_scaled, _SINO_NUMBER.sub(_sino, text))


def _english(match: re.Match[str]) -> str:
    words, text = match[0].lower(), match.string
    if words == "one" and (_NOT_A_NUMBER.search(text[: match.start()]) or _PRONOUN_AFTER.match(text, match.end())):
        return match[0]
    total = 0
    for word in re.split(r"[- ]", words):
        total = (total or 1) * 100 if word == "hundred" else 12 if word == "dozen" else total + _WORD.get(word, 0)
    return str(total)


def _span(match: re.Match[str]) -> str:
    return f"{_DAYS[match[1]]}일" if match[1] else "1주" if match[2] else "6개월" if match[3] else "1년"


def _native(match: re.Match[str]) -> str:
    total = _NATIVE_TENS.get(match[1] or "", 0) + _NATIVE_ONES.get(match[2] or "", 0)
    return str(total) if total else match[0]


def _sino(match: re.Match[str]) -> str:
    total, digit = 0, 0
    for character in match[1]:
        if character in _SMALL:
            total, digit = total + (digit or 1) * _SMALL[character], 0
        else:
            digit = _SINO[character]
    return str(total + digit)


def _scaled(match: re.Match[str]) -> str:
    total = section = Decimal(0)
    current: Decimal | None = None
    parts = _PART.findall(match[0])
    for number, scale in parts:
        if number:
            current = Decimal(number.replace(",", ""))
        elif scale in _SMALL:
            section, current = section + (1 if current is None else current) * _SMALL[scale], None
        else:
            total, section = total + ((section + (current or 0)) or 1) * _BIG[scale], Decimal(0)
            current = None
    total += section + (current or 0)
    mantissa = parts[0][0].replace(",", "") if len(parts) == 2 and parts[0][0] else ""
    return f"\x02{mantissa}\x02{total.normalize():f}\x01"
