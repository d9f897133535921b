"""The command line. Exit code 0 on success, 2 on bad usage, 1 on failure; messages go to stderr, answers to stdout.

Each module holds the commands of one purpose, and imports what they do when they are run.
"""

import errno
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any, cast

import typer
from typer.main import get_command

from lessons.cli import documents, evaluate, serve
from lessons.cli.shared import say
from lessons.errors import LessonsError
from lessons.language import N_, _

INTERRUPTED = 130  # typer's exit code after Ctrl-C
UsageError = cast("type[Exception]", typer.BadParameter.__base__)  # of typer's own copy of click, if it has one
WORDS = (
    N_("Usage:"),
    N_("Arguments:"),
    N_("Options:"),
    N_("Commands:"),
    N_("Show this message and exit."),
    N_("[default:"),
    N_("required]"),
)
"""What typer writes into the help of each command. Not all of it goes through gettext."""

app = typer.Typer(
    help="Learn retrieval-augmented generation, one measured stage at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there at once; the other kind takes a third of a second to import
)
for group in (serve, documents, evaluate):
    app.add_typer(group.commands)


class Context(typer.Context):
    """The help of a command, with typer's own words in the reader's language, too."""

    def get_help(self) -> str:
        return _translated(super().get_help())

    def get_usage(self) -> str:
        return _translated(super().get_usage())


def _translated(text: str) -> str:
    for words in WORDS:
        text = text.replace(words, _(words))
    return text


def localized_command() -> Callable[..., Any]:
    """Build the command line with its help in the reader's language."""
    group = get_command(app)
    for command in (group, *getattr(group, "commands", {}).values()):
        command.context_class, command.help = Context, _(command.help or "")
        for parameter in command.params:
            for attribute in ("help", "show_default"):
                if isinstance(text := getattr(parameter, attribute, None), str):
                    setattr(parameter, attribute, _(text))
    return group


def main() -> None:
    """Run the command line; a known problem ends it with its sentence and exit code 1, bad usage with 2."""
    try:
        if (code := localized_command()(standalone_mode=False)) == INTERRUPTED:
            say("Stopped. What was stored before stays.", "")
        sys.exit(code)
    except LessonsError as error:
        say(str(error), "red")
        sys.exit(1)
    except UsageError as error:
        _show_usage_error(error)
        sys.exit(2)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        if error.errno == errno.ENOSPC:
            say("The disk is full: free some space, then repeat the command.", "red")
        sys.stderr.close()  # Python would complain there that it cannot write what is left of the output
        sys.exit(1)


def _show_usage_error(error: Exception) -> None:
    error.show(output := StringIO())  # type: ignore[attr-defined]
    typer.echo("\n".join(map(_, output.getvalue().split("\n"))), err=True, nl=False)
