"""What compression costs: the same documents at a share of their tokens, and how many answers are still right."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.evaluate.evaluation import Evaluation, EvaluationTable, Record
from lessons.evaluate.golden import Golden
from lessons.evaluate.run import measure
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.stages import Stage, standalone
from lessons.rag.types import Compressor, Context, Query, Resources, Scope
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


def compression(
    stage: Stage,
    questions: Sequence[Golden],
    methods: Mapping[str, Compressor] = METHODS,
    shares: Sequence[float] = SHARES,
) -> EvaluationTable:
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
    return compression_table(Evaluation("golden", questions[0].split, tuple(records)))


def compression_table(evaluation: Evaluation) -> EvaluationTable:
    """The answers by method and, as their category, the share of the tokens that it left.

    At 100 % all methods have the answers of the whole context.
    """
    whole, *shares = evaluation.groups("category")
    rows = []
    for method in [name for name in evaluation.stages if name != WHOLE]:
        summaries = [evaluation.summary(WHOLE, category=whole)]
        summaries += [evaluation.summary(method, category=share) for share in shares]
        said = (f"{each.with_interval('correctness')} ({each.means['strict']:.2f})" for each in summaries)
        rows.append([method, *said])
    head = ["correctness (fully right) at a share of the tokens", whole, *shares]
    return EvaluationTable(head, rows, f"{len(evaluation.of(WHOLE))} questions", evaluation=evaluation)


def _compressed(
    method: Compressor, query: Query, whole: Context, builder: ContextBuilder, resources: Resources
) -> Context:
    documents = list(whole.documents)
    if builder.overflows(documents):
        documents = method.compress(query, documents, builder, resources, Step("compress"))
    return builder.build(documents)


def _record(method: str, share: float, question: Golden, answer: Answer) -> Record:
    return replace(measure(question, answer), stage=method, category=f"{share:.0%}")
