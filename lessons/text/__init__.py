"""What every room needs to know about text: clean it, name its language, cut it into sentences and search terms."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from lessons.text.search_terms import terms
from lessons.text.word_lists import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS, words_of

__all__ = ["ENGLISH_STOP_WORDS", "KOREAN_STOP_WORDS", "cut_sentences", "language", "normalize", "sentences", "terms"]

COLUMN = 4  # lines before and after a break that show how wide their column is
SNUG = 0.9  # of the widest line: letters differ in width
_UNWANTED = dict.fromkeys([*range(9), *range(14, 32), *range(127, 160), 0xAD, 0x200B, 0xFEFF])
_CLEAN = _UNWANTED | dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HANGUL = re.compile("[가-힣]")
_LETTERS = re.compile(r"[^\W\d_]+")
_BULLET = r"(?:[-*•‣▪◦○●·–—►▶]|\(?\d{1,3}[.)]|\(?[a-zA-Z가-하][.)]|[①-⑳]|#{1,6}|Q\d*[.:]|A\d*[.:])(?=\s)"
_OWN_LINE = re.compile(rf"\s*(?:{_BULLET}|\|)|[^|]*\|[^|]*\||.*\t|.*\S\s{{3,}}\S")
_LABELLED = re.compile(r"\s*[^.:?!]{1,40}:\s")
_MARKER = re.compile(rf"\s*{_BULLET}")
_NOTE_MARK = r"(?:\^\d{1,3})?"
_END = re.compile(rf"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]」』»]*+{_NOTE_MARK}(?=\s|$)|(?<=[가-힣])[.!?](?=[가-힣])")
_LAST_TOKEN = re.compile(r"[^\s(\[\"'“‘]+$")
_KOREAN_DATE = re.compile(r"\d{4}\. ?\d{1,2}\. ?\d{1,2}$")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")


def normalize(text: str) -> str:
    """Compose the text (NFC) and drop NUL, other control characters and invisible marks; every line end becomes \\n.

    Decomposed Korean looks the same but embeds and compares differently, and PostgreSQL refuses NUL.
    """
    return unicodedata.normalize("NFC", _SURROGATES.sub("", text.replace("\r\n", "\n").translate(_CLEAN)))


def language(text: str) -> str:
    """'ko' when the first 5,000 characters have more words with Hangul than English function words, otherwise 'en'.

    These tell better than letters: 'LlamaIndex PGVectorStore 사용법' is Korean, 'What does 환불 mean here?' English.
    """
    words = _LETTERS.findall(unicodedata.normalize("NFC", text[:5000]))
    hangul = sum(_HANGUL.search(word) is not None for word in words)
    return "ko" if hangul > sum(word.lower() in ENGLISH_STOP_WORDS for word in words) else "en"


def sentences(text: str) -> list[str]:
    """Cut text into sentences, none empty; each line of a list or a table, each short line without an end, is its own.

    Lines that a page layout has broken are joined; decimals, abbreviations, initials, dates and file names stay whole.
    """
    lines: list[str] = []
    for raw, goes_on in _lines(text):
        if goes_on:
            lines[-1] = f"{lines[-1]} {raw.strip()}"
        elif line := raw.strip():
            lines.append(line)
    cut = ((line, pairwise([0, *_sentence_ends(line), len(line)])) for line in lines)
    return [sentence for line, ends in cut for start, end in ends if (sentence := line[start:end].strip())]


def cut_sentences(text: str) -> list[str]:
    """Cut text into the same sentences, with every character between them: joined, the pieces give the text again."""
    borders, position = [0], 0
    for raw, goes_on in _lines(text):
        start = position + len(raw) - len(raw.lstrip())
        borders += [] if goes_on or raw.isspace() else [position]
        borders += [start + end for end in _sentence_ends(raw.strip())]
        position += len(raw)
    return [text[start:end] for start, end in pairwise([*borders, len(text)]) if end > start]


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line with its end, and whether a page layout broke a sentence before it."""
    raws = text.splitlines(keepends=True)
    lines = [raw.strip() for raw in raws]
    for at, raw in enumerate(raws):
        yield raw, bool(at and lines[at] and lines[at - 1]) and _continues(lines, at)


def _continues(lines: Sequence[str], at: int) -> bool:
    """Tell whether a page layout broke a sentence: the line before is long and open, neither is a row or a label."""
    previous, line = lines[at - 1], lines[at]
    if not _is_open(previous) or _OWN_LINE.match(line) or _LABELLED.match(line):
        return False
    width = _width(previous)
    return width >= 50 or (width >= 30 and (line[0].islower() or _in_column(lines, at)))


def _in_column(lines: Sequence[str], at: int) -> bool:
    """Tell whether a line and its neighbours are broken as a narrow column breaks prose.

    There no open line has room for the word behind it; in a table, some have. A heading is shorter, and ends a column.
    """
    least = _width(lines[at - 1]) / 2
    above, below = (
        list(takewhile(lambda line: _width(line) > least, neighbours))
        for neighbours in (lines[max(0, at - COLUMN) : at][::-1], lines[at : at + COLUMN])
    )
    column = above[::-1] + below
    widest = max(map(_width, column))
    is_full = [_width(f"{a} {b.split()[0]}") > SNUG * widest for a, b in pairwise(column) if _is_open(a)]
    reads_like_prose = any(map(_END.search, column)) and not lines[at - 1][-1].isdigit()
    goes_on = bool(below) or not _is_open(lines[at])
    return reads_like_prose and goes_on and len(is_full) > 1 and all(is_full)


def _is_open(line: str) -> bool:
    return not (line[-1] in ".!?:;。！？…" or line[0] == "#" or "\t" in line or "|" in line)


def _width(line: str) -> int:
    """Return the width in Latin letters: a Korean one is as wide as two."""
    return len(line) + sum("가" <= character <= "힣" for character in line)


def _sentence_ends(line: str) -> Iterator[int]:
    """Yield the offsets at which sentences end inside a line."""
    start = 0
    marker = _MARKER.match(line)
    for end in _END.finditer(line, marker.end() if marker else 0):
        if end.end() < len(line) and _ends_sentence(line, start, end):
            yield end.end()
            start = end.end()


def _ends_sentence(line: str, start: int, end: re.Match[str]) -> bool:
    following = line[end.end() :].lstrip()[:24]
    if following[0].islower():
        return False
    last = _LAST_TOKEN.search(line, max(start, end.start() - 40), end.start())
    token = last[0] if last else ""
    if end[0][0] != "." or not token:
        return True
    word = token.lower()
    if word in words_of("never_end_a_sentence") or (len(token) == 1 and token.isalpha() and token.isascii()):
        return False
    if word in words_of("seldom_end_a_sentence") or _INITIALS.fullmatch(token):
        return following.split(" ", 1)[0].lower() in ENGLISH_STOP_WORDS and following[0].isupper()
    return not (token[-1].isdigit() and (following[0].isdigit() or _KOREAN_DATE.search(line, start, end.start())))
