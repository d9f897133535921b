"""The Korean edition says what the English one says: the same numbers, code and links, and nothing is left out."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest

from data.make import edition
from data.make.edition import (
    FENCED,
    GUIDES,
    blocks,
    built,
    editions,
    examples,
    exchanged,
    prose,
    read,
    relinked,
    written,
)
from lessons.course.student import KOREAN, LINK, NOTEBOOKS

CODE = re.compile(r"`[^`\n]+`")
WRAPPED = re.compile(r"(?<=\S)\n  (?=\S)(?!- )")
"""Where an item of a list goes on in its next line."""
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
GAIN = re.compile(r"\(9[59] ?%\)| \| ")
"""A gain, or a row of a table, which a notebook prints in the language of its reader."""

FIRST = NOTEBOOKS / "00_start_here.ipynb"
FILES = pytest.mark.parametrize("english", list(editions()), ids=lambda path: path.stem)

WORDS = {
    "0": "zero",
    "1": "a|an|one|once|first|January",
    "2": "two|twice|second|half|February",
    "3": "three|third|thirds|March",
    "4": "four|fourth|quarters?|April",
    "5": "five|fifths?|May",
    "6": "six|sixth|June",
    "7": "seven|seventh|July",
    "8": "eight|eighth|August",
    "9": "nine|ninths?|September",
    "10": "ten|tenth|October",
    "11": "eleven|November",
    "12": "twelve|dozen|December",
    "13": "thirteen",
    "14": "fourteen",
    "15": "fifteen",
    "16": "sixteen",
    "17": "seventeen",
    "18": "eighteen",
    "19": "nineteen",
    "20": "twenty",
    "30": "thirty|half an hour",
    "40": "forty",
    "50": "fifty",
    "60": "sixty|hour",
    "70": "seventy",
    "80": "eighty",
    "90": "ninety",
    "100": "hundred|hundredth",
    "1,000": "thousand|thousandth|millisecond",
}
"""Numbers that English writes as words and Korean as digits: 5분의 1, 30분, 11월, 1,000분의 1초."""


def words_of(text: str) -> str:
    """Its prose, without code and addresses; large numbers as Korean counts them, in units of 만 and 억."""
    plain = re.sub(r"\]\([^)]*\)", "]", CODE.sub(" ", WRAPPED.sub(" ", FENCED.sub(" ", text))))
    plain = re.sub(r"(\d+) million", lambda found: f"{int(found[1]) * 100:,}만", plain)
    return re.sub(r"([\d.]+) billion", lambda found: f"{float(found[1]) * 10:g}억", plain)


def kept(text: str) -> dict[str, Counter[str]]:
    """What a translation leaves as it is. In a fenced block, comments, quoted words and labels of a chart are prose."""
    plain = WRAPPED.sub(" ", FENCED.sub(" ", text))
    fenced = [re.sub(r'#.*|"[^"]*"', "", block) for block in FENCED.findall(text)]
    return {
        "fenced": Counter(block for block in fenced if not block.startswith("```mermaid")),
        "lines": Counter(str(block.count("\n")) for block in fenced),
        "code": Counter(map(quoted, CODE.findall(plain))),
        "links": Counter(re.findall(r"\]\(([^)\s]+)", CODE.sub(" ", plain))),
        "headings": Counter(re.findall(r"^#+ ", plain, re.MULTILINE)),
        "columns": Counter(str(line.count("|")) for line in plain.splitlines() if line.lstrip().startswith("|")),
    }


def quoted(span: str) -> str:
    """The code in a text; of what a notebook prints in its language, the numbers."""
    return " ".join(sorted(NUMBER.findall(span))) if GAIN.search(span) else span


def unlike(english: str, korean: str) -> Counter[str]:
    """The numbers that only one of two texts has; one that English writes as a word is in both."""
    ours, theirs = (Counter(NUMBER.findall(words_of(text))) for text in (english, korean))
    spoken = {number for number, words in WORDS.items() if re.search(rf"\b({words})\b", english, re.IGNORECASE)}
    return (ours - theirs) + Counter({number: n for number, n in (theirs - ours).items() if number not in spoken})


def exchanged_prose(path: Path) -> dict[str, str]:
    """The cells of prose that quote an example, with the Korean one."""
    exchange = examples(path)
    quoting = [cell for cell in nbformat.read(path, as_version=4).cells if exchange[cell.id]] if exchange else []
    return {cell.source: exchanged(cell.source, exchange[cell.id]) for cell in quoting if cell.cell_type == "markdown"}


def shape(code: str) -> str:
    """The code without what its texts say; of a text with values, the values in any order."""
    tree = compile(code, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        if isinstance(node, ast.JoinedStr):
            values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
            node.values = sorted(values, key=ast.dump)
    return ast.dump(tree)


@FILES
def test_every_text_has_its_korean(english: Path) -> None:
    korean = read(english)
    missing = [text for text in prose(english) if text not in korean]
    assert missing == [], "fill the entries that `uv run python -m data.make.edition` adds"


@FILES
def test_code_links_and_numbers_are_the_same(english: Path) -> None:
    korean = read(english)
    pairs = [(exchanged_prose(english).get(text, text), korean[text]) for text in prose(english)]
    assert [pair for pair in pairs if kept(pair[0]) != kept(pair[1])] == []
    assert [(pair, found) for pair in pairs if (found := unlike(*pair))] == []


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("0.84 of 12", "12개 중 0.48"),
        ("In 2024", "그해에"),
        ("nothing", "3개"),
        ("1.5 billion", "1.5개"),
        ("five", "6"),
    ],
)
def test_another_number_is_noticed(english: str, korean: str) -> None:
    assert unlike(english, korean)


@pytest.mark.parametrize(
    ("english", "korean"),
    [("half an hour", "30분"), ("a fifth", "5분의 1"), ("50 million", "5,000만"), ("in May", "5월")],
)
def test_a_number_may_be_written_as_korean_does(english: str, korean: str) -> None:
    assert not unlike(english, korean)


@FILES
def test_only_the_examples_of_a_cell_are_exchanged(english: Path) -> None:
    if not (exchange := examples(english)):
        return
    cells = {cell.id: cell for cell in nbformat.read(english, as_version=4).cells}
    assert set(exchange) <= set(cells)
    codes = [(cells[name].source, pairs) for name, pairs in exchange.items() if cells[name].cell_type == "code"]
    assert [code for code, pairs in codes if shape(exchanged(code, pairs)) != shape(code)] == []


def test_an_example_that_the_english_cell_no_longer_has_is_noticed() -> None:
    assert exchanged('ask("Who?")', {"Who?": "누가?"}) == 'ask("누가?")'
    with pytest.raises(ValueError, match="Who"):
        exchanged('ask("What?")', {"Who?": "누가?"})


@FILES
def test_what_is_built_is_in_the_repository(english: Path) -> None:
    there = editions()[english].read_text(encoding="utf-8")
    assert there == built(english, read(english)), "uv run python -m data.make.edition"


@FILES
def test_links_lead_somewhere(english: Path) -> None:
    path = editions()[english]
    texts = prose(path)
    links = [link for text in texts for link in LINK.findall(text) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_no_korean_notebook_is_left_over() -> None:
    assert {path.name for path in KOREAN.glob("*.ipynb")} == {path.name for path in NOTEBOOKS.glob("*.ipynb")}


def test_a_cell_keeps_its_korean_output_until_its_code_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    english, korean = tmp_path / "one.ipynb", tmp_path / "ko.ipynb"
    monkeypatch.setattr(edition, "editions", lambda: {english: korean})
    for path, says in ((english, "right"), (korean, "맞습니다")):
        cells = [nbformat.v4.new_code_cell(f"check({n})", id=f"cell-{n}", outputs=[said(says)]) for n in (1, 2)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    changed = nbformat.read(english, as_version=4)
    changed.cells[1].source = "check(3)"
    nbformat.write(changed, english)
    built_cells = nbformat.reads(built(english, {}), as_version=4).cells
    assert [cell.source for cell in built_cells] == ["check(1)", "check(3)"]
    assert [cell.outputs[0].text for cell in built_cells] == ["맞습니다", "right"]


def said(text: str) -> Any:
    return nbformat.v4.new_output("stream", text=text)


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
    assert relinked("[x](README.ko.md), [y](LICENSE)", readme) == "[x](README.md), [y](LICENSE)"
    assert relinked("[x](01_naive_rag.ipynb), [y](../app.py)", FIRST) == "[x](01_naive_rag.ipynb), [y](../../app.py)"
    assert relinked("[x](https://a.b/c), `f[0](x)`", FIRST) == "[x](https://a.b/c), `f[0](x)`"
