"""The commands that read documents and answer from them: `lessons ingest`, `lessons ask`."""

from contextlib import closing, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lessons.cli.shared import AsJson, User, bars, chosen_stages, doing, errors, note, print_json, say
from lessons.errors import LessonsError
from lessons.language import _
from lessons.tables import counted, spent

if TYPE_CHECKING:
    from lessons.rag.answer import Answer
    from lessons.rag.pipeline import AnswerStream

commands = typer.Typer()
LISTED = 5  # names of files in a note
Level = Literal["none", "keywords", "full"]
Engine = Literal["local", "ray"]  # where files are worked on: in this process, or by the workers of a cluster


@commands.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(help="Files or folders.")],
    user: User = "",
    enrich: Annotated[
        Level | None, typer.Option(help="What is added to each chunk.", show_default="full if it is free, else none")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what enriching would cost.")] = False,
    index: Annotated[str | None, typer.Option(help="Fill only this index instead of every stage's.")] = None,
    engine: Annotated[Engine, typer.Option(help="Work here, or on the Ray cluster of RAY_ADDRESS.")] = "local",
    as_json: AsJson = False,
) -> None:
    """Read files or folders into the index of every stage. Known files are skipped, changed ones replaced."""
    from lessons.ingest.enrich import default_enrichment
    from lessons.ingest.pipeline import estimate, fingerprints, ingest_each
    from lessons.ingest.read import list_files, unreadable_files
    from lessons.library import indexes
    from lessons.models.keyless import OfflineLLM
    from lessons.rag.types import Scope
    from lessons.rag.workspace import workspace
    from lessons.scale.on_ray import cluster, ingest_on_ray

    if not all(paths):  # as a script's unset variable is; a path made of it would be the folder it runs in
        raise typer.BadParameter("a path is empty; name a file or folder", param_hint="paths")
    folders = [Path(path) for path in paths]
    by_name = {target.name: target for target in indexes()}
    if index and index not in by_name:
        raise typer.BadParameter(
            f"there is no index {index!r}; the indexes are {', '.join(by_name)}", param_hint="--index"
        )
    targets = [by_name[index]] if index else list(by_name.values())
    files = list_files(folders)
    unread = unreadable_files(folders)
    if unread:
        names = ", ".join(unread[:LISTED]) + (f" and {len(unread) - LISTED} more" if len(unread) > LISTED else "")
        note(f"of a kind that cannot be read: {names}")
    with doing("Opening the database …"):
        current = workspace()
    scope = Scope(user or current.settings.user)
    level = enrich or default_enrichment(current.llm)
    if (enrich or dry_run) and not any(target.can_enrich for target in targets):
        note("no index of these enriches its chunks, so --enrich changes nothing.")
    if dry_run or not isinstance(current.llm, OfflineLLM):
        estimates = [
            estimate(files, target, level, current.llm, scope, set(fingerprints(current.store(target), scope).values()))
            for target in targets
            if target.can_enrich and level != "none"
        ]
        if estimates:
            say("\n".join(map(str, estimates)), "")
        elif dry_run and level == "none":
            note("at the level none nothing is enriched, which costs nothing; --enrich names another.")
        if dry_run and as_json:
            print_json([asdict(cost) for cost in estimates])
    if dry_run:
        return
    report: list[dict[str, Any]] = []
    running = cluster(current.settings) if engine == "ray" else nullcontext()
    with running, bars() as watch:
        results = (
            ingest_each(current, files, [target.enriched(level, current.llm) for target in targets], scope)
            if engine == "local"
            else (
                (target, result) for target in targets for result in ingest_on_ray(files, target, current, scope, level)
            )
        )
        for filled, result in results:
            watch("Ingesting", len(report) + 1, len(files) * len(targets))
            entry = asdict(result)
            report.append({"file": entry.pop("source_file"), "index": filled.name} | entry)
            if not as_json:
                print(_line(report[-1]), flush=True)  # typer's echo goes past what keeps the bars below
    if as_json:
        skipped = {"index": "", "status": "skipped", "reason": "of a kind that cannot be read"}
        print_json(report + [{"file": name, **skipped} for name in unread])
    elif report:
        used = [sum(line[name] for line in report) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")]
        if used[0]:
            say(_("Enriched with {spent}.", spent=_(spent(*used))))
    if not report:
        raise LessonsError("There is no file to read here; PDF, DOCX, PPTX, HTML, MD and TXT can be read.")
    if any(line["status"] == "failed" for line in report):
        raise typer.Exit(1)


def _line(line: dict[str, Any]) -> str:
    reason = " – " + _(line["reason"]).replace("\n", " ") if line["reason"] else ""
    chunks = "" if line["status"] == "failed" else " " + _(counted(line["chunks"], "chunk"))
    return f"{_(line['status']):9} {line['file']} [{line['index']}]{chunks}{reason}"


@commands.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in English or Korean.")],
    stage: Annotated[str, typer.Option(help="Name of a stage, or all.", show_default="agentic")] = "",
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
    from lessons.context.cache import with_cache
    from lessons.library import check_fields, ensure_corpus
    from lessons.memory.conversation import Conversation, NoMemory, Window
    from lessons.memory.messages import message_store
    from lessons.rag.types import Scope
    from lessons.rag.workspace import workspace
    from lessons.search.filter_text import parse_filter
    from lessons.stages import stages

    asked_stages = chosen_stages([stage or list(stages())[-1]])
    filters = parse_filter(filter_text) if filter_text else None
    with doing("Opening the database …"):
        current = workspace()
    owner = user or current.settings.user
    with bars() as watch:
        ensure_corpus(current, owner, partial(watch, "Loading the shipped documents"))
    if filters:
        check_fields(current, filters, Scope(owner))
    memory = Window(message_store().get_or_create(Scope(owner), session)) if session else NoMemory()
    scope: dict[str, Any] = {"user": owner, "filters": filters, "source_file": source_file}
    answers = []
    for chosen_stage in asked_stages:
        if len(asked_stages) > 1 and not as_json:
            typer.echo(f"{chosen_stage.name}:")
        remember = chosen_stage is asked_stages[-1]
        stream = Conversation(memory).stream(with_cache(chosen_stage, cache), question, remember=remember, **scope)
        answers.append(_ask(stream, as_json))
    if as_json:
        print_json([answer.as_dict() for answer in answers])
    elif not any(answer.found for answer in answers) and all(answer.searched for answer in answers):
        document_count = len(current.store(asked_stages[-1].index).documents(Scope(owner)))
        say(f"Asked as {owner} ({counted(document_count, 'document')}). Another owner? --user NAME")
    if not all(answer.searched for answer in answers):
        raise typer.Exit(1)


def _ask(stream: "AnswerStream", quiet: bool) -> "Answer":
    from lessons.agent import describe_step

    answer = stream.answer
    with closing(stream), errors().status(answer.stage) as status:
        for event in stream.events():
            if isinstance(event, str):
                status.stop()
                typer.echo("" if quiet else event, nl=False)
            elif not quiet:
                say(describe_step(event))
    if not quiet:
        typer.echo("\n" + "\n".join(f"  {citation}" for citation in answer.citations))
        for warning in answer.warnings:
            note(warning)
        say(f"{answer.stage} · {_(answer.answered_by)} · {answer.trace.ms:.0f} ms")
    return answer
