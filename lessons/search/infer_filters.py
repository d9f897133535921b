"""Filters that a question implies: whose reports, which quarter, which kind of document.

They come from what the store really contains, and only from what is certain: a name, a quarter with its year, the name
of a kind of document. A question that says 'except' is left alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from lessons.ingest.classify import NAMED
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Scope
from lessons.search.catalog import CHUNKS, catalog
from lessons.search.series import Facets, facets
from lessons.settings import settings
from lessons.text import normalize
from lessons.text.periods import Quarter, periods, quarters
from lessons.trace import Step

_BEYOND = re.compile(
    r"\bsince\b|\bfrom\b.+\b(?:to|until|through)\b|\bthrough(?:out)?\b|[~–—]|부터|까지|이후|이래|동안|추이|사이"
    r"|restate|reclassif|revise|correct|정정|수정|재분류|재작성",
    re.IGNORECASE,
)
"""A text with one also means other quarters than those it names: the time between them, or a later correction."""

_EXCEPT = re.compile(
    r"\b(?:except|excluding|other than|besides|apart from|not counting)\b|제외|빼고|말고|이외|(?<![해예국야])외에",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z]{2,40}(?:[-_/][A-Za-z\d]{1,40}){0,10}[-_/]\d[\d-]*")
EXPLICIT = ("faq", "release_notes", "syllabus", "press-release", "annual-letter")
"""Kinds of documents whose names mean nothing else; 'guide' or 'contract' may be what a question is about."""

_WORD = re.compile(r"[A-Za-z]+|[가-힣]+")
_SHORT_NAME = 3  # syllables of a Korean name by which it is called


@dataclass(frozen=True)
class InferredFilter:
    """The documents that a question is about, as a filter, and why, the most certain reason first."""

    filters: MetadataFilters
    reasons: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class InferFilters:
    """Searches only the documents that the first query is about. Filters that were given are left as they are."""

    def narrow(self, queries: list[str], query: Query, resources: Resources, step: Step) -> Query:
        found = None if query.filters else infer_filters(queries[0], resources.store, query.scope)
        if found is None:
            return query
        step.notes += [f"{reason} ({len(found.documents)} documents)" for reason in found.reasons]
        return replace(query, filters=found.filters)


@dataclass(frozen=True)
class _Condition:
    reason: str
    documents: frozenset[str]


def infer_filters(text: str, store: ChunkStore, scope: Scope) -> InferredFilter | None:
    """The filter that a question implies; None if it implies none, or one that leaves too few chunks or everything.

    The least certain condition is dropped first where all together leave too few chunks for an answer.
    """
    question, known = normalize(text), catalog(store, scope)
    if _EXCEPT.search(question):
        return None
    conditions = _conditions(question, known)
    while conditions:
        names = frozenset(known).intersection(*(condition.documents for condition in conditions))
        if sum(known[name][CHUNKS] for name in names) >= settings().chat_top_k:
            break
        conditions.pop()
    if not conditions or len(names) == len(known) or len(names) > settings().filter_list_values:
        return None
    ordered = sorted(names)
    only = MetadataFilter(key="source_file", operator=FilterOperator.IN, value=list(ordered))
    reasons = tuple(condition.reason for condition in conditions)
    return InferredFilter(MetadataFilters(filters=[only]), reasons, tuple(ordered))


def _conditions(question: str, known: Mapping[str, Mapping[str, Any]]) -> list[_Condition]:
    """What the question says for certain, the most certain first."""
    told = [(name, str(its.get("title") or ""), str(its.get("about") or "")) for name, its in known.items()]
    found = facets(tuple(told))
    steps = _titled(question, known), _named(question, found), _dated(question, known, found), _kind(question, known)
    return [condition for condition in steps if condition]


def _titled(question: str, known: Mapping[str, Mapping[str, Any]]) -> _Condition | None:
    """The documents that bear an identifier of the question in their title or name."""
    asked = {_compact(found): found for found in _IDENTIFIER.findall(question)}
    bearing = {
        name for name, its in known.items() if any(each in _compact(f"{its.get('title')} {name}") for each in asked)
    }
    return _Condition(f"titled: {', '.join(sorted(asked.values()))}", frozenset(bearing)) if bearing else None


def _compact(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def _kind(question: str, known: Mapping[str, Mapping[str, Any]]) -> _Condition | None:
    """The documents of a kind that the question calls by its name."""
    kinds = {str(its["doc_type"]) for its in known.values() if its.get("doc_type")}
    meant = sorted(kind for kind in kinds if kind in EXPLICIT and re.search(NAMED[kind], question, re.IGNORECASE))
    bearing = frozenset(name for name, its in known.items() if its.get("doc_type") in meant)
    return _Condition(f"kind: {', '.join(meant)}", bearing) if meant else None


def _named(question: str, found: Facets) -> _Condition | None:
    """The series that are named. Of two Korean names that begin alike the one that agrees further is meant."""
    words = [word.lower() for word in _WORD.findall(question)]
    meant: dict[str, frozenset[str]] = {}
    for series in found.series:
        called = sorted(name for name in series.names if any(_calls(word, name) for word in words))
        if called:
            meant[called[0]] = series.documents
    if not meant:
        return None
    return _Condition(f"named: {', '.join(sorted(meant))}", frozenset().union(*meant.values()))


def _calls(word: str, name: str) -> bool:
    if word[0] < "가":
        return word == name
    return word.startswith(name if len(name) <= _SHORT_NAME else name[:_SHORT_NAME])


def _dated(question: str, known: Mapping[str, Any], found: Facets) -> _Condition | None:
    """Leaves out the documents of other quarters, unless one is named without its year; those that are of none stay.

    A year beside a quarter of another means the same quarter: 'Q3 2023 and 2024'.
    """
    asked, told = quarters(question), periods(question)
    named = {each.number for each in told if each.unit == "quarter"}
    if asked and len(named) == 1:
        asked |= {Quarter(each.number, *named) for each in told if each.unit == "year"}
    if named > {each.quarter for each in asked} or _BEYOND.search(question) or not asked & {*found.quarters.values()}:
        return None
    kept = frozenset(name for name in known if found.quarters.get(name) in {None, *asked})
    return _Condition(f"quarter: {', '.join(map(str, sorted(asked)))}", kept)
