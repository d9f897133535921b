"""What every room needs to know about text: clean it, name its language, cut it into sentences and search terms.

Korean and English are equals here. Korean words become overlapping pairs of syllables, so that 마케팅이 and 마케팅
share terms without a morphological analyser; English words become their stems.
"""

import calendar
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

_LINE_ENDS = dict.fromkeys(map(ord, "\x0b\x0c\x85\u2028\u2029"), "\n")
_UNWANTED = dict.fromkeys([*range(9), *range(14, 32), *range(127, 160), 0xAD, 0x200B, 0xFEFF])
_CLEAN = _UNWANTED | _LINE_ENDS
_SURROGATES = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """A stemmer keeps the word in itself while it works, so threads cannot share one."""
    return snowballstemmer.stemmer("porter").stemWord(word) or word


def normalize(text: str) -> str:
    """Compose the text (NFC) and drop NUL, other control characters and invisible marks; every line end becomes \\n.

    Decomposed Korean looks the same but embeds and compares differently, and PostgreSQL refuses NUL.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEAN)
    return unicodedata.normalize("NFC", _SURROGATES.sub("", text))


ENGLISH_STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can could did do does doing done down during each either else few for from
    further get gets had has have having he her here hers him his how i if in into is it its itself just
    let many me more most much must my no nor not of off on once only or other our out over own please
    shall she should so some such tell than that the their them then there these they this those through
    to too under until up upon us very was we were what when where whether which while who whom whose
    why will with would you your yours
    """.split()  # noqa: SIM905
)
KOREAN_STOP_WORDS = frozenset(
    """
    그 이 저 것 수 등 및 더 또 또는 혹은 그리고 그러나 하지만 그런데 그래서 대한 대해 대하여 관한 관해
    관하여 위한 위해 위해서 통해 통한 따라 따른 때 때는 경우 경우에 경우에는 모두 각각 좀 즉 제 내 나 저는
    제가 우리 이것 그것 이런 그런 이는 그는 하는 하고 하며 하면 하여 해서 한 할 함 했 해 되는 되고 되며
    되면 되어 된 될 됨 있는 있고 있으며 있으면 있어 있을 있음 있다 없는 없고 없으며 없으면 없어 없을 없음
    없다 이다 아니다 건가요 걸까요 거죠 건 게
    """.split()  # noqa: SIM905
)
_KOREAN_QUESTION_WORD = re.compile(
    r"(?:얼마|무엇|무얼|뭐|뭔|뭘|어떻게|어떠|어떤|어때|언제|며칠|어디|어느|누구|누가|왜|몇|무슨|알려|설명해|말해|가르쳐|궁금)[가-힣]{0,6}"
)
# Predicate endings that say nothing about the subject. What stands before them is the word.
_KOREAN_ENDING = re.compile(
    r"(?:이었|하였|되었|있|없|였|했|됐|었|았|겠|하|되|합|됩|입|습|십|이|주)*"
    r"(?:니까|니다|인가요|한가요|은가요|나요|까요|세요|어요|아요|해요|돼요|예요|에요|이죠|(?<=..)는지|(?<=..)은지|(?<=..)인지)$"
)
_KOREAN_PARTICLE = re.compile(
    r"(?:은|는|이|가|을|를|의|에|에서|에는|에게|으로|로|와|과|도|만|까지|부터|보다|처럼|이나|나|이란|란|이라는|라는|인|입)"
)

_HANGUL_WORD = re.compile("[가-힣]")
_LETTERS = re.compile(r"[^\W\d_]+")


def language(text: str) -> str:
    """'ko' when the text has more words with Hangul than English function words, otherwise 'en'.

    Function words tell a sentence's language better than letters: 'LlamaIndex PGVectorStore 사용법' is a Korean
    question, 'What does 환불 mean in this guide?' an English one. The first 5,000 characters decide.
    """
    hangul = english = 0
    for word in _LETTERS.findall(unicodedata.normalize("NFC", text[:5000])):
        if _HANGUL_WORD.search(word):
            hangul += 1
        elif word.lower() in ENGLISH_STOP_WORDS:
            english += 1
    return "ko" if hangul > english else "en"


