"""The language of the reader: who decides it, what is said in Korean, and that a catalogue has all that is said."""

import ast
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from babel.messages.pofile import read_po
from IPython.lib.pretty import pretty
from typer.main import get_command

import lessons.language
from lessons.cli import app
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import HALF_POINTS, QUOTED, REPLAYED
from lessons.evaluate.golden import SETS, SPLITS, golden_questions
from lessons.evaluate.runs import RunRow
from lessons.language import NOTEBOOKS, VARIABLES, _, in_korean, korean, language, with_particles
from lessons.rag.answer import EMPTY, UNSOURCED, UNSUPPORTED
from lessons.rag.pipeline import CUT, WALKED
from lessons.settings import ROOT
from tests.support.messages import message, sentences
from tests.test_cli import lessons_process

LESSONS = Path(lessons.language.__file__).parent
ERRORS = {"LessonsError", "DatabaseError", "ModelError", "ReadError", "FileError", "FilterError", "NotRecordedError"}
AFTER_A_NAME = {"ReadError", "FileError"}
"""What is said behind the name of a file."""

PLACEHOLDER = re.compile(r"\{\d*\w*\}")
STEPS = {"search documents", "get section", "search all", "search by metadata"}
"""Steps that are called as their classes and tools are."""

LOOSE = {"{0} characters", "{0}\n{1}\n{2}"}
"""What is in other messages, or is several of them."""


def raised() -> Iterator[str]:
    """The sentences of the errors that the package raises where they are made."""
    rooms = (path for path in LESSONS.rglob("*.py") if path.parent.name not in ("exercises", "pages"))
    for path in rooms:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[*_, last])) if name in ERRORS:
                    said = message(last)
                    if said and name in AFTER_A_NAME:
                        said = "{0} " + re.sub(r"\{(\d)\}", lambda number: f"{{{int(number[1]) + 1}}}", said)
                    yield said


def helped(command: Any) -> Iterator[str]:
    """The help of a command, its parameters and those below it."""
    yield command.help or ""
    yield from (getattr(each, "help", None) or "" for each in command.params)
    for each in getattr(command, "commands", {}).values():
        yield from helped(each)


def test_each_error_warning_and_help_has_its_korean() -> None:
    warned = {EMPTY, HALF_POINTS, QUOTED, REPLAYED, UNSOURCED, UNSUPPORTED.format("{0}"), WALKED, CUT}
    said = {*raised(), *helped(get_command(app)), *warned} - LOOSE - {""}
    assert sorted(said - {*korean()}) == []


def test_nothing_else_is_in_the_catalogue() -> None:
    with (LESSONS / "ko.po").open("rb") as file:
        known = [str(each.id) for each in read_po(file) if each.id]
    said = " ".join(
        " ".join(text.split()) for path in LESSONS.rglob("*.py") for text in sentences(path, docs=True)
    ).lower()
    parts = {text: [part.strip(" ()") for part in PLACEHOLDER.split(" ".join(text.lower().split()))] for text in known}
    said = PLACEHOLDER.sub("{}", said)
    stale = [text for text in known if not any(part and part in said for part in parts[text])]
    folders = *SETS.values(), ROOT / "data" / "makerspace"
    questions = (golden_questions(split, path) for split in SPLITS for path in folders)
    kinds = {question.category for each in questions for question in each}
    assert set(stale) - STEPS - kinds == set()
    assert len(known) == len(set(known))


def test_the_korean_keeps_placeholders_and_code() -> None:
    def fixed(text: str) -> list[str]:
        return sorted({*PLACEHOLDER.findall(text)}) + sorted(re.findall(r"`[^`]*`|LESSONS_[A-Z_]+|[A-Z]+_URL", text))

    assert [english for english, said in korean().items() if fixed(english) != fixed(said)] == []


def test_a_message_that_is_filled_in_has_words_of_its_own() -> None:
    filled = [
        text for text in korean() if re.search(r"\{\d\}", text) and text not in ("{0}.", "NO  {0}: {1}", "ok  {0}: {1}")
    ]
    assert [text for text in filled if len(re.sub(r"\{\d\}|\W", "", text)) < 3] == []


