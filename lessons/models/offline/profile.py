"""How the keyless model finds what users state about themselves: 'I have diabetes', '저는 EC2를 씁니다'.

A statement begins a clause, so that 'if I have …', 'my friend has …' and 'he said my budget is …' are none.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lessons.models.offline.corrections import corrected, opens_correction, takes_back
from lessons.models.offline.profile_patterns import ADDED_TO, ENGLISH, KOREAN, NO_KEYS, NO_VALUES
from lessons.models.offline.tasks import task
from lessons.models.offline.topics import same_key, topics
from lessons.text import language, sentences

_CLAUSE = re.compile(
    r"[;:!?]|,(?!\d{3})|\.(?!\d)|\s[–—-]\s|\b(?:and|but|so) (?=(?:I|we|my|our)\b)"
    r"|(?<=[고만데])\s(?=(?:제|저|우리|저희) )"
)
_FILLER = re.compile(
    r"^(?:(?:hi|hello|hey|well|ok(?:ay)?|so|and|but|also|actually|by the way|btw|no|yes|please note(?: that)?|note that"
    r"|fyi|now|currently|anyway|안녕하세요|안녕|네|예|음|그리고|근데|그런데|참고로|사실|또|지금|현재)\b[\s,]*)+",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|suppose|imagine|assum\w+|pretend|say I|let's say|would|might|maybe)\b"
    r"|만약|만일|가령|라면|다면|(?<=[가-힣])으?면\b|경우",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\b(?:also|too|as well|additionally)\b|(?<=[가-힣A-Za-z\d])도\s|(?<![가-힣])또(?:한)?\s", re.IGNORECASE
)
_LONGEST = 60  # characters of a value
Slots = dict[str, tuple[str, str]]  # by what the key means: key and value, the newest last


@task("profile")
def profile(llm: Any, said: str, known: Sequence[tuple[str, str]] = (), before: str = "", **_: Any) -> Any:
    """The slots that a user's message changes; an empty value takes one back. `before` is the message before it."""
    old: Slots = {same_key(key): (key, value) for key, value in known}
    slots: Slots = dict(old)
    for sentence in sentences(said):
        _read(sentence, before, slots)
        before = f"{before} {sentence}"
    return {"slots": [{"key": k, "value": v} for meaning, (k, v) in slots.items() if old.get(meaning) != (k, v)]}


def _read(sentence: str, before: str, slots: Slots) -> None:
    found = list(stated(sentence))
    if takes_back(sentence):
        _take_back(sentence, slots)
    elif found:
        for key, value in found:
            _put(slots, key, value, added=_ALSO.search(sentence) is not None)
    else:
        _correct(sentence, before, slots)


def _correct(sentence: str, before: str, slots: Slots) -> None:
    """Only what the message before spoke of can be corrected by a mere 'no, 300'."""
    for key, value in reversed(slots.values()):
        if value and value in before and (new := corrected(value, sentence)):
            _put(slots, key, new, added=False)
            return


def stated(sentence: str) -> Iterator[tuple[str, str]]:
    """Key and value of every statement; a part that ends in a question mark states nothing."""
    if _SUPPOSED.search(sentence):
        return
    patterns = KOREAN if language(sentence) == "ko" else ENGLISH
    ends = [*(match.span() for match in _CLAUSE.finditer(sentence)), (len(sentence), len(sentence))]
    start = 0
    for end, following in ends:
        clause = _FILLER.sub("", (opens_correction(sentence[start:end]) or sentence[start:end]).strip())
        start = following
        if sentence[end:following].strip() not in ("?", "？"):
            yield from _statement(clause, patterns)


def _statement(clause: str, patterns: Sequence[tuple[str, re.Pattern[str]]]) -> Iterator[tuple[str, str]]:
    """One value for each key; what only 'my … is …' tells comes last and counts if nothing else did."""
    found: dict[str, str] = {}
    for name, pattern in patterns:
        if (name in found) or (not name and found) or not (match := pattern.search(clause)):
            continue
        key = name or " ".join(match["key"].lower().split())
        value = match["value"].strip(" .,!'\"“”")
        if value and len(value) <= _LONGEST and not NO_VALUES.match(value) and key not in NO_KEYS:
            found[key] = value
    yield from found.items()


def _put(slots: Slots, key: str, value: str, added: bool) -> None:
    """An illness does not replace another; a name, a home or a budget does."""
    meaning = same_key(key)
    old = slots.pop(meaning, (key, ""))[1]
    if old and (added or meaning in ADDED_TO) and value.casefold() not in old.casefold():
        value = f"{old}, {value}"
    slots[meaning] = key, value if value.casefold() not in old.casefold() or meaning not in ADDED_TO else old


def _take_back(sentence: str, slots: Slots) -> None:
    """What a sentence takes back: the values that it names, or the slot of its topic where it names none."""
    named = [m for m, (_, value) in slots.items() if any(p and p in sentence for p in value.split(", "))]
    for meaning in named or [m for m in slots if m in topics(sentence)]:
        key, value = slots.pop(meaning)
        kept = [part for part in value.split(", ") if part not in sentence] if named else []
        slots[meaning] = key, ", ".join(kept)
