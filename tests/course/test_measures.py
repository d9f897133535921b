"""Every notebook is what a reader was promised; `tests/course/measures.py` prints the numbers."""

import json
from pathlib import Path

import pytest

from tests.course.measures import AIMS, Measures, measure, missed, neighbours, notebooks, table, words

EVERY = notebooks()


@pytest.fixture(params=EVERY, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_a_notebook_meets_the_aims(notebook: Path) -> None:
    found = measure(notebook)
    assert {name: getattr(found, name) for name in missed(found)} == {}


def test_a_notebook_ends_with_the_way_back_and_the_way_on(notebook: Path) -> None:
    place = EVERY.index(notebook)
    around = {"Previous": EVERY[place - 1] if place else None, "Next": dict(enumerate(EVERY)).get(place + 1)}
    assert neighbours(notebook) == {way: path.name for way, path in around.items() if path}


def test_the_table_has_a_line_for_each_notebook() -> None:
    assert table([measure(path) for path in EVERY]).row_count == len(EVERY)


def bad_notebook(folder: Path) -> Measures:
    """A notebook with each mistake once."""
    long = {"cell_type": "code", "metadata": {"execution": {}}, "source": ["x = 1\n"] * 31, "outputs": []}
    leak = {"name": "stdout", "output_type": "stream", "text": ["/home/me/data"]}
    text = {"cell_type": "markdown", "metadata": {}, "source": ["See [there](gone.ipynb)."]}
    path = folder / "bad.ipynb"
    path.write_text(json.dumps({"cells": [text, long, {**long, "outputs": [leak]}, long]}))
    return measure(path)


def test_each_aim_can_be_missed(tmp_path: Path) -> None:
    assert set(missed(bad_notebook(tmp_path))) == set(AIMS)


@pytest.mark.parametrize(
    ("text", "count"),
    [("One **two** `three()`.", 3), ("```python\nx = 1\n```\nOnly this", 2), ("| a | b |\n| - | - |\nyes", 1)],
)
def test_words_are_words_of_prose(text: str, count: int) -> None:
    assert words(text) == count
