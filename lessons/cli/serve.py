"""The commands of a reader: `lessons doctor`, `learn`, `progress`, `app`, `serve`, `mcp`."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import sleep
from typing import Annotated, Literal, NoReturn

import typer

from lessons.cli.shared import AsJson, bars, print_json
from lessons.language import _, language

GRACE = 3.0  # seconds for the server to end by itself. It waits for open pages to leave, which they do not do
LOST = 30  # seconds for which a lost connection can be taken up again, while all that its page holds is kept
ARENAS = "2"  # parts of memory for all threads; glibc makes eight a processor, and what is free in one stays there
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
            typer.echo(_(str(check)))
    if as_json:
        print_json([asdict(check) for check in report])
    if not report.ok:
        raise typer.Exit(1)


@commands.command()
def learn(
    port: Annotated[int, typer.Option(help="Port of the address; the next free one if it is taken.")] = 8888,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    solutions: Annotated[
        bool, typer.Option("--with-solutions/--without-solutions", help="The notebooks as a class gets them.")
    ] = True,
    edition: Annotated[
        Literal["en", "ko"] | None,
        typer.Option(
            "--language", help="The edition: English or Korean.", show_default="the language of this command line"
        ),
    ] = None,
) -> None:
    """Open the notebooks in JupyterLab, at the first one. It listens on this machine only."""
    from lessons.course.learn import learn as open_notebooks

    open_notebooks(solutions, port, browser, edition or language())


@commands.command()
def progress(notebook: Annotated[str | None, typer.Argument(help="Number of a notebook, such as 04.")] = None) -> None:
    """Show which exercises of the notebooks are done, and which predictions were wrong."""
    from lessons.exercises import progress as exercise_progress

    typer.echo(str(exercise_progress(notebook)))


@commands.command(name="app")
def run_app(
    port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Port of the address.", show_default="8501")
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; 0.0.0.0 lets others in.", show_default="this machine only")
    ] = None,
    headless: Annotated[bool, typer.Option(help="Do not open a browser.")] = False,
) -> None:
    """Start the app in the browser. It listens on this machine only, unless told otherwise."""
    from lessons.settings import settings

    raise typer.Exit(serve(host or settings().app_host, port or settings().app_port, headless))


@commands.command(name="serve")
def serve_model(
    model: Annotated[
        str, typer.Argument(help="A GGUF file, or qwen2.5-1.5b or qwen3-4b, which is downloaded from its hub once.")
    ],
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Port of the address.")] = 8080,
    window: Annotated[int, typer.Option(min=4_096, help="Tokens of prompt and answer; more of them take memory.")] = (
        16_384
    ),
) -> None:
    """Serve a language model on this machine until Ctrl-C, for the app, the notebooks and the other commands."""
    from lessons.models.hub import MODELS, model_file
    from lessons.models.local_server import import_server, serve_weights
    from lessons.settings import settings

    weights, name = Path(model), Path(model).stem
    if model in MODELS:
        import_server()  # before a gigabyte is downloaded for it
        typer.echo(_(f"The model is {MODELS[model]}."))
        with bars() as watch:
            folder = settings().data_dir / "models"
            weights, name = model_file(MODELS[model], folder, partial(watch, f"Downloading {model}")), model
    typer.echo(_("Loading the weights …"))
    server = serve_weights(weights, port, window, name)
    typer.echo(_(f"{name} is served; Ctrl-C ends it. In another terminal, or in .env:"))
    typer.echo(f"OPENAI_BASE_URL={server.listening_address}/v1\nLESSONS_LLM_MODEL={name}")
    try:
        while True:
            sleep(3_600)
    except KeyboardInterrupt:
        os._exit(0)  # not after a reply that nobody waits for


@commands.command()
def mcp(owner: Annotated[str, typer.Option(help="Whose documents are offered, and nobody else's.")]) -> None:
    """Let an agent search and read one owner's documents, by the Model Context Protocol on stdin and stdout."""
    from lessons.production.mcp_server import serve as serve_tools
    from lessons.rag.workspace import workspace

    serve_tools(workspace(), owner)


def serve(host: str, port: int, headless: bool) -> int:
    """Run Streamlit until it ends or this process does, which takes the server along; gives the exit code."""
    from lessons.errors import LessonsError
    from lessons.settings import ROOT

    if not (ROOT / "app.py").exists():
        raise LessonsError("The app is not in the installed package: clone the workbook, and start it in its folder.")
    address = _free_address(host, port)
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first
        signal.signal(number, _interrupt)
    typer.echo(_(f"The app is at http://{address} – Ctrl-C ends it."))
    environment = {"MALLOC_ARENA_MAX": ARENAS} | os.environ
    server = subprocess.Popen(command(host, port, headless), cwd=ROOT, env=environment, stdin=subprocess.PIPE)
    try:
        return server.wait()
    except KeyboardInterrupt as interrupt:
        for number in (signal.SIGINT, signal.SIGTERM):  # the end has begun
            signal.signal(number, signal.SIG_IGN)
        server.terminate()
        try:
            server.wait(GRACE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        return 128 + interrupt.args[0]


def _free_address(host: str, port: int) -> str:
    """Write host and port as a browser does; LessonsError if nothing can listen there."""
    from lessons.errors import LessonsError

    family, name = (socket.AF_INET6, f"[{host}]") if ":" in host else (socket.AF_INET, host)
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise LessonsError(f"The app cannot listen at {name}:{port} ({reason}); choose another with --port.") from error
    return f"{name}:{port}"


def command(host: str, port: int, headless: bool) -> list[str]:
    """Build the server's command. The limit of an upload is the limit of a file, rounded up to megabytes.

    At home it answers to no other name than this machine's: a page of the internet whose own name suddenly means this
    machine would be let in by Streamlit.
    """
    from lessons.settings import HOME, settings

    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": headless,
        "server.maxUploadSize": -(-settings().max_file_bytes // 1_000_000),
        "server.disconnectedSessionTTL": LOST,
        "server.allowedHosts": list(HOME) if host in HOME else [],
    }
    return [sys.executable, "-m", "lessons.pages.serve", json.dumps(options)]


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt(number)
