"""What compression costs: the same documents at a share of their tokens, and how many answers are still right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from matplotlib.figure import Figure

from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.evaluate.canvas import canvas
from lessons.evaluate.evaluation import Evaluation, Record, Summary
from lessons.evaluate.golden import Golden
from lessons.evaluate.run import measure
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.stages import Stage, standalone
from lessons.rag.types import Compressor, Context, Query, Resources, Scope
from lessons.tables import Table
from lessons.trace import Step
from lessons.workspace import workspace

METHODS: Mapping[str, Compressor] = {
    "cut off": CutOff(),
    "extractive": Extractive(),
    "abstractive": Abstractive(),
    "hybrid": Hybrid(),
}
SHARES = (0.5, 0.25)
WHOLE = "whole"
_COLOURS = dict(zip(METHODS, ("#79706e", "#4c78a8", "#f58518", "#54a24b"), strict=True))


@dataclass(frozen=True, repr=False)
class CompressionResults(Table):
    """The answers by method and, as their category, the share of the tokens that it left; `whole` is the context."""

    evaluation: Evaluation = field(kw_only=True)

    @classmethod
    def of(cls, evaluation: Evaluation) -> "CompressionResults":
        head = ["correctness (fully right) at a share of the tokens", *evaluation.groups("category")]
        rows = [
            [method, *(f"{each.with_interval('correctness')} ({each.means['strict']:.2f})" for each in summaries)]
            for method, summaries in by_method(evaluation).items()
        ]
        return cls(head, rows, f"{len(evaluation.of(WHOLE))} questions", evaluation=evaluation)


def by_method(evaluation: Evaluation) -> dict[str, list[Summary]]:
    """The summaries of each method by share, the largest first; at 100 % all have the answers of the whole context."""
    whole, *shares = evaluation.groups("category")
    first = evaluation.summary(WHOLE, category=whole)
    methods = [name for name in evaluation.stages if name != WHOLE]
    return {name: [first, *(evaluation.summary(name, category=share) for share in shares)] for name in methods}


def compression(
    stage: Stage,
    questions: Sequence[Golden],
    methods: Mapping[str, Compressor] = METHODS,
    shares: Sequence[float] = SHARES,
) -> CompressionResults:
    """Answer each question from its whole context and from what every method leaves of it at every share."""
    place = stage.workspace or workspace()
    resources, records = place.resources(stage.index), list[Record]()
    for question in questions:
        whole = stage.ask(question.question, user=question.owner, history=question.history)
        records.append(_record(WHOLE, 1.0, question, whole))
        query = Query(standalone(whole.trace, question.question), Scope(question.owner))
        for share in shares:
            builder = ContextBuilder(int(share * whole.context.total_tokens))
            for name, method in methods.items():
                context = _compressed(method, query, whole.context, builder, resources)
                answer = Answer(question.question, name, describe(place.llm), context=context)
                list(respond(answer, place.llm, query.text))
                records.append(_record(name, share, question, answer))
    return CompressionResults.of(Evaluation("golden", questions[0].split, tuple(records)))


def _compressed(
    method: Compressor, query: Query, whole: Context, builder: ContextBuilder, resources: Resources
) -> Context:
    documents = list(whole.documents)
    if builder.overflows(documents):
        documents = method.compress(query, documents, builder, resources, Step("compress"))
    return builder.build(documents)


def _record(method: str, share: float, question: Golden, answer: Answer) -> Record:
    return replace(measure(question, answer), stage=method, category=f"{share:.0%}")


def plot_compression(results: CompressionResults) -> Figure:
    """Correctness against the share of the tokens that is left, a line for each method, with 95 % intervals."""
    figure, axes = canvas(6, 4)
    shares = [float(share.rstrip("%")) for share in results.evaluation.groups("category")]
    for place, (method, summaries) in enumerate(by_method(results.evaluation).items()):
        means = np.array([each.means["correctness"] for each in summaries])
        low, high = np.array([each.intervals["correctness"] for each in summaries]).T
        shown = [share + 1.2 * (place - 2) for share in shares]
        errors = [(means - low).clip(0), (high - means).clip(0)]
        axes.errorbar(shown, means, errors, fmt="o-", capsize=3, label=method, color=_COLOURS.get(method))
    axes.set(xlabel="tokens of the context that are left (%)", ylabel="correctness, mean with 95 % interval")
    axes.set(ylim=(0, 1.02), title="What is still answered from a shorter context")
    axes.legend(frameon=False, loc="lower right")
    return figure
