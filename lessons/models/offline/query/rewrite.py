"""How the keyless model turns a question into a search query: without its courtesies, with everything it is about."""

import re
from typing import Any

from lessons.models.offline.tasks import task
from lessons.text import terms

_GREETINGS = (
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|excuse me|sorry(?: to bother you)?|um+|well|so|ok(?:ay)?"
    r"|just out of curiosity|quick question|a question)\b[\s,.!:–-]*)+"
    r"|(?<![가-힣])(?:안녕하세요|실례지만|죄송하지만|죄송한데|혹시|저기요?|있잖아요|음+|아|네)(?:[\s,.!]+|$)"
)
_REQUESTS = (
    r"\b(?:(?:could|can|would|will) you (?:please |kindly )?(?:tell|show|explain to|help|give) (?:me|us)(?: with)?\b"
    r"|(?:please )?tell (?:me|us)\b|i(?: would|['’]d) (?:really )?(?:like|love) to (?:know|ask|find out)\b"
    r"|i (?:was |am |['’]m )(?:just )?wondering(?: if you could tell me)?\b|i (?:need|want) to (?:know|find out)\b"
    r"|do you (?:happen to )?know\b|can i ask\b|if (?:possible|you don['’]t mind|i may ask)\b)[\s,:]*"
    r"|\b(?:please|kindly|actually|basically|by the way)\b,?\s?|(?<![가-힣])좀\s"
    r"|^(?:summari[sz]e|sum up|give me (?:an? )?(?:(?:short|brief|quick) )?(?:overview|summary) of|in short,"
    r"|explain|analy[sz]e|describe)\s"
)
_THANKS = (
    r"[\s,.!]*\b(?:thanks|thank you)(?: (?:so|very) much| a lot| in advance)?[.!]*$"
    r"|\s?(?:감사합니다|고맙습니다|부탁드립니다|부탁드려요|부탁해요|부탁합니다)[.!]*(?=$|\s)"
)
_KOREAN_REQUESTS = (
    r"\s?(?:에 대해서?\s)?(?:(?:자세히|간단히|간략히|짧게|빨리)\s)?"
    r"(?:알려|말해|말씀해|설명해|가르쳐|찾아|보여|정리해|요약해|분석해)\s?"
    r"(?:주세요|주시겠어요|주실 수 있나요|주실래요|줘요?|주십시오|달라|줄래)?[.?!]*$"
    r"|(?:이|가)?\s?(?:궁금합니다|궁금해요|궁금한데요|알고 싶습니다|알고 싶어요|알고 싶은데요)[.?!]*$"
)
_FILLER = [re.compile(each, re.IGNORECASE) for each in (_GREETINGS, _THANKS, _REQUESTS, _KOREAN_REQUESTS)]


@task("rewrite")
def rewrite(llm: Any, question: str, **_: Any) -> str:
    """The question without what only politeness put there; every word that a search looks for stays."""
    query = question.strip()
    for filler in _FILLER:
        query = filler.sub("", query).strip()
    query = re.sub(r"\s+", " ", query).strip(" ,.?!？")
    return query if terms(query) else question
