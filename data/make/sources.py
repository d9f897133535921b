"""Read the hand-written documents in `data/sources`: Markdown with TOML front matter, one file per document.

`data/sources/product/faq_billing_en.html.md` becomes `data/corpus/product/faq_billing_en.html`. The `world.toml` of a
world holds what its documents share, such as the author, the header and the footer.
"""

import tomllib
from pathlib import Path
from typing import Any

from data.make.document import Document, Steps
from data.make.markup import parse

SOURCES = Path(__file__).parents[1] / "sources"


def read_toml(path: str) -> dict[str, Any]:
    """Read a TOML file below `data/sources`."""
    return tomllib.loads((SOURCES / path).read_text(encoding="utf-8"))


def documents(world: str) -> list[Document]:
    """Return the documents of a world that is written by hand: `product`, `courses` or `leaflets`."""
    result = []
    for path in sorted((SOURCES / world).rglob("*.md")):
        fields, body = read_source(path)
        name = path.relative_to(SOURCES).with_suffix("").as_posix()
        result.append(document(name, world, fields, body, shared_fields(world, name, fields)))
    return result


def read_source(path: Path) -> tuple[dict[str, Any], str]:
    """Return the front matter and the Markdown of a source; raise ValueError if it has no front matter."""
    parts = path.read_text(encoding="utf-8").split("+++\n", 2)
    if len(parts) < 3 or parts[0]:
        raise ValueError(f"{path} does not begin with front matter between two lines '+++'.")
    return tomllib.loads(parts[1]), parts[2]


def shared_fields(world: str, name: str, fields: dict[str, Any], company: str = "") -> dict[str, Any]:
    """Return the author, header, footer, nav and subtitle that `world.toml` has for a document."""
    settings = read_toml(f"{world}/world.toml")
    language, suffix = fields["language"], name.rpartition(".")[2]
    shared = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    for table in (language, suffix, f"{suffix}-{language}", fields.get("owner")):
        shared |= settings.get(table, {})
    words = {"title": fields["title"], "company": company}
    return {key: value.format(**words) if isinstance(value, str) else value for key, value in shared.items()}


def document(name: str, world: str, fields: dict[str, Any], body: str, shared: dict[str, Any]) -> Document:
    """Return the document of a source; only those of the product say whether they have steps."""
    blocks = parse(body)
    extra = {"has_steps": any(isinstance(block, Steps) for block in blocks)} if world == "product" else {}
    return Document(
        path=name,
        title=fields["title"],
        language=fields["language"],
        world=world,
        doc_type=fields["type"],
        date=fields["date"],
        blocks=blocks,
        owner=fields.get("owner", "reader"),
        **{"extra": extra, **shared},
    )
