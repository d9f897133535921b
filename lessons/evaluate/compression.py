"""What compression costs: the same documents at a share of their tokens, and how many answers are still right."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.evaluate.canvas import canvas
from lessons.evaluate.compare import interval
from lessons.evaluate.golden import Golden
from lessons.evaluate.judge.judge import judge
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import standalone
from lessons.rag.stages import Stage
from lessons.rag.types import Compressor, Context, Query, Resources, Scope
from lessons.tables import html_table
from lessons.trace import Step
from lessons.workspace import workspace

METHODS: Mapping[str, Compressor] = {
    "cut off": CutOff(),
    "extractive": Extractive(),
    "abstractive": Abstractive(),
    "hybrid": Hybrid(),
}
SHARES = (0.5, 0.25)
_COLOURS = dict(zip(METHODS, ("#79706e", "#4c78a8", "#f58518", "#54a24b"), strict=True))


@dataclass(frozen=True)
class Compressed:
    """One question answered from the context that a method left. Tokens are estimates, correctness 0, 0.5 or 1."""

    method: str
    share: float
    question_id: str
    language: str
    correctness: float
    tokens: int
    llm_calls: int


@dataclass(frozen=True, repr=False)
class CompressionResults:
    """All answers; the share 1.0 is the whole context, the same for every method."""

    records: tuple[Compressed, ...]

    def of(self, method: str, share: float) -> list[Compressed]:
        return [one for one in self.records if one.share == share and (share == 1.0 or one.method == method)]

    def correctness(self, method: str, share: float) -> list[float]:
        return [one.correctness for one in self.of(method, share)]

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(one.method for one in self.records if one.share < 1))

    @property
    def shares(self) -> list[float]:
        return sorted({one.share for one in self.records}, reverse=True)

    def __repr__(self) -> str:
        lines = [" ".join(row) for row in self._rows()]
        return "\n".join([f"Correctness of {len(self.of('', 1.0))} answers by share of the tokens", *lines])

    def _repr_html_(self) -> str:
        head = ["correctness (fully right) at a share of the tokens", *(f"{share:.0%}" for share in self.shares)]
        title = html.escape(f"{len(self.of('', 1.0))} questions")
        return f"<p>{title}</p>" + html_table(head, self._rows())

    def _rows(self) -> list[list[str]]:
        return [[method, *(self._cell(method, share) for share in self.shares)] for method in self.methods]

    def _cell(self, method: str, share: float) -> str:
        values = self.correctness(method, share)
        low, high = interval(values)
        return f"{np.mean(values):.2f} [{low:.2f}, {high:.2f}] ({np.mean(np.equal(values, 1)):.2f})"


def compression(
    stage: Stage,
    questions: Sequence[Golden],
    methods: Mapping[str, Compressor] = METHODS,
    shares: Sequence[float] = SHARES,
) -> CompressionResults:
    """Answer each question from its whole context and from what every method leaves of it at every share."""
    place = stage.workspace or workspace()
    resources, records = place.resources(stage.index), list[Compressed]()
    for question in questions:
        whole = stage.ask(question.question, user=question.owner, history=question.history)
        records.append(_record("whole", 1.0, question, whole, 0))
        query = Query(standalone(whole.trace, question.question), Scope(question.owner))
        for share in shares:
            builder = ContextBuilder(int(share * whole.context.total_tokens))
            for name, method in methods.items():
                context, calls = _compressed(method, query, whole.context, builder, resources)
                answer = Answer(question.question, name, describe(place.llm), context=context)
                list(respond(answer, place.llm, query.text))
                records.append(_record(name, share, question, answer, calls))
    return CompressionResults(tuple(records))


def plot_compression(results: CompressionResults) -> Figure:
    """Correctness against the share of the tokens that is left, a line for each method, with 95 % intervals."""
    figure, axes = canvas(6, 4)
    for place, method in enumerate(results.methods):
        values = [results.correctness(method, share) for share in results.shares]
        means = np.array([np.mean(each) for each in values])
        low, high = np.array([interval(each) for each in values]).T
        shown = [100 * share + 1.2 * (place - len(results.methods) / 2) for share in results.shares]
        line: dict[str, Any] = {"label": method, "color": _COLOURS.get(method)}
        axes.errorbar(shown, means, yerr=[means - low, high - means], fmt="o-", capsize=3, **line)
    axes.set(xlabel="tokens of the context that are left (%)", ylabel="correctness, mean with 95 % interval")
    axes.set_ylim(0, 1.02)
    axes.set_title("What is still answered from a shorter context")
    axes.legend(frameon=False, loc="lower right")
    return figure


def _compressed(
    method: Compressor, query: Query, whole: Context, builder: ContextBuilder, resources: Resources
) -> tuple[Context, int]:
    """The context that a method leaves, and the model calls it took."""
    step, documents = Step("compress"), list(whole.documents)
    if builder.overflows(documents):
        documents = method.compress(query, documents, builder, resources, step)
    return builder.build(documents), step.llm_calls


def _record(method: str, share: float, question: Golden, answer: Answer, calls: int) -> Compressed:
    correctness = judge(question, answer).correctness
    return Compressed(method, share, question.id, question.language, correctness, answer.context.total_tokens, calls)
