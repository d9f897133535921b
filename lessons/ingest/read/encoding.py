"""Bytes become text: Unicode as it is, CP949 and Western text recognised, mis-decoded text repaired.

Ambiguous files are rejected: noise that is ingested is found again, and answered from.
"""

import re
from collections.abc import Callable

import ftfy
from ftfy.badness import is_bad

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_EAST_ASIAN = re.compile("[가-힣ㄱ-ㆎ\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PLAUSIBLE = re.compile("[\t\n\r -~À-ÿ가-힣\u2010-\u2027\u3000-\u303f\uff00-\uff60·°±€￦₩]")
_WESTERN = re.compile("[À-ÖØ-öø-ÿŠšŽžŸŒœ ‘’‚“”„–—…•€£¢¥§©®™°±²³¹º¼½¾ªµ¶·¿¡«»‹›†‡‰´¨×÷]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f]")
_SUPERSETS = dict.fromkeys(("euc-kr", "ks-c-5601-1987", "ksc5601", "ks-c-5601", "windows-949", "korean"), "cp949")
_SUPERSETS |= dict.fromkeys(("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii"), "cp1252")
"""As what browsers read the old names: https://encoding.spec.whatwg.org/#names-and-labels."""
JUDGED = 100_000  # characters by which an encoding is recognised
NOISE_SHARE = 0.2  # of a text's characters, white space aside, that cannot be read; with more it is rejected

Decoded = tuple[str, str | None]


def decode(data: bytes, declared: str | None = None) -> Decoded | None:
    """The text and, unless it was plain Unicode or declared, the name of its encoding; None if nothing fits.

    `declared` is what the file itself says, as HTML does; it is believed where the bytes agree.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            return None if (text := _text(data, encoding)) is None else (text, None)
    if b"\0" in data:
        return _utf_16(data)
    name = (declared or "").strip().lower().replace("_", "-")
    for encoding in ("utf-8", _SUPERSETS.get(name, name)):
        if (text := _text(data, encoding)) is not None:
            return text, None
    guesses: list[Callable[[bytes], Decoded | None]] = [_nearly_utf_8, _korean, _western, _utf_16]
    return next((found for guess in guesses if (found := guess(data))), None)


def repaired(text: str) -> str:
    """Undo a wrong decoding, line by line: UTF-8 ('ì•ˆë…•') or CP949 ('¾È³ç') read as Latin is '안녕' again."""
    if text.isascii() or not is_bad(text):
        return text
    return "\n".join(_repaired_line(line) for line in text.split("\n"))


def is_noise(text: str) -> bool:
    """Whether much of the text is replacement, private or control characters."""
    visible = len(text) - sum(map(text.count, " \n\t"))
    return sum(1 for _ in _UNREADABLE.finditer(text)) > NOISE_SHARE * visible


def _repaired_line(line: str) -> str:
    """By way of the bytes that were decoded wrongly. ftfy knows those of UTF-8 only."""
    if not is_bad(line):
        return line
    for wrong in ("cp1252", "latin-1"):
        try:
            data = line.encode(wrong)
        except UnicodeEncodeError:
            continue
        if _text(data, "utf-8") is None and (korean := _korean(data)):
            return korean[0]
    return ftfy.fix_encoding(line)


def _text(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _nearly_utf_8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes, at most one in a hundred of what is not ASCII."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return (text, "UTF-8 with broken bytes") if broken * 100 <= sum(not char.isascii() for char in text) else None


def _korean(data: bytes) -> Decoded | None:
    """CP949, if nearly all letters are the 2,350 syllables in use: other text that happens to fit has rare ones."""
    text = _text(data, "cp949") or ""
    foreign = _EAST_ASIAN.findall(text[:JUDGED])
    in_use = sum("가" <= letter <= "힣" and len(letter.encode("euc-kr")) == 2 for letter in foreign)
    return (text, "CP949") if foreign and in_use >= 0.8 * len(foreign) and not _CONTROL.search(text) else None


def _western(data: bytes) -> Decoded | None:
    """Windows-1252 (Latin-1 is part of it): mostly ASCII, and the rest accented letters and typographic marks."""
    text = _text(data.translate(None, b"\x81\x8d\x8f\x90\x9d"), "cp1252") or ""
    judged = text[:JUDGED]
    foreign = [char for char in judged if not char.isascii()]
    fits = all(map(_WESTERN.match, foreign)) and len(foreign) <= 0.3 * len(judged)
    return (text, "Windows-1252") if fits and not _CONTROL.search(text) and not is_bad(judged) else None


def _utf_16(data: bytes) -> Decoded | None:
    """UTF-16 without a byte order mark, in the order in which nearly every character is one of everyday text."""
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _text(data, encoding) or ""
        judged = text[:JUDGED]
        if judged and len(_PLAUSIBLE.findall(judged)) >= 0.95 * len(judged):
            return text, "UTF-16"
    return None
