"""How the keyless model writes a hypothetical passage: as a document would begin to answer, without any answer.

Gao et al. (2022), arXiv 2212.10496, let a model invent the passage. This one only states what the question asks.
It holds the question's own words, so keyword search finds nothing new with it.
"""

import re
from typing import Any

from lessons.models.offline.query.rewrite import rewrite
from lessons.models.offline.tasks import task
from lessons.text import language

_BE = re.compile(r"^(?:what|which|who)(?: (is|are|was|were)|[’']s) ((?!there\b|the one\b).+)$", re.IGNORECASE)
_HOW_TO = re.compile(r"^how (?:do|can|should|could|would) (?:i|we|you|one) (.+)$|^how to (.+)$", re.IGNORECASE)
_HOW_MANY = re.compile(r"^how (?:many|much) (.+)$", re.IGNORECASE)
_ASKING = re.compile(
    r"^(?:when|where|why|how|what|which|who)\b(?:\s(?:long|often|far))?"
    r"(?:\s(?:is|are|was|were|do|does|did|can|will|would|should)\b)?\s*"
    r"|^(?:do|does|did|can|could|will|would|should)\s",
    re.IGNORECASE,
)
_DO = re.compile(r"\s(?:do|does|did)\b", re.IGNORECASE)
_KOREAN_ASKING = re.compile(
    r"(?<![가-힣])(?:언제|어디|어느|무슨|얼마|몇|왜|어떻게|어떤|누가|누구|무엇|뭐|뭘|며칠)(?:에|에서|서|나|까지|부터|를|을)?(?![가-힣])\s?"
)
_KOREAN_WHAT = re.compile(r"(?<![가-힣])(?:언제|어디|얼마|누구|무엇|뭐|며칠|어떻게|왜)\S*(?:요|까|죠|지)$")
_KOREAN_IS = re.compile("(?:인가요|입니까|이에요|예요|일까요)$")
_KOREAN_DOES = re.compile("([가-힣])(?:나요|니까|는지|죠)$")


@task("hyde")
def hyde(llm: Any, question: str, **_: Any) -> str:
    """The question as a statement that leaves its answer open."""
    said = statement(rewrite(llm, question))
    return f"{said[:1].upper()}{said[1:]}."


def statement(query: str) -> str:
    """A question turned into the beginning of a statement: 'the revenue of Marlow in Q2 was'."""
    if language(query) == "ko":
        return _korean(query) or query
    if match := _BE.match(query):
        return f"{match[2]} {match[1] or 'is'}"
    if match := _HOW_TO.match(query):
        return f"To {match[1] or match[2]}"
    if match := _HOW_MANY.match(query):
        return f"The number of {_DO.sub('', match[1], count=1)}"
    return _ASKING.sub("", query) or query


def _korean(query: str) -> str:
    """'매출은 얼마인가요' becomes '매출은 다음과 같습니다', '언제 보나요' becomes '봅니다'."""
    if _KOREAN_WHAT.search(query):
        return _KOREAN_WHAT.sub("다음과 같습니다", query)
    query = _KOREAN_IS.sub("입니다", _KOREAN_ASKING.sub("", query))
    return _KOREAN_DOES.sub(lambda match: _formal(match[1]), query).strip()


def _formal(syllable: str) -> str:
    """The last syllable of a verb stem with its formal ending: 보 + ㅂ니다, 있 + 습니다."""
    open_syllable = (ord(syllable) - ord("가")) % 28 == 0
    return (
        f"{chr(ord(syllable) + 17)}니다"
        if open_syllable
        else f"{syllable}{'니다' if (ord(syllable) - ord('가')) % 28 == 17 else '습니다'}"
    )
