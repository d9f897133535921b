"""The command that reads documents in: `lessons ingest`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lessons.cli.shared import AsJson, User, bars, note, print_json, say
from lessons.errors import LessonsError

if TYPE_CHECKING:
    from lessons.ingest.cost import Estimate
    from lessons.ingest.index import Index
    from lessons.ingest.pipeline import FileResult
    from lessons.rag.types import Scope
    from lessons.workspace import Workspace

commands = typer.Typer()
LISTED = 5  # names of files in a note


Level = Literal["none", "keywords", "full"]
Engine = Literal["local", "ray"]
"""Where files are worked on: in this process, or by the workers of a cluster."""


@commands.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(help="Files or folders.")],
    user: User = "",
    enrich: Annotated[
        Level | None,
        typer.Option(help="What is added to each chunk.", show_default="full if it is free, else none"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what enriching would cost.")] = False,
    index: Annotated[str | None, typer.Option(help="Fill only this index instead of every stage's.")] = None,
    engine: Annotated[Engine, typer.Option(help="Work here, or on the Ray cluster of RAY_ADDRESS.")] = "local",
    as_json: AsJson = False,
) -> None:
    """Read files or folders into the index of every stage. Known files are skipped, changed ones replaced."""
    from lessons.ingest.enrich import default_level
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
        note(f"of a kind that cannot be read: {told}")
    place = workspace()
    scope = Scope(user or place.settings.user)
    level = enrich or default_level(place.llm)
    if (enrich or dry_run) and not any(target.can_enrich for target in targets):
        note("no index of these enriches its chunks, so --enrich changes nothing.")
    if dry_run or not isinstance(place.llm, OfflineLLM):
        estimates = _estimates(files, targets, level, place, scope)
        say("\n".join(map(str, estimates)), "")
        if dry_run and as_json:
            print_json([asdict(each) for each in estimates])
    if dry_run:
        return
    report: list[dict[str, Any]] = []
    with _engine(engine, place) as ingest_files, bars(hidden=as_json) as watch:
        for filled, result in ingest_files(files, targets, scope, level):
            watch("Ingesting", len(report) + 1, len(files) * len(targets))
            report.append(_told(filled, result))
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
    if engine == "local":
        yield lambda files, targets, scope, level: place.ingest(
            files, [index.at(level, place.llm) for index in targets], scope
        )
        return
    from lessons.scale.on_ray import cluster, ingest_on_ray

    with cluster(place.settings):
        yield lambda files, targets, scope, level: (
            (index, result) for index in targets for result in ingest_on_ray(files, index, place, scope, level)
        )


def _estimates(
    files: "list[tuple[Path, str]]", targets: "list[Index]", level: "Level", place: "Workspace", scope: "Scope"
) -> "list[Estimate]":
    """What enriching will cost, for each index that enriches its chunks."""
    from lessons.ingest.cost import estimate

    found = []
    for target in (each for each in targets if each.can_enrich and level != "none"):
        known = {document.sha256 for document in place.store(target).documents(scope)}
        found.append(estimate(files, target, level, place.llm, scope, known))
    return found


def _told(index: "Index", result: "FileResult") -> dict[str, Any]:
    told = asdict(result)
    return {"file": told.pop("source_file"), "index": index.name} | told


def _print_used(report: list[dict[str, Any]]) -> None:
    """What enriching has cost."""
    used = {name: sum(line[name] for line in report) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")}
    if used["llm_calls"]:
        money = f"${used['cost']:.4f}" if used["cost"] else "free of charge"
        told = "Enriched with {llm_calls:,} calls, {tokens_in:,} tokens in and {tokens_out:,} out, {money}."
        say(told.format(**used, money=money))


def _ingest_line(line: dict[str, Any]) -> str:
    reason = f" – {line['reason']}" if line["reason"] else ""
    number = line["chunks"]
    chunks = "" if line["status"] == "failed" else f" {number} {'chunk' if number == 1 else 'chunks'}"
    return f"{line['status']:9} {line['file']} [{line['index']}]{chunks}{reason}"
