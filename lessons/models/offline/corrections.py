"""Corrections: 'no, I meant 300', 'not 500 but 300', '아니요, 300만 원이에요', and what somebody takes back."""

import re

from lessons.models.offline.query.periods import periods
from lessons.models.offline.values import Value, values

_OPENS = re.compile(
    r"^\W*(?:(?:oh|ah|sorry|wait|no|nope|actually|correction|i mean|i meant|rather|oops|pardon"
    r"|아니요?|아뇨|아 참|죄송(?:해요|합니다)?|정정(?:할게요|합니다|하면|해요)?|잘못 말했(?:어요|네요|습니다)"
    r"|다시 말하면|실은|사실은|참)[\s,.:;!–—-]+)+"
    r"(?:(?:i mean(?:t)?|it(?:'s| is|’s)|that(?:'s| is|’s)|make (?:that|it)|제 말은|그게 아니라|그거 말고)[\s,]+)?",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:instead|changed? (?:it |that )?to|is now|not anymore)\b|(?:으?로) (?:바꿨|변경|수정|고쳐|정정)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"\bnot (?P<old>[^,.;]{1,40}?),? but (?P<new>[^,.;]{1,40})"
    r"|(?P<old_ko>[^,.;]{1,30}?)(?:이|가) 아니(?:라|고),? (?P<new_ko>[^,.;]{1,40})",
    re.IGNORECASE,
)
_ONLY_A_NUMBER = re.compile(
    r"(?:about|around|only|just|약|한)?\s*(\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*)"
    r"(?:이에요|이요|예요|요|입니다| please)?\W*",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*")
_TAKEN_BACK = re.compile(
    r"\b(?:no longer|not? (?:\w+ )?any ?more|stopped (?:using|taking)|forget (?:about )?(?:my|the)"
    r"|don[’']t (?:have|use|take))\b"
    r"|(?:더 ?이상|이제는?) .*(?:안 |않|없)|(?:없던|없는) (?:걸로|것으로|일로)|잊어 ?(?:줘|주세요)"
    r"|그만 ?(?:뒀|두|써|쓰)|(?<![가-힣])안 (?:써|쓰|씁|먹)",
    re.IGNORECASE,
)


def opens_correction(sentence: str) -> str | None:
    """What stands behind 'no, I meant' or '아니요,'; None if the sentence does not begin so."""
    match = _OPENS.match(sentence)
    return sentence[match.end() :].strip() or None if match else None


def takes_back(sentence: str) -> bool:
    """Whether the sentence says that something no longer holds."""
    return _TAKEN_BACK.search(sentence) is not None


def corrected(old: str, sentence: str) -> str | None:
    """The value that the sentence puts in place of `old`; None if it does not correct it.

    A number alone takes over the unit of what it replaces, a month alone its year.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return None
    if both := _NOT_BUT.search(sentence):
        before, after = both["old"] or both["old_ko"], both["new"] or both["new_ko"]
        return _replaced(old, after) if _numbers(before) & _numbers(old) or before.strip() in old else None
    said = opens_correction(sentence)
    if said is None and not _CHANGED.search(sentence):
        return None
    return _replaced(old, said or sentence)


def put_right(statement: str, correction: str) -> str | None:
    """The statement with the value that another sentence corrects; None if it corrects none of its values."""
    for value in values(statement):
        if new := corrected(value.text, correction):
            return statement.replace(value.text, new, 1)
    return None


def _replaced(old: str, said: str) -> str | None:
    """The value in `said` of the same kind as `old`, or its bare number in the place of the old one."""
    before, after = values(old), values(said)
    for value in after:
        if _kind(value) in map(_kind, before):
            return _within(old, value) if value.text != old else None
    bare = _ONLY_A_NUMBER.fullmatch(said)
    if after or not bare or not _BARE.search(old):
        return None
    return _BARE.sub(bare[1].strip(), old, count=1)


def _within(old: str, value: Value) -> str:
    """The new value; a month or quarter without a year stands in the year of the old one."""
    year = next((period for period in periods(old) if period.unit == "year"), None)
    finer = next((period for period in periods(old) if period.unit == value.kind), None)
    if year and finer and not any(period.unit == "year" for period in periods(value.text)):
        return old[: finer.start] + value.text + old[finer.end :]
    return value.text


def _kind(value: Value) -> str:
    return {"name": "name", "service": "name", "identifier": "name"}.get(value.kind, value.kind)


def _numbers(text: str) -> set[str]:
    return {match[0].replace(",", "").strip() for match in _BARE.finditer(text)}
