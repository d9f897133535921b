"""What is saved around a stage, and what that costs in right answers: by intents, by compression, by each wrapper."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from matplotlib.figure import Figure

from lessons.context.active import WRAPPERS
from lessons.context.cache import Cached
from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.context.intent import Intent
from lessons.context.wrapper import Answering
from lessons.evaluate.evaluation import Evaluation, EvaluationTable, Record, compare_records, mean
from lessons.evaluate.golden import Golden, golden_questions, json_lines, sample
from lessons.evaluate.plots import plot_cost
from lessons.evaluate.run import answers, measure
from lessons.language import _
from lessons.models.keyless import INTENTS, utterances
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import Stage, standalone
from lessons.rag.types import Compressor, Query, Scope
from lessons.rag.workspace import workspace
from lessons.settings import ROOT, settings
from lessons.tables import Table
from lessons.text import language, normalize
from lessons.trace import Step

# What an intent saves


def intent_cost(stage: Stage, questions: Sequence[Golden]) -> Table:
    """Ask each question of the stage alone, by intent, and as if every question had the same intent."""
    forced = [Intent(stage, always=each, name=f"always {each}") for each in INTENTS]
    ways: list[Answering] = [stage, Intent(stage, name="by intent"), *forced]
    return costs(Evaluation("golden", questions[0].split, tuple(answers(ways, questions))))


def costs(run: Evaluation) -> Table:
    """A row for each way of the run: correctness, the difference to the first way, outcomes, tokens of a question."""
    rows, plain = [], run.stages[0]
    for way in run.stages:
        gain, of = compare_records(run.of(plain), run.of(way), "correctness", plain, way), run.summary(way)
        told = [of.with_interval("correctness"), gain.with_interval if way != plain else "", of.outcomes]
        rows.append([way, *told, f"{of.tokens:,.0f}"])
    head = [
        "",
        "correctness (half points)",
        "against the stage",
        "right · half · refused · wrong (%)",
        "tokens a question",
    ]
    return Table([*map(_, head)], rows)


# What compression saves: the same documents at a share of their tokens

METHODS: Mapping[str, Compressor] = {
    "cut off": CutOff(),
    "extractive": Extractive(),
    "abstractive": Abstractive(),
    "hybrid": Hybrid(),
}
WHOLE = "whole"


def compression(
    stage: Stage,
    questions: Sequence[Golden],
    methods: Mapping[str, Compressor] = METHODS,
    shares: Sequence[float] = (0.5, 0.25),
) -> EvaluationTable:
    """Answer each question from its whole context and from what every method leaves of it at every share."""
    place = stage.workspace or workspace()
    resources, records = place.resources(stage.index), list[Record]()
    for question in sample(questions):
        whole = stage.ask(question.question, user=question.owner, history=question.history)
        records.append(replace(measure(question, whole), stage=WHOLE, category="100%"))
        query = Query(standalone(whole.trace, question.question), Scope(question.owner))
        for share in shares:
            builder = ContextBuilder(int(share * whole.context.total_tokens))
            for name, method in methods.items():
                documents = list(whole.context.documents)
                if builder.overflows(documents):
                    documents = method.compress(query, documents, builder, resources, Step("compress"))
                answer = Answer(question.question, name, describe(place.llm), context=builder.build(documents))
                list(respond(answer, place.llm, query.text))
                records.append(replace(measure(question, answer), category=f"{share:.0%}"))
    return compression_table(Evaluation("golden", questions[0].split, tuple(records)))


def compression_table(evaluation: Evaluation) -> EvaluationTable:
    """The answers by method and, as their category, the share of the tokens it left; 100 % is the whole context."""
    whole, *shares = evaluation.groups("category")

    def said(method: str, share: str) -> str:
        summary = evaluation.summary(method, category=share)
        return f"{summary.with_interval('correctness')} ({summary.outcomes})"

    methods = [name for name in evaluation.stages if name != WHOLE]
    rows = [[name, said(WHOLE, whole), *(said(name, share) for share in shares)] for name in methods]
    head = [_("correctness (right · half · refused · wrong, %) at a share of the tokens"), whole, *shares]
    caption = _("{number} questions", number=len(evaluation.of(WHOLE)))
    return EvaluationTable(head, rows, caption, evaluation=evaluation)


# What each wrapper saves on a day at the help desk

REWORDED = ROOT / "data" / "context" / "reworded.jsonl"
REPEATED = 110  # questions that are drawn again
SMALL_TALK = 20

NONE, ALL = "none", "all"
CHAT = "chat"  # the category of small talk, whose answers are not judged


def workload() -> list[Golden]:
    """A day at the help desk, the same each time: golden questions of *dev*, some again or reworded, and small talk."""
    draw = random.Random(0)
    first = [golden for golden in golden_questions("dev") if not golden.history]
    known = {golden.id: golden for golden in first}
    again = [replace(known[line["id"]], question=line["question"]) for line in json_lines(REWORDED)]
    popular = [1 / rank for rank in range(1, len(first) + 1)]  # Zipf's law
    repeated = draw.choices(draw.sample(first, len(first)), popular, k=REPEATED)
    small_talk = draw.sample([each.text for each in utterances() if each.intent == "chat"], SMALL_TALK)
    asked = [*first, *again, *repeated, *map(chat, small_talk)]
    draw.shuffle(asked)
    return asked


def chat(text: str) -> Golden:
    """Small talk, as something that is asked."""
    return Golden(CHAT, text, language(text), CHAT, owner=settings().user)


_HEAD = [
    "wrapper",
    "calls",
    "tokens",
    "$ / 1,000",
    "hits",
    "chunks",
    "ratio",
    "right",
    "wrong",
    "correctness",
    "change",
]


def _row(way: str, records: Sequence[Record], alone: Sequence[Record]) -> list[str]:
    hits, wrong = (int(sum(each.value(part) for each in records)) for part in ("hit", "wrong hit"))
    return [
        way,
        f"{mean(records, 'llm_calls'):.2f}",
        f"{mean(records, 'tokens'):,.0f}",
        f"{1_000 * mean(records, 'cost'):.2f}",
        f"{hits} ({wrong} wrong)" if hits else "0",
        f"{mean(records, 'chunks'):.1f}",
        f"{mean(records, 'ratio'):.2f}".replace("nan", "–"),
        f"{mean(records, 'right'):.3f}",
        f"{mean(records, 'wrong'):.3f}",
        f"{mean(records, 'correctness'):.3f}",
        "" if way == NONE else compare_records(alone, records, "correctness", NONE, way).with_interval,
    ]


def savings(stage: Stage, asked: Sequence[Golden]) -> EvaluationTable:
    """Serve the workload with no wrapper, with each alone, and with all together, each way from an empty cache."""
    asked = sample(asked)
    every: Answering = stage
    for wrapper in WRAPPERS.values():
        every = wrapper(every)
    ways = {NONE: stage} | {name: wrapper(stage) for name, wrapper in WRAPPERS.items()} | {ALL: every}
    served = {name: list(_serve(name, way, asked)) for name, way in ways.items()}
    rows = [_row(name, records, served[NONE]) for name, records in served.items()]
    evaluation = Evaluation("workload", "dev", tuple(chain.from_iterable(served.values())))
    caption = _("{number} questions, means over all of them", number=len(asked))
    return EvaluationTable([*map(_, _HEAD)], rows, caption, evaluation=evaluation)


def _serve(name: str, way: Answering, asked: Sequence[Golden]) -> Iterator[Record]:
    """Without a cache an answer depends on its question only, so a question asked again costs what it did before."""
    ids = {" ".join(normalize(each.question).split()): each.id for each in asked}
    known: dict[tuple[str, str], Record] = {}
    _empty_cache(way, asked)
    for number, each in enumerate(asked):
        key = each.question, each.owner
        if key not in known or isinstance(way, Cached):
            answer = way.ask(each.question, user=each.owner)
            record, wrong = measure(each, answer), bool(answer.from_cache) and ids[answer.from_cache] != each.id
            judged = {} if each.category == CHAT else record.metrics
            metrics = judged | _costs(answer) | {"wrong hit": float(wrong)}
            known[key] = replace(record, stage=name, metrics=metrics)
        yield replace(known[key], question_id=str(number))
    _empty_cache(way, asked)


def _costs(answer: Answer) -> dict[str, float]:
    """Chunks that were read, whether the cache answered, and to which share documents were compressed, if they were."""
    compressed = [step for step in answer.trace if step.name == "compress"]
    before = sum(document.estimated_tokens for step in compressed for document in step.input or ())
    after = sum(document.estimated_tokens for step in compressed for document in step.output or ())
    chunks = 0 if answer.from_cache else len(answer.context.documents)
    costs = {"chunks": float(chunks), "hit": float(bool(answer.from_cache))}
    return costs | ({"ratio": after / before} if before else {})


def _empty_cache(way: Answering, asked: Sequence[Golden]) -> None:
    if isinstance(way, Cached):
        for owner in {each.owner for each in asked}:
            way.clear(owner)


def plot_savings(savings: EvaluationTable) -> Figure:
    """Correctness with its 95 % interval over the cost of 1,000 questions, a point for each way."""
    figure = plot_cost(savings.evaluation, "correctness")
    figure.axes[0].set_title("What each wrapper saves, and what it costs")
    return figure
