"""What is saved around a stage, and what that costs in right answers: by compression, and by each wrapper."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from lessons.context.active import WRAPPERS
from lessons.context.cache import Cached
from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.context.wrapper import Answering
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import Golden, golden_questions, json_lines, sample
from lessons.evaluate.run import measure
from lessons.models.keyless import utterances
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import Stage, standalone
from lessons.rag.types import Compressor, Query, Scope
from lessons.rag.workspace import workspace as default_workspace
from lessons.settings import ROOT, settings
from lessons.text import language, normalize
from lessons.trace import Step

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
) -> Evaluation:
    """Answer each question from its whole context and from what every method leaves of it at every share.

    The methods are the "stages" of the result, the shares of the tokens its categories; 100 % is the whole context.
    """
    workspace = stage.workspace or default_workspace()
    resources, records = workspace.resources(stage.index), list[Record]()
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
                answer = Answer(question.question, name, describe(workspace.llm), context=builder.build(documents))
                list(respond(answer, workspace.llm, query.text))
                records.append(replace(measure(question, answer), category=f"{share:.0%}"))
    return Evaluation("golden", questions[0].split, tuple(records))


# What each wrapper saves on a day at the help desk

REWORDED = ROOT / "data" / "context" / "reworded.jsonl"
REPEATED = 110  # questions that are drawn again
SMALL_TALK = 20

NONE, ALL = "none", "all"
CHAT = "chat"  # the category of small talk, whose answers are not judged


def workload() -> list[Golden]:
    """Make up a day at the help desk: golden questions of *dev*, some again or reworded, and small talk; seeded."""
    draw = random.Random(0)
    first = [golden for golden in golden_questions("dev") if not golden.history]
    by_id = {golden.id: golden for golden in first}
    reworded = [replace(by_id[line["id"]], question=line["question"]) for line in json_lines(REWORDED)]
    popular = [1 / rank for rank in range(1, len(first) + 1)]  # Zipf's law
    repeated = draw.choices(draw.sample(first, len(first)), popular, k=REPEATED)
    small_talk = draw.sample([line.text for line in utterances() if line.intent == "chat"], SMALL_TALK)
    questions = [*first, *reworded, *repeated, *map(chat, small_talk)]
    draw.shuffle(questions)
    return questions


def chat(text: str) -> Golden:
    """Make small talk a question."""
    return Golden(CHAT, text, language(text), CHAT, owner=settings().user)


def savings(stage: Stage, questions: Sequence[Golden]) -> Evaluation:
    """Serve the workload with no wrapper, with each alone, and with all together, each from an empty cache."""
    questions = sample(questions)
    stacked: Answering = stage
    for wrapper in WRAPPERS.values():
        stacked = wrapper(stacked)
    variants = {NONE: stage} | {name: wrapper(stage) for name, wrapper in WRAPPERS.items()} | {ALL: stacked}
    records = (_serve(name, variant, questions) for name, variant in variants.items())
    return Evaluation("workload", "dev", tuple(chain.from_iterable(records)))


def _serve(name: str, variant: Answering, questions: Sequence[Golden]) -> Iterator[Record]:
    """Answer the questions in order; without a cache, a repeated question costs what it did before."""
    ids = {" ".join(normalize(golden.question).split()): golden.id for golden in questions}
    records: dict[tuple[str, str], Record] = {}
    _empty_cache(variant, questions)
    for number, golden in enumerate(questions):
        key = golden.question, golden.owner
        if key not in records or isinstance(variant, Cached):
            answer = variant.ask(golden.question, user=golden.owner)
            record, wrong = measure(golden, answer), bool(answer.from_cache) and ids[answer.from_cache] != golden.id
            judged = {} if golden.category == CHAT else record.metrics
            metrics = judged | _costs(answer) | {"wrong hit": float(wrong)}
            records[key] = replace(record, stage=name, metrics=metrics)
        yield replace(records[key], question_id=str(number))
    _empty_cache(variant, questions)


def _costs(answer: Answer) -> dict[str, float]:
    """Count chunks that were read and cache hits; add to which share documents were compressed, if they were."""
    steps = [step for step in answer.trace if step.name == "compress"]
    original = sum(document.estimated_tokens for step in steps for document in step.input or ())
    compressed = sum(document.estimated_tokens for step in steps for document in step.output or ())
    chunks = 0 if answer.from_cache else len(answer.context.documents)
    costs = {"chunks": float(chunks), "hit": float(bool(answer.from_cache))}
    return costs | ({"ratio": compressed / original} if original else {})


def _empty_cache(variant: Answering, questions: Sequence[Golden]) -> None:
    if isinstance(variant, Cached):
        for owner in {golden.owner for golden in questions}:
            variant.clear(owner)
