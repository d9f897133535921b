"""Closed lists of words, kept in `word_lists.toml`: nouns that look like inflected words, words that name nothing."""

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def words_of(name: str) -> frozenset[str]:
    """The words of a list; KeyError if there is none of that name."""
    return frozenset(_LISTS[name].split())


KOREAN_NO_NOUNS = words_of("korean_no_nouns")
NOUNS_LIKE_PREDICATES = tuple(_LISTS["nouns_like_predicates"].split())
"""Ends of nouns that look like the ends of verbs."""
NOUNS_LIKE_PARTICLES = tuple(_LISTS["nouns_like_particles"].split())
"""Ends of nouns that look like particles."""
