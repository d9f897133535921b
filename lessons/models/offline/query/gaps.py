"""Whether a question stands alone, or points at something that was said before it."""

import re

from lessons.models.offline.query.periods import pointed_at
from lessons.models.offline.query.slots import Slot, slots, without
from lessons.models.offline.question import read_question
from lessons.models.offline.unit import Unit
from lessons.text import language, terms

_LEAD = re.compile(
    r"^\s*(?:(?:아|네|그럼|그러면|그렇다면|그리고|그런데|근데|또|혹시|아니면|같은 (?:기간|분기|시기|해)(?:에는|에)?)"
    r"(?:[\s,]+|$))+"
    r"|^\s*(?:(?:and|but|or|so|ok(?:ay)?|also|then|well|now)\b[\s,]*)*"
    r"(?:(?:what|how) about\b\s*|(?:the )?same (?:thing )?for\b\s*)?",
    re.IGNORECASE,
)
_DUMMY = re.compile(
    r"\b(?:is|was|would|will|be) it (?:\w+ ){1,3}(?:to|that|if)\b|\bit takes? (?:\w+ ){0,3}(?:to|for|until|before)\b"
    r"|\bit (?:is|was) (?:\w+ ){1,3}(?:to|that|if)\b|\b(?:this|that) (?:year|month|quarter|week)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|its|they|them|theirs?|he|him|his|she|her|hers|this|these|those)\b"
    r"|(?:^|\b(?:a|about|after|and|are|as|at|before|by|can|did|do|does|for|from|had|has|have|if|in|is|like|of|on|or|than|to"
    r"|under|was|were|will|with|would|doing)\s)that\b|\bthat(?=\s*(?:[?.,!]|$))"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\s*[?.,!]|$)"
    r"|\b(?:the same|the one(?!-)|the other|either of|each of|which one)\b|\bones?\b(?=\W*$)"
    r"|\bthe (?:change|increase|decrease|decline|rise|fall|drop|difference|company|group|firm)\b"
    r"(?! (?:in|of|to|between|from|on|for|with)\b)"
    r"|(?<![가-힣])(?:그|이|저) (?!밖|외|후)(?=[가-힣])"
    r"|(?<![가-힣])(?:그|이)(?:것|거|건|게|걸|분|곳|때|날|중)(?:들)?(?=[가-힣]{0,3}(?![가-힣]))"
    r"|(?<![가-힣])(?:거기|여기|그렇게|이렇게|그러려면|둘|해당|방금|아까|앞의|위의|걔)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\bthe ((?:[a-z-]+ )?[a-z-]+)\b")
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may|who|what|why|when|where|which|how)\b",
    re.IGNORECASE,
)
_KOREAN_PREDICATE = re.compile(
    r"(?:(?<![은는도에])(?<!에서)(?<!까지)(?<!부터)요|니까|니다|까|가|죠|어|아|지|줘|려면|는지|은지|인지|냐|니|다|래)\s*[?？.!]*\s*$"
)
_RELATED = re.compile(
    r"^(?:founder|chief|ceo|cfo|head|owner|manager|director|address|headquarters?|office|factory|plant|staff|reason|price"
    r"|result|deadline|size|number|name|직원|임직원|대표|본사|공장|설비|생산|주소|가격|이유|원인|기한|결과|이름|담당자|책임자|창업자|설립)"
)
_DEFINES = re.compile(
    r"^how (?:do|does) (?!it\b|they\b|that\b|this\b|these\b|those\b)[\w -]+ work\W*$"
    r"|^(?:what|who) (?:is|are) (?:an?\s)?(?!the\b|its\b|their\b)[\w-]+(?: [\w-]+){0,2}\W*$"
    r"|^how (?:long|big|large|often|far|old) (?:is|does|do|can|may|must) an? [\w-]+\b(?! of\b)"
    r"|^[가-힣]{4,}(?:은|는) (?:무슨|언제|어디|얼마|몇|누가|왜)\b"
    r"|(?:이란|란|이|가) (?:뭐|무엇|뭔)\S*$|무슨 (?:뜻|말|의미)\S*$",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\bhow (?:do|does|can) |(?:을|를|은|는) 어떻게 (?!되|해|하|돼)[가-힣]", re.IGNORECASE)
_FEW = {"en": 1, "ko": 2}  # words of a question too thin to stand alone


def without_lead(text: str) -> str:
    """The question without its 'and what about' or '그럼'."""
    return _LEAD.sub("", text, count=1).strip()


def own_words(text: str) -> list[Unit]:
    """What a question is about, its measures, names and periods aside."""
    return [unit for unit in read_question(without(text, slots(text))).units if unit.weight >= 0.5]


def is_fragment(text: str) -> bool:
    """Whether a question names things but says nothing of them: 'And in Q2?', '2분기는요?'."""
    rest = without_lead(text)
    if language(text) == "ko":
        return len(rest.split()) <= 4 and not _KOREAN_PREDICATE.search(rest)
    return len(rest.split()) <= 8 and not _PREDICATE.search(rest)


def lacks_subject(text: str, said_before: str) -> bool:
    """Whether the question can only be understood with what was said before."""
    found, rest = slots(text), without_lead(text)
    named = [slot for slot in found if slot.kind in ("name", "identifier")]
    words = [unit for unit in own_words(rest) if not _RELATED.match(unit.text.lower())]
    if words and {"measure", "year"} <= {slot.kind for slot in found}:
        return False
    if is_fragment(text):
        return _is_open(text, rest, named, words)
    if _points_outside(text, named):
        return True
    if named or _new_topic(rest, words):
        return False
    if len(words) <= _FEW[language(text)] or pointed_at(text):
        return True
    return len(words) <= 2 and _speaks_of_known(text, said_before)


def _is_open(text: str, rest: str, named: list[Slot], words: list[Unit]) -> bool:
    """Whether a fragment needs its sentence: one that begins with 'and', asks, or is one thing only."""
    points = rest != text.strip() or _POINTING.search(text) is not None
    if not points and named and (words or len(slots(rest)) > 2):
        return False
    asks = points or text.rstrip().endswith(("?", "？", "요"))
    return len(words) <= (3 if asks else 0)


def _points_outside(text: str, named: list[Slot]) -> bool:
    """Whether a pronoun stands before any name that it could mean."""
    plain = _DUMMY.sub(lambda match: " " * len(match[0]), text)
    pointer = _POINTING.search(plain)
    if pointer is None:
        return False
    if any(slot.end <= pointer.start() for slot in named):
        return False
    near = pointer[0].lower().endswith(("this", "that", "these", "those"))
    return len(own_words(text[: pointer.start()])) <= (3 if near else 1)


def _new_topic(rest: str, words: list[Unit]) -> bool:
    """Whether a question asks what something is, or how to do something to it, and names it."""
    nouns = [unit for unit in words if unit.weight > 0.5]
    return bool(nouns) and (_DEFINES.search(rest) is not None or (len(words) > 1 and _HOW_TO.search(rest) is not None))


def _speaks_of_known(text: str, said_before: str) -> bool:
    """Whether 'the plant' is one that was spoken of."""
    known = set(terms(said_before))
    return any(not known.isdisjoint(terms(match[1])) for match in _DEFINITE.finditer(text))
