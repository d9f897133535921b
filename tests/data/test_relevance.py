"""Fitting the weights of relevance: what sets evidence apart gets weight, what does not gets little."""

import numpy as np

from data.make.relevance import Case, even, fit
from lessons.evaluate.golden import Golden
from lessons.keyless.relevance import WEIGHTS
from lessons.rag.types import RetrievedDocument

QUESTION = Golden("q", "When?", "en", "fact")
DOCUMENTS = [RetrievedDocument(str(number), "text", 0.5, "a.md") for number in range(8)]


def cases(seed: int) -> list[Case]:
    """Twenty questions whose one piece of evidence has the highest value of the first feature; the others are noise."""
    numbers = np.random.default_rng(seed)
    found = []
    for _ in range(20):
        features = numbers.random((len(DOCUMENTS), len(WEIGHTS)))
        found.append(Case(QUESTION, DOCUMENTS, features, features[:, 0] == features[:, 0].max()))
    return found


def test_the_feature_that_sets_evidence_apart_gets_the_weight() -> None:
    weights = fit(cases(0))
    assert weights[0] > 3 * max(abs(weights[1:]))


def test_the_weights_hold_on_questions_that_they_were_not_fitted_to() -> None:
    weights = fit(cases(0))
    first = [case.best(weights)[0] == case.documents[int(np.argmax(case.evidence))] for case in cases(1)]
    assert sum(first) >= 10  # by chance, two or three


def test_a_question_without_evidence_among_its_candidates_changes_nothing() -> None:
    nothing = Case(QUESTION, DOCUMENTS, np.ones((8, len(WEIGHTS))), np.zeros(8, dtype=bool))
    assert np.allclose(fit([*cases(0), nothing]), fit(cases(0)))


def test_at_the_even_sum_as_many_candidates_are_expected_to_be_evidence_as_are() -> None:
    examples = cases(0)
    weights = fit(examples)
    sums = np.concatenate([case.features @ weights for case in examples])
    assert abs((1 / (1 + np.exp(even(examples, weights) - sums))).sum() - 20) < 1
