"""The command that serves the app: `lessons app`."""

import signal
import subprocess
import sys
from typing import Annotated, NoReturn

import typer

GRACE = 3.0
"""Seconds that the server has to end by itself. It waits for open pages to leave, which they do not do."""

commands = typer.Typer()


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
