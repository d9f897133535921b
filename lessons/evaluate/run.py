"""One call that evaluates stages on the golden set or on a folder in BEIR layout."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from lessons.context.device import Answering
from lessons.errors import LessonsError
from lessons.evaluate.answered_by import announcement, forecast, stood_in
from lessons.evaluate.beir import read_beir
from lessons.evaluate.ceiling import ceiling
from lessons.evaluate.evaluate import answers
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import Golden, golden_questions, sample
from lessons.evaluate.judge.judge import LONGEST_REFERENCE, is_judged, is_unanswerable
from lessons.evaluate.throwaway import throwaway_stages
from lessons.ingest.index import Index
from lessons.library import ensure_corpus, load_corpus, shipped_documents
from lessons.models.embedding import identity
from lessons.models.llm import describe
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.stages import stage_named
from lessons.rag.types import Scope
from lessons.workspace import Workspace, workspace

OWNER = "evaluation"
"""Owner of the documents in a throw-away index, so that nothing of a real owner mixes with them."""

_NOT_RECORDED = {"database_url", "openai_api_key", "openai_base_url", "data_dir"}


class Watcher(Protocol):
    """Told what is being done, how much of it is done, and how much there is in all."""

    def __call__(self, label: str, done: int, total: int, /) -> object: ...


@dataclass(frozen=True)
class _Task:
    """What is asked of which stages; `notes` is what a reader of the result has to know."""

    data: str
    split: str
    questions: list[Golden]
    stages: list[Answering]
    notes: list[str]
    index: Index  # of which the evidence is taken for the ceiling


def evaluate(
    stages: Sequence[Answering],
    split: str | None = None,
    data: Path | None = None,
    limit: int | None = None,
    sample_seed: int = 0,
    watch: Watcher = lambda label, done, total: None,
    place: Workspace | None = None,
    own: Sequence[Golden] = (),
    tell: Callable[[str], object] = lambda line: None,
) -> Evaluation:
    """Ask the questions of a split of all stages and measure the answers.

    Without `data` these are the golden questions over the shipped documents, `dev` by default. With a folder in BEIR
    layout its whole corpus is searched, in an index that is gone afterwards. `own` questions of a reader are asked on
    the reader's own documents. `limit` draws that many questions, the same for the same `sample_seed`; without one,
    that of the settings holds, which spares money on a paid model. LessonsError if a document or question cannot be
    used.

    Last, the model is asked with the evidence given instead of searched: the ceiling of every stage's correctness.
    `tell` is given what a served model is about to be asked, and after the first answer of a stage what all will take.
    """
    place = place or workspace()
    limit = limit or place.settings.evaluation_questions
    prepare = partial(_own, own) if own else _golden if data is None else partial(_beir, data)
    with prepare(stages, split, limit, sample_seed, watch, place) as task:
        _warm_up(place)
        served = announcement(place.llm, len(task.questions), len(task.stages))
        if served:
            tell(served)
        records: list[Record] = []
        for record in answers(task.stages, task.questions):
            if served and record.stage not in {each.stage for each in records}:
                tell(forecast(record, len(task.questions)))
            records.append(record)
            watch("Asking", len(records), len(task.stages) * len(task.questions))
        there = task.stages[-1].workspace or place
        given = tuple(ceiling(task.questions, task.index, there, partial(watch, "Asking with the evidence given")))
    few = _too_few(len(task.questions), place.settings.gate_questions)
    notes = (*task.notes, *_not_judged(task.questions), *few, *stood_in(records, describe(place.llm)))
    return Evaluation(task.data, task.split, tuple(records), _in_force(place), notes=notes, ceiling=given)


@contextmanager
def _golden(
    stages: Sequence[Answering], split: str | None, limit: int | None, seed: int, watch: Watcher, place: Workspace
) -> Iterator[_Task]:
    split = split or "dev"
    questions = sample(golden_questions(split), limit, seed)
    index = stage_named("enhanced").index
    targets = list({each.name: each for each in (*(stage.index for stage in stages), index)}.values())
    loaded = load_corpus(place, lambda done, total: watch("Loading the shipped documents", done, total), targets)
    if failed := [result.source_file for result in loaded if result.status == "failed"]:
        raise LessonsError(f"{failed[0]} could not be read, so nothing was measured; restore data/corpus.")
    here = [stage.but(stage.name, workspace=place) for stage in stages]
    yield _Task("golden", split, questions, here, _own_documents(here, questions, place), index)


@contextmanager
def _own(
    questions: Sequence[Golden],
    stages: Sequence[Answering],
    split: str | None,
    limit: int | None,
    seed: int,
    watch: Watcher,
    place: Workspace,
) -> Iterator[_Task]:
    here = [stage.but(stage.name, workspace=place) for stage in stages]
    for owner in dict.fromkeys(question.owner for question in questions):
        ensure_corpus(place, owner, lambda done, total: watch("Loading the shipped documents", done, total))
        if not all(place.store(stage.index).documents(Scope(owner)) for stage in here):
            raise LessonsError(f"{owner} has no documents to ask about; ingest some first.")
    yield _Task("own questions", "own", sample(questions, limit, seed), here, [], here[-1].index)


@contextmanager
def _beir(
    folder: Path,
    stages: Sequence[Answering],
    split: str | None,
    limit: int | None,
    seed: int,
    watch: Watcher,
    place: Workspace,
) -> Iterator[_Task]:
    found = read_beir(folder, split)
    questions = [replace(question, owner=OWNER) for question in sample(found.questions, limit, seed)]
    with throwaway_stages(
        stages, found.documents, Scope(OWNER), place, lambda done, total: watch("Indexing", done, total)
    ) as there:
        yield _Task(found.name, found.split, questions, there, found.warnings, there[-1].index)


def _warm_up(place: Workspace) -> None:
    """Load what is loaded on first use, weights and tokenizer, so that no question's latency includes it."""
    place.embedding.get_query_embedding("warm up")
    ExactTokenCounter(place.settings.llm_model).count("warm up")


def _not_judged(questions: Sequence[Golden]) -> list[str]:
    """Says so when questions have a reference that the judge cannot compare with an answer."""
    known = [question for question in questions if question.answer]
    left = sum(not is_judged(question) and not is_unanswerable(question) for question in known)
    return (
        [
            f"Correctness leaves out {left} of {len(questions)} questions: their reference answers have more than "
            f"{LONGEST_REFERENCE} words, too many to be judged without key facts."
        ]
        if left
        else []
    )


def _too_few(asked: int, least: int) -> list[str]:
    """Says so when chance alone could have made the numbers."""
    if asked >= least:
        return []
    counted = "One question decides" if asked == 1 else f"{asked} questions decide"
    return [f"{counted} nothing, and the true intervals are wider than these: ask at least {least}."]


def _own_documents(stages: Sequence[Answering], questions: Sequence[Golden], place: Workspace) -> list[str]:
    """Says so when documents beside the shipped ones are searched, which the golden questions know nothing of."""
    shipped = {document["path"] for document in shipped_documents()}
    searched = {
        document.source_file
        for stage in stages
        for owner in {question.owner for question in questions}
        for document in place.store(stage.index).documents(Scope(owner))
    }
    own = len(searched - shipped)
    return [f"{own} documents beside the shipped ones were searched, too; the numbers depend on them."] if own else []


def _in_force(place: Workspace) -> dict[str, Any]:
    """The settings that a result depends on: no secret, and no path of this machine."""
    embedding, _ = identity(place.embedding)
    chosen = place.settings.model_dump(mode="json", exclude=_NOT_RECORDED)
    return chosen | {"answers": describe(place.llm), "embedding": embedding}
