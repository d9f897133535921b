"""The command that reads documents in: `lessons ingest`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.cli.shared import AsJson, User, errors, print_json, progress
from lessons.errors import LessonsError

if TYPE_CHECKING:
    from lessons.ingest.enrich.cost import Estimate
    from lessons.ingest.enrich.extractors import Enrichment as Level
    from lessons.ingest.index import Index
    from lessons.ingest.pipeline import FileResult
    from lessons.rag.types import Scope
    from lessons.workspace import Workspace

commands = typer.Typer()
LISTED = 5  # names of files in a note


class Enrichment(StrEnum):
    """How much is added to each chunk of an index that enriches its chunks."""

    NONE = "none"
    KEYWORDS = "keywords"
    FULL = "full"


class Engine(StrEnum):
    """Where files are worked on: in this process, or by the workers of a cluster."""

    LOCAL = "local"
    RAY = "ray"


@commands.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(help="Files or folders.")],
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
    from lessons.library import indexes
    from lessons.models.keyless import OfflineLLM
    from lessons.rag.types import Scope
    from lessons.workspace import workspace

    if not all(paths):  # as a script's unset variable is; a path made of it would be the folder it runs in
        raise typer.BadParameter("a path is empty; name a file or folder", param_hint="paths")
    given = [Path(path) for path in paths]
    known = {each.name: each for each in indexes()}
    if index and index not in known:
        raise typer.BadParameter(
            f"there is no index {index!r}; the indexes are {', '.join(known)}", param_hint="--index"
        )
    targets = [known[index]] if index else list(known.values())
    files = named_files(given, READERS)
    if unread := left_out(given, READERS):
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
            print_json([asdict(each) for each in estimates])
    if dry_run:
        return
    report: list[dict[str, Any]] = []
    with _engine(engine, place) as ingest_files, progress("Ingesting", hidden=as_json) as advance:
        for filled, result in ingest_files(files, targets, scope, level):
            advance(len(report) + 1, len(files) * len(targets))
            report.append({"file": result.source_file, "index": filled.name} | _told(result))
    if as_json:
        print_json(report)
    elif report:
        typer.echo("\n".join(map(_ingest_line, report)))
        _print_used(report)
    if not report:
        raise LessonsError("There is no file to read here; PDF, DOCX, PPTX, HTML, MD and TXT can be read.")
    if any(line["status"] == "failed" for line in report):
        raise typer.Exit(1)


@contextmanager
def _engine(engine: Engine, place: "Workspace") -> "Iterator[Callable[..., Iterator[tuple[Index, FileResult]]]]":
    """What ingests files into indexes within a scope at a level of enrichment."""
    if engine is Engine.LOCAL:
        yield lambda files, targets, scope, level: place.ingest(
            files, [index.at(level, place.llm) for index in targets], scope
        )
        return
    from lessons.ingest.on_ray import ingest_on_ray
    from lessons.ingest.ray_cluster import cluster

    with cluster(place.settings):
        yield lambda files, targets, scope, level: (
            (index, result) for index in targets for result in ingest_on_ray(files, index, place, scope, level)
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
    number = line["chunks"]
    chunks = "" if line["status"] == "failed" else f" {number} {'chunk' if number == 1 else 'chunks'}"
    return f"{line['status']:9} {line['file']} [{line['index']}]{chunks}{reason}"
