"""Stages that the reader's own file defines."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lessons.errors import LessonsError
from lessons.own_stages import every_stage
from lessons.settings import settings
from lessons.stages import stages

Written = Callable[[str], Path]
SHORTEST = """
from lessons.stages import stage_named

smart = stage_named("smart")


def shortest_first(question, documents):
    return sorted(documents, key=lambda document: len(document.content))


shortest = smart.but("shortest first", reranker=shortest_first)
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Write the file, each time a moment later."""
    path = tmp_path / "my_stages.py"
    monkeypatch.setattr(settings(), "own_stages", path)

    def write(text: str) -> Path:
        later = path.stat().st_mtime + 1 if path.exists() else 1.0
        path.write_text(text, encoding="utf-8")
        os.utime(path, (later, later))
        return path

    return write


def test_without_a_file_there_are_the_five(written: Written) -> None:
    assert every_stage() == stages()


def test_what_the_file_defines_comes_after_the_five_and_what_it_only_uses_does_not(written: Written) -> None:
    written(SHORTEST)
    assert [*every_stage()] == [*stages(), "shortest first"]
    reranker = every_stage()["shortest first"].reranker
    assert reranker is not None
    written(SHORTEST + "best = shortest")
    assert [*every_stage()] == [*stages(), "shortest first"]


def test_a_change_of_the_file_is_seen_at_once(written: Written) -> None:
    written(SHORTEST)
    assert "shortest first" in every_stage()
    written(SHORTEST.replace("shortest first", "brief first"))
    assert [*every_stage()] == [*stages(), "brief first"]
    written("").unlink()
    assert every_stage() == stages()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1 +", "my_stages.py, line 1, cannot be run: SyntaxError"),
        ("def broken():\n    return y\n\n\nbroken()", "my_stages.py, line 2, cannot be run: NameError"),
        (SHORTEST.replace("shortest first", "smart"), "calls a stage 'smart', like one of the five"),
        (SHORTEST + "again = smart.but('shortest first')", "Two stages are named 'shortest first'; give one another"),
        (SHORTEST + "other = smart.but('other', reranker=1)", "line 12, cannot be run: LessonsError: 1 is no reranker"),
    ],
)
def test_a_file_that_cannot_be_used_says_where(written: Written, text: str, said: str) -> None:
    written(text)
    with pytest.raises(LessonsError, match=said):
        every_stage()


def test_a_file_of_another_encoding_names_its_first_line(written: Written) -> None:
    later = written("x = 1").stat().st_mtime + 1
    path = settings().own_stages
    path.write_text("x = 1", encoding="utf-16")
    os.utime(path, (later, later))
    with pytest.raises(LessonsError, match="line 1, cannot be run"):
        every_stage()
