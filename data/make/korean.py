"""Korean particles that agree with the sound before them."""

import re

from lessons.language import ends_in_consonant

MARK = re.compile(r"\[(은/는|이/가|을/를|과/와|으로/로)\]")


def particles(text: str) -> str:
    """Replace every mark such as `[은/는]` by the particle that fits the word before it.

    Closing quotes and a bracketed remark are looked through: `매출(잠정)[은/는]` follows 매출.
    """
    while match := MARK.search(text):
        with_final, without = match.group(1).split("/")
        closed = ends_in_consonant(text[: match.start()], rieul_is_open=with_final == "으로")
        text = text[: match.start()] + (with_final if closed else without) + text[match.end() :]
    return text


def plain(text: str) -> str:
    """Turn polite sentence ends into the plain style of reports: 했습니다 → 했다, 유지합니다 → 유지한다."""
    text = text.replace("않습니다", "않는다")
    text = re.sub(r"입니다(?=[.(]|$)", "이다", text)
    text = re.sub(r"([가-힣])습니다", r"\1다", text)
    return re.sub(r"([가-힣])니다(?=[.(]|$)", lambda match: chr(ord(match.group(1)) - 17 + 4) + "다", text)
