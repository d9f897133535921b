"""Words that mean the same, within a language and across the two: 'staff', 'employees', 직원.

A word of a question may stand in a document as another one. The groups in `glossary.txt` are general vocabulary; they
name nothing that only some documents know.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lessons.text import language, terms

GROUPS = Path(__file__).with_name("glossary.txt")
_MOST_WORDS = 3  # of a form
_MOST_ENDING = 3  # syllables of particles and endings that may follow a Korean form

Forms = tuple[frozenset[str], ...]
_off: list[None] = []  # one for each block that has it switched off


@contextmanager
def switched_off() -> Iterator[None]:
    """No word has another form while the block runs, in every thread, so that its worth can be measured."""
    _off.append(None)
    try:
        yield
    finally:
        _off.pop()


def others(words: Sequence[str]) -> list[Forms]:
    """For each word of a question, the terms of the forms that may stand in its place; the longest match counts."""
    found: list[Forms] = [()] * len(words)
    start = len(words) if _off else 0
    while start < len(words):
        width, forms = _longest(words, start)
        for position in range(start, start + width):
            found[position] = forms
        start += max(1, width)
    return found


def _longest(words: Sequence[str], start: int) -> tuple[int, Forms]:
    """How many words from here are a form, and the other forms of its groups."""
    for width in range(min(_MOST_WORDS, len(words) - start), 0, -1):
        if said := _said(words[start : start + width]):
            groups = [_groups()[group] for group in _index()[said]]
            other = (form for forms in groups for form in forms if form != said)
            return width, tuple(dict.fromkeys(_terms(form) for form in other))
    return 0, ()


def _said(words: Sequence[str]) -> str:
    """The form that these words are, without endings; empty if none."""
    text = " ".join(words)
    if language(text) == "en" and text.isascii():
        return _key(text) if _key(text) in _index() else ""
    ends = range(len(text), max(1, len(text) - _MOST_ENDING - 1), -1)
    return next((text[:end] for end in ends if end > len(text) - len(words[-1]) and text[:end] in _index()), "")


def _key(form: str) -> str:
    """Korean forms as they are, English ones as their stems."""
    return " ".join(terms(form)) if form.isascii() else form


@cache
def _groups() -> list[tuple[str, ...]]:
    lines = GROUPS.read_text(encoding="utf-8").splitlines()
    groups = [[_key(form.strip()) for form in line.split("=")] for line in lines if line and line[0] != "#"]
    return [tuple(dict.fromkeys(filter(None, group))) for group in groups]


@cache
def _index() -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(_groups()):
        for form in group:
            found[form].append(number)
    return dict(found)


@cache
def _terms(form: str) -> frozenset[str]:
    return frozenset(form.split() if form.isascii() else terms(form))
