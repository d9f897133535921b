"""Korean particles that agree with the sound before them."""

import re

FINAL_DIGITS = "013678"  # 영 일 삼 육 칠 팔 end in a consonant
FINAL_LETTERS = "LMNRlmnr"  # the letter names 엘, 엠, 엔, 알 end in a consonant
RIEUL = "178Llr"  # sounds that end in ㄹ, which takes 로, not 으로
MARK = re.compile(r"\[(은/는|이/가|을/를|과/와|으로/로)\]")


def particles(text: str) -> str:
    """Replace every mark such as `[은/는]` by the particle that fits the word before it.

    Closing quotes and a bracketed remark are looked through: `매출(잠정)[은/는]` follows 매출.
    """
    while match := MARK.search(text):
        with_final, without = match.group(1).split("/")
        particle = with_final if _closed(text[: match.start()], with_final == "으로") else without
        text = text[: match.start()] + particle + text[match.end() :]
    return text


def _closed(text: str, rieul_is_open: bool) -> bool:
    """Return whether the last sound is a consonant (ㄹ counts as open before 으로/로)."""
    word = re.sub(r"\([^()]*\)$", "", text.rstrip("'\"’”」』 "))
    char = word.rstrip("'\"’”」』)")[-1:]
    if "가" <= char <= "힣":
        final = (ord(char) - ord("가")) % 28
        return final != 0 and not (rieul_is_open and final == 8)
    if char == "0" and re.search(r"\d0$|[1-9]0", word):
        return True  # 십, 백, 천, 만
    return (char in FINAL_DIGITS or char in FINAL_LETTERS) and not (rieul_is_open and char in RIEUL)


def plain(text: str) -> str:
    """Turn polite sentence ends into the plain style of reports: 했습니다 → 했다, 유지합니다 → 유지한다."""
    text = text.replace("않습니다", "않는다")
    text = re.sub(r"입니다(?=[.(]|$)", "이다", text)
    text = re.sub(r"([가-힣])습니다", r"\1다", text)
    return re.sub(r"([가-힣])니다(?=[.(]|$)", lambda match: chr(ord(match.group(1)) - 17 + 4) + "다", text)
