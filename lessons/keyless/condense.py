"""What a question asks after those before it: a follow-up with what it leaves out, or the last question corrected.

Thanks, statements and questions about the conversation stay as they are.
"""

import re
from collections.abc import Sequence
from typing import Any

from lessons.keyless import task
from lessons.keyless.conversation import asks_back, recalled, remembered
from lessons.keyless.followups import LONGEST, Turn, is_fragment, items, standalone
from lessons.keyless.intent import is_small_talk
from lessons.keyless.parts import without_lead
from lessons.text import normalize

_REJECTED = re.compile(  # 'not the Business plan', '비즈니스 요금제 말고'
    r"(?i)(?:,\s*)?\b(?:not|instead of|rather than) (?P<after>[^,.?!]+?)(?:\s*,|\s+but\b|\s*[.?!]*$)"
    r"|^(?P<before>[^,.?!]+?)(?:은|는|이|가|을|를)?\s?(?:말고|아니라|아니고)(?![가-힣]),?"
)
_CORRECTS = re.compile(r"(?i)\s*(?:no[,.!]|sorry\b|I meant?\b|I asked about\b|아니(?:요|,)|아뇨)")
_SAID_INSTEAD = re.compile(r"(?:\s?말(?:이에요|이야|인데요)|이?요|예요|이에요|입니다)?(?<![\s.,?!])[\s.,?!]*$")
_TURNS, _CHARS = 10, 1_000  # turns, and characters of each, that are read


@task("condense")
def compress(llm: Any, question: str, turns: Sequence[tuple[str, str]] = (), memory: str = "", **_: Any) -> str:
    """Make a question stand alone; what a memory says that was said is older turns."""
    spoken = [f"{role}: {' '.join(content.split())}" for role, content in turns]
    if asks_back(question) or recalled(question, "\n".join([memory, *spoken])) or is_small_talk(llm, question):
        return question
    earlier = [(line.source, line.text) for line in remembered(memory) if line.source != "noted"]
    return _alone(question, _turns([*earlier, *turns[-2 * _TURNS :]]))


def _turns(history: Sequence[tuple[str, str]]) -> list[Turn]:
    """Return the user's questions, each made to stand alone by those before it, with what was answered."""
    turns: list[Turn] = []
    for role, content in history:
        content = normalize(content)[:_CHARS]
        if role == "user" and content.strip():
            is_question = recalled(content, "") is None  # no thanks and no statement
            turns += [Turn(_alone(content[:LONGEST], turns))] if is_question else []
        elif role == "assistant" and turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer}\n{content}".strip())
    return turns


def _alone(question: str, turns: Sequence[Turn]) -> str:
    return (turns and _corrected(question, turns[-1].question)) or standalone(question, turns)


def _corrected(question: str, last: str) -> str:
    """Return the last question about what is meant instead: 'I meant Borea, not Cirrus'; "" if nothing is corrected.

    Where what is rejected goes without saying, it is the only name or identifier of the last question.
    """
    body = without_lead(question)
    if match := _REJECTED.search(body):
        rejected = match["after"] or match["before"]
        meant = _SAID_INSTEAD.sub("", without_lead(_REJECTED.sub(" ", body, count=1)), count=1)
    else:
        names = [[item.text for item in items(text) if item.kind in ("name", "code")] for text in (body, last)]
        if not (_CORRECTS.match(question) and is_fragment(body) and [*map(len, names)] == [1, 1]):
            return ""
        (meant,), (rejected,) = names
    at = last.lower().find(rejected.lower())
    return f"{last[:at]}{meant}{last[at + len(rejected) :]}" if at >= 0 and meant and is_fragment(meant) else ""
