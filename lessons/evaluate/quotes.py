"""Whether a text holds a quote, however white space, letter case and the bars of tables have changed on the way."""

from functools import lru_cache

from lessons.text import normalize

GAP = "…"


def holds(text: str, quote: str) -> bool:
    """Whether the text holds all words of the quote, in order. `…` stands for any words, or none, that are left out."""
    content, start = _compact(text), 0
    for part in map(_compact, quote.split(GAP)):
        found = content.find(part, start)
        if found < 0:
            return False
        start = found + len(part)
    return True


@lru_cache(maxsize=4_096)
def _compact(text: str) -> str:
    return "".join(normalize(text).casefold().replace("|", " ").split())
