"""One call that evaluates stages: on golden questions, on a folder in BEIR layout, or on a reader's own questions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from math import isnan
from pathlib import Path

from llama_index.core.llms import LLM

from lessons.context.wrapper import Answering
from lessons.errors import LessonsError
from lessons.evaluate.beir import read_beir
from lessons.evaluate.evaluation import WITH_EVIDENCE, Evaluation, Record
from lessons.evaluate.golden import SETS, Evidence, Golden, golden_questions, holds, sample
from lessons.evaluate.judge.judge import LONGEST_REFERENCE, groundedness, is_judged, is_unanswerable, judge_text
from lessons.evaluate.metrics import belonging, ranking, retrieval_metrics
from lessons.evaluate.throwaway import throwaway_stages
from lessons.ingest.index import Index
from lessons.library import ensure_corpus, load_corpus, shipped_documents
from lessons.models.embedding import identity
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import KEYLESS, describe, price
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.answer import Answer
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.transforms import Condense
from lessons.settings import PATHS
from lessons.stages import by_name, stage_named
from lessons.text.pages import by_page

OWNER = "evaluation"  # of the documents in a throw-away index, so that nothing of a real owner mixes with them

# Settings that a result does not depend on, that are secret, or that are paths of this machine.
_NOT_RECORDED = PATHS | {"database_url", "openai_api_key", "openai_base_url", "recording", "evaluation_timed"}
Watcher = Callable[[str, int, int], object]  # told what is being done, how much of it is done, and how much there is
Teller = Callable[[str], object]


class StoppedError(LessonsError):
    """Raised by a watcher to end a run, of which what was answered up to then is kept."""


@dataclass(frozen=True)
class _Task:
    """What may be asked of which stages; what is asked with the evidence given takes it from the index."""

    data: str
    split: str
    questions: Sequence[Golden]
    stages: list[Answering]
    index: Index
    notes: Sequence[str] = ()


def evaluate(
    stages: Sequence[Answering],
    split: str | None = None,
    data: Path | None = None,
    limit: int | None = None,
    sample_seed: int = 0,
    watch: Watcher = lambda label, done, total: None,
    place: Workspace | None = None,
    own: Sequence[Golden] = (),
    tell: Teller = lambda line: None,
    questions: str = "golden",
) -> Evaluation:
    """Ask all stages a reader's `own` questions, those of a BEIR folder `data`, or of one of the `SETS`; measure them.

    A BEIR corpus is searched in an index that is gone afterwards. `tell` hears what a served model will be asked, and
    after a stage's first answer what all will take. LessonsError if a document or question cannot be used, or if two
    stages have the same name.
    """
    place = place or workspace()
    here = [*by_name(stage.but(stage.name, workspace=place) for stage in stages).values()]
    with ExitStack() as block:
        if own:
            task = _own(own, here, watch, place)
        elif data:
            found, scope = read_beir(data, split), Scope(OWNER)
            indexing = throwaway_stages(here, found.documents, scope, place, partial(watch, "Indexing"))
            there, asked = block.enter_context(indexing), [replace(each, owner=OWNER) for each in found.questions]
            task = _Task(found.name, found.split, asked, there, there[-1].index, found.warnings)
        else:
            task = _golden(here, split or "dev", watch, place, questions)
        chosen = sample(task.questions, limit, sample_seed)
        place.embedding.get_query_embedding("warm up")  # so that no question's latency includes loading the weights
        ExactTokenCounter(place.settings.llm_model).count("warm up")
        records, given = list[Record](), list[Record]()
        try:
            records.extend(_told(task.stages, chosen, place.llm, watch, tell))
            given = [*with_evidence(chosen, task.index, task.stages[-1].workspace or place, watch)]
        except StoppedError:
            if not records:
                raise
        notes = [*task.notes, *(_own_documents(task.stages, chosen, place) if task.data in SETS else [])]
    notes += [*_doubts(chosen, place), *stood_in(records, describe(place.llm))]
    in_force = place.settings.model_dump(mode="json", exclude=_NOT_RECORDED)
    in_force |= {"answers": describe(place.llm), "embedding": identity(place.embedding)[0]}
    return Evaluation(task.data, task.split, tuple(records), in_force, notes=tuple(notes), with_evidence=tuple(given))


def answers(stages: Sequence[Answering], questions: Sequence[Golden]) -> Iterator[Record]:
    """A record for each question and stage, one at a time, so that no answer waits; all but the times repeats."""
    for stage in stages:
        place = stage.workspace or workspace()
        if place.settings.evaluation_timed and isinstance(place.embedding, CachedEmbedding):
            place.embedding.forget_questions()
        for question in sample(questions):
            yield _asked(stage, question)


def _asked(stage: Answering, question: Golden) -> Record:
    return measure(question, stage.ask(question.question, user=question.owner, history=question.history))


def measure(question: Golden, answer: Answer) -> Record:
    """Judge one answer and its ranking."""
    documents = ranking(answer)
    record = Record(
        stage=answer.stage,
        question_id=question.id,
        question=question.question,
        category=question.category,
        language=question.language,
        metrics=retrieval_metrics(question, documents) | {"groundedness": groundedness(answer)},
        answerable=not is_unanswerable(question),
        ms=answer.trace.ms,
        llm_calls=answer.trace.llm_calls,
        tokens=answer.trace.tokens,
        cost=sum(price(step.tokens_in, step.tokens_out) for step in answer.trace),
        answer=answer.text,
        retrieved=tuple(document.id for document in documents),
        warnings=tuple(answer.warnings),
        answered=dict(answer.trace.answered),
    )
    return rejudge(record, question)


def rejudge(record: Record, question: Golden) -> Record:
    """The record with today's verdict on its words; a refusal has no groundedness."""
    correctness, refused = judge_text(question, record.answer)
    metrics = record.metrics | {"correctness": correctness, "belonging": belonging(question, record.answer)}
    left_out = {name for name, value in metrics.items() if isnan(value)} | ({"groundedness"} if refused else set())
    metrics = {name: value for name, value in metrics.items() if name not in left_out}
    return replace(record, metrics=metrics, refused=refused)


