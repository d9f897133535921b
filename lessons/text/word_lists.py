"""Closed lists of words, kept in `word_lists.toml`: words that say nothing, nouns that look like inflected words."""

import tomllib
from functools import cache
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def words_of(name: str) -> frozenset[str]:
    """Return the words of a list; KeyError if there is none of that name."""
    return frozenset(_LISTS[name].split())


ENGLISH_STOP_WORDS = words_of("english_stop_words")
KOREAN_STOP_WORDS = words_of("korean_stop_words")
"""Words that say nothing about the subject of a text."""
KOREAN_NO_NOUNS = words_of("korean_no_nouns")
