"""The deterministic judge: is the answer right, does it rest on what it cites, does it rightly refuse?

An answer is right when it states every key fact, with its unit, about its subject and for its period, without offering
other numbers to choose from; where there are several key facts, it must also say the rest of the reference. It is
partly right if it states, or nearly states, at least a third of the facts, and wrong below. Without key facts, the
words of a reference of at most 30 words are compared, and correctness against a longer one is not reported.

It compares facts and words, so it costs nothing, gives the same verdict every time, and was itself measured against
answers labelled by hand (`agreement.py`). What it cannot do stands there as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lessons.evaluate.facts import Asked, Level, level
from lessons.evaluate.judge.checks import is_hedged
from lessons.evaluate.judge.completeness import is_complete
from lessons.evaluate.judge.grounds import covers_evidence, groundedness
from lessons.evaluate.judge.meaning import by_meaning
from lessons.evaluate.judge.question import Question
from lessons.rag.answer import Answer
from lessons.rag.refusals import is_refusal

LEAST = 1 / 3  # share of the facts from which an answer is partly right
LONGEST_REFERENCE = 30  # words; those of the answers that the judge was tuned on have 28 at most


@dataclass(frozen=True)
class Verdict:
    """`correctness` is 1.0 right, 0.5 partly (some facts, rounded, hedged …), 0.0 wrong, NaN where it cannot be judged.

    `grounded` is a share, 0 to 1. A refusal makes no claim, so it is grounded; average groundedness over answers that
    were not refused.
    """

    correctness: float
    grounded: float
    refused: bool
    right_answer_wrong_evidence: bool


@dataclass(frozen=True)
class Refusals:
    """Precision: the share of refusals that were due. Recall: the share of unanswerable questions that were refused."""

    precision: float | None
    recall: float | None
    refused: int
    unanswerable: int


def judge(golden: Question, answer: Answer) -> Verdict:
    """The verdict on one answer."""
    correctness, refused = judge_text(golden, answer.text)
    grounded = 1.0 if refused else groundedness(answer)
    evidence = golden.evidence if correctness == 1.0 and not is_unanswerable(golden) else ()
    places = [place for passage in evidence for place in (passage, *passage.any_of)]
    astray = bool(places) and not any(covers_evidence(answer, place) for place in places)
    return Verdict(correctness, grounded, refused, astray)


def judge_text(golden: Question, text: str) -> tuple[float, bool]:
    """Correctness of the words alone, NaN where it cannot be judged, and whether they refuse."""
    refusal = is_refusal(text)
    if is_unanswerable(golden):
        return float(refusal), refusal
    correctness = _correctness(golden, text)
    return correctness, refusal and not correctness > 0.0


def is_judged(golden: Question) -> bool:
    """Whether there are key facts, or a reference as short as those that the judge was measured with."""
    return bool(golden.key_facts) or 0 < len(golden.answer.split()) <= LONGEST_REFERENCE


def _correctness(golden: Question, text: str) -> float:
    if not is_judged(golden):
        return float("nan")
    if golden.key_facts:
        return _by_facts(golden, text)
    return 0.0 if is_refusal(text) else by_meaning(golden.answer, text)


def is_unanswerable(golden: Question) -> bool:
    """Whether the only right answer is to say that the documents do not tell."""
    return golden.category == "unanswerable" or (
        not golden.evidence and not golden.key_facts and is_refusal(golden.answer)
    )


def refusals(judged: Iterable[tuple[Question, Verdict]]) -> Refusals:
    """How well a stage refuses. None where there is nothing to divide by."""
    pairs = [(is_unanswerable(golden), verdict.refused) for golden, verdict in judged]
    due = sum(unanswerable and refused for unanswerable, refused in pairs)
    refused, unanswerable = sum(refused for _, refused in pairs), sum(unanswerable for unanswerable, _ in pairs)
    return Refusals(
        due / refused if refused else None, due / unanswerable if unanswerable else None, refused, unanswerable
    )


def _by_facts(golden: Question, text: str) -> float:
    asked = Asked(golden.question, golden.answer)
    levels = [level(fact, text, asked) for fact in golden.key_facts]
    if sum(each > Level.NO for each in levels) < LEAST * len(levels):
        return 0.0
    whole = min(levels) == Level.STATED and (len(levels) == 1 or is_complete(golden, text))
    return 1.0 if whole and not is_hedged(text, golden.key_facts, asked) else 0.5
