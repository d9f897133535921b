"""The judge: does an answer state the key facts, does it refuse, does it rest on what it cites?

An answer is right if it holds a wording of every key fact, partly right if of a third of them, as the people decided
who labelled answers by hand (data/README.md). Numbers, amounts, units and dates have one spelling before they are
compared. That a fact is denied, or belongs to something else, is not seen. The second half measures what that costs:
how far beyond chance the judge agrees with the hand labels.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from pydantic import TypeAdapter

from lessons.evaluate.golden import Golden, json_lines
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION, unsupported_figures
from lessons.rag.served_words import closed, is_refusal
from lessons.rag.types import Context
from lessons.settings import ROOT
from lessons.text import language, normalize, sentences, terms
from lessons.text.numbers import numerals, spellings

LEAST = 1 / 3  # share of the facts from which an answer is partly right
LONGEST_REFERENCE = 30  # words; those of the labelled answers have 28 at most
RIGHT, PARTLY = 0.65, 0.4  # shares of a reference's terms, tuned on the split dev of the labelled answers
MOST_TERMS = 0.6  # share of a sentence's terms that its passages must hold


def states(fact: str, text: str) -> bool:
    """Return whether the text holds a wording of a key fact; wordings are separated by `|`."""
    forms = (spellings(form.strip()) for form in fact.split("|") if form.strip())
    return any(
        _pattern(form).search(spelling)
        for spelled in forms
        for form, spelling in zip(spelled, spellings(text), strict=True)
    )


@lru_cache(maxsize=2_000)
def _pattern(form: str) -> re.Pattern[str]:
    """Match the form with any blanks, not within a longer number or Latin word; a sign is left to other words."""
    start = "" if re.match("[가-힣]", form) else r"(?<![a-z\d])(?<!\d[.:])"
    end = r"(?!\d|[.:]\d)" if re.search(r"\d$", form) else r"s?(?![a-z])" if re.search("[a-z]$", form) else ""
    return re.compile(start + r"\s*".join(map(re.escape, re.findall(r"[a-z]+|[\d.]+|\S", form.lstrip("-")))) + end)


def by_facts(golden: Golden, text: str) -> float:
    """Score 1.0 if the text states every key fact, 0.5 for at least a third of them, else 0.0."""
    share = sum(states(fact, text) for fact in golden.key_facts) / len(golden.key_facts)
    return 1.0 if share == 1 else 0.5 if share >= LEAST else 0.0


def by_words(golden: Golden, text: str) -> float:
    """Score 1.0, 0.5 or 0.0 by the share of the reference's terms that are in the text."""
    expected, stated = (set(terms(spellings(words)[1])) for words in (golden.answer, text))
    share = len(expected & stated) / max(1, len(expected))
    return 1.0 if share >= RIGHT else 0.5 if share >= PARTLY else 0.0


def judge_text(golden: Golden, text: str) -> tuple[float, bool]:
    """Return the correctness of the words alone, NaN where it cannot be judged, and whether they refuse."""
    refusal = bool(text.strip()) and is_refusal(text)  # to say nothing is not to say no
    if is_unanswerable(golden) or not is_judged(golden):
        return float(refusal) if is_unanswerable(golden) else float("nan"), refusal
    correctness = (by_facts if golden.key_facts else by_words)(golden, "\n".join(statements(text)))
    return correctness, refusal and not correctness


def statements(text: str) -> list[str]:
    """Split an answer into sentences, without citations and without refusals."""
    parts = sentences(CITATION.sub("", normalize(text)))
    return [sentence for sentence in parts if terms(sentence) and not is_refusal(sentence)]


def is_judged(golden: Golden) -> bool:
    """Return whether there are key facts, or a reference as short as those that the judge was measured with."""
    return bool(golden.key_facts) or 0 < len(golden.answer.split()) <= LONGEST_REFERENCE


