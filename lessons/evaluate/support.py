"""How often the copilot does the right thing, on support questions labelled before it was built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lessons.copilot.copilot import Copilot, CopilotAnswer
from lessons.evaluate.compare import Interval, interval, mean_with_interval
from lessons.evaluate.golden import json_lines, sample
from lessons.evaluate.judge.judge import states
from lessons.settings import ROOT
from lessons.tables import Table

QUESTIONS = ROOT / "data" / "copilot" / "questions.jsonl"
SPOKEN = ("answered", "best_effort")


@dataclass(frozen=True)
class SupportQuestion:
    """What somebody asks, after what was said before, and what should come of it."""

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

    asked: SupportQuestion
    answer: CopilotAnswer

    @property
    def right(self) -> bool:
        """Every fact stated, or exactly the fallback that was to come."""
        if self.asked.outcome != "answered":
            return self.answer.outcome == self.asked.outcome
        stated = all(states(fact, self.answer.text) for fact in self.asked.facts)
        return self.answer.outcome in SPOKEN and stated

    @property
    def safe(self) -> bool:
        """The same, and any fallback will do where one was to come."""
        return self.right if self.asked.outcome == "answered" else self.answer.outcome not in SPOKEN


@dataclass(frozen=True, repr=False)
class SupportRun:
    """All questions of a split, handled."""

    handled: tuple[Handled, ...]

    def mean(self, of: Callable[[Handled], float]) -> float:
        return sum(map(of, self.handled)) / len(self.handled)

    @property
    def right(self) -> tuple[float, Interval]:
        """The share that is right, with its 95 % interval."""
        return self.mean(lambda each: each.right), interval([each.right for each in self.handled])

    @property
    def wrong(self) -> list[Handled]:
        return [each for each in self.handled if not each.right]

    def __repr__(self) -> str:
        return f"{mean_with_interval(*self.right)} of {len(self.handled)} questions handled rightly"

    def _repr_html_(self) -> str:
        kinds = dict.fromkeys(each.asked.kind for each in self.handled)
        parts = {kind: SupportRun(tuple(each for each in self.handled if each.asked.kind == kind)) for kind in kinds}
        head = ["", "n", "right, 95 % interval", "right or declined", "calls", "model calls", "tokens"]
        return Table(head, [part._row(name) for name, part in {**parts, "all": self}.items()])._repr_html_()

    def _row(self, name: str) -> list[str]:
        return [
            name,
            str(len(self.handled)),
            mean_with_interval(*self.right),
            f"{self.mean(lambda each: each.safe):.2f}",
            f"{self.mean(lambda each: len(each.answer.gathered.calls)):.1f}",
            f"{self.mean(lambda each: each.answer.trace.llm_calls):.1f}",
            f"{self.mean(lambda each: each.answer.trace.tokens):,.0f}",
        ]


def support_questions(split: str) -> list[SupportQuestion]:
    """The labelled questions of a split, dev or test."""
    return [SupportQuestion(**line) for line in json_lines(QUESTIONS) if line["split"] == split]


def handle(copilot: Copilot, split: str = "dev", user: str | None = None) -> SupportRun:
    asked = sample(support_questions(split))
    answers = (copilot.ask(one.question, user=user, history=[(by, said) for by, said in one.history]) for one in asked)
    return SupportRun(tuple(map(Handled, asked, answers)))
