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
from lessons.evaluate.evaluation import WITH_EVIDENCE, Evaluation, Record
from lessons.evaluate.golden import SETS, Evidence, Golden, golden_questions, holds, sample
from lessons.evaluate.judge import LONGEST_REFERENCE, groundedness, is_judged, is_unanswerable, judge_text
from lessons.evaluate.metrics import belonging, ranking, retrieval_metrics
from lessons.evaluate.question_sets import read_beir
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
from lessons.rag.workspace import Workspace
from lessons.rag.workspace import workspace as default_workspace
from lessons.search.transforms import Condense
from lessons.settings import PATHS
from lessons.stages import by_name, stage_named
from lessons.text.sources import by_page

OWNER = "evaluation"  # of the documents in a throw-away index, so that nothing of a real owner mixes with them

# Settings that a result does not depend on, that are secret, or that are paths of this machine.
_NOT_RECORDED = PATHS | {"database_url", "openai_api_key", "openai_base_url", "recording", "evaluation_timed"}
Watcher = Callable[[str, int, int], object]  # gets what is being done, how much of it is done, and how much there is
Teller = Callable[[str], object]


class StoppedError(LessonsError):
    """Raised by a watcher to end a run, of which what was answered up to then is kept."""


@dataclass(frozen=True)
class _Task:
    """The questions for some stages; what is asked with the evidence given takes it from the index."""

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
    workspace: Workspace | None = None,
    own_questions: Sequence[Golden] = (),
    tell: Teller = lambda line: None,
    questions: str = "golden",
) -> Evaluation:
    """Ask all stages a reader's own questions, those of a BEIR folder `data`, or of one of the `SETS`; measure them.

    A BEIR corpus is searched in an index that is gone afterwards. `tell` gets what a served model will be asked, and
    after a stage's first answer what all will take. LessonsError if a document or question cannot be used, or if two
    stages have the same name.
    """
    workspace = workspace or default_workspace()
    stages = [*by_name(stage.but(stage.name, workspace=workspace) for stage in stages).values()]
    with ExitStack() as block:
        if own_questions:
            task = _own_task(own_questions, stages, watch, workspace)
        elif data:
            foreign = read_beir(data, split)
            indexing = throwaway_stages(stages, foreign.documents, Scope(OWNER), workspace, partial(watch, "Indexing"))
            trial = block.enter_context(indexing)
            owned = [replace(question, owner=OWNER) for question in foreign.questions]
            task = _Task(foreign.name, foreign.split, owned, trial, trial[-1].index, foreign.warnings)
        else:
            task = _golden_task(stages, split or "dev", watch, workspace, questions)
        asked = sample(task.questions, limit, sample_seed)
        workspace.embedding.get_query_embedding("warm up")  # so that no latency includes loading the weights
        ExactTokenCounter(workspace.settings.llm_model).count("warm up")
        records, with_evidence, stopped = list[Record](), list[Record](), False
        try:
            records.extend(_with_progress(task.stages, asked, workspace.llm, watch, tell))
            evidence_workspace = task.stages[-1].workspace or workspace
            with_evidence.extend(answers_with_evidence(asked, task.index, evidence_workspace, watch))
        except StoppedError:
            if not records:
                raise
            stopped = True
        notes = [*task.notes, *(_own_documents(task.stages, asked, workspace) if task.data in SETS else [])]
    notes += [*_sample_size_warnings(asked, workspace), *fallback_notes(records, describe(workspace.llm))]
    in_force = workspace.settings.model_dump(mode="json", exclude=_NOT_RECORDED)
    in_force |= {"answers": describe(workspace.llm), "embedding": identity(workspace.embedding)[0]}
    result = Evaluation(task.data, task.split, tuple(records), in_force, notes=tuple(notes), stopped=stopped)
    return replace(result, with_evidence=tuple(with_evidence))


def answers(stages: Sequence[Answering], questions: Sequence[Golden]) -> Iterator[Record]:
    """Yield a record for each question and stage, one answer at a time; all but the times repeats."""
    for stage in stages:
        workspace = stage.workspace or default_workspace()
        if workspace.settings.evaluation_timed and isinstance(workspace.embedding, CachedEmbedding):
            workspace.embedding.forget_questions()
        for question in sample(questions):
            yield _ask(stage, question)


