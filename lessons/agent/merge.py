"""What several searches found becomes one list."""

from collections.abc import Iterable, Sequence

from lessons.rag.types import RetrievedDocument


def merged(searches: Iterable[Sequence[RetrievedDocument]]) -> list[RetrievedDocument]:
    """Each document once: those of the first search, which is about the whole question, then the others in turns.

    In its turn a search gives its best document that is not there yet, so that each has its say before the budget of
    the context is spent.
    """
    first, *others = [list(search) for search in searches] or [[]]
    given = {document.id: document for document in first}
    while any(others):
        for search in others:
            while search and search[0].id in given:
                search.pop(0)
            if search:
                best = search.pop(0)
                given[best.id] = best
    return list(given.values())
