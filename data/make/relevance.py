"""`uv run python -m data.make.relevance` fits the weights by which the keyless model scores relevance.

On the dev questions only. A pair of candidates of which one is evidence and the other is not is an example, and the
weights make the first score higher (pairwise logistic regression; Burges et al., Learning to Rank using Gradient
Descent, 2005).
Each question counts the same, however many pairs it has. Five folds show how they do on questions they have not seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lessons.evaluate.compare import paired_gain
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import hits, retrieval_metrics
from lessons.keyless.relevance import WEIGHTS, features
from lessons.library import load_corpus
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.stages import stage_named
from lessons.trace import Step, Trace

PENALTY = 0.3  # on the squared weights
FOLDS = 5


@dataclass(frozen=True)
class Case:
    """A question with its candidates: their features, and which of them are evidence."""

    question: Golden
    documents: Sequence[RetrievedDocument]
    features: np.ndarray
    evidence: np.ndarray

    def best(self, weights: np.ndarray) -> list[RetrievedDocument]:
        order = np.argsort(-self.features @ weights, kind="stable")
        return [self.documents[place] for place in order][:5]


@dataclass(frozen=True)
class Recorder:
    """Records what a reranker receives."""

    received: list[tuple[str, Sequence[RetrievedDocument]]] = field(default_factory=list)

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        self.received.append((query.text, documents))
        return list(documents)


def cases(stage: Stage, questions: Sequence[Golden]) -> list[Case]:
    """Return the candidates that reach the stage's reranker, for every question that has evidence and finds any."""
    opened, collected = workspace(), []
    for question in questions:
        recorder = Recorder()
        recording = replace(stage, reranker=recorder)
        query = Query(question.question, Scope(question.owner), history=question.history)
        recording.run(query, opened.resources(stage.index), Trace())
        text, documents = recorder.received[0]
        if question.evidence and documents:
            evidence = np.array([bool(hit) for hit in hits(documents, question.evidence)])
            collected.append(Case(question, documents, features(text, documents), evidence))
    return collected


def fit(examples: Sequence[Case]) -> np.ndarray:
    """Fit the weights by Newton's method."""
    pairs, counts = [], []
    for case in examples:
        better, worse = case.features[case.evidence], case.features[~case.evidence]
        differences = (better[:, None] - worse[None]).reshape(-1, len(WEIGHTS))
        pairs.append(differences)
        counts += [1 / max(1, len(differences))] * len(differences)
    every, share = np.concatenate(pairs), np.array(counts)
    weights = np.zeros(len(WEIGHTS))
    for _ in range(30):
        wrong = 1 / (1 + np.exp(every @ weights))
        slope = PENALTY * weights - every.T @ (share * wrong)
        curve = every.T @ (every * (share * wrong * (1 - wrong))[:, None]) + PENALTY * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights


def even(examples: Sequence[Case], weights: np.ndarray) -> float:
    """Return the sum above which as many candidates lie as there are pieces of evidence, on average."""
    sums = np.concatenate([case.features @ weights for case in examples])
    evidence = np.concatenate([case.evidence for case in examples])
    grid = np.linspace(sums.min() - 10, sums.max() + 10, 2_000)
    expected = (1 / (1 + np.exp(grid[:, None] - sums))).sum(axis=1)
    return float(grid[np.argmin(abs(expected - evidence.sum()))])


def unseen(examples: Sequence[Case]) -> list[list[RetrievedDocument]]:
    """Return the best five of each question by weights fitted to the other folds."""
    fold = np.random.default_rng(0).permutation(len(examples)) % FOLDS
    fitted = [fit([case for case, its in zip(examples, fold, strict=True) if its != number]) for number in range(FOLDS)]
    return [case.best(fitted[its]) for case, its in zip(examples, fold, strict=True)]


def main() -> None:
    """Print the weights, and the gain over the order of the search on questions that were not fitted to."""
    load_corpus(workspace())
    examples = cases(stage_named("reranked"), golden_questions("dev"))
    weights = fit(examples)
    print({name: round(float(weight), 1) for name, weight in zip(WEIGHTS, weights, strict=True)})
    print(f"EVEN = {even(examples, weights):.1f}")
    new = [retrieval_metrics(case.question, best) for case, best in zip(examples, unseen(examples), strict=True)]
    old = [retrieval_metrics(case.question, case.documents[:5]) for case in examples]
    for metric in ("recall@5", "ndcg@10", "mrr@10"):
        values = [[metrics[metric] for metrics in side] for side in (old, new)]
        print(paired_gain("search", "unseen", metric, *values))


if __name__ == "__main__":
    main()
