"""How well single decisions are made: may the cache answer a question, what is meant by it, what does the copilot do?

The cache's guard was developed on `PAIRS`. `FROZEN`, by two authors who have not read it, is only counted, and so is
`TEST`, by one who had not read the classifier. Both hold as many Korean as English questions. The copilot's support
questions were labelled before it was built.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from matplotlib.figure import Figure

from lessons.context.guard import differences
from lessons.context.intent import decide
from lessons.copilot.copilot import Copilot, CopilotAnswer
from lessons.evaluate.compare import interval, mean_with_interval
from lessons.evaluate.golden import json_lines, sample
from lessons.evaluate.judge import states
from lessons.evaluate.plots import canvas
from lessons.language import _
from lessons.models.keyless import EXAMPLES, Utterance, utterances
from lessons.settings import ROOT, settings
from lessons.trace import Step

# The cache

PAIRS = ROOT / "data" / "context" / "cache_pairs.jsonl"
FROZEN = ROOT / "data" / "context" / "cache_pairs_frozen.jsonl"


@dataclass(frozen=True)
class Pair:
    """Two questions of which one was asked first. `same`: an answer to it answers the other as well."""

    asked: str
    again: str
    same: bool
    kind: str
    language: str
    id: str = ""

    def hits(self) -> bool:
        """Return whether the guard lets the second question have the answer of the first."""
        return not differences(self.asked, self.again)


def cache_pairs(path: Path = PAIRS) -> list[Pair]:
    """Read the pairs for development; with `FROZEN` those to measure on."""
    return [Pair(**line) for line in json_lines(path)]


def similarities(pairs: Sequence[Pair], embedding: BaseEmbedding) -> list[float]:
    """Compute the cosine similarity of the two questions of each pair."""
    embed = embedding.get_query_embedding
    return [float(embedding.similarity(embed(pair.asked), embed(pair.again))) for pair in pairs]


def plot_thresholds(pairs: Sequence[Pair], similarities: Sequence[float]) -> Figure:
    """Draw the share of pairs that hit by the least similarity a hit must have: alone, and behind the guard."""
    figure, axes = canvas(6.5, 4)
    thresholds = np.linspace(0.8, 1, 101)
    guarded = [similarity if pair.hits() else 0.0 for pair, similarity in zip(pairs, similarities, strict=True)]
    for name, same, colour in (("look-alikes", False, "#e45756"), ("paraphrases", True, "#54a24b")):
        rows = [number for number, pair in enumerate(pairs) if pair.same == same]
        alone, behind_guard = (
            (np.array(values)[rows] >= thresholds[:, None]).mean(axis=1) for values in (similarities, guarded)
        )
        axes.plot(thresholds, alone, color=colour, linestyle="--", label=f"{name}, similarity alone")
        axes.plot(thresholds, behind_guard, color=colour, label=f"{name}, with the guard")
    axes.axvline(settings().cache_similarity, color="grey", linewidth=0.8)
    axes.set(xlabel="least similarity of a hit (the line: the default)", ylabel="share of the pairs that hit")
    axes.set_title("No threshold tells look-alikes from paraphrases")
    axes.legend(frameon=False, fontsize=8)
    return figure


# Intents

TEST = EXAMPLES.with_name("intent_test.jsonl")


@dataclass(frozen=True, repr=False)
class Recognised:
    """Utterances, each with the intent that was recognised."""

    pairs: tuple[tuple[Utterance, str], ...]

    @property
    def accuracy(self) -> float:
        return float(np.mean([utterance.intent == intent for utterance, intent in self.pairs]))

    def only(self, condition: Callable[[Utterance], bool]) -> "Recognised":
        """Select a part of the utterances, such as those of one language."""
        return Recognised(tuple(pair for pair in self.pairs if condition(pair[0])))

    def __repr__(self) -> str:
        ends = interval([utterance.intent == intent for utterance, intent in self.pairs])
        accuracy = mean_with_interval(self.accuracy, ends)
        return _("{0} of {1} utterances recognised").format(accuracy, len(self.pairs))


def recognise(llm: LLM) -> Recognised:
    """Let a model decide the intent of every utterance of the frozen test set."""
    return Recognised(tuple((line, decide(line.text, llm, Step("intent")).intent) for line in sample(utterances(TEST))))


# The copilot

QUESTIONS = ROOT / "data" / "copilot" / "questions.jsonl"
SPOKEN = ("answered", "best_effort")


@dataclass(frozen=True)
class SupportQuestion:
    """A question with its conversation, and what should come of it."""

    id: str
    kind: str
    language: str
    question: str
    facts: Sequence[str]
    outcome: str
    history: Sequence[Sequence[str]]
    split: str


@dataclass(frozen=True)
class Handled:
    """A question and what came of it."""

    question: SupportQuestion
    answer: CopilotAnswer

    @property
    def right(self) -> bool:
        """Every fact stated, or exactly the fallback that was to come."""
        if self.question.outcome != "answered":
            return self.answer.outcome == self.question.outcome
        stated = all(states(fact, self.answer.text) for fact in self.question.facts)
        return self.answer.outcome in SPOKEN and stated


@dataclass(frozen=True, repr=False)
class SupportRun:
    """All questions of a split, handled."""

    handled: tuple[Handled, ...]

    def mean(self, value: Callable[[Handled], float]) -> float:
        return sum(map(value, self.handled)) / len(self.handled)

    @property
    def wrong(self) -> list[Handled]:
        return [result for result in self.handled if not result.right]

    def __repr__(self) -> str:
        right = [result.right for result in self.handled]
        share = mean_with_interval(self.mean(lambda result: result.right), interval(right))
        return _("{0} of {1} questions handled correctly").format(share, len(right))


def support_questions(split: str) -> list[SupportQuestion]:
    """Read the labelled questions of a split, dev or test."""
    return [SupportQuestion(**line) for line in json_lines(QUESTIONS) if line["split"] == split]


def handle(copilot: Copilot, split: str = "dev", user: str | None = None) -> SupportRun:
    """Ask the copilot every question of a split."""
    return SupportRun(
        tuple(
            Handled(line, copilot.ask(line.question, user=user, history=[(role, text) for role, text in line.history]))
            for line in sample(support_questions(split))
        )
    )
