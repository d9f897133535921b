"""The commands of a reader: `lessons doctor`, `lessons learn`, `lessons progress`, `lessons app`."""

import signal
import subprocess
import sys
from typing import Annotated, NoReturn

import typer

from lessons.cli.shared import AsJson, print_json

GRACE = 3.0
"""Seconds that the server has to end by itself. It waits for open pages to leave, which they do not do."""

commands = typer.Typer()


@commands.command()
def doctor(
    as_json: AsJson = False,
    for_issue: Annotated[
        bool, typer.Option("--report", help="Print a report to paste into an issue, without secrets and paths.")
    ] = False,
) -> None:
    """Say what runs here: models, database, documents. Each line is ok or says what to do."""
    from lessons.doctor import Report, checks, issue_report
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


@commands.command()
def learn(
    port: Annotated[int, typer.Option(help="Port of the address; the next free one if it is taken.")] = 8888,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    solutions: Annotated[
        bool, typer.Option("--with-solutions/--without-solutions", help="The notebooks as a class gets them.")
    ] = True,
) -> None:
    """Open the notebooks in JupyterLab, at the first one. It listens on this machine only."""
    from lessons.course.learn import learn as open_notebooks

    open_notebooks(solutions, port, browser)


@commands.command()
def progress(notebook: Annotated[str | None, typer.Argument(help="Number of a notebook, such as 04.")] = None) -> None:
    """Show which exercises of the notebooks are done."""
    from lessons.exercises import progress as done

    typer.echo(str(done(notebook)))


@commands.command(name="app")
def run_app(
    port: Annotated[int | None, typer.Option(help="Port of the address.", show_default="8501")] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; 0.0.0.0 lets others in.", show_default="this machine only")
    ] = None,
    headless: Annotated[bool, typer.Option(help="Do not open a browser.")] = False,
) -> None:
    """Start the app in the browser. It listens on this machine only, unless told otherwise."""
    from lessons.settings import settings

    raise typer.Exit(serve(host or settings().app_host, port or settings().app_port, headless))


def serve(host: str, port: int, headless: bool) -> int:
    """Run Streamlit until it ends or this process does, which takes the server along; gives the exit code."""
    from lessons.errors import LessonsError
    from lessons.settings import ROOT

    if not (ROOT / "app.py").exists():
        raise LessonsError("The app is not in the installed package: clone the workbook, and start it in its folder.")
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first
        signal.signal(number, _interrupt)
    typer.echo(f"The app is at http://{host}:{port} – Ctrl-C ends it.")
    server = subprocess.Popen(command(host, port, headless), cwd=ROOT, stdin=subprocess.PIPE)  # it ends with the pipe
    try:
        return server.wait()
    except KeyboardInterrupt as told:
        for number in (signal.SIGINT, signal.SIGTERM):  # the end has begun
            signal.signal(number, signal.SIG_IGN)
        server.terminate()
        try:
            server.wait(GRACE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        return 128 + told.args[0]


def command(host: str, port: int, headless: bool) -> list[str]:
    """Streamlit's command line. Its limit of an upload is the limit of a file, rounded up to megabytes."""
    from lessons.settings import ROOT, settings

    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": str(headless).lower(),
        "server.maxUploadSize": -(-settings().max_file_bytes // 1_000_000),
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "lessons.pages.serve", "run", str(ROOT / "app.py"), *flags]


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt(number)