def is_unanswerable(golden: Golden) -> bool:
    """Return whether the only right answer is to say that the documents do not tell."""
    unsupported = not (golden.evidence or golden.key_facts)
    return golden.category == "unanswerable" or bool(unsupported and golden.answer and is_refusal(golden.answer))


def groundedness(answer: Answer) -> float:
    """Compute the share of the answer's sentences that the passages they cite support; 0.0 for an empty answer."""
    claims = [claim for claim in sentences(closed(normalize(answer.text))) if statements(claim) and claim[-1] != ":"]
    return sum(_is_supported(claim, answer.context) for claim in claims) / len(claims) if claims else 0.0


def _is_supported(claim: str, context: Context) -> bool:
    """Return whether the cited passages hold the claim's figures, and most of its terms if the languages agree."""
    numbers = CITATION.findall(claim)
    cited = [document for number, document in enumerate(context.documents, start=1) if str(number) in numbers]
    words = set(terms(CITATION.sub("", claim)))
    if not cited or unsupported_figures(claim, context, ""):
        return False
    if all(language(claim) != language(document.content) for document in cited):
        return bool(numerals(CITATION.sub("", claim)))
    passages = "\n".join(
        f"{re.sub('[_/.-]', ' ', document.source)} {document.metadata} {document.content}" for document in cited
    )
    return len(words & set(terms(passages))) >= MOST_TERMS * len(words)


# Judging the judge

JUDGED = ROOT / "data" / "judged"
LABELS = {0.0: "wrong", 0.5: "partly", 1.0: "right"}


@dataclass(frozen=True)
class Labelled(Golden):
    """A question with its reference, an answer to it (`candidate`), and the label that a rater gave: `verdict`."""

    candidate: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Agreement:
    """Cohen's kappa (1 = always the same, 0 = as often as chance would), over `n` pairs; `confusion` counts them."""

    kappa: float
    n: int
    confusion: dict[tuple[str, str], int]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % percentile bootstrap interval of kappa (Efron & Tibshirani, 1993, chapter 13); seeded."""
        pairs, random = list(Counter(self.confusion).elements()), Random(0)
        kappas = sorted(agreement(random.choices(pairs, k=self.n)).kappa for _ in range(2_000))
        return kappas[50], kappas[1_950]

    def errors(self) -> dict[str, int]:
        """Count the verdicts that were better than the label, and those that were worse."""
        rank = [*LABELS.values()].index
        steps = [rank(verdict) - rank(label) for label, verdict in Counter(self.confusion).elements()]
        return {"too generous": sum(step > 0 for step in steps), "too strict": sum(step < 0 for step in steps)}


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Compare two raters of the same things (Cohen 1960). ValueError without pairs."""
    first, second = map(Counter, zip(*(pairs := list(pairs)), strict=True))
    n = len(pairs)
    observed, chance = sum(a == b for a, b in pairs) / n, sum(first[label] * second[label] for label in first) / n**2
    return Agreement(1.0 if chance == 1 else (observed - chance) / (1 - chance), n, dict(Counter(pairs)))


def labelled(split: str) -> list[Labelled]:
    """Read the hand-labelled answers of a split: 'dev', 'test', 'hard', or 'outputs_…' for a file of that name."""
    rows = json_lines(JUDGED / (f"{split}.jsonl" if split.startswith("outputs") else "pairs.jsonl"))
    pairs = (row | {"answer": row["reference"], "candidate": row["answer"], "history": ()} for row in rows)
    return TypeAdapter(list[Labelled]).validate_python([pair for pair in pairs if pair.get("split", split) == split])


def validate(split: str = "outputs_second_frozen", judged: Callable[[Labelled], float] | None = None) -> Agreement:
    """Measure how the judge agrees with the labels: (label, verdict). `judged` is another judge's correctness."""
    rate = judged or (lambda pair: judge_text(pair, pair.candidate)[0])
    return agreement((pair.verdict, LABELS[rate(pair)]) for pair in labelled(split))
