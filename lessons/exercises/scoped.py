"""The exercises of notebook 07: filters and scopes that cannot leak."""

import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from lessons.exercises.cases import Case, Cases, exercise
from lessons.search.filter_text import parse_filter

NETWORKS = ("courses/joon/net_subnets_ko.pptx", "courses/joon/net_dns_http_ko.pptx")
OTHERS = ("courses/joon/stats_power_en.pptx", "courses/joon/db_transactions_en.pptx", "courses/joon/db_indexes_en.pdf")
OWNERS = ("mina", "joon", "sora")
FILES = ("tcp.pdf", "서브넷.pptx", "week10.md", "week9.md")
Chunk = dict[str, Any]


def _kept(filter_: str, *chunks: Chunk) -> list[bool]:
    """Which of the chunks a filter lets through."""
    return [_matches(parse_filter(filter_), chunk) for chunk in chunks]


def _matches(filters: MetadataFilters, chunk: Chunk) -> bool:
    parts = [
        _matches(part, chunk)
        if isinstance(part, MetadataFilters)
        else build_metadata_filter_fn(lambda _: chunk, MetadataFilters(filters=[part]))("")
        for part in filters.filters
    ]
    return any(parts) if filters.condition == FilterCondition.OR else all(parts)


def _slide(file: str, page: int) -> Chunk:
    return {"file_type": file.rpartition(".")[2], "source_file": file, "page_number": page}


@exercise("07.1", use=_kept, of="a text")
def late_slides(random: Random) -> Cases:
    """The late slides of the other courses. Expects the text of a filter."""
    wanted = _slide(random.choice(OTHERS[:2]), random.randint(6, 30))
    yield Case("a slide is wanted", (wanted, _slide(OTHERS[0], random.randint(1, 3))), [True, False])
    yield Case("a page is the fifth", (_slide(OTHERS[0], 5), _slide(OTHERS[1], 4)), [True, False])
    yield Case("a file is no deck of slides", (_slide(OTHERS[2], random.randint(5, 30)),), [False])
    for number, file in enumerate(NETWORKS, start=1):
        when = f"a slide is of deck {number} of the networks course"
        yield Case(when, (_slide(file, random.randint(5, 30)),), [False])


def _or_refused(learner: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, or the word 'refused' if it raises ValueError."""
    try:
        return learner(*given)
    except ValueError:
        return "refused"


def _visible(chunks: list[Chunk], owner: str, ref_ids: set[str] | None) -> list[Chunk]:
    return [each for each in chunks if each["user_id"] == owner and (ref_ids is None or each["ref_id"] in ref_ids)]


@exercise("07.2", _visible, use=_or_refused)
def visible(random: Random) -> Cases:
    """A scope that cannot leak. Expects a function of chunks, an owner and ref_ids."""
    chunks = [
        {"user_id": random.choice(OWNERS), "ref_id": random.choice(FILES), "chunk_index": at, "text": f"text {at}"}
        for at in range(12)
    ]
    owner = random.choice(OWNERS)
    yield "ref_ids is None", chunks, owner, None
    yield "some materials are named", chunks, owner, set(random.sample(FILES, 2))
    yield "ref_ids is the empty set", chunks, owner, set()
    yield "an owner's name begins like another's", chunks, owner[:-1], None
    for nobody in ("", "  "):
        unowned = [*chunks, {**chunks[0], "user_id": nobody}]
        yield Case(f"the owner is {nobody!r}", (unowned, nobody, None), accept=lambda came: came == "refused")


@exercise("07.3")
def narrowed(random: Random) -> Cases:
    """A plan is never left. Expects a function of two sets of names, the second may be None."""
    names = [f"자료 {number}.pdf" for number in random.sample(range(100), 6)]
    plan = set(names[:4])
    yield Case("a part of the plan is asked for", (plan, set(names[:2])), set(names[:2]))
    yield Case("a material that is asked for is not in the plan", (plan, {names[0], names[5]}), {names[0]})
    yield Case("nothing special is asked for (None)", (plan, None), plan)
    yield Case("no material at all is asked for", (plan, set()), set())
    yield Case("the plan is empty", (set(), {names[0]}), set())
    decomposed = {unicodedata.normalize("NFD", names[1])}
    yield Case("a Korean name comes in decomposed letters (NFD)", (plan, decomposed), {names[1]})


def _texts(chunks: list[Chunk], ref_id: str, start: int, end: int) -> list[str]:
    return [each["text"] for each in chunks[start:end] if each["ref_id"] == ref_id]


@exercise("07.4", slips={"the texts come, not the chunks": _texts})
def in_order(random: Random) -> Cases:
    """A range in the order of the material. Expects a function of chunks, a ref_id, a start and an end."""
    file, other = random.sample(FILES, 2)
    chunks = [
        {"ref_id": each, "chunk_index": index, "text": f"{each}, chunk {index}"}
        for each in (file, other)
        for index in range(14)
    ]
    own, start = chunks[:14], random.randint(0, 4)
    yield Case("the chunks are stored in order", (own, file, start, start + 3), own[start : start + 3])
    yield Case("two materials are stored", (chunks, file, start, start + 5), own[start : start + 5])
    mixed = random.sample(chunks, len(chunks))
    yield Case("the chunks are stored in no order", (mixed, file, 7, 13), own[7:13])
    gap = [each for each in own if each["chunk_index"] != start]
    yield Case("a chunk in the middle is missing", (gap, file, start, start + 4), own[start + 1 : start + 4])
    empty = [{**each, "text": " \n"} if each["chunk_index"] == start + 1 else each for each in own]
    yield Case("a chunk is empty", (empty, file, start, start + 3), [own[start], own[start + 2]])
    yield Case("the range begins where the material ends", (own, file, 14, 20), [])


@exercise("07.5")
def confidence(random: Random) -> Cases:
    """Nothing found, or not good enough? Expects a function of a list of scores and a bar."""
    bar = round(random.uniform(0.3, 0.7), 2)
    above, below = ([round(bar + sign * random.uniform(0.02, 0.2), 3) for _ in range(3)] for sign in (1, -1))
    yield Case("every passage is above the bar", (above, bar), "answer")
    yield Case("nothing was found", ([], bar), "nothing found")
    yield Case("every passage is below the bar", (below, bar), "not good enough")
    yield Case("one good passage stands among weak ones", ([*below, above[0]], bar), "answer")
    yield Case("one weak passage stands among good ones", ([below[0], *above], bar), "answer")
    yield Case("the best passage is exactly at the bar", ([below[0], bar], bar), "answer")