def _ask(stage: Answering, question: Golden) -> Record:
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
    """Replace the verdict on a record's words by that of today's judge; a refusal has no groundedness."""
    correctness, refused = judge_text(question, record.answer)
    metrics = record.metrics | {"correctness": correctness, "belonging": belonging(question, record.answer)}
    if refused:
        metrics.pop("groundedness", None)
    metrics = {name: value for name, value in metrics.items() if not isnan(value)}
    return replace(record, metrics=metrics, refused=refused)


# What is asked of whom


def _golden_task(stages: list[Answering], split: str, watch: Watcher, workspace: Workspace, name: str) -> _Task:
    questions, index = golden_questions(split, SETS[name]), stage_named("enhanced").index
    targets = {target.name: target for target in (*(stage.index for stage in stages), index)}
    progress = partial(watch, "Loading the shipped documents")
    for result in load_corpus(workspace, progress, list(targets.values())):
        if result.status == "failed":
            raise LessonsError(f"{result.source_file} could not be read, so nothing was measured; restore data/corpus.")
    return _Task(name, split, questions, stages, index)


def _own_task(questions: Sequence[Golden], stages: list[Answering], watch: Watcher, workspace: Workspace) -> _Task:
    files, notes = dict[str, set[str]](), list[str]()
    for owner in dict.fromkeys(question.owner for question in questions):
        ensure_corpus(workspace, owner, partial(watch, "Loading the shipped documents"))
        stored = [{row.source_file for row in workspace.store(stage.index).documents(Scope(owner))} for stage in stages]
        if not all(stored):
            raise LessonsError(f"{owner} has no documents to ask about; ingest some first.")
        files[owner] = set[str]().union(*stored)
        notes += unknown_files([question for question in questions if question.owner == owner], files[owner])
    measurable = [
        replace(question, evidence=tuple(fact for fact in question.evidence if _files(fact) & files[question.owner]))
        for question in questions
    ]
    splits = " and ".join(dict.fromkeys(question.split for question in questions))
    return _Task("own questions", splits, measurable, stages, stages[-1].index, notes)


def _files(fact: Evidence) -> set[str]:
    return {passage.source_file for passage in fact.passages}


def unknown_files(questions: Sequence[Golden], stored: set[str]) -> list[str]:
    """Write a note for each file that questions rest on and that is not among the documents, with the nearest name."""
    files = set[str]().union(*(_files(fact) for question in questions for fact in question.evidence))
    notes = []
    for name in sorted(files - stored):
        if near := get_close_matches(name, sorted(stored), 1):
            notes.append(f"There is a document {near[0]}, but none named {name}: what rests on it is not measured.")
        else:
            notes.append(f"No document is named {name}: what rests on it is not measured.")
    return notes


# Given the evidence: what the model gets wrong there, a better search alone does not put right


@dataclass(frozen=True)
class OracleRetriever:
    """Instead of searching, takes the chunks that hold the evidence; if none does, those of its page or document."""

    evidence: tuple[Evidence, ...]

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        results: dict[str, RetrievedDocument] = {}
        for fact in self.evidence:
            source = fact.source_file
            nodes = resources.store.get_nodes(scope=query.scope.only([source]))
            chunks = [RetrievedDocument(node.node_id, node.get_content(), 1.0, source, node.metadata) for node in nodes]
            exact = [chunk for chunk in chunks if holds(chunk.content, fact.quote)]
            near = (chunk for chunk in chunks if fact.page in (None, *by_page(chunk.metadata)))
            results |= {chunk.id: chunk for chunk in exact or near}
        return list(results.values())


def oracle(question: Golden, index: Index, workspace: Workspace) -> Stage:
    """Make a stage that answers this one question from the chunks of its evidence."""
    retriever = OracleRetriever(question.evidence)
    return Stage(name=WITH_EVIDENCE, index=index, retriever=retriever, query=(Condense(),), workspace=workspace)


