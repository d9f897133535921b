"""The command that examines the machine: `lessons doctor`."""

from typing import Annotated

import typer

from lessons.cli.shared import AsJson, print_json

commands = typer.Typer()


@commands.command()
def doctor(
    as_json: AsJson = False,
    for_issue: Annotated[
        bool, typer.Option("--report", help="Print a report to paste into an issue, without secrets and paths.")
    ] = False,
) -> None:
    """Say what runs here: models, database, documents. Each line is ok or says what to do."""
    from lessons.doctor import Report, checks
    from lessons.doctor_report import issue_report
    from lessons.settings import settings

    if for_issue:
        typer.echo(issue_report())
        return
    report = Report()
    for check in checks(settings()):
        report.append(check)
        if not as_json:
            typer.echo(str(check))
    if as_json:
        print_json(report.as_dicts())
    if not report.ok:
        raise typer.Exit(1)