_BULLET = r"(?:[-*•‣▪◦○●·–—►▶]|\(?\d{1,3}[.)]|\(?[a-zA-Z가-하][.)]|[①-⑳]|#{1,6}|Q\d*[.:]|A\d*[.:])(?=\s)"
_OWN_LINE = re.compile(rf"\s*(?:{_BULLET}|\|)|[^|]*\|[^|]*\||.*\t|.*\S\s{{3,}}\S")
_LABELLED = re.compile(r"\s*[^.:?!]{1,40}:\s")
_MARKER = re.compile(rf"\s*{_BULLET}")
_END = re.compile(r"[.!?…。！？]+[\"'”’)\]」』»]*(?=\s|$)|(?<=[가-힣])[.!?](?=[가-힣])")
_LAST_TOKEN = re.compile(r"[^\s(\[\"'“‘]+$")
_KOREAN_DATE = re.compile(r"\d{4}\. ?\d{1,2}\. ?\d{1,2}$")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_NEVER_ENDS = frozenset(
    "mr mrs ms dr prof st no nos fig vs e.g i.e cf approx art sec vol ed pp p est eq".split()  # noqa: SIM905
)
_SELDOM_ENDS = frozenset(
    "inc ltd co corp llc plc gmbh etc jr sr a.m p.m u.s u.k u.n dept".split()  # noqa: SIM905
)


def sentences(text: str) -> list[str]:
    """Cut text into sentences; each line of a list or a table, and each short line without an end, is its own.

    Lines that a page layout has broken are joined again. Decimals, abbreviations, initials, dates such as
    '2024. 3. 15.' and file names stay whole. Never returns an empty sentence.
    """
    return [sentence for line in _logical_lines(text) for sentence in _split_line(line)]


def cut_sentences(text: str) -> list[str]:
    """The same sentences with every character between them, so that joining the pieces gives the text again."""
    borders, position, previous = [0], 0, ""
    for raw in text.splitlines(keepends=True):
        line = raw.strip()
        start = position + len(raw) - len(raw.lstrip())
        if line and not (previous and _continues(previous, line)):
            borders.append(position)
        borders += [start + end for end in _sentence_ends(line)]
        position, previous = position + len(raw), line
    return [text[start:end] for start, end in pairwise([*borders, len(text)]) if end > start]


def _logical_lines(text: str) -> list[str]:
    lines: list[str] = []
    previous = ""
    for line in text.splitlines():
        line = line.strip()
        if line and previous and _continues(previous, line):
            lines[-1] = f"{lines[-1]} {line}"
        elif line:
            lines.append(line)
        previous = line
    return lines


def _continues(previous: str, line: str) -> bool:
    """Whether a page layout broke the sentence here: the line before is long and open, neither is a row or a label."""
    if previous[-1] in ".!?:;。！？…|" or previous[0] in "#|" or _OWN_LINE.match(line) or _LABELLED.match(line):
        return False
    if "\t" in previous or "|" in previous:
        return False
    width = len(previous) + sum("가" <= character <= "힣" for character in previous)
    return width >= 50 or (width >= 30 and line[0].islower())


def _split_line(line: str) -> list[str]:
    ends = [0, *_sentence_ends(line), len(line)]
    found = [line[start:end].strip() for start, end in pairwise(ends)]
    return [sentence for sentence in found if sentence]


def _sentence_ends(line: str) -> Iterator[int]:
    """Where sentences end inside a line."""
    start = 0
    marker = _MARKER.match(line)
    for end in _END.finditer(line, marker.end() if marker else 0):
        if end.end() < len(line) and _ends_sentence(line, start, end):
            yield end.end()
            start = end.end()


def _ends_sentence(line: str, start: int, end: re.Match[str]) -> bool:
    after = line[end.end() :].lstrip()[:24]
    if after[0].islower():
        return False
    token = _LAST_TOKEN.search(line, max(start, end.start() - 40), end.start())
    before = token[0] if token else ""
    if end[0][0] != "." or not before:
        return True
    word = before.lower()
    if word in _NEVER_ENDS or (len(before) == 1 and before.isalpha() and before.isascii()):
        return False
    if word in _SELDOM_ENDS or _INITIALS.fullmatch(before):
        return after.split(" ", 1)[0].lower() in ENGLISH_STOP_WORDS and after[0].isupper()
    return not (before[-1].isdigit() and (after[0].isdigit() or _KOREAN_DATE.search(line, start, end.start())))