def answers_with_evidence(
    questions: Sequence[Golden], index: Index, workspace: Workspace, watch: Watcher = lambda label, done, total: None
) -> Iterator[Record]:
    """Yield a record for each question `with_known_evidence`, answered from its evidence."""
    answerable = with_known_evidence(questions)
    for done, question in enumerate(answerable, start=1):
        yield _ask(oracle(question, index, workspace), question)
        watch("Asking with the evidence given", done, len(answerable))


def with_known_evidence(questions: Sequence[Golden]) -> list[Golden]:
    """Select those whose evidence is known, and those that have none because they cannot be answered."""
    return [question for question in questions if is_unanswerable(question) or (question.evidence and question.answer)]


# What a reader of the numbers has to know


def _with_progress(
    stages: Sequence[Answering], questions: Sequence[Golden], llm: LLM, watch: Watcher, tell: Teller
) -> Iterator[Record]:
    """Yield the records of all answers; tell what they take if a served model gives them, for time and money."""
    count, begun = len(questions), set[str]()
    if is_served(llm):
        again = len(with_known_evidence(questions))
        tell(
            f"{describe(llm)} will answer {count:,} questions × {len(stages)} stage{'s' if len(stages) > 1 else ''}, "
            f"and {again:,} once more with their evidence given: {count * len(stages) + again:,} answers."
        )
    for done, record in enumerate(answers(stages, questions), start=1):
        if is_served(llm) and record.stage not in begun:
            tell(forecast(record, count))
        begun.add(record.stage)
        watch("Asking", done, count * len(stages))
        yield record


def is_served(llm: LLM) -> bool:
    """Return whether a server answers, rather than the keyless model or recorded replies, which cost nothing."""
    return not (isinstance(llm, OfflineLLM) or bool(getattr(llm, "recorded", "")))


def forecast(first: Record, questions: int) -> str:
    """Forecast from its first answer what all questions will take of a stage."""
    seconds = first.ms * questions / 1000
    lasts = f"{seconds / 60:.0f} minutes" if seconds < 7_200 else f"{seconds / 3_600:.1f} hours"
    return (
        f"{first.stage}: the first answer took {first.ms / 1000:.1f} s, {first.tokens:,} tokens, US$ {first.cost:.4f}; "
        f"{questions:,} like it take {f'{seconds:.0f} seconds' if seconds < 120 else lasts}, "
        f"{first.tokens * questions:,} tokens, US$ {first.cost * questions:.2f}."
    )


def fallback_notes(records: Sequence[Record], model: str) -> list[str]:
    """Write a note for each stage of a served model in which the keyless one did steps in its place."""
    if model.startswith(KEYLESS):
        return []
    steps = defaultdict[str, Counter[str]](Counter)
    for record in records:
        steps[record.stage].update(record.answered)
    return [
        f"{stage}: the keyless model did {models[KEYLESS]:,} of {models.total():,} steps in place of {model}; "
        "the numbers are not those of that model alone."
        for stage, models in steps.items()
        if models[KEYLESS]
    ]


def _sample_size_warnings(questions: Sequence[Golden], workspace: Workspace) -> Iterator[str]:
    """Warn where the judge cannot compare references with answers, and where chance alone could make the numbers."""
    count, least = len(questions), workspace.settings.gate_questions
    unjudged = sum(
        bool(question.answer) and not is_judged(question) and not is_unanswerable(question) for question in questions
    )
    if unjudged:
        yield (
            f"Correctness leaves out {unjudged} of {count} questions: their reference answers have more than "
            f"{LONGEST_REFERENCE} words, too many to be judged without key facts."
        )
    if count < least:
        subject = "One question decides" if count == 1 else f"{count} questions decide"
        yield f"{subject} nothing, and the true intervals are wider than these: ask at least {least}."


def _own_documents(stages: Sequence[Answering], questions: Sequence[Golden], workspace: Workspace) -> list[str]:
    """Warn if documents beside the shipped ones are searched, which the golden questions know nothing of."""
    owners = {question.owner for question in questions}
    stored = [workspace.store(stage.index).documents(Scope(owner)) for stage in stages for owner in owners]
    files = {row.source_file for rows in stored for row in rows} - {row["path"] for row in shipped_documents()}
    if not files:
        return []
    return [f"{len(files)} documents beside the shipped ones were searched, too; the numbers depend on them."]
