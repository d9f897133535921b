"""What the commands share: options, messages on stderr, answers on stdout."""

import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lessons.language import _

if TYPE_CHECKING:
    from rich.console import Console

    from lessons.rag.pipeline import Stage

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
def doing(text: str) -> Iterator[None]:
    """Show on stderr what is being done until it is over; without a terminal say it as it begins."""
    if not errors().is_terminal:
        say(text)
    with errors().status(_(text)):  # shows nothing without a terminal
        yield


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
def stopping(watch: Callable[[str, int, int], None]) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a watcher by which Ctrl-C ends a measurement after the answer under way; a second one ends it at once."""
    from lessons.evaluate.run import StoppedError

    stopped = Event()

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, previous)
        stopped.set()
        say("Stopping after the answer under way, and storing those before it. Ctrl-C again stops at once.", "")

    def watching(label: str, count: int, total: int) -> None:
        watch(label, count, total)
        if stopped.is_set():
            raise StoppedError

    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield watching
    except StoppedError as error:
        raise KeyboardInterrupt from error
    finally:
        signal.signal(signal.SIGINT, previous)


def _progress_lines() -> Callable[[str, int, int], None]:
    """Say how far each task is when it begins, and then at most every `_SECONDS_BETWEEN_LINES`."""
    last: dict[str, float] = {}

    def watch(label: str, count: int, total: int) -> None:
        if label not in last or monotonic() - last[label] >= _SECONDS_BETWEEN_LINES:
            last[label] = monotonic()
            say(f"{label}: {count:,} of {total:,} done")

    return watch
