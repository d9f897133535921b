"""What several searches found becomes one list."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from lessons.retrieve.types import RetrievedDocument


def merged(searches: Iterable[Sequence[RetrievedDocument]]) -> list[RetrievedDocument]:
    """Each document once: the best of every search, in the order of the searches, then the second best, and so on.

    So every search has its say, however small the budget of the context is.
    """
    rounds = zip_longest(*searches)
    return list({found.id: found for each in rounds for found in each if found}.values())
