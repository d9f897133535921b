"""The map of the field names only what is there, and quotes only what the executed notebooks printed."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from data.make import public

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "data/field.md").read_text(encoding="utf-8")
FIELDS = ["What it is", "Here", "Notebook", "Gain here", "Authors' claim", "Source", "Verdict"]
NOT_BUILT = {"Here": "not built here", "Notebook": "none", "Gain here": "not measured here"}
DEFINED = (ast.ClassDef, ast.FunctionDef)
Entry = dict[str, str]


def joined(text: str) -> str:
    """In one line, without colours, so that a quote may be broken anywhere."""
    return " ".join(re.sub(r"\x1b\[\d+m", "", text).split())


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def bold(entry: Entry) -> str:
    """The verdict in a word or two."""
    return re.match(r"\*\*(.+?)\*\*", entry["Verdict"])[1]


def entries() -> list[Entry]:
    """Each technique: its name, the part of a system it belongs to, and its fields in their order."""
    found = []
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[2:]:
        part, *techniques = re.split(r"^### ", section, flags=re.MULTILINE)
        for technique in techniques:
            name, _, rest = technique.partition("\n")
            fields = re.findall(r"^- \*\*(.+?):\*\* (.+(?:\n  .+)*)", rest, re.MULTILINE)
            found.append({"name": name, "part": part.strip()} | {field: joined(said) for field, said in fields})
    return found


def overview() -> list[list[str]]:
    rows = re.findall(r"^\| (.+) \|$", TEXT.partition("## Overview")[2].partition("\n## ")[0], re.MULTILINE)
    return [row.split(" | ") for row in rows[2:]]


@cache
def printed(notebook: str) -> str:
    """All that the cells of an executed notebook print or return."""
    cells = json.loads((ROOT / "notebooks" / notebook).read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = ["".join(each.get("text") or each.get("data", {}).get("text/plain", [])) for each in outputs]
    return joined("\n".join(texts))


@cache
def defined(path: str) -> set[str]:
    """The classes, functions and methods of a module."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, DEFINED)}


def missing_names(here: str) -> list[str]:
    """The modules and names that are not there; a name belongs to the module before it."""
    missing, names = [], set[str]()
    for span in spans(here):
        if span.endswith(".py"):
            names = defined(span) if (ROOT / span).is_file() else set()
        if span not in names and not (span.endswith(".py") and names):
            missing.append(span)
    return missing


def not_printed(entry: Entry) -> list[str]:
    """Quotes that no named notebook prints, and numbers that are not quoted at all. The 5 of Recall@5 is no number."""
    text = " ".join(printed(name) for name in re.findall(r"notebooks/(.+?\.ipynb)", entry["Notebook"]))
    quoted = [quote for quote in spans(entry["Gain here"]) if quote not in text]
    prose = re.sub(r"`[^`]+`|@\d+", "", entry["Gain here"] + bold(entry))
    return quoted + re.findall(r"\d\S*", prose)


@pytest.fixture(params=entries(), ids=lambda entry: entry["name"])
def entry(request: pytest.FixtureRequest) -> Entry:
    return request.param


def test_an_entry_has_every_field_in_order(entry: Entry) -> None:
    assert list(entry) == ["name", "part", *FIELDS]


def test_what_it_names_is_there(entry: Entry) -> None:
    assert missing_names(entry["Here"]) == []
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", " ".join(entry.values()))
    assert [link for link in links if not (ROOT / "data" / link).is_file()] == []


def test_every_number_measured_here_stands_in_an_output_of_its_notebook(entry: Entry) -> None:
    assert not_printed(entry) == []


def test_the_korean_edition_quotes_gains_as_its_notebooks_print_them() -> None:
    text = (ROOT / "data/field.ko.md").read_text(encoding="utf-8").partition("\n## ")[2]
    printed_there = " ".join(printed(f"ko/{path.name}") for path in (ROOT / "notebooks/ko").glob("*.ipynb"))
    gains = [span for span in spans(text) if re.search(r"\(9[59]%\)", span)]
    assert len(gains) > 20
    assert [span for span in gains if joined(span) not in printed_there] == []


@pytest.mark.parametrize("path", public.PAGES, ids=lambda path: path.name)
def test_the_tables_of_public_sets_are_those_of_their_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert public.page(text) == text, f"run `{public.COMMAND}`"
    assert len(public.TABLE.findall(text)) == 1


def test_what_is_not_built_is_not_measured(entry: Entry) -> None:
    if bold(entry) == "Not built":
        assert {field: entry[field] for field in NOT_BUILT} == NOT_BUILT
    else:
        assert spans(entry["Here"])
        assert "notebooks/" in entry["Notebook"]
    assert bool(spans(entry["Gain here"])) == (bold(entry) != "Not built")


def test_a_verdict_says_what_the_notebook_says(entry: Entry) -> None:
    assert bold(entry) in re.findall(r"^\| ([A-Z][a-zA-Z -]+) \|", TEXT, re.MULTILINE)
    said = set(re.findall(r"moved: (\w+)", entry["Gain here"]))
    assert said <= ({"better"} if bold(entry) == "Pays" else {"no", "worse"})


def test_a_claim_is_quoted_from_a_source_that_can_be_found(entry: Entry) -> None:
    assert re.search("“.+”", entry["Authors' claim"])
    assert re.search(r"\*.+\*, .*?(\b(19|20)\d\d\b|documentation), ", entry["Source"])
    assert re.search(r"<https://\S+>|\[arXiv (\d{4}\.\d{5})\]\(https://arxiv\.org/abs/\1\)", entry["Source"])


def test_the_overview_lists_every_entry_with_its_own_numbers() -> None:
    rows = zip(overview(), entries(), strict=True)
    for (link, part, notebook, gain, verdict), entry in rows:
        anchor = re.sub(r"[^\w -]", "", entry["name"].lower()).replace(" ", "-")
        assert (link, part, verdict) == (f"[{entry['name']}](#{anchor})", entry["part"], bold(entry))
        assert re.findall(r"\(.+\)", notebook) == re.findall(r"\(.+\)", entry["Notebook"])
        assert [each for each in spans(gain) if each not in entry["Gain here"]] == []
        assert bool(spans(gain)) == bool(spans(entry["Gain here"])), entry["name"]


@pytest.mark.parametrize("gain", ["`recall@5: enhanced against sections +0.055`", "a third, 33 %"])
def test_a_number_that_nobody_measured_is_noticed(gain: str) -> None:
    assert not_printed(entries()[0] | {"Gain here": gain})


@pytest.mark.parametrize("here", ["`lessons/gone.py`", "`lessons/agent.py`, `Gone`", "`Agent`"])
def test_a_name_that_is_not_there_is_noticed(here: str) -> None:
    assert missing_names(here)
