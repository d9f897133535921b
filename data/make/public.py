"""The tables of public sets in the map of the field, from `data/public`: `uv run python -m data.make.public`."""

import re
from collections.abc import Iterator

from lessons.evaluate.public import Results, public_sets, read_results, rows
from lessons.settings import ROOT

PAGES = (ROOT / "data" / "field.md", ROOT / "data" / "field.ko.md")
TABLE = re.compile(rf"(^\| ({'|'.join(public_sets())}) \|.*\n)+", re.MULTILINE)
COMMAND = "uv run python -m data.make.public"


def as_markdown(results: Results) -> Iterator[str]:
    """Yield the rows of all sets as one table in Markdown, alike in every language."""
    for name in public_sets():
        for *cells, source in rows(name, results):
            link = f"[{source.split('/')[3]}]({source})" if "://" in source else source
            yield f"| {' | '.join([name, *cells, link])} |"


def page(text: str) -> str:
    """Return a page with the rows of its table as they are today."""
    lines = "".join(f"{line}\n" for line in as_markdown(read_results()))
    return TABLE.sub(lambda table: lines, text)


def main() -> None:
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
