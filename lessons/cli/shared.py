"""What the commands share: options, messages on stderr, answers on stdout."""

import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.language import _

if TYPE_CHECKING:
    from rich.console import Console

    from lessons.rag.pipeline import Stage
    from lessons.trace import Trace

_SECONDS_BETWEEN_LINES = 20  # where there is no terminal, which shows at once what is said, on a line that goes away

User = Annotated[str, typer.Option(help="Owner of the documents.", show_default="LESSONS_USER")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


@cache
def errors() -> "Console":
    """Return the console of stderr, where messages go. Imported on first use, as all that `--help` does without."""
    from rich.console import Console

    return Console(stderr=True)


def say(text: str, style: str = "dim") -> None:
    """Print a message on stderr in the reader's language, as it is and on one line however long."""
    errors().print(_(text), style=style, markup=False, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """Print what the reader should know about the result, on stderr."""
    say(_("Note: {0}").format(_(text)), "yellow")


def print_json(document: Any) -> None:
    """Print one JSON document on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


@contextmanager
def waiting(trace: "Trace", task: str) -> Iterator[Callable[[], None]]:
    """Say on stderr which step is under way, and for how long, until the yielded function is called."""
    began, over, console = monotonic(), Event(), errors()
    status = console.status(task)

    def report() -> None:
        while not over.wait(1 if console.is_terminal else _SECONDS_BETWEEN_LINES):
            step = trace.steps[-1].name if trace.steps else "getting ready"
            progress = f"{task}: {step}, {monotonic() - began:.0f} s"
            status.update(progress) if console.is_terminal else say(progress)

    def end() -> None:
        over.set()
        status.stop()

    if console.is_terminal:
        status.start()
    Thread(target=report, daemon=True).start()
    try:
        yield end
    finally:
        end()


def chosen_stages(names: Iterable[str]) -> "list[Stage]":
    """Return the stages with these names, several in one with commas, or `all`; BadParameter for another name."""
    from lessons.own_stages import every_stage

    selected = [name for entry in names for name in entry.split(",") if name] or ["all"]
    choices = [*(stages := every_stage()), "all"]
    if wrong := [name for name in selected if name not in choices]:
        message = f"there is no stage {wrong[0]!r}; choose from {', '.join(choices)}"
        raise typer.BadParameter(message, param_hint="--stage")
    return [stage for name, stage in stages.items() if name in selected or "all" in selected]


@contextmanager
def bars() -> Iterator[Callable[[str, int, int], None]]:
    """Show progress on stderr: a bar for each task, or without a terminal a line now and then; `--json` has it, too."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if not errors().is_terminal:
        yield _progress_lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    above = sys.stdout.isatty()  # lines on stdout appear above the bars in a terminal; else they go where stdout goes
    with Progress(*columns, console=errors(), transient=True, redirect_stdout=above) as progress:
        tasks: dict[str, Any] = {}

        def watch(label: str, count: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = progress.add_task(label, total=total)
            progress.update(tasks[label], completed=count)

        yield watch


@contextmanager
def stopping() -> Iterator[Callable[[Callable[[str, int, int], None]], Callable[[str, int, int], None]]]:
    """Let Ctrl-C end a measurement after the answer under way, and the command when what is there has been stored.

    The yielded function makes a watcher stop the measurement. A second Ctrl-C ends the command at once.
    """
    from lessons.evaluate.run import StoppedError

    stopped = Event()

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, previous)
        stopped.set()
        say("Stopping after the answer under way, and storing those before it. Ctrl-C again stops at once.", "")

    def watched(watch: Callable[[str, int, int], None]) -> Callable[[str, int, int], None]:
        def watching(label: str, count: int, total: int) -> None:
            watch(label, count, total)
            if stopped.is_set():
                raise StoppedError

        return watching

    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield watched
    except StoppedError as error:
        raise KeyboardInterrupt from error
    finally:
        signal.signal(signal.SIGINT, previous)
    if stopped.is_set():
        raise KeyboardInterrupt


def _progress_lines() -> Callable[[str, int, int], None]:
    """Say how far each task is, and how long the rest of it may take, at most every `_SECONDS_BETWEEN_LINES`.

    A task is first heard of when a part of it is done, so it began when the one before it was last heard of.
    """
    starts: dict[str, float] = {}
    last = previous = monotonic()

    def watch(label: str, count: int, total: int) -> None:
        nonlocal last, previous
        now = monotonic()
        start, previous = starts.setdefault(label, previous), now
        if count and now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            say(f"{label}: {count:,} of {total:,}, about {(now - start) / count * (total - count):,.0f} s left")

    return watch
