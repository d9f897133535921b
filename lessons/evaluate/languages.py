"""What each stage loses in Korean and across languages: the same fact asked in both, pair by pair."""

from collections.abc import Iterator
from dataclasses import replace

from lessons.evaluate.compare import Gain, Gains, paired_gain
from lessons.evaluate.evaluation import Evaluation

SIDES = {
    "both": ("an English question", "a Korean question"),
    "english-document": ("an English document, asked in English", "asked in Korean"),
    "korean-document": ("a Korean document, asked in Korean", "asked in English"),
}
"""The kinds of the bilingual questions: both documents are there, each in its language, or only one is."""


def language_tax(evaluation: Evaluation, metric: str = "all@10") -> Gains:
    """Compare each stage with itself: the paired loss in Korean (`both`) and across languages (one document only).

    A difference below zero is the tax. The questions are those of `evaluate(…, questions="bilingual")`, whose ids end
    in the language.
    """
    return Gains(_taxes(evaluation, metric))


def _taxes(evaluation: Evaluation, metric: str) -> Iterator[Gain]:
    for stage in evaluation.stages:
        for kind, (own, other) in SIDES.items():
            values = {each.question_id: each.value(metric) for each in evaluation.of(stage, category=kind)}
            first, second = ("-ko", "-en") if kind == "korean-document" else ("-en", "-ko")
            pairs = [name.removesuffix(first) for name in values if name.endswith(first)]
            old, new = ([values[pair + end] for pair in pairs] for end in (first, second))
            tax = paired_gain(own, f"{stage}, {other}", metric, old, new)
            yield replace(tax, room=tax.n)  # what is asked is a loss, for which there is always room
