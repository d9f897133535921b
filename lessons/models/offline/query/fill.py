"""Putting what a follow-up names into the place of its kind in an earlier question."""

import re

from lessons.models.offline.query.gaps import is_fragment, own_words
from lessons.models.offline.query.slots import Slot, slots, without
from lessons.text import language

WITHIN_A_YEAR = {"quarter", "half", "month"}
END = " \t\n?!.？"
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
_TODAY = re.compile("작년|올해|금년|내년|재작년|지난|이번|요즘|최근|오늘|어제")  # nobody said when this is
_COMPARES = re.compile(r"\b(?:compar\w+|than|versus|vs)\b|비교|보다|대비", re.IGNORECASE)


def filled(source: str, given: list[Slot], rest: str) -> tuple[str, str]:
    """The earlier question with the follow-up's slots in their places, and what found no place."""
    if _COMPARES.search(rest):
        return source, _bare(rest)
    bare = [] if given else _bare_name(rest, slots(source))
    alone = bool(bare) or not own_words(rest)
    used: list[Slot] = []
    for kind, slot in _one_of_each(given or bare, rest).items():
        taken = [place for place in slots(source) if place.kind == kind or {place.kind, kind} <= WITHIN_A_YEAR]
        if len(taken) == 1 and (kind != "name" or (alone and not _describes(source, taken[0]))):
            source = _put(source, taken[0], slot.text)
            used.append(slot)
    if any(slot.start < 0 for slot in used):
        return source, ""
    left = without(rest, used)
    return source, _bare(left) if own_words(left) or slots(left) else ""


def _one_of_each(given: list[Slot], rest: str) -> dict[str, Slot]:
    """A slot for each kind; several of one kind, as in '2023 and 2024', are taken as one."""
    found: dict[str, Slot] = {}
    for slot in given:
        start = found[slot.kind].start if slot.kind in found else slot.start
        found[slot.kind] = slot if start < 0 else Slot(slot.kind, rest[start : slot.end], start, slot.end)
    return found


def _describes(text: str, name: Slot) -> bool:
    """Whether a name only says which one is meant, as in 'the Pro plan'."""
    before, after = text[: name.start], text[name.end :]
    return re.search(r"\b(?:the|a|an|our|my)\s$", before) is not None and re.match(r" [a-z]", after) is not None


def _bare_name(rest: str, places: list[Slot]) -> list[Slot]:
    """A Korean word alone takes the place of whoever owns the measure of the earlier question."""
    word = _bare(rest)
    owned = {"name", "measure"} <= {place.kind for place in places}
    if not owned or language(rest) != "ko" or not is_fragment(rest):
        return []
    if " " in word or _TODAY.match(word) or not own_words(word):
        return []
    return [Slot("name", word, rest.find(word), rest.find(word) + len(word))]


def _bare(text: str) -> str:
    """A fragment without its question mark and its last particle."""
    text = re.sub(r"\s+", " ", text).strip(END + ",")
    return re.sub(r"(?<=[가-힣]{2})(?:에서는|에는|은|는|도|이|가)(?:요)?$|(?<=[가-힣]{2})요$", "", text)


def _put(source: str, place: Slot, text: str) -> str:
    """The text with one slot replaced, its Korean particle made to fit."""
    after = source[place.end :]
    if "가" <= text[-1] <= "힣" and after:
        closed = (ord(text[-1]) - ord("가")) % 28 > 0
        for pair in _PARTICLES:
            if after[0] in pair and not ("가" <= after[1:2] <= "힣"):
                after = pair[not closed] + after[1:]
    return source[: place.start] + text + after
