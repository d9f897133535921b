"""The terms of a text that full-text search compares."""

import calendar
import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from lessons.text.korean import particle_pattern
from lessons.text.numbers import amounts
from lessons.text.periods import normal_form
from lessons.text.word_lists import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS, words_of

_KOREAN_QUESTION_WORD = re.compile(
    r"(?:얼마|무엇|무얼|뭐|뭔|뭘|어떻게|어떠|어떤|어때|언제|며칠|어디|어느|누구|누가|왜|몇|무슨|알려|설명해|말해|가르쳐|궁금)[가-힣]{0,6}"
)
# Predicate endings that say nothing about the subject. What stands before them is the word.
_KOREAN_ENDING = re.compile(
    r"[있없였했됐었았겠하되합됩입습십이주]{0,9}"
    r"(?:니까|니다|인가요|한가요|은가요|나요|까요|세요|어요|아요|해요|돼요|예요|에요|이죠|(?<=..)는지|(?<=..)은지|(?<=..)인지"
    r"|(?<=[었았했됐였겠있없렸켰쳤졌셨갔왔봤줬])[다어나]|(?<=..)[한된]다|(?<=..)[하되][나냐니지]|(?<=..)[할될]까|(?<=..)[해돼])$"
)
_KOREAN_PARTICLE = re.compile(particle_pattern())

_EAST_ASIAN = "가-힣ㄱ-ㆎ\u4e00-\u9fff\u3040-\u30ff"
_WORD = rf"[^\W_{_EAST_ASIAN}]"
_SEGMENT = re.compile(rf"(?P<pairs>[{_EAST_ASIAN}]+)|{_WORD}+(?:[-_.@/:,'’+]+{_WORD}+)*(?:\+\+|[%#])?")
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)*%?")
_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})")
_CONTRACTIONS = frozenset(["re", "ve", "ll"])
_SPACED_PERCENT = re.compile(r"(?<=\d)\s+%")
_SILENT, _YEO, _I, _SS = 11, 6, 20, 20  # initial ㅇ, vowels ㅕ and ㅣ, final ㅆ: Unicode 15, section 3.12
_LONGEST = 100  # characters of a term; a tsvector takes 2,046 bytes
_BASES = [entry.split(":") for entry in words_of("irregular_forms")]
IRREGULAR = {form: base for base, forms in _BASES for form in forms.split(",")}


def terms(text: str) -> list[str]:
    """Search terms in order, repeated as often as they occur, lower case.

    Korean and other East Asian words give overlapping pairs of characters, so that 마케팅이 meets 마케팅 without a
    morphological analyser, English words their Porter stem; stop words give nothing. Numbers, versions, dates and
    identifiers stay whole, followed by their parts: 'ORD-2024' gives 'ord-2024', 'ord2024', 'ord', '2024'; '2024년'
    gives '2024', '2024년'. Periods and negations come in one spelling, amounts also as digits.
    """
    results: list[str] = []
    for token in _SPACED_PERCENT.sub("%", normal_form(text)).split():
        results.extend(_token_terms(token) if len(token) <= _LONGEST else _token_terms.__wrapped__(token))
    return results + amounts(text)


@lru_cache(maxsize=50_000)
def _token_terms(token: str) -> tuple[str, ...]:
    results: list[str] = []
    number, latin = "", ""
    for segment in _SEGMENT.finditer(unicodedata.normalize("NFKC", token)):
        if segment["pairs"]:
            if not latin or number or not _KOREAN_PARTICLE.fullmatch(segment[0]):
                results.extend(_pairs(segment[0], number))
                results.extend([f"{latin.lower()}{segment[0][0]}"] if len(latin) == 1 and not number else [])  # A사
            number, latin = "", ""
        else:
            results.extend(_latin(segment[0]))
            number, latin = segment[0] if segment[0].isdecimal() else "", segment[0]
    return tuple(term[:_LONGEST] for term in results)


def _pairs(word: str, number: str) -> list[str]:
    """Pairs of neighbouring characters of a word that may follow directly on a number ('3분기' is '3분', '분기')."""
    if not number and (word in KOREAN_STOP_WORDS or _KOREAN_QUESTION_WORD.fullmatch(word)):
        return []
    stem = _uncontracted(_KOREAN_ENDING.sub("", word)) if "가" <= word[0] <= "힣" else word
    pairs = [stem[i : i + 2] for i in range(len(stem) - 1)]
    if number:
        return [number + stem[0], *pairs, *_calendar(number, stem)] if stem else []
    if len(stem) == 2 and stem[1] in "은는을를":
        return [stem[0], *pairs]
    return pairs or ([stem] if stem else [])


def _uncontracted(word: str) -> str:
    """Return the stem of a Korean verb whose vowel has merged with its ending: 열리 for 열려요 and 열렸."""
    *stem, last = list(word.removesuffix("요").removesuffix("서") or word or " ")
    initial, remainder = divmod(ord(last) - 0xAC00, 21 * 28)
    vowel, final = divmod(remainder, 28)
    merged = final == _SS or (final == 0 and len(stem) + 1 < len(word))
    if not stem or vowel != _YEO or initial == _SILENT or not merged:
        return word
    return "".join([*stem, chr(0xAC00 + (initial * 21 + _I) * 28)])


def _calendar(number: str, unit: str) -> list[str]:
    """Return the English term for a Korean quarter or month, so that '3분기' meets 'Q3' and '3월' meets 'March'."""
    if unit.startswith("분기") and number in "1234":
        return [f"q{number}"]
    if unit.startswith("월") and len(number) < 3 and 1 <= int(number) <= 12:
        return [english_stem(calendar.month_name[int(number)].lower())]
    return []


def _latin(token: str) -> list[str]:
    if date := _DATE.fullmatch(token):
        year, month, day = date.groups()
        return [f"{year}-{month:0>2}-{day:0>2}", year]
    if _NUMBER.fullmatch(token):
        number = token.replace(",", "")
        return [number, number[:-1]] if number.endswith("%") else [number]
    lower = token.lower()
    parts = [part for part in re.split(r"[\W_]+", lower) if part]
    if len(parts) == 1:
        return [lower] if lower[-1] in "+#" else _word(lower, token.isupper())
    identifier = [] if "," in lower or not re.search(r"[\d_.@]", lower) else [lower, *_joined(parts)]
    words = (part for part in parts if len(part) > 1 and part not in _CONTRACTIONS)
    return identifier + [term for part in words for term in _word(part, False)]


def _joined(parts: list[str]) -> list[str]:
    """Return an identifier without its signs, so that ccx4130 meets CCX-4130; nothing for a date or a version."""
    return ["".join(parts)] if parts[0].isalpha() and any(map(str.isdigit, parts)) else []


def _word(word: str, capitals: bool) -> list[str]:
    if word.isalpha():
        if word in ENGLISH_STOP_WORDS and not (capitals and len(word) > 1):  # IT, WHO, US
            return []
        return [english_stem(word) if len(word) < 40 else word]
    return [word, *re.findall(r"\d{4,}", word)] if not word.isdigit() else [word]


@lru_cache(maxsize=50_000)
def english_stem(word: str) -> str:
    """Return the Porter stem of a lower-case word, or of its base if its form is irregular."""
    base = IRREGULAR.get(word, word)
    return snowballstemmer.stemmer("porter").stemWord(base) or base  # threads cannot share a stemmer: it keeps the word
