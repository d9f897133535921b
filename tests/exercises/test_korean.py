"""The exercises in Korean: every text has its Korean, and a reader of the Korean edition gets it."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.exercises import check, checking, hint, progress
from lessons.exercises.catalog import FOLDER
from lessons.language import korean
from tests.support.messages import sentences

ROOM = Path(checking.__file__).parent
ENGLISH = re.compile(r"\b[a-z]{2,},? [a-z]{2,},? [a-z]{2,}\b")
MADE_OF_TEXTS = {"Text", "Nearly", "case", "_"}
NOT_SHOWN = {"{0} cannot be searched", "{0} follow-ups of dev", "budget alert region", "the same key"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_each_text_of_an_exercise_stands_in_both_languages(path: Path) -> None:
    for item in json.loads(path.read_text(encoding="utf-8")).values():
        shown = [item["title"], *item["hints"], *item.get("slips", ()), *item.get("why_not", {}).values()]
        shown += [item["expects"]] if "expects" in item else []
        shown += [row["when"] for row in item.get("cases", ()) if "when" in row]
        assert all(text["en"] and text["ko"] for text in shown)


def test_each_message_has_its_korean() -> None:
    shown = {text for path in ROOM.glob("*.py") for text in sentences(path) if ENGLISH.search(text)}
    built = {call.args[0].value for path in ROOM.glob("*.py") for call in _calls(path)}
    assert sorted((shown | built) - {*korean()} - NOT_SHOWN - {"", "{0}", "{0}."}) == []


def _calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str()), *_]) if name in MADE_OF_TEXTS:
                yield node


@pytest.fixture
def korean_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGUAGE", raising=False)
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")


def test_a_korean_reader_gets_korean_hints_and_verdicts(korean_shell: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.match("02.3, 힌트 [12]/2: [가-힣]", hint("02.3"))
    said = "여기에 쓸 답은 0에서 1까지의 숫자 쌍(후보가 열다섯 개일 때와 다섯 개일 때의 Recall@5)입니다."
    assert str(check("04.1", "both")) == f"✗ 04.1 오답: {said} 값의 타입이 텍스트입니다(필요한 타입은 list)."
    assert not checking.solved("04.1", ...)
    assert capsys.readouterr().out.startswith("먼저 풀어야 할 연습 문제는 04.1입니다(아직 풀지 않음).")
    assert "연습 문제" in progress("04")._repr_html_()
