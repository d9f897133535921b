"""The command line. Exit code 0 on success, 2 on bad usage, 1 on failure; messages go to stderr, answers to stdout."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.cli_app import commands as app_commands
from lessons.cli_bench import commands as bench_commands
from lessons.cli_course import commands as course_commands
from lessons.errors import LessonsError

if TYPE_CHECKING:
    from rich.console import Console

    from lessons.answer.answer import Answer
    from lessons.ingest.enrich.cost import Estimate
    from lessons.ingest.enrich.extractors import Enrichment as Level
    from lessons.ingest.index import Index
    from lessons.ingest.pipeline import FileResult
    from lessons.ingest.scope import Scope
    from lessons.memory.manager import ConversationStream
    from lessons.workspace import Workspace

app = typer.Typer(
    help="Learn retrieval-augmented generation, one measured stage at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there at once; the other kind takes a third of a second to import
)
app.add_typer(course_commands)
app.add_typer(bench_commands)
app.add_typer(app_commands)

LISTED = 5  # names of files in a note

User = Annotated[str, typer.Option(help="Owner of the documents.", show_default="LESSONS_USER")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


class Enrichment(StrEnum):
    """How much is added to each chunk of an index that enriches its chunks."""

    NONE = "none"
    KEYWORDS = "keywords"
    FULL = "full"


class Engine(StrEnum):
    """Where files are worked on: in this process, or by the workers of a cluster."""

    LOCAL = "local"
    RAY = "ray"


class Split(StrEnum):
    """Which questions are asked."""

    DEV = "dev"
    TEST = "test"


@cache
def errors() -> "Console":
    """Where messages go: stderr. Imported on first use, as everything that `--help` does without."""
    from rich.console import Console

    return Console(stderr=True)


def main() -> None:
    """Run the command line; a known problem ends it with its sentence and exit code 1."""
    try:
        app()
    except LessonsError as error:
        errors().print(f"{error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


@app.command()
def doctor(
    as_json: AsJson = False,
    for_issue: Annotated[
        bool, typer.Option("--report", help="Print a report to paste into an issue, without secrets and paths.")
    ] = False,
) -> None:
    """Say what runs here: models, database, documents. Each line is ok or says what to do."""
    from lessons.doctor import examine
    from lessons.doctor_report import issue_report

    if for_issue:
        typer.echo(issue_report())
        return
    report = examine()
    if as_json:
        _print_json(report.as_dicts())
    else:
        typer.echo(str(report))
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    user: User = "",
    enrich: Annotated[
        Enrichment | None,
        typer.Option(help="What is added to each chunk.", show_default="full if it is free, else none"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what enriching would cost.")] = False,
    index: Annotated[str | None, typer.Option(help="Fill only this index instead of every stage's.")] = None,
    engine: Annotated[Engine, typer.Option(help="Work here, or on the Ray cluster of RAY_ADDRESS.")] = Engine.LOCAL,
    as_json: AsJson = False,
) -> None:
    """Read files or folders into the index of every stage. Known files are skipped, changed ones replaced."""
    from lessons.ingest.enrich.extractors import default_level
    from lessons.ingest.read import READERS
    from lessons.ingest.read.names import left_out, named_files
    from lessons.ingest.scope import Scope
    from lessons.library import indexes
    from lessons.models.offline.llm import OfflineLLM
    from lessons.workspace import workspace

    known = {each.name: each for each in indexes()}
    if index and index not in known:
        raise typer.BadParameter(
            f"there is no index {index!r}; the indexes are {', '.join(known)}", param_hint="--index"
        )
    targets = [known[index]] if index else list(known.values())
    files = named_files(paths, READERS)
    if unread := left_out(paths, READERS):
        told = ", ".join(unread[:LISTED]) + (f" and {len(unread) - LISTED} more" if len(unread) > LISTED else "")
        errors().print(f"Note: of a kind that cannot be read: {told}", style="yellow", markup=False, soft_wrap=True)
    place = workspace()
    scope = Scope(user or place.settings.user)
    level = enrich.value if enrich else default_level(place.llm)
    if (enrich or dry_run) and not any(target.can_enrich for target in targets):
        errors().print("Note: no index of these enriches its chunks, so --enrich changes nothing.", style="yellow")
    if dry_run or not isinstance(place.llm, OfflineLLM):
        estimates = _estimates(files, targets, level, place, scope)
        errors().print("\n".join(map(str, estimates)), highlight=False, soft_wrap=True)
        if dry_run and as_json:
            _print_json([asdict(each) for each in estimates])
    if dry_run:
        return
    report: list[dict[str, Any]] = []
    with _engine(engine, place) as ingest_files, _progress("Ingesting", hidden=as_json) as advance:
        for target in targets:
            for result in ingest_files(files, target, scope, level):
                advance(len(report) + 1, len(files) * len(targets))
                report.append({"file": result.source_file, "index": target.name} | _told(result))
    if as_json:
        _print_json(report)
    else:
        typer.echo("\n".join(map(_ingest_line, report)))
        _print_used(report)
    if not report:
        raise LessonsError("There is no file to read here; PDF, DOCX, PPTX, HTML, MD and TXT can be read.")
    if any(line["status"] == "failed" for line in report):
        raise typer.Exit(1)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in English or Korean.")],
    stage: Annotated[str, typer.Option(help="Name of a stage, or all.")] = "",
    user: User = "",
    source_file: Annotated[str | None, typer.Option(help="Search this file only.")] = None,
    filter_text: Annotated[str | None, typer.Option("--filter", help="For example: page_number >= 2")] = None,
    session: Annotated[str | None, typer.Option(help="Name of a conversation that goes on.")] = None,
    cache: Annotated[
        bool | None,
        typer.Option("--cache/--no-cache", help="Reuse earlier answers.", show_default="LESSONS_RESPONSE_CACHE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question with citations, streamed as it comes."""
    from lessons.context.cache.cache import with_cache
    from lessons.ingest.scope import Scope
    from lessons.library import ensure_corpus
    from lessons.memory.manager import Conversation
    from lessons.memory.stores import message_store
    from lessons.memory.window import NoMemory, Window
    from lessons.retrieve.filter_text import parse_filter
    from lessons.stages import stage_named, stages
    from lessons.workspace import workspace

    names = list(stages())
    if stage and stage not in [*names, "all"]:
        raise typer.BadParameter(f"there is no stage {stage!r}; choose {', '.join(names)} or all", param_hint="--stage")
    named = [stage_named(name) for name in (names if stage == "all" else [stage or names[-1]])]
    chosen = [with_cache(each, cache) for each in named]
    filters = parse_filter(filter_text) if filter_text else None
    place = workspace()
    owner = user or place.settings.user
    with _progress("Loading the shipped documents", hidden=as_json) as advance:
        ensure_corpus(place, owner, advance)
    memory = Window(message_store().get_or_create(Scope(owner), session)) if session else NoMemory()
    scope: dict[str, Any] = {"user": owner, "filters": filters, "source_file": source_file}
    answers = [
        _ask(Conversation(memory).stream(each, question, remember=each is chosen[-1], **scope), as_json)
        for each in chosen
    ]
    if as_json:
        _print_json([answer.as_dict() for answer in answers])
    elif not any(answer.found for answer in answers) and all(answer.searched for answer in answers):
        known = len(place.store(named[-1].index).documents(Scope(owner)))
        hint = f"Asked as {owner} ({known:,} {'document' if known == 1 else 'documents'}). Another owner? --user NAME"
        errors().print(hint, style="dim", markup=False, highlight=False, soft_wrap=True)