def test_a_run_of_the_readers_own_questions_has_a_korean_name() -> None:
    run = RunRow(id=1, at=datetime(2026, 11, 25, tzinfo=UTC), stages=["naive", "smart"], questions=2, user_id="reader")
    assert in_korean(str(run)) == "실행 1 · 2026-11-25 00:00 · naive, smart · 내 질문 2개"


def test_what_is_filled_in_is_korean_too() -> None:
    said = "Nothing could be retrieved: the search took too long; ask again, or raise LESSONS_TOOL_TIMEOUT."
    assert (
        in_korean(said)
        == "아무것도 검색하지 못했습니다. 검색이 너무 오래 걸렸습니다. 다시 묻거나 LESSONS_TOOL_TIMEOUT을 늘리세요."
    )
    assert in_korean("It has never been said.") == "It has never been said."
    said = "answered by qwen (of 3 steps 2 by qwen, 1 by keyless model)"
    assert in_korean(said) == "qwen의 답변(스텝 3개 중 qwen 2개, 키 없는 모델 1개)"


def test_what_introduces_a_message_stays_before_it() -> None:
    said = "Note: 3 questions decide nothing, and the true intervals are wider than these: ask at least 10."
    assert in_korean(said).startswith("참고: 질문 3개로는 ")
    assert in_korean("ok  owners: owners kept apart by policies and the role me").startswith("ok  소유자: ")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"LC_ALL": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LANGUAGE": "en", "LC_ALL": "ko_KR.UTF-8"}, "en"),
        ({"LC_ALL": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_shell_decides(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert language() == expected


@pytest.mark.parametrize(
    ("system", "expected"), [("Korean_Korea", "ko"), ("English_United States", "en"), (None, "en")]
)
def test_windows_decides_by_its_region(monkeypatch: pytest.MonkeyPatch, system: str | None, expected: str) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lessons.language.locale, "getlocale", lambda: (system, "cp949"))
    assert language() == expected


@pytest.mark.parametrize(
    ("folder", "expected"),
    [(NOTEBOOKS, "ko"), (NOTEBOOKS / "without_solutions", "ko"), (NOTEBOOKS.parent, "en")],
)
def test_a_kernel_speaks_as_its_edition(monkeypatch: pytest.MonkeyPatch, folder: Path, expected: str) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    monkeypatch.setenv("LANGUAGE", "en" if expected == "ko" else "ko")
    monkeypatch.chdir(folder)
    assert language() == expected
    error, said = LessonsError("The question is empty; type one."), _("The question is empty; type one.")
    assert error._render_traceback_() == [f"LessonsError: {said}"]
    assert pretty(error) == said


@pytest.mark.parametrize(
    ("locale", "said", "help_"),
    [
        ("ko_KR.UTF-8", "비교하지 못했습니다. none.json에 실행이 없습니다(", "비교할 실행."),
        ("C", "Nothing was compared: none.json holds no run (", "The run to compare with"),
    ],
)
def test_the_command_line_speaks_the_language_of_the_shell(locale: str, said: str, help_: str) -> None:
    shell = {"LANGUAGE": "", "LC_ALL": locale, "PYTHONUTF8": "1"}
    done = lessons_process("gate", "none.json", **shell)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert help_ in lessons_process("gate", "--help", **shell).stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("예산을(를)", "예산을"),
        ("매출을(를)", "매출을"),
        ("회사을(를)", "회사를"),
        ("report.pdf이(가)", "report.pdf가"),
        ("“가격”은(는)", "“가격”은"),
        ("`smart`(으)로", "`smart`로"),
        ("실행 7(으)로", "실행 7로"),
        ("실행 3(으)로", "실행 3으로"),
        ("서울(으)로", "서울로"),
        ("문서 2과(와) 3이(가)", "문서 2와 3이"),
        ("모델(이)라고", "모델이라고"),
        ("HTML을(를)", "HTML을"),
        ("고객(이)라고", "고객이라고"),
        ("회사(이)라고", "회사라고"),
        ("Qwen이(가)", "Qwen이"),
        ("agentic은(는)", "agentic은"),
        ("(이유)이(가)", "(이유)가"),
    ],
)
def test_a_particle_follows_the_sound_before_it(text: str, expected: str) -> None:
    assert with_particles(text) == expected


def test_an_error_has_its_particles_chosen() -> None:
    assert in_korean("a.md is not registered; search all documents, or name another file.").startswith("a.md는")
