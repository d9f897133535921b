"""The pages of commands, from what the command line says of itself: `uv run python -m data.make.commands`."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from lessons.cli import localized_command
from lessons.language import VARIABLES
from lessons.settings import ROOT

FOLDER = ROOT / "lessons" / "cli"
WIDTH = 100  # columns
PAGES = {
    "en": (
        FOLDER / "README.md",
        "# Commands",
        "[한국어](README.ko.md)",
        "Written by `{}` from the help of each command.",
    ),
    "ko": (FOLDER / "README.ko.md", "# 명령", "[English](README.md)", "`{}`가 도움말로 만든 페이지입니다."),
}
COMMAND = "uv run python -m data.make.commands"


def helps() -> Iterator[tuple[str, str]]:
    """Yield each command with its help, in the reader's language."""
    group = localized_command()
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined]
        context = command.context_class(command, info_name=f"uv run lessons {name}", terminal_width=WIDTH)
        yield name, context.get_help()


def page(language: str) -> str:
    """Return the page of a language."""
    _, title, link, note = PAGES[language]
    with patch.dict(os.environ, {VARIABLES[0]: language}):
        sections = [f"## {name}\n\n```text\n{text.rstrip()}\n```" for name, text in helps()]
    return "\n\n".join([title, link, note.format(COMMAND), *sections]) + "\n"


def main() -> None:
    for language, (path, *_) in PAGES.items():
        Path(path).write_text(page(language), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
