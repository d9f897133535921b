"""The judge: does an answer state the key facts, does it refuse, does it rest on what it cites?

An answer is right if it holds a wording of every key fact, partly right if of a third of them, as the people decided
who labelled answers by hand (data/README.md). Numbers, amounts, units and dates have one spelling before they are
compared. That a fact is denied, or belongs to something else, is not seen; `agreement.py` measures what that costs.
"""

import re
from functools import lru_cache

from lessons.evaluate.golden import Golden
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION, unsupported_figures
from lessons.rag.served_words import closed, is_refusal
from lessons.rag.types import Context
from lessons.text import language, normalize, sentences, terms
from lessons.text.numbers import numerals, spellings

LEAST = 1 / 3  # share of the facts from which an answer is partly right
LONGEST_REFERENCE = 30  # words; those of the labelled answers have 28 at most
RIGHT, PARTLY = 0.65, 0.4  # shares of a reference's terms, tuned on the split dev of the labelled answers
MOST_TERMS = 0.6  # share of a sentence's terms that its passages must hold


def states(fact: str, text: str) -> bool:
    """Whether the text holds a wording of a key fact; they are separated by `|`."""
    forms = (spellings(form.strip()) for form in fact.split("|") if form.strip())
    return any(_wording(one).search(there) for form in forms for one, there in zip(form, spellings(text), strict=True))


@lru_cache(maxsize=2_000)
def _wording(form: str) -> re.Pattern[str]:
    """The form with any blanks, not within a longer number or Latin word; whether a number fell is in other words."""
    start = "" if re.match("[가-힣]", form) else r"(?<![a-z\d])(?<!\d[.:])"
    end = r"(?!\d|[.:]\d)" if re.search(r"\d$", form) else r"s?(?![a-z])" if re.search("[a-z]$", form) else ""
    return re.compile(start + r"\s*".join(map(re.escape, re.findall(r"[a-z]+|[\d.]+|\S", form.lstrip("-")))) + end)


def by_facts(golden: Golden, text: str) -> float:
    """1.0 if the text states every key fact, 0.5 for a third of them, else 0.0."""
    share = sum(states(fact, text) for fact in golden.key_facts) / len(golden.key_facts)
    return 1.0 if share == 1 else 0.5 if share >= LEAST else 0.0


def by_words(golden: Golden, text: str) -> float:
    """1.0, 0.5 or 0.0 by the share of the reference's terms that are in the text."""
    wanted, there = (set(terms(spellings(each)[1])) for each in (golden.answer, text))
    share = len(wanted & there) / max(1, len(wanted))
    return 1.0 if share >= RIGHT else 0.5 if share >= PARTLY else 0.0


def judge_text(golden: Golden, text: str) -> tuple[float, bool]:
    """Correctness of the words alone, NaN where it cannot be judged, and whether they refuse."""
    refusal = bool(text.strip()) and is_refusal(text)  # to say nothing is not to say no
    if is_unanswerable(golden) or not is_judged(golden):
        return float(refusal) if is_unanswerable(golden) else float("nan"), refusal
    correctness = (by_facts if golden.key_facts else by_words)(golden, "\n".join(statements(text)))
    return correctness, refusal and not correctness


def statements(text: str) -> list[str]:
    """The sentences of an answer, without citations, and without those that say that the documents do not tell."""
    return [each for each in sentences(CITATION.sub("", normalize(text))) if terms(each) and not is_refusal(each)]


def is_judged(golden: Golden) -> bool:
    """Whether there are key facts, or a reference as short as those that the judge was measured with."""
    return bool(golden.key_facts) or 0 < len(golden.answer.split()) <= LONGEST_REFERENCE


def is_unanswerable(golden: Golden) -> bool:
    """Whether the only right answer is to say that the documents do not tell."""
    unknown = not (golden.evidence or golden.key_facts)
    return golden.category == "unanswerable" or bool(unknown and golden.answer and is_refusal(golden.answer))


def groundedness(answer: Answer) -> float:
    """The share of the answer's sentences that the passages they cite support; 0.0 for an answer that says nothing."""
    claims = [each for each in sentences(closed(normalize(answer.text))) if statements(each) and each[-1] != ":"]
    return sum(_is_supported(each, answer.context) for each in claims) / len(claims) if claims else 0.0


def _is_supported(claim: str, context: Context) -> bool:
    """Whether the passages that it cites hold its figures, and most of its terms if the languages are the same."""
    cited = [each for n, each in enumerate(context.documents, start=1) if str(n) in CITATION.findall(claim)]
    words = set(terms(CITATION.sub("", claim)))
    if not cited or unsupported_figures(claim, context, ""):
        return False
    if all(language(claim) != language(each.content) for each in cited):
        return bool(numerals(CITATION.sub("", claim)))
    there = "\n".join(f"{re.sub('[_/.-]', ' ', each.source)} {each.metadata} {each.content}" for each in cited)
    return len(words & set(terms(there))) >= MOST_TERMS * len(words)
