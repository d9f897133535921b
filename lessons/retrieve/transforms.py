"""Query transformers: what happens to a question before anything is searched (row A7)."""

import re
import unicodedata
from dataclasses import dataclass

from lessons.retrieve.types import Query, Resources
from lessons.text import normalize
from lessons.trace import Step


@dataclass(frozen=True)
class Passthrough:
    """Leaves the queries as they are."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return queries


@dataclass(frozen=True)
class Normalize:
    """Unicode NFKC, lower case, one space between words, no punctuation at the ends."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return [_normalized(text) for text in queries]


def _normalized(text: str) -> str:
    folded = unicodedata.normalize("NFKC", normalize(text)).casefold()
    return re.sub(r"\s+", " ", folded).strip(" \t\n?!.,;:…·") or text
