"""The plain query transformers (row A7), which ask no model."""

import re
import unicodedata
from dataclasses import dataclass

from lessons.retrieve.transform.checks import tidy
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
        return tidy([normalized(text) for text in queries], query.text)


def normalized(text: str) -> str:
    """The text in the form in which two spellings of the same query are equal; a text without words stays."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", normalize(text)).casefold())
    return re.sub(r"\s+", " ", folded).strip(" \t\n?!.,;:…·") or text
