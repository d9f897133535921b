"""What happens when the passages do not suffice: three outcomes that a reader can tell apart (row E7)."""

from typing import Literal

from lessons.copilot.gather import Gathered
from lessons.settings import settings
from lessons.text import language

Outcome = Literal["answered", "best_effort", "nothing_relevant", "not_documented", "unavailable"]

SAID = {
    "best_effort": {
        "en": "This is the best I can say from what I found; it may not be all of it.",
        "ko": "찾은 내용으로 답한 것이며, 빠진 부분이 있을 수 있습니다.",
    },
    "nothing_relevant": {
        "en": "I found nothing relevant to this question. These menus of the product may help:",
        "ko": "이 질문과 관련된 내용을 찾지 못했습니다. 다음 메뉴가 도움이 될 수 있습니다.",
    },
    "not_documented": {
        "en": "This is not documented yet.",
        "ko": "아직 문서에 없는 내용입니다.",
    },
}
"""What the copilot says, at the end of an answer or in its place."""


def outcome_of(gathered: Gathered) -> Outcome:
    """What the last decision comes to."""
    last = gathered.decisions[-1]
    if not last.ranked_indices:
        return "not_documented"
    if last.confidence < settings().copilot_confidence:
        return "nothing_relevant"
    return "answered" if last.is_sufficient else "best_effort"


def said(outcome: Outcome, question: str) -> str:
    """The sentence for an outcome in the language of the question."""
    return SAID[outcome][language(question)]
