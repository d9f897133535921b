"""The command line. Exit code 0 on success, 2 on bad usage, 1 on failure; messages go to stderr, answers to stdout.

Each module holds the commands of one purpose, and imports what they do when they are run.
"""

import errno
import sys
from collections.abc import Callable

import typer
from typer.main import get_command

from lessons.cli import ask, evaluate, ingest, serve
from lessons.cli.shared import say
from lessons.errors import LessonsError
from lessons.language import _

INTERRUPTED = 130  # typer's exit code after Ctrl-C

app = typer.Typer(
    help="Learn retrieval-augmented generation, one measured stage at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is there at once; the other kind takes a third of a second to import
)
for group in (serve, ingest, ask, evaluate):
    app.add_typer(group.commands)


def command() -> Callable[[], object]:
    """The command line with its help in the reader's language."""
    whole = get_command(app)
    for each in (whole, *getattr(whole, "commands", {}).values()):
        each.help = _(each.help or "")
        for parameter in each.params:
            if said := getattr(parameter, "help", None):
                parameter.help = _(said)
    return whole


def main() -> None:
    """Run the command line; a known problem ends it with its sentence and exit code 1."""
    try:
        command()()
    except LessonsError as error:
        say(str(error), "red")
        sys.exit(1)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            say("Stopped. What was stored before stays.", "")
        raise
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        if error.errno == errno.ENOSPC:
            say("The disk is full: free some space, then repeat the command.", "red")
        sys.stderr.close()  # Python would complain there that it cannot write what is left of the output
        sys.exit(1)