# What is asked of whom


def _golden(stages: list[Answering], split: str, watch: Watcher, place: Workspace, name: str) -> _Task:
    questions, index = golden_questions(split, SETS[name]), stage_named("enhanced").index
    targets = list({each.name: each for each in [*(stage.index for stage in stages), index]}.values())
    for result in load_corpus(place, partial(watch, "Loading the shipped documents"), targets):
        if result.status == "failed":
            raise LessonsError(f"{result.source_file} could not be read, so nothing was measured; restore data/corpus.")
    return _Task(name, split, questions, stages, index)


def _own(questions: Sequence[Golden], stages: list[Answering], watch: Watcher, place: Workspace) -> _Task:
    documents, notes = dict[str, set[str]](), list[str]()
    for owner in dict.fromkeys(question.owner for question in questions):
        ensure_corpus(place, owner, partial(watch, "Loading the shipped documents"))
        stored = [{each.source_file for each in place.store(stage.index).documents(Scope(owner))} for stage in stages]
        if not all(stored):
            raise LessonsError(f"{owner} has no documents to ask about; ingest some first.")
        documents[owner] = set[str]().union(*stored)
        notes += unknown_files([each for each in questions if each.owner == owner], documents[owner])
    measured = [
        replace(each, evidence=tuple(fact for fact in each.evidence if _files(fact) & documents[each.owner]))
        for each in questions
    ]
    splits = " and ".join(dict.fromkeys(question.split for question in questions))
    return _Task("own questions", splits, measured, stages, stages[-1].index, notes)


def _files(fact: Evidence) -> set[str]:
    return {each.source_file for each in fact.places}


def unknown_files(questions: Sequence[Golden], stored: set[str]) -> list[str]:
    """A note for each file that questions rest on and that is not among the documents, with the nearest name."""
    named = set[str]().union(*(_files(fact) for question in questions for fact in question.evidence))
    notes = []
    for name in sorted(named - stored):
        if near := get_close_matches(name, sorted(stored), 1):
            notes.append(f"There is a document {near[0]}, but none named {name}: what rests on it is not measured.")
        else:
            notes.append(f"No document is named {name}: what rests on it is not measured.")
    return notes


# Given the evidence: what the model gets wrong there, a better search alone does not put right


@dataclass(frozen=True)
class Given:
    """Instead of searching, takes the chunks that hold the evidence; if none does, those of its page or document."""

    evidence: tuple[Evidence, ...]

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        found: dict[str, RetrievedDocument] = {}
        for each in self.evidence:
            source = each.source_file
            nodes = resources.store.get_nodes(scope=query.scope.only([source]))
            chunks = [RetrievedDocument(node.node_id, node.get_content(), 1.0, source, node.metadata) for node in nodes]
            holding = [chunk for chunk in chunks if holds(chunk.content, each.quote)]
            near = (chunk for chunk in chunks if each.page in (None, *by_page(chunk.metadata)))
            found |= {chunk.id: chunk for chunk in holding or near}
        return list(found.values())


