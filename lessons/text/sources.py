"""The sources of an answer: the pages on which its words stand, and which edition of a document is the current one."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any

Pages = tuple[int, ...]
"""One page, or the first and the last of several; empty where a format has none."""


def by_page(metadata: Mapping[str, Any], text: str = "") -> dict[int, str]:
    """Map the pages of a chunk, in order, to the part of `text` that stands on each.

    A chunk that spans several says as `page_starts` where in its text each of them begins: [[0, 2], [410, 3]].
    """
    page = metadata.get("page_number")
    starts = metadata.get("page_starts") or ([[0, page]] if page else [])
    return {page: text[begin:end] for (begin, page), (end, _) in pairwise([*starts, (len(text), None)])}


def pages_of(metadata: Mapping[str, Any], text: str, quote: str) -> Pages:
    """Find the pages of a quote in the text of a chunk, whatever its white space; the chunk's if it is not there."""
    parts, words = by_page(metadata, text), _solid(quote)
    ends, pages = [*accumulate(len(_solid(part)) for part in parts.values())], [*parts]
    if words and (begin := _solid(text).find(words)) >= 0:
        pages = pages[bisect_right(ends, begin) : bisect_left(ends, begin + len(words)) + 1]
    return (*dict.fromkeys(pages[:1] + pages[-1:]),)


def _solid(text: str) -> str:
    return "".join(text.split())


def page_label(*pages: int | None) -> str:
    """Write `, p. 3` or `, pp. 1–4`, to be put behind the name of a file; empty if no page is known."""
    numbers = sorted({page for page in pages if page})
    if len(numbers) > 1:
        return f", pp. {numbers[0]}–{numbers[-1]}"
    return f", p. {numbers[0]}" if numbers else ""


VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def replaced(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Map each document of which there is a newer edition to the name of the current one.

    The titles of editions differ in the version only, and the latest of them is the current one.
    """
    editions = defaultdict[str, list[tuple[str, str]]](list)
    for name, metadata in documents.items():
        bare = VERSION.sub("", title := str(metadata.get("title") or ""))
        if bare not in ("", title):
            editions[bare].append((str(metadata.get("date") or ""), name))
    latest = {name: max(group) for group in editions.values() for date, name in group if date < max(group)[0]}
    return {name: current for name, (_, current) in latest.items()}
