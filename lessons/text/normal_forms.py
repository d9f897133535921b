"""One spelling for what is written in many: periods, Korean amounts and negations, applied before terms are made.

Ingestion and questions both pass through here: 24년 2Q, 2Q24, 이분기 and 2분기(2024년) are one period, 3천만 and
30,000,000 one amount, 안 열려요 and 열리지 않아요 one negation. The notations of a calendar and of numerals are a
closed list; this is no vocabulary.
"""

import re

from lessons.text.numbers import digits

_YEAR = r"(?:(?:19|20)\d\d|\d\d)"
_SEP = r"\s*[-_/.,]?\s*"
_EDGE = r"(?<![A-Za-z\d.,-])"  # Hangul may stand directly before: 세담소재2024년2분기
_QUARTER = re.compile(
    rf"(?i){_EDGE}(?:"
    rf"(?P<y1>{_YEAR})(?:년도?|{_SEP})\s*(?P<q1>[1-4])Q(?![A-Za-z\d])"  # 24년 2Q, 2024.2Q
    rf"|(?P<y2>\d\d)년\s*(?P<q2>[1-4])\s*분기"  # 24년 2분기
    rf"|(?P<q3>[1-4])Q{_SEP}'?(?P<y3>{_YEAR})(?![A-Za-z\d])년?"  # 2Q24
    rf"|(?P<q4>[1-4])\s*분기\s*\(\s*(?P<y4>{_YEAR})년?\s*\)"  # 2분기(2024년)
    rf"|Q(?P<q5>[1-4])\s*'(?P<y5>\d\d)(?!\d)"  # Q2 '24
    rf"|(?P<q6>[1-4])Q(?![A-Za-z\d]))"
)
_OF_FOUR = re.compile(r"(?<!\d)([1-4])/4\s?분기")
_SINO_QUARTER = re.compile(r"(?<![가-힣])([일이삼사])(?:\s?사)?분기(?![가-힣]{3})")
_SHORT_YEAR = re.compile(rf"{_EDGE}(\d\d)년(?=\s*(?:[상하]반기|1?\d월|[초중말]))")
_NEGATION = re.compile(r"(?<![가-힣])([가-힣]+)지(?:는|도|를|가)?\s?(않|못)[가-힣]*")
_NEGATED = {"않": "안", "못": "못"}
_SILENT, _YEO, _I, _SS = 11, 6, 20, 20  # initial ㅇ, vowels ㅕ and ㅣ, final ㅆ: Unicode 15, section 3.12
_BARE_SCALE = re.compile(r"(?<![\w.,])[만천](?=\s)")  # 만 65세
_SCALES = re.compile(r"\d\s?[십백천만억조]|[십백천만]\s?[억조]|[십백천]만\s?(?:원|명|달러)")  # and not 천만에요
_AMOUNT = re.compile(r"\x02[^\x02]*\x02(\d+)\x01")


def normal_form(text: str) -> str:
    """Write each quarter as 'Q2 2024' or '2024년 2분기', and each Korean negation as 안 or 못 before the stem."""
    if not re.search(r"[가-힣]|\d[Qq]|'\d\d", text):
        return text
    korean = re.search("[가-힣]", text) is not None
    text = _OF_FOUR.sub(r"\1분기", text)
    text = _SINO_QUARTER.sub(lambda match: f"{'일이삼사'.index(match[1]) + 1}분기", text)
    text = _QUARTER.sub(lambda match: _quarter(match, korean), text)
    text = _SHORT_YEAR.sub(r"20\1년", text)
    return _NEGATION.sub(lambda match: f"{_NEGATED[match[2]]} {match[1]}", text)


def amounts(text: str) -> list[str]:
    """List the plain digits of each Korean amount of a text: '30000000' for 3천만, '12000000000' for 백이십억."""
    return _AMOUNT.findall(digits(_BARE_SCALE.sub(" ", text))) if _SCALES.search(text) else []


def uncontracted(word: str) -> str:
    """Return the stem of a Korean verb whose vowel has merged with its ending: 열리 for 열려요 and 열렸."""
    *stem, last = list(word.removesuffix("요").removesuffix("서") or word or " ")
    initial, rest = divmod(ord(last) - 0xAC00, 21 * 28)
    vowel, final = divmod(rest, 28)
    merged = final == _SS or (final == 0 and len(stem) + 1 < len(word))
    if not stem or vowel != _YEO or initial == _SILENT or not merged:
        return word
    return "".join([*stem, chr(0xAC00 + (initial * 21 + _I) * 28)])


def _quarter(match: re.Match[str], korean: bool) -> str:
    groups = {name[0]: value for name, value in match.groupdict().items() if value}
    year = groups.get("y", "")
    year = f"20{year}" if len(year) == 2 else year
    if korean:
        return f"{year}년 {groups['q']}분기" if year else f"{groups['q']}분기"
    return f"Q{groups['q']} {year}".rstrip()