def oracle(question: Golden, index: Index, place: Workspace) -> Stage:
    """A stage that answers this one question from the chunks of its evidence."""
    return Stage(
        name=WITH_EVIDENCE, index=index, retriever=Given(question.evidence), query=(Condense(),), workspace=place
    )


def with_evidence(
    questions: Sequence[Golden], index: Index, place: Workspace, watch: Watcher = lambda label, done, total: None
) -> Iterator[Record]:
    """A record for each question whose evidence is known, and for each that has none because it cannot be answered."""
    those = known(questions)
    for done, question in enumerate(those, start=1):
        yield _asked(oracle(question, index, place), question)
        watch("Asking with the evidence given", done, len(those))


def known(questions: Sequence[Golden]) -> list[Golden]:
    """Those whose evidence is known, and those that have none because they cannot be answered."""
    return [each for each in questions if is_unanswerable(each) or (each.evidence and each.answer)]


# What a reader of the numbers has to know


def _told(
    stages: Sequence[Answering], questions: Sequence[Golden], llm: LLM, watch: Watcher, tell: Teller
) -> Iterator[Record]:
    """The records of all answers. Nothing is told of the keyless model or of a record: a minute and no money."""
    served, asked, given, begun = is_asked(llm), len(questions), len(known(questions)), set[str]()
    if served:
        tell(
            f"{describe(llm)} will answer {asked:,} questions × {len(stages)} stage{'s' if len(stages) > 1 else ''}, "
            f"and {given:,} once more with their evidence given: {asked * len(stages) + given:,} answers."
        )
    for done, record in enumerate(answers(stages, questions), start=1):
        if served and record.stage not in begun:
            tell(forecast(record, asked))
        begun.add(record.stage)
        watch("Asking", done, asked * len(stages))
        yield record


def is_asked(llm: LLM) -> bool:
    """Whether a server answers, rather than the keyless model or replies on record, which cost nothing."""
    return not (isinstance(llm, OfflineLLM) or bool(getattr(llm, "recorded", "")))


def forecast(first: Record, questions: int) -> str:
    """What all questions will take of a stage, from its first answer."""
    seconds = first.ms * questions / 1000
    lasts = f"{seconds / 60:.0f} minutes" if seconds < 7_200 else f"{seconds / 3_600:.1f} hours"
    return (
        f"{first.stage}: the first answer took {first.ms / 1000:.1f} s, {first.tokens:,} tokens, US$ {first.cost:.4f}; "
        f"{questions:,} like it take {f'{seconds:.0f} seconds' if seconds < 120 else lasts}, "
        f"{first.tokens * questions:,} tokens, US$ {first.cost * questions:.2f}."
    )


def stood_in(records: Sequence[Record], model: str) -> list[str]:
    """A note for each stage of a served model in which the keyless one did steps in its place."""
    if model.startswith(KEYLESS):
        return []
    steps = defaultdict[str, Counter[str]](Counter)
    for record in records:
        steps[record.stage].update(record.answered)
    return [
        f"{stage}: the keyless model did {done[KEYLESS]:,} of {done.total():,} steps in place of {model}; "
        "the numbers are not those of that model alone."
        for stage, done in steps.items()
        if done[KEYLESS]
    ]


def _doubts(questions: Sequence[Golden], place: Workspace) -> Iterator[str]:
    """Says so when the judge cannot compare references with answers, and when chance alone could make the numbers."""
    asked, least = len(questions), place.settings.gate_questions
    if left := sum(bool(each.answer) and not is_judged(each) and not is_unanswerable(each) for each in questions):
        yield (
            f"Correctness leaves out {left} of {asked} questions: their reference answers have more than "
            f"{LONGEST_REFERENCE} words, too many to be judged without key facts."
        )
    if asked < least:
        counted = "One question decides" if asked == 1 else f"{asked} questions decide"
        yield f"{counted} nothing, and the true intervals are wider than these: ask at least {least}."


def _own_documents(stages: Sequence[Answering], questions: Sequence[Golden], place: Workspace) -> list[str]:
    """Says so when documents beside the shipped ones are searched, which the golden questions know nothing of."""
    owners = {question.owner for question in questions}
    stored = [place.store(stage.index).documents(Scope(owner)) for stage in stages for owner in owners]
    searched = {document.source_file for documents in stored for document in documents}
    own = len(searched - {document["path"] for document in shipped_documents()})
    return [f"{own} documents beside the shipped ones were searched, too; the numbers depend on them."] if own else []
