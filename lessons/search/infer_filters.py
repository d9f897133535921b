"""Filters that a question implies: whose reports, which quarter, which kind of document.

They come from what the store really contains, and only from what is certain: a name, a quarter with its year, the name
of a kind of document. A question that says 'except' is left alone.

A *series* is a set of documents that has one for each quarter, such as the reports of a company. A word that stands in
nearly all of a series, and in no other document of the same quarter, is its name. So nobody has to list the companies.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from lessons.ingest.classify import NAMED
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Scope
from lessons.search.catalog import CHUNKS, catalog
from lessons.settings import settings
from lessons.text import ENGLISH_STOP_WORDS, normalize
from lessons.text.periods import Quarter, periods, quarters
from lessons.trace import Step

_BEYOND = re.compile(
    r"(?i)\bsince\b|\bfrom\b.+\b(?:to|until|through)\b|\bthrough(?:out)?\b|[~–—]|부터|까지|이후|이래|동안|추이|사이"
    r"|restate|reclassif|revise|correct|정정|수정|재분류|재작성",
)
"""A text with one also means other quarters than those it names: the time between them, or a later correction."""

_EXCEPT = re.compile(
    r"(?i)\b(?:except|excluding|other than|besides|apart from|not counting)\b|제외|빼고|말고|이외|(?<![해예국야])외에",
)
_IDENTIFIER = re.compile(r"[A-Za-z]{2,40}(?:[-_/][A-Za-z\d]{1,40}){0,10}[-_/]\d[\d-]*")
EXPLICIT = ("faq", "release_notes", "syllabus", "press-release", "annual-letter")
"""Kinds of documents whose names mean nothing else; 'guide' or 'contract' may be what a question is about."""

_WORD = re.compile(r"[A-Za-z]+|[가-힣]+")
_SHORT_NAME = 3  # syllables of a Korean name by which it is called

SHORTEST_SERIES = 3  # documents
SAME_SERIES = 0.8  # of the quarters that two names share

_FILE_WORD = re.compile(r"[A-Za-z]{3,}|[가-힣]{2,}")
_CAPITALISED = re.compile(r"[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)*")
_KOREAN_TITLE_WORD = re.compile(r"[가-힣]{3,}")
_KOREAN_COMPANY = re.compile(r"([가-힣]{2,40}) ?(?:주식회사|㈜|\(주\))|(?:주식회사|㈜|\(주\)) ?([가-힣]{2,})")
_OF_REPORTS = re.compile(
    r"(?i)report|result|update|statement|quarter|annual|review|earnings|figures|summary|financial|group|shareholder"
    r"|실적|보고|분기|안내|결산|현황|요약|자료|주주|주식회사|매출",
)


@dataclass(frozen=True)
class Series:
    """A series with the names it goes by, in small letters, and all documents that bear one of them."""

    names: frozenset[str]
    documents: frozenset[str]


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


class _Condition(NamedTuple):
    reason: str
    documents: frozenset[str]


def infer_filters(text: str, store: ChunkStore, scope: Scope) -> InferredFilter | None:
    """The filter that a question implies, without its least certain conditions if too few chunks meet all; or None."""
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
    only = MetadataFilter(key="source_file", operator=FilterOperator.IN, value=sorted(names))
    reasons = tuple(condition.reason for condition in conditions)
    return InferredFilter(MetadataFilters(filters=[only]), reasons, tuple(sorted(names)))


def _conditions(question: str, known: Mapping[str, Mapping[str, Any]]) -> list[_Condition]:
    told = [(name, str(its.get("title") or ""), str(its.get("about") or "")) for name, its in known.items()]
    series, dates = facets(tuple(told))
    steps = _titled(question, known), _named(question, series), _dated(question, known, dates), _kind(question, known)
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


def _named(question: str, known: Sequence[Series]) -> _Condition | None:
    """The series that are named. Of two Korean names that begin alike the one that agrees further is meant."""
    words = [word.lower() for word in _WORD.findall(question)]
    meant: dict[str, frozenset[str]] = {}
    for series in known:
        called = sorted(name for name in series.names if any(_calls(word, name) for word in words))
        if called:
            meant[called[0]] = series.documents
    return _Condition(f"named: {', '.join(sorted(meant))}", frozenset().union(*meant.values())) if meant else None


def _calls(word: str, name: str) -> bool:
    if word[0] < "가":
        return word == name
    return word.startswith(name if len(name) <= _SHORT_NAME else name[:_SHORT_NAME])


def _dated(question: str, known: Mapping[str, Any], dates: Mapping[str, Quarter]) -> _Condition | None:
    """Leaves out the documents of other quarters, unless one is named without its year; those that are of none stay.

    A year beside a quarter of another means the same quarter: 'Q3 2023 and 2024'.
    """
    asked, told = quarters(question), periods(question)
    named = {each.number for each in told if each.unit == "quarter"}
    if asked and len(named) == 1:
        asked |= {Quarter(each.number, *named) for each in told if each.unit == "year"}
    if named > {each.quarter for each in asked} or _BEYOND.search(question) or not asked & {*dates.values()}:
        return None
    kept = frozenset(name for name in known if dates.get(name) in {None, *asked})
    return _Condition(f"quarter: {', '.join(map(str, sorted(asked)))}", kept)


@lru_cache(maxsize=64)
def facets(documents: Sequence[tuple[str, str, str]]) -> tuple[list[Series], Mapping[str, Quarter]]:
    """The series among documents, by the name, title and first lines of each, and the quarter that each is about."""
    dated = {name: found for name, title, _ in documents if (found := quarters(title) or quarters(name))}
    single = {name: next(iter(found)) for name, found in dated.items() if len(found) == 1}
    bearing = defaultdict(set)
    for name, title, about in documents:
        for word in _proper(name, title, about):
            bearing[word].add(name)

    def one_a_quarter(dated: set[str]) -> bool:
        return len(dated) >= SHORTEST_SERIES and len({single[name] for name in dated}) == len(dated)

    named = {word: names for word, names in bearing.items() if one_a_quarter(names & single.keys())}
    return _series(named, single), single


def _proper(name: str, title: str, about: str) -> set[str]:
    """The words that may be names, in small letters; of English ones in capitals, 'Acme Marine Systems', the first."""
    runs = [*_CAPITALISED.findall(title), *(run for run in _CAPITALISED.findall(about) if " " in run)]
    companies = [word for found in _KOREAN_COMPANY.findall(about) for word in found if word]
    in_file = _FILE_WORD.findall(PurePath(name).stem)
    words = [*in_file, *(run.split()[0] for run in runs), *_KOREAN_TITLE_WORD.findall(title), *companies]
    small = {word.lower() for word in words if not _OF_REPORTS.search(word)}
    return small - ENGLISH_STOP_WORDS - set(re.findall(r"\b[a-z]+", f"{title} {about}"))


def _series(named: Mapping[str, set[str]], single: Mapping[str, Quarter]) -> list[Series]:
    """Names of the same dated documents together, the longest series first."""
    groups: list[tuple[set[str], set[str]]] = []  # (dated documents, names)
    for word in sorted(named, key=lambda word: (-len(named[word] & single.keys()), word)):
        dated = named[word] & single.keys()
        group = next((group for group in groups if dated <= group[0]), None)
        if group is None:
            groups.append((dated, {word}))
        elif len(dated) >= SAME_SERIES * len(group[0]):
            group[1].add(word)
    return [Series(frozenset(names), frozenset().union(*(named[name] for name in names))) for _, names in groups]
