"""The command that reads documents in: `lessons ingest`."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lessons.cli.shared import AsJson, User, bars, note, print_json, say
from lessons.errors import LessonsError
from lessons.language import _
from lessons.tables import counted, spent

if TYPE_CHECKING:
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
    from lessons.ingest.pipeline import estimate
    from lessons.ingest.read import left_out, named_files
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
    files = named_files(given)
    if unread := left_out(given):
        told = ", ".join(unread[:LISTED]) + (f" and {len(unread) - LISTED} more" if len(unread) > LISTED else "")
        note(f"of a kind that cannot be read: {told}")
    place = workspace()
    scope = Scope(user or place.settings.user)
    level = enrich or default_level(place.llm)
    if (enrich or dry_run) and not any(target.can_enrich for target in targets):
        note("no index of these enriches its chunks, so --enrich changes nothing.")
    if dry_run or not isinstance(place.llm, OfflineLLM):
        estimates = [
            estimate(files, each, level, place.llm, scope, {row.sha256 for row in place.store(each).documents(scope)})
            for each in targets
            if each.can_enrich and level != "none"
        ]
        say("\n".join(map(str, estimates)), "")
        if dry_run and as_json:
            print_json([asdict(each) for each in estimates])
    if dry_run:
        return
    report: list[dict[str, Any]] = []
    with bars(hidden=as_json) as watch:
        for filled, result in _ingested(files, targets, place, scope, level, engine):
            watch("Ingesting", len(report) + 1, len(files) * len(targets))
            entry = asdict(result)
            report.append({"file": entry.pop("source_file"), "index": filled.name} | entry)
            if not as_json:
                print(_line(report[-1]), flush=True)  # typer's echo goes past what keeps the bars below
    if as_json:
        print_json(report)
    elif report:
        used = [sum(line[name] for line in report) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")]
        if used[0]:
            say(_("Enriched with {spent}.", spent=_(spent(*used))))
    if not report:
        raise LessonsError("There is no file to read here; PDF, DOCX, PPTX, HTML, MD and TXT can be read.")
    if any(line["status"] == "failed" for line in report):
        raise typer.Exit(1)


def _ingested(
    files: "list[tuple[Path, str]]",
    targets: "list[Index]",
    place: "Workspace",
    scope: "Scope",
    level: Level,
    engine: Engine,
) -> "Iterator[tuple[Index, FileResult]]":
    """Ingest files into indexes at a level of enrichment, here or on a cluster."""
    if engine == "local":
        yield from place.ingest(files, [index.at(level, place.llm) for index in targets], scope)
        return
    from lessons.scale.on_ray import cluster, ingest_on_ray

    with cluster(place.settings):  # one for all indexes
        for index in targets:
            for result in ingest_on_ray(files, index, place, scope, level):
                yield index, result


def _line(line: dict[str, Any]) -> str:
    reason = f" – {_(line['reason'])}" if line["reason"] else ""
    chunks = "" if line["status"] == "failed" else " " + _(counted(line["chunks"], "chunk"))
    return f"{_(line['status']):9} {line['file']} [{line['index']}]{chunks}{reason}"
