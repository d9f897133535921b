"""What several searches found becomes one list."""

from collections.abc import Iterable, Sequence

from lessons.retrieve.types import RetrievedDocument


def merged(searches: Iterable[Sequence[RetrievedDocument]]) -> list[RetrievedDocument]:
    """Each document once: every search in turn gives its best one that no other has given, until none has any left.

    So every search has its say, however small the budget of the context is.
    """
    given: dict[str, RetrievedDocument] = {}
    left = [list(search) for search in searches]
    while any(left):
        for search in left:
            while search and search[0].id in given:
                search.pop(0)
            if search:
                best = search.pop(0)
                given[best.id] = best
    return list(given.values())
