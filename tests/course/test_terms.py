"""One Korean word for one thing, in the app, the notebooks, the command line and the exercises."""

import re
import tomllib
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from data.make.edition import CATALOGUES
from lessons.settings import ROOT

TERMS = tomllib.loads((CATALOGUES / "terms.toml").read_text(encoding="utf-8"))["term"]
REPLACED = [(pattern, term["korean"]) for term in TERMS.values() for pattern in term.get("instead_of", [])]


def korean_of(path: Path) -> list[str]:
    """Return the Korean texts of a catalogue or of a file of exercises, without code."""
    if path.suffix == ".po":
        with path.open("rb") as file:
            texts = [str(entry.string) for entry in read_po(file)]
    else:
        texts = re.findall(r'"ko": (".*?(?<!\\)")', path.read_text(encoding="utf-8"))
    return [re.sub(r"`[^`]*`", "", text) for text in texts]


FILES = sorted(
    [*(ROOT / "lessons").rglob("ko.po"), *CATALOGUES.glob("*.po"), *(ROOT / "data/exercises").glob("*.json")]
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_thing_has_one_korean_word(path: Path) -> None:
    texts = korean_of(path)
    assert texts
    used = [(pattern, korean, text) for pattern, korean in REPLACED for text in texts if re.search(pattern, text)]
    assert used == []


@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_used_somewhere(term: str) -> None:
    assert any(TERMS[term]["korean"] in text for path in FILES for text in korean_of(path))