# Irregular forms that a stemmer leaves apart: 'kept' must find 'keep'. Each entry is a base with its forms.
_IRREGULAR_FORMS = """
become:became begin:began,begun break:broke,broken bring:brought build:built buy:bought choose:chose,chosen come:came
draw:drew,drawn drive:drove,driven eat:ate,eaten fall:fell,fallen find:found freeze:froze,frozen give:gave,given
go:went,gone grow:grew,grown hear:heard hold:held keep:kept know:knew,known lead:led learn:learnt leave:left lose:lost
make:made mean:meant meet:met pay:paid rise:rose,risen run:ran say:said see:saw,seen sell:sold send:sent show:shown
speak:spoke,spoken spend:spent stand:stood take:took,taken teach:taught tell:told think:thought throw:threw,thrown
understand:understood win:won write:wrote,written man:men woman:women child:children person:people
"""
_BASE = {
    form: entry.partition(":")[0] for entry in _IRREGULAR_FORMS.split() for form in entry.partition(":")[2].split(",")
}

_EAST_ASIAN = "가-힣ㄱ-ㆎ\u4e00-\u9fff\u3040-\u30ff"
_WORD = rf"[^\W_{_EAST_ASIAN}]"
_SEGMENT = re.compile(rf"(?P<pairs>[{_EAST_ASIAN}]+)|{_WORD}+(?:[-_.@/:,'’+]+{_WORD}+)*(?:\+\+|[%#])?")
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)*%?")
_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})")
_CONTRACTIONS = frozenset(["re", "ve", "ll"])
_SPACED_PERCENT = re.compile(r"(?<=\d)\s+%")
_LONGEST = 100  # characters of a term; a tsvector takes 2,046 bytes


def terms(text: str) -> list[str]:
    """Search terms in order, repeated as often as they occur, lower case.

    Korean and other East Asian words give overlapping pairs of characters (a single character stands for itself),
    English words their Porter stem; stop words give nothing. Numbers, percentages, versions, dates and identifiers stay
    whole and are followed by their parts: 'ORD-2024-001' gives 'ord-2024-001', 'ord', '2024', '001', and '2024년' gives
    '2024', '2024년'.
    """
    found: list[str] = []
    for token in _SPACED_PERCENT.sub("%", text).split():
        found.extend(_token_terms(token) if len(token) <= _LONGEST else _read_token(token))
    return found


def _read_token(token: str) -> tuple[str, ...]:
    """The terms of one token between spaces."""
    found: list[str] = []
    number, after_latin = "", False
    for segment in _SEGMENT.finditer(unicodedata.normalize("NFKC", token)):
        if segment["pairs"]:
            if not (after_latin and not number and _KOREAN_PARTICLE.fullmatch(segment[0])):
                found.extend(_pairs(segment[0], number))
            number, after_latin = "", False
        else:
            found.extend(_latin(segment[0]))
            number, after_latin = segment[0] if segment[0].isdigit() else "", True
    return tuple(term[:_LONGEST] for term in found)


_token_terms = lru_cache(maxsize=50_000)(_read_token)


def _pairs(word: str, number: str) -> list[str]:
    """Pairs of neighbouring characters of a word that may follow directly on a number ('3분기' is '3분', '분기')."""
    if not number and (word in KOREAN_STOP_WORDS or _KOREAN_QUESTION_WORD.fullmatch(word)):
        return []
    stem = _KOREAN_ENDING.sub("", word)
    pairs = [stem[i : i + 2] for i in range(len(stem) - 1)]
    if number:
        return [number + stem[0], *pairs, *_calendar(number, stem)] if stem else []
    if len(stem) == 2 and stem[1] in "은는을를":
        return [stem[0], *pairs]
    return pairs or ([stem] if stem else [])


def _calendar(number: str, unit: str) -> list[str]:
    """The English term for a Korean quarter or month, so that '3분기' meets 'Q3' and '3월' meets 'March'."""
    if unit.startswith("분기") and number in "1234":
        return [f"q{number}"]
    if unit.startswith("월") and len(number) < 3 and 1 <= int(number) <= 12:
        return [_stem(calendar.month_name[int(number)].lower())]
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
    whole = [] if "," in lower or not re.search(r"[\d_.@]", lower) else [lower]
    return whole + [
        term for part in parts if len(part) > 1 and part not in _CONTRACTIONS for term in _word(part, False)
    ]


def _word(word: str, capitals: bool) -> list[str]:
    if word.isalpha():
        if word in ENGLISH_STOP_WORDS and not (capitals and len(word) > 1):  # IT, WHO, US
            return []
        return [_stem(_BASE.get(word, word)) if len(word) < 40 else word]
    return [word, *re.findall(r"\d{4,}", word)] if not word.isdigit() else [word]
