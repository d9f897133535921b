"""Questions about what was said: 'which plan did I name?', 'how many are we?', '제가 무슨 약을 먹는다고 했죠?'"""

import re

from lessons.models.offline.question import read_question
from lessons.models.offline.unit import Unit

_BY_YOU = re.compile(
    r"\byou (?:said|told|mentioned|answered|gave)\b|\b(?:did|have|had) you (?:say|said|tell|told|mention)"
)
_ASKS_BACK = re.compile(
    r"\b(?:did|have|had) I (?:already |just |ever )?"
    r"(?:say|said|tell|told|mention|ask|give|gave|given|state|want|name|call|choose|pick)"
    r"|\bI (?:\w+ )?(?:said|told you|mentioned|stated|gave you)\b|\bwhat (?:was|were) my\b"
    r"|\bremind me\b|\b(?:do|can) you (?:still )?(?:remember|recall)\b"
    r"|\bearlier in (?:this|our) (?:chat|conversation)\b"
    r"|(?:라고|다고|냐고|자고) ?(?:했|하셨|말|그랬)"
    r"|말(?:씀)?(?:했|하셨|드렸|해 줬)|(?:얘기|이야기|언급)(?:했|하셨|드렸)"
    r"|(?:알려|가르쳐) ?(?:드렸|줬|주셨)|(?:기억)(?:하(?:세요|시나요|나요|니|고)|나(?:요|세요|니))"
    r"|(?<![가-힣])(?:제가|내가)[^?]*(?:[했였었겠]|이었)(?:죠|지|더라|던가|나요)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:what|which|how (?:much|many|long|old|big)|who|where|when)\b[^?]*\b(?:my|mine|our|am I|are we)\b"
    r"|(?<![가-힣])(?:제|내|저의|나의|우리|저희|제가|내가)\s[^?]*"
    r"(?:뭐|뭔|무엇|무슨|어느|어떤|얼마|몇|누구|어디|언제|어떻게 (?:되|돼))",
    re.IGNORECASE,
)
_OF_US = re.compile(
    r"\b(?:what|which|how (?:much|many|long|old|big)|who|where|when)\b[^?]*\b(?:do|have|did) (?:I|we)\b", re.IGNORECASE
)
_ABOUT_SAYING = re.compile(
    r"^(?:(?:제|내|저의|나의|우리|저희|제가|내가|저는|나는)$|say|said|tell|told|mention\w*|ask\w*|state\w*|give|gave|given|remember\w*|recall|remind|earlier|가운데|중에서?|conversation|chat"
    r"|before|first|just|again|please|exactly|처음|아까|앞서|앞에|이전|대화|기억|말씀?|얘기|이야기|언급|다시|방금|정확히|알려|가르쳐"
    r"|뭐라|얼마라|어디라|언제라|누구라|무엇이라|며칠이라|몇.{0,3}라)"
)
_QUOTED = re.compile(r"(?:이?라|한다|된다|는다|다|냐|자)고 (?:했|하셨|말|그랬|알려)[가-힣]*")
_COUNTER = re.compile(r"몇\s?[가-힣]+")
_WHERE_THEY_ARE = re.compile(r"\b(?:are we|am I) (on|in|at|with|from)\b", re.IGNORECASE)
_WHAT_THEY_ARE = re.compile(r"\bwhat (?:kind|sort|type) of [\w -]+ (?:are we|am I)\b", re.IGNORECASE)
_WE_ARE = r"\b(?:we(?: are|['’]re)|I(?: am|['’]m)) (?:now |still )?"


def asks_back(question: str) -> bool:
    """Whether only the conversation can answer a question, because it asks what its user said."""
    return bool(_ASKS_BACK.search(question)) and not is_by_you(question)


def is_by_you(question: str) -> bool:
    """Whether it asks what the assistant said."""
    return _BY_YOU.search(question) is not None


def asks_what_was_said(question: str) -> bool:
    """Whether it asks what its user or the assistant said."""
    return bool(_ASKS_BACK.search(question)) or is_by_you(question)


def asks_of_its_user(question: str) -> bool:
    """Whether it asks something of its user, who may have said it: 'what is my budget?'"""
    return bool(_OWN.search(question) or _OF_US.search(question))


def subject(question: str) -> list[Unit]:
    """The words that what was said must hold: those of the question without 'did I say', '몇 명' and '-다고 했죠'."""
    units = read_question(_COUNTER.sub(" ", _QUOTED.sub(" ", question))).units
    return [unit for unit in units if not _ABOUT_SAYING.match(unit.text.lower()) and unit.weight > 0.3]


def says_what_they_are(question: str, statement: str) -> bool:
    """Whether a statement says of its speaker what is asked: 'we are on Team' for 'which plan are we on?'"""
    if where := _WHERE_THEY_ARE.search(question):
        return re.search(rf"{_WE_ARE}{where[1]}\b", statement, re.IGNORECASE) is not None
    return bool(_WHAT_THEY_ARE.search(question)) and re.search(rf"{_WE_ARE}an?\b", statement, re.I) is not None
