"""Korean words of a question: without their particles and endings, and which of them name something."""

import re
from dataclasses import replace

from lessons.models.offline.unit import Unit
from lessons.text import terms

_PARTICLE = re.compile(
    "(?<=..)(?:에서는|에게서|으로는|이라는|이라고|이랑|께서|에서|에게|에는|으로|까지|부터|보다|처럼|이란|라는|마다|랑"
    "|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)
# A noun or a verb of one syllable, and what may follow it: 끄려면 and 끄는 share nothing but their stem.
_SINGLE = re.compile("([가-힣])(?:은|는|을|를|에|에서|까지|부터|으로|당|마다|려면|으려면|으면)")
_FOLLOWING = "은는이가을를의에로와과도만까부으당려고면지기니아어습나"
_VERB_OF_NOUN = re.compile(
    "(?<=..)(?:하려면|하는|하고|하여|하면|해야|한다|했을|했던|했는지|하기|하지|할지|되려면|되는|되고|되면|된다|되었|된|한|할|될)$"
)
_VERB = re.compile("(?:려면|으면|는|어도|아도|었을|았을|었|았|던|을까|을|야|걸리|나)$")
_COMPANY = re.compile(
    ".{2,}(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업|식품|상사"
    "|해운|화학|제과|유업|푸드|푸드빌|리테일|마트|조선|항공|철강|네트웍스|생명|캐피탈|솔루션|랩스|케미칼|소재)$"
)
_VAGUE_KOREAN = re.compile(
    "방법|내용|정도|이유|종류|날짜|시간|금액|사람|기간|설명|차이|비교|요약|문서|자료|파일|질문|회사|보고서|나오|적혀|따르|걸리|필요|해야|가능|함께|먹|알려|말하"
)
_ONE_OF = re.compile("(?:부문|사업부|사업장|본부|공장|지점)(?:은|는|이|가|을|를|의|에서|에|도|과|와)?$")


def korean_unit(word: str) -> Unit | None:
    """A word as a unit; None if it is only grammar."""
    if terms(word) and (single := _SINGLE.fullmatch(word)):
        core = single[1]
        return Unit(core, "word", frozenset([core]), frozenset([core, *(core + first for first in _FOLLOWING)]), 1.0)
    core = _VERB_OF_NOUN.sub("", _PARTICLE.sub("", word))
    found = frozenset(terms(core))
    if not found:
        return None
    if _COMPANY.fullmatch(core):
        return Unit(core, "name", found, frozenset(), 1.5)
    vague = _VAGUE_KOREAN.match(core)
    weight = 0.3 if vague else 0.5 if _VERB.search(core) else 1.0
    return Unit(core, "word", found, frozenset(), weight)


def named(unit: Unit, following: list[str]) -> Unit:
    """'해운 부문' names a division: a Korean word before what it is one of."""
    if unit.kind == "word" and unit.weight == 1.0 and following and _ONE_OF.match(following[0]):
        return replace(unit, kind="name", weight=1.5)
    return unit
