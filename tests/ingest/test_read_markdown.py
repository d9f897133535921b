"""Markdown stays as it is, but for what is no text of it."""

from pathlib import Path
from time import process_time

import pytest

from lessons.ingest.read import read
from tests.support.files import note

PICTURE = f"data:image/png;base64,{'iVBORw0KGgo' * 2_000}="


def text(path: Path, written: str) -> str:
    path.write_text(written, encoding="utf-8")
    (page,) = read(path)
    return page.text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.md"


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: Bee keeping\ntags:\n  - honey\ndate: 2022-04-09\n---\n",
        '+++\ntitle = "Bee keeping"\ntags = ["honey"]\ndate = 2022-04-09T08:00:00Z\n+++\n',
        "---\r\ntitle: 'Bee keeping'\r\ndate: 2022-04-09\r\n---\r\n",
    ],
)
def test_front_matter_is_left_out_but_for_title_and_date(path: Path, front: str) -> None:
    path.write_bytes(f"{front}\nOpen the hive at noon.\n".encode())
    (page,) = read(path)
    assert page.text == "Open the hive at noon."
    assert (page.metadata["structure"]["title"], page.metadata["structure"]["date"]) == ("Bee keeping", "2022-04-09")
    assert note(path) == ("Front matter that was left out: tags." if "tags" in front else None)


def test_comments_are_left_out_and_noted_but_not_those_in_code(path: Path) -> None:
    assert text(path, "Open <!-- who\nsays --> it.\n\n~~~html\n<!-- hive -->\n~~~\n<!-- open") == (
        "Open  it.\n\n~~~html\n<!-- hive -->\n~~~\n<!-- open"
    )
    assert note(path) == "Comments that were left out: 1."


def test_a_rule_at_the_top_is_no_front_matter(path: Path) -> None:
    assert text(path, "---\n\nOpen the hive at noon.\n") == "---\n\nOpen the hive at noon."


@pytest.mark.parametrize("picture", [f"![벌통]({PICTURE})", f'![벌통]({PICTURE} "A hive")', f"![벌통](<{PICTURE}>)"])
def test_of_a_picture_within_the_text_its_description_stays(path: Path, picture: str) -> None:
    assert text(path, f"See {picture} and open it.") == "See 벌통 and open it."


def test_the_definition_of_a_picture_is_left_out(path: Path) -> None:
    assert text(path, f"See ![hive][h].\n\n[h]: {PICTURE}\n") == "See ![hive][h]."


def test_pictures_within_the_text_are_noted(path: Path) -> None:
    text(path, f"See ![]({PICTURE}) and ![hive]({PICTURE}).")
    assert note(path) == "Pictures that were not read: 2."


@pytest.mark.parametrize("opening", ["![](data:", "<img src=data:"])
def test_pictures_that_never_end_take_no_time(path: Path, opening: str) -> None:
    began = process_time()
    text(path, opening * 100_000)
    assert process_time() - began < 2


def test_links_and_pictures_elsewhere_stay(path: Path) -> None:
    written = "See [the guide](https://example.org/bees) and ![hive](hive.png)."
    assert text(path, written) == written


def test_code_stays_as_it_is(path: Path) -> None:
    written = "```yaml\n---\ntitle: x\n---\n# no heading\n```"
    assert text(path, written) == written


def test_a_line_break_of_html_is_a_blank_but_in_code(path: Path) -> None:
    table = "| Tool | Use |\n| --- | --- |\n| Smoker | calm<br/>warn<BR> |"
    code = "Write `<br>`.\n\n```\n<br>\n```"
    assert text(path, f"{table}\n\n{code}") == f"{table.replace('<br/>', ' ').replace('<BR>', ' ')}\n\n{code}"
