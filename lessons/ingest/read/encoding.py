"""Bytes become text: Unicode as it is, other encodings as chardet tells them.

Ambiguous files are rejected: noise that is ingested is found again, and answered from.
"""

import re

import chardet
from chardet import EncodingEra
from ftfy.badness import is_bad

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MIXED = re.compile("[A-Za-zÀ-ɏ][Ͱ-ԯ֐-ۿ]|[Ͱ-ԯ֐-ۿ][A-Za-zÀ-ɏ]")  # Latin beside Greek, Cyrillic, Hebrew or Arabic letters
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f]")
_ERAS = EncodingEra.ALL & ~EncodingEra.DOS & ~EncodingEra.MAINFRAME
_UNLIKELY = ("MacCyrillic", "MacGreek", "MacIceland", "MacLatin2")  # tried: chardet takes short Western text for them
JUDGED = 100_000  # bytes by which an encoding is recognised
NOISE_SHARE = 0.2  # of a text's characters, white space aside, that cannot be read; with more it is rejected

Decoded = tuple[str, str | None]


def decode(data: bytes, declared: str | None = None) -> Decoded | None:
    """Return the text and, unless it was plain Unicode or declared, the name of its encoding; None if nothing fits.

    `declared` is what the file itself says, as HTML does; it is believed where the bytes agree.
    """
    mark = next((mark for mark in _BOMS if data.startswith(mark)), b"")
    for encoding in (_BOMS.get(mark, "utf-8"), declared):
        if encoding and (text := _text(data, encoding)) is not None:
            return text, None
    return None if mark else _nearly_utf_8(data) or _recognised(data)


def is_noise(text: str) -> bool:
    """Return True if much of the text is replacement, private or control characters."""
    visible = len(text) - sum(map(text.count, " \n\t"))
    return sum(1 for _ in _UNREADABLE.finditer(text)) > NOISE_SHARE * visible


def _text(data: bytes, encoding: str) -> str | None:
    """Decode the bytes; None if they do not fit, or hold NUL, as the wrong one of two UTF-16 does."""
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return None if "\0" in text else text


def _nearly_utf_8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes, at most one in a hundred of what is not ASCII."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return (text, "UTF-8 with broken bytes") if broken * 100 <= sum(not char.isascii() for char in text) else None


def _recognised(data: bytes) -> Decoded | None:
    """Decode by the first encoding that chardet proposes in which all of the file reads like text."""
    guesses = chardet.detect_all(
        data[:JUDGED], ignore_threshold=True, encoding_era=_ERAS, exclude_encodings=_UNLIKELY, no_match_encoding="utf-8"
    )
    texts = ((_text(data, guess["encoding"] or ""), guess["encoding"]) for guess in guesses)
    return next(((text, name) for text, name in texts if text and name and _reads_like_text(text[:JUDGED], name)), None)


def _reads_like_text(text: str, encoding: str) -> bool:
    """Check for control characters and words in two alphabets; UTF-16, which fits any bytes, needs a tenth of ASCII."""
    is_wide = encoding.lower().startswith("utf-16")
    plain = sum(char.isascii() for char in text)
    return not (_CONTROL.search(text) or _MIXED.search(text) or is_bad(text) or (is_wide and plain * 10 < len(text)))
