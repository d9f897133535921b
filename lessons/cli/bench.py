"""The command that times the workbook: `lessons bench`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from lessons.cli.shared import AsJson, errors, print_json, print_tables

commands = typer.Typer()
SIZES = [1_000, 10_000, 100_000]


@commands.command()
def bench(
    chunks: Annotated[
        list[int] | None,
        typer.Option(min=100, help="Chunks that are searched; may be repeated.", show_default="1000, 10000, 100000"),
    ] = None,
    graphs: Annotated[
        bool, typer.Option("--graphs", help="Compare indexes of float32, halfvec and bits instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Time ingestion, searches and stages on made-up chunks, each against the least it could take."""
    from lessons.bench.bench import benchmark
    from lessons.bench.graphs import compared
    from lessons.bench.report import graph_report, report
    from lessons.evaluate.report import bars
    from lessons.workspace import workspace

    document: Any
    with bars(errors(), hidden=as_json) as watch:
        if graphs:
            found = compared(workspace().engine, chunks or SIZES, watch)
            document, shown = [asdict(each) for each in found], graph_report(found)
        else:
            measured = benchmark(workspace(), chunks or SIZES, watch)
            document, shown = measured.as_dict(), report(measured)
    if as_json:
        print_json(document)
    else:
        print_tables(shown)
