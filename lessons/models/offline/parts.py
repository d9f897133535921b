"""A question with several parts is read part by part: 'what …, and when …', 'A or B', '…은 얼마이고 …은 언제인가요?'"""

import re
from dataclasses import dataclass, replace

from lessons.models.offline.passages import search_terms
from lessons.models.offline.question import Question, kinds_of
from lessons.models.offline.unit import Unit

ASIDE = 0.3  # what a word of another part still counts
MOST = 4
_CUT = re.compile(
    r"[?？!;]\s+|[.,]\s+(?:and|or)?\b\s*|\s(?:and|or|versus|vs\.?|than|compared (?:with|to))\s"
    r"|(?<=[가-힣](?:랑|와|과))\s(?!함께|같이)|(?<=[가-힣]{2}(?:하고|이고|이며|하며|되고|있고|없고))\s"
    r"|(?<=수 (?:있고|없고))\s|\s(?:그리고|대비|또는|혹은)\s|(?<=보다)\s"
)


_ASKS = re.compile(
    r"\b(?:what|when|where|who(?:m|se)?|which|why|how)\b|얼마|언제|어디|무엇|무슨|뭐|뭔|누구|누가|어떻|어느|어떤|몇|며칠|왜|[?？]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """The whole question with its weight on one part. `words` is that part as it was asked."""

    words: str
    question: Question
    own: tuple[Unit, ...]

    @property
    def asks(self) -> bool:
        """Whether it asks by itself, as 'until when do they keep it' does and 'it is raining' does not."""
        return _ASKS.search(self.words) is not None or any(unit.required for unit in self.own)


def parts(question: Question) -> list[Part]:
    """The parts of a question in its order, or the question itself if it has only one."""
    texts = [text.strip(" ,.?？") for text in _CUT.split(question.text)]
    found = [(text, [unit for unit in question.units if _says(text, unit)]) for text in texts if text]
    asked = [(text, own) for text, own in found if any(unit.required or unit.weight >= 0.5 for unit in own)]
    if not 1 < len(asked) <= MOST:
        return [Part(question.text, question, question.units)]
    first = asked[0][1]
    return [Part(text, _read(question, text, _with_first(text, own, first)), tuple(own)) for text, own in asked]


def _read(question: Question, text: str, own: list[Unit]) -> Question:
    """The question with the weights and the kind of answer of one part."""
    kinds = kinds_of(text) or question.kinds
    return replace(question, units=_weighed(question.units, own), kinds=kinds)


def _with_first(text: str, own: list[Unit], first: list[Unit]) -> list[Unit]:
    """What an alternative says, as '… or the one in Lyon?', and the words of the first part, of which it is one."""
    if _ASKS.search(text) or not any(unit.required for unit in own):
        return own
    return own + [unit for unit in first if unit.kind == "word" and unit not in own]


def _says(text: str, unit: Unit) -> bool:
    if unit.kind == "quarter":
        return not unit.keys.isdisjoint(search_terms(text))
    return unit.text.lower() in text.lower()


def _weighed(every: tuple[Unit, ...], own: list[Unit]) -> tuple[Unit, ...]:
    """A part's own units, and those of the others: names and periods that it does not replace, words for less."""
    kinds = {unit.kind for unit in own}
    kept = [unit for unit in every if unit in own or unit.kind == "word" or unit.kind not in kinds]
    if not any(unit.kind == "word" and unit.weight >= 0.5 for unit in own):
        return tuple(kept)
    return tuple(
        replace(unit, weight=ASIDE * unit.weight) if unit.kind == "word" and unit not in own else unit for unit in kept
    )
