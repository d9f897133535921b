"""The Korean edition says what the English one says: the same numbers, code and links, and nothing is left out."""

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from data.make import edition
from data.make.edition import GUIDES, blocks, built, editions, prose, read, relinked, written
from lessons.course.student import KOREAN, NOTEBOOKS

FENCE = re.compile(r"```.*?```", re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
FIRST = NOTEBOOKS / "00_start_here.ipynb"
FILES = pytest.mark.parametrize("english", list(editions()), ids=lambda path: path.stem)


def kept(text: str) -> dict[str, Counter[str]]:
    """What a translation leaves as it is. Comments and quoted words of a fenced block are prose."""
    plain = FENCE.sub(" ", text)
    words = re.sub(r"\]\([^)]*\)", "]", CODE.sub(" ", plain))
    return {
        "fenced": Counter(re.sub(r'#.*|"[^"]*"', "", block) for block in FENCE.findall(text)),
        "code": Counter(CODE.findall(plain)),
        "links": Counter(re.findall(r"\]\(([^)\s]+)", CODE.sub(" ", plain))),
        "numbers": Counter(re.findall(r"\d+(?:[.,:]\d+)*", words)),
        "headings": Counter(re.findall(r"^#+ ", plain, re.MULTILINE)),
        "columns": Counter(str(line.count("|")) for line in plain.splitlines() if line.lstrip().startswith("|")),
    }


@FILES
def test_every_text_has_its_korean(english: Path) -> None:
    missing = [text for text in prose(english) if text not in read(english)]
    assert missing == [], "fill the entries that `uv run python -m data.make.edition` adds"


@FILES
def test_numbers_code_and_links_are_the_same(english: Path) -> None:
    korean = read(english)
    differ = [(text, korean[text]) for text in prose(english) if kept(text) != kept(korean[text])]
    assert differ == []


@FILES
def test_what_is_built_is_in_the_repository(english: Path) -> None:
    there = editions()[english].read_text(encoding="utf-8")
    assert there == built(english, read(english)), "uv run python -m data.make.edition"


@FILES
def test_links_lead_somewhere(english: Path) -> None:
    path = editions()[english]
    texts = prose(path)
    links = [link for text in texts for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_no_korean_notebook_is_left_over() -> None:
    assert {path.name for path in KOREAN.glob("*.ipynb")} == {path.name for path in NOTEBOOKS.glob("*.ipynb")}


def test_code_and_outputs_are_those_of_the_english_notebook() -> None:
    ours, theirs = (nbformat.read(folder / FIRST.name, as_version=4).cells for folder in (KOREAN, NOTEBOOKS))
    assert [cell for cell in ours if cell.cell_type == "code"] == [cell for cell in theirs if cell.cell_type == "code"]


def test_a_text_that_changed_asks_for_its_korean_and_shows_the_old_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(edition, "CATALOGUES", tmp_path)
    guide = tmp_path / "guide.md"
    guide.write_text("# A guide\n\nAsk the store.\n")
    assert written(guide, {}) == 2
    assert written(guide, {"# A guide": "# 안내서", "Ask the store.": "저장소에\n물어보세요."}) == 0
    assert read(guide) == {"# A guide": "# 안내서", "Ask the store.": "저장소에\n물어보세요."}
    guide.write_text("# A guide\n\nAsk the store twice.\n")
    assert written(guide, read(guide)) == 1
    assert read(guide) == {"# A guide": "# 안내서"}
    assert "# 물어보세요." in (tmp_path / "guide.po").read_text(encoding="utf-8")
    with pytest.raises(KeyError, match="Ask the store twice"):
        built(guide, read(guide))


def test_a_fenced_block_stays_whole() -> None:
    text = "One.\n\n```sh\nmake app\n\nmake lab\n```\n\n\nTwo."
    assert blocks(text) == ["One.", "```sh\nmake app\n\nmake lab\n```", "Two."]


def test_links_lead_to_the_korean_file_where_there_is_one() -> None:
    readme = next(iter(GUIDES))
    assert relinked("[x](notebooks/00_start_here.ipynb)", readme) == "[x](notebooks/ko/00_start_here.ipynb)"
    assert relinked("[x](README.md#tests), [y](LICENSE)", readme) == "[x](README.ko.md#tests), [y](LICENSE)"
    assert relinked("[x](01_naive_rag.ipynb), [y](../app.py)", FIRST) == "[x](01_naive_rag.ipynb), [y](../../app.py)"
    assert relinked("[x](https://a.b/c), `f[0](x)`", FIRST) == "[x](https://a.b/c), `f[0](x)`"
