"""Help and bad usage: what typer says of a command is said in Korean to a Korean reader, and in English to others."""

import re
from itertools import chain
from unittest.mock import patch

import pytest
from babel.messages.pofile import read_po
from typer.main import get_command

import lessons.cli
from lessons.language import LESSONS, VARIABLES
from tests.test_cli import Done
from tests.test_cli import lessons as run

HELP = [[], *([*name, "--help"] for name in ([], *([each] for each in get_command(lessons.cli.app).commands)))]  # type: ignore[attr-defined]
WRONG = [
    line.split(" ")
    for line in (
        "asq",
        "nothing",
        "--none",
        "ask",
        "ask why more",
        "ask --stag smart",
        "ask why --stage none",
        "ask why --stage",
        "mcp",
        "app --headless=3",
        "app --port 70000",
        "evaluate --limit 0",
        "scoreboard nothing",
        "evaluate --limit many",
        "evaluate --split none",
        "evaluate --questions README.md --data elsewhere",
        "evaluate --questions frozen",
        "gate base.json --margin much",
        "gate base.json --stage all",
        "ingest . --index none",
        "ingest ",
    )
]
NAMES = re.compile(r"lessons \w+|<[^>]*>|'[^']*'|Model Context Protocol")
ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,}|^[A-Z][a-z]+:|\[default|required", re.MULTILINE)
PLACEHOLDER = re.compile(r"\{\d\}")


def said(done: Done) -> str:
    return done.stdout + done.stderr


@pytest.fixture
def korean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLES[0], "ko")


@pytest.mark.usefixtures("korean")
@pytest.mark.parametrize("arguments", [*HELP, *WRONG], ids=" ".join)
def test_help_and_bad_usage_are_korean_for_a_korean_reader(arguments: list[str]) -> None:
    done = run(*arguments)
    assert ENGLISH.findall(NAMES.sub("", said(done))) == []
    assert re.search("[가-힣]", said(done))
    assert done.returncode == (0 if "--help" in arguments else 2)


def test_each_of_typers_messages_in_the_catalogue_is_one_that_typer_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLES[0], "en")
    english = " ".join(" ".join(said(run(*arguments)).split()) for arguments in chain(HELP, WRONG))
    with (LESSONS / "cli" / "ko.po").open("rb") as file:
        known = [str(each.id) for each in read_po(file) if each.id]
    patterns = {text: ".*".join(map(re.escape, PLACEHOLDER.split(text))) for text in known}
    assert [text for text, pattern in patterns.items() if not re.search(pattern, english)] == []


@pytest.mark.parametrize(
    ("shell", "chosen", "opened"), [("ko", [], "ko"), ("en", [], "en"), ("ko", ["--language=en"], "en")]
)
def test_the_notebooks_are_those_of_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, shell: str, chosen: list[str], opened: str
) -> None:
    monkeypatch.setenv(VARIABLES[0], shell)
    with patch("lessons.course.learn.learn") as learn:
        run("learn", *chosen)
    assert learn.call_args.args[-1] == opened
