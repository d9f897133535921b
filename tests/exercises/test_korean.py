"""The exercises in Korean: every text has its Korean, and a reader of the Korean edition gets it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from lessons.exercises import check, checking, hint, progress
from lessons.exercises.catalog import FOLDER
from lessons.language import in_korean
from tests.support.messages import sentences

ROOM = Path(checking.__file__).parent
ENGLISH = re.compile(r"\b[a-z]{2,},? [a-z]{2,},? [a-z]{2,}\b")
NOT_SHOWN = {"{0} follow-ups of dev", "budget alert region", "the same key"}


def written() -> Iterator[str]:
    """The texts of the exercises that are data; a case is said behind `when`."""
    for path in sorted(FOLDER.glob("*.json")):
        for item in json.loads(path.read_text(encoding="utf-8")).values():
            yield from (item[key] for key in ("title", "expects") if key in item)
            yield from (*item["hints"], *item.get("slips", ()), *item.get("why_not", {}).values())
            yield from (f"when {each['when']}" for each in item.get("cases", ()) if "when" in each)


@pytest.fixture
def korean_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGUAGE", raising=False)
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")


def test_each_text_has_its_korean_and_nothing_else_has() -> None:
    with (ROOM / "ko.po").open("rb") as file:
        known = [str(each.id) for each in read_po(file) if each.id]
    program = [text for path in ROOM.glob("*.py") for text in sentences(path)]
    texts = {*written(), *filter(ENGLISH.search, program)} - NOT_SHOWN
    missing = [text for text in texts - {*known} if in_korean(text) == text and f"when {text}" not in known]
    assert missing == []
    said = "\n".join(["when ", *program])
    parts = {text: re.split(r"\{\d\}|^when ", text) for text in known}
    unused = {text for text in known if not all(part.strip(" ()") in said for part in parts[text])}
    assert unused - {*written()} == set(), "stale"
    assert len(known) == len(set(known))


def test_a_korean_reader_gets_korean_hints_and_verdicts(korean_shell: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.match("02.3, 힌트 [12]/2: [가-힣]", hint("02.3"))
    said = "기대하는 답은 0에서 1까지의 숫자 쌍(후보가 열다섯 개일 때와 다섯 개일 때의 Recall@5)입니다."
    assert str(check("04.1", "both")) == f"✗ 04.1 오답: {said} 여기서는 값의 타입이 텍스트입니다(필요한 타입은 list)."
    assert not checking.solved("04.1", ...)
    assert capsys.readouterr().out.startswith("먼저 풀어야 할 연습 문제는 04.1입니다(시도하지 않음).")
    assert "연습 문제" in progress("04")._repr_html_()