@app.command()
def evaluate(
    stage: Annotated[list[str] | None, typer.Option(help="Name of a stage, or all; may be repeated.")] = None,
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    split: Annotated[Split | None, typer.Option(help="dev is for tuning, test for reporting.")] = None,
    data: Annotated[Path | None, typer.Option(help="A folder in BEIR layout instead of the golden set.")] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Your own questions, asked on your own documents: CSV, JSONL or one a line.")
    ] = None,
    user: User = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask this many of the questions.")] = None,
    sample_seed: Annotated[int, typer.Option(help="Another seed draws other questions.")] = 0,
    csv: Annotated[Path | None, typer.Option(help="Write every answer to this file, too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure stages on questions with known answers, and say what each gains over the one before."""
    from lessons.evaluate.export import export_csv
    from lessons.evaluate.own_questions import read_question_file
    from lessons.evaluate.report import bars, report
    from lessons.evaluate.run import evaluate as evaluate_stages
    from lessons.evaluate.runs import save
    from lessons.settings import settings
    from lessons.stages import stage_named, stages
    from lessons.workspace import workspace

    asked = [name for entry in [*(stage or []), *(more or [])] for name in entry.split(",") if name] or ["all"]
    if wrong := [name for name in asked if name not in [*stages(), "all"]]:
        choice = f"there is no stage {wrong[0]!r}; choose {', '.join(stages())} or all"
        raise typer.BadParameter(choice, param_hint="--stage")
    chosen = [stage_named(name) for name in stages() if name in asked or "all" in asked]
    owner = user or settings().user
    own = read_question_file(questions, owner) if questions else []
    with bars(errors(), hidden=as_json) as watch:
        result = evaluate_stages(chosen, split, data, limit, sample_seed, watch, own=own)
    number = save(result, workspace().engine, owner if own else None)
    if csv:
        export_csv(result, csv)
    if as_json:
        _print_json(result.as_dict())
    else:
        _print(report(result), f"\nStored as run {number}.")


@app.command()
def memories(
    stage: Annotated[str, typer.Option(help="Name of the stage that is asked.")] = "smart",
    split: Annotated[Split, typer.Option(help="dev is for tuning, test for reporting.")] = Split.DEV,
    locomo: Annotated[Path | None, typer.Option(help="A file in LoCoMo's format instead: recall of old facts.")] = None,
) -> None:
    """Measure memories: what of a conversation is still known, how far back, and how many tokens it takes."""
    from lessons.evaluate.dialogue_run import evaluate_dialogues
    from lessons.evaluate.dialogues import dialogues
    from lessons.evaluate.locomo import read_locomo, recall_old_facts
    from lessons.evaluate.memory_report import dialogue_report, locomo_report
    from lessons.library import load_corpus
    from lessons.stages import stage_named
    from lessons.workspace import workspace

    asked, place = stage_named(stage), workspace()
    if locomo:
        told = read_locomo(locomo)
        with _progress("Telling", hidden=False) as advance:
            _print(locomo_report(recall_old_facts(told, place, watch=advance)))
        return
    with _progress("Loading the shipped documents", hidden=False) as advance:
        load_corpus(place, advance, [asked.index])
    found = dialogues(split.value)
    with _progress("Asking", hidden=False) as advance:
        _print(dialogue_report(evaluate_dialogues(asked, found, watch=advance), found))


def _ask(stream: "ConversationStream", quiet: bool) -> "Answer":
    from lessons.agent.telling import telling

    with closing(stream):
        for event in stream.events():
            if isinstance(event, str):
                typer.echo("" if quiet else event, nl=False)
            elif not quiet:
                errors().print(telling(event), style="dim", markup=False, highlight=False)
    if not quiet:
        answer = stream.answer
        typer.echo("\n" + "\n".join(f"  {citation}" for citation in answer.citations))
        for warning in answer.warnings:
            errors().print(f"Note: {warning}", style="yellow", markup=False, soft_wrap=True)
        errors().print(f"{answer.stage} · {answer.answered_by} · {answer.trace.ms:.0f} ms", style="dim", markup=False)
    return stream.answer


@contextmanager
def _engine(engine: Engine, place: "Workspace") -> "Iterator[Callable[..., Iterator[FileResult]]]":
    """What ingests files into an index within a scope at a level of enrichment."""
    if engine is Engine.RAY:
        from lessons.ingest.on_ray import cluster, ingest_on_ray

        with cluster(place.settings):
            yield lambda files, index, scope, level: ingest_on_ray(files, index, place, scope, level)
        return
    from lessons.ingest.pipeline import ingest

    yield lambda files, index, scope, level: ingest(
        files, index.at(level, place.llm), place.store(index), place.embedding, scope
    )


def _estimates(
    files: "list[tuple[Path, str]]", targets: "list[Index]", level: "Level", place: "Workspace", scope: "Scope"
) -> "list[Estimate]":
    """What enriching will cost, for each index that enriches its chunks."""
    from lessons.ingest.enrich.cost import estimate

    found = []
    for target in (each for each in targets if each.can_enrich and level != "none"):
        known = {document.sha256 for document in place.store(target).documents(scope)}
        found.append(estimate(files, target, level, place.llm, scope, known))
    return found


def _told(result: "FileResult") -> dict[str, Any]:
    names = ("status", "chunks", "reason", "llm_calls", "tokens_in", "tokens_out", "cost")
    return {name: getattr(result, name) for name in names}


def _print_used(report: list[dict[str, Any]]) -> None:
    """What enriching has cost."""
    calls, tokens_in, tokens_out, cost = (
        sum(line[name] for line in report) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")
    )
    if calls:
        money = f"${cost:.4f}" if cost else "free of charge"
        used = f"Enriched with {calls:,} calls, {tokens_in:,} tokens in and {tokens_out:,} out, {money}."
        errors().print(used, style="dim", highlight=False)


def _ingest_line(line: dict[str, Any]) -> str:
    reason = f" – {line['reason']}" if line["reason"] else ""
    return f"{line['status']:9} {line['file']} [{line['index']}] {line['chunks']} chunks{reason}"


def _print(*shown: Any) -> None:
    from rich.console import Console

    Console().print(*shown)


def _print_json(document: Any) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


@contextmanager
def _progress(label: str, hidden: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, which appears with the first step and is left out for `--json`."""
    from rich.progress import Progress

    with Progress(console=errors(), transient=True, disable=hidden) as bar:
        task = None

        def advance(done: int, total: int) -> None:
            nonlocal task
            task = bar.add_task(label, total=total) if task is None else task
            bar.update(task, completed=done, total=total)

        yield advance
