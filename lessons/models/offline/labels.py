"""What a value is the value of: 'My budget is 500 dollars' and '예산은 300만 원이에요' say it in front of the value."""

import re

from lessons.models.offline.query.slots import slots
from lessons.models.offline.topics import TYPES
from lessons.models.offline.values import Value
from lessons.text import ENGLISH_STOP_WORDS, language

_ABOUT = r"(?:about|around|only|now|roughly|up to|under|at most|less than|just|currently|still|already|set to|[:=])"
_IS = rf"(?:is|was|are|were|will be|should be|of|rose to|fell to|[:=])(?:\s+{_ABOUT})*\s*$"
_OWNED = re.compile(
    rf"\b(?:my|our|the|an?|his|her|its|their)\s+((?:[a-z][a-z-]+\s){{0,2}}?[a-z][a-z-]+)(?:\s(?:for|of|in|at)\s[^,.;]{{1,30}}?)?\s*{_IS}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"(?:^|[,;(]\s*|\band\s)([a-z][a-z-]+(?:\s[a-z][a-z-]+)?)\s*{_IS}", re.IGNORECASE)
_BEHIND = re.compile(r"\s(budget|limit|deadline|discount|fee|margin|share|tax|increase|decrease|plan)\b", re.IGNORECASE)
_SPENDS = re.compile(r"\b(?:can|could) (?:only )?(?:spend|pay|afford)\b[^,.;]*$", re.IGNORECASE)
_KOREAN_SPENDS = re.compile(r"\s*(?:정도|쯤|까지)?(?:는|을|를)?\s*(?:쓸 수 있|낼 수 있)")
_KOREAN = re.compile(
    r"([가-힣A-Za-z][가-힣A-Za-z\d]*(?:\s[가-힣]{1,6}?)?)(?:은|는|이|가|을|를|:)\s*(?:약|대략|총|한|이제|매달|최대|지금|현재)?\s*$"
)
_OWNER = re.compile(r"^(?:제|내|저희|우리|저|나|이번|이제|지금|현재|그|이|저희의|우리의)\s+")
_NOBODY = frozenset("저 나 제가 내가 우리 저희 그것 이것 그 이 여기 거기 지금 오늘 저희가 우리가".split())  # noqa: SIM905
_NO_LABELS = ENGLISH_STOP_WORDS | frozenset("answer question number thing point result one".split())  # noqa: SIM905


def key_of(sentence: str, value: Value) -> str:
    """The word for a value in the language of its sentence; where there is none, what values of its kind are called."""
    tongue, before = language(sentence), sentence[: value.start]
    if value.kind in ("year", "quarter", "half", "month"):
        return TYPES["period"][tongue == "ko"]
    behind, named = sentence[value.end :], value.kind in ("name", "service", "identifier")
    found = _korean(before, behind) if tongue == "ko" else _english(before, behind, named)
    if found is None and value.kind in ("money", "percent"):
        found = next((slot.text.lower() for slot in slots(sentence) if slot.kind == "measure"), None)
    if found is None and value.kind == "quantity":
        found = re.sub(r"^[\d,.\s]+", "", value.text)
    return found or TYPES[value.kind][tongue == "ko"]


def _english(before: str, behind: str, named: bool) -> str | None:
    """The margin *of* a company is not called so, an amount *of* something is."""
    match = None if named and before.rstrip().endswith(" of") else _OWNED.search(before) or _PLAIN.search(before)
    match = match or _BEHIND.match(behind)
    if not match:
        return "budget" if _SPENDS.search(before) else None
    label = " ".join(match[1].lower().split())
    return None if set(label.split()) & _NO_LABELS else label


def _korean(before: str, behind: str) -> str | None:
    match = _KOREAN.search(before)
    label = _OWNER.sub("", match[1]).strip() if match else ""
    if label in _NOBODY or (len(label) < 2 and label != "팀"):
        return "예산" if _KOREAN_SPENDS.match(behind) else None
    return label
