"""Text in one form: composed, and without what cannot be seen or stored."""

import re
import unicodedata

_LINE_ENDS = dict.fromkeys(map(ord, "\x0b\x0c\x85\u2028\u2029"), "\n")
_UNWANTED = dict.fromkeys([*range(9), *range(14, 32), *range(127, 160), 0xAD, 0x200B, 0xFEFF])
_CLEAN = _UNWANTED | _LINE_ENDS
_SURROGATES = re.compile("[\ud800-\udfff]")


def normalize(text: str) -> str:
    """Compose the text (NFC) and drop NUL, other control characters and invisible marks; every line end becomes \\n.

    Decomposed Korean looks the same but embeds and compares differently, and PostgreSQL refuses NUL.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEAN)
    return unicodedata.normalize("NFC", _SURROGATES.sub("", text))
