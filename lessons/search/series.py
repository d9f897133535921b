"""The series among an owner's documents, found by their names.

A *series* is a set of documents that has one for each quarter, such as the reports of a company. A word that stands in
nearly all of a series, and in no other document of the same quarter, is its name. So nobody has to list the companies.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from lessons.text import ENGLISH_STOP_WORDS
from lessons.text.periods import Quarter, quarters

SHORTEST_SERIES = 3  # documents
SAME_SERIES = 0.8  # of the quarters that two names share

_FILE_WORD = re.compile(r"[A-Za-z]{3,}|[가-힣]{2,}")
_CAPITALISED = re.compile(r"[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)*")
_KOREAN_TITLE_WORD = re.compile(r"[가-힣]{3,}")
_KOREAN_COMPANY = re.compile(r"([가-힣]{2,40}) ?(?:주식회사|㈜|\(주\))|(?:주식회사|㈜|\(주\)) ?([가-힣]{2,})")
_OF_REPORTS = re.compile(
    r"report|result|update|statement|quarter|annual|review|earnings|figures|summary|financial|group|shareholder"
    r"|실적|보고|분기|안내|결산|현황|요약|자료|주주|주식회사|매출",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Series:
    """A series with the names it goes by, in small letters, and all documents that bear one of them."""

    names: frozenset[str]
    documents: frozenset[str]


@dataclass(frozen=True)
class Facets:
    """The series of an owner's documents and the quarter that each document is about."""

    series: tuple[Series, ...]
    quarters: Mapping[str, Quarter]


@lru_cache(maxsize=64)
def facets(documents: Sequence[tuple[str, str, str]]) -> Facets:
    """The facets of documents from the name, title and first lines of each; worked out once for the same documents."""
    dated = {name: found for name, title, _ in documents if (found := quarters(title) or quarters(name))}
    single = {name: next(iter(found)) for name, found in dated.items() if len(found) == 1}
    bearing = defaultdict(set)
    for name, title, about in documents:
        for word in _proper(name, title, about):
            bearing[word].add(name)
    named = {word: names for word, names in bearing.items() if _one_a_quarter(names & single.keys(), single)}
    return Facets(tuple(_series(named, single)), single)


def _proper(name: str, title: str, about: str) -> set[str]:
    """The words that may be names, in small letters.

    Those are the words of the file name and of the title, and in the first lines what capitals or the form of a company
    mark. Of English words in capitals one after the other the first is enough, as in 'Acme Marine Systems'.
    """
    runs = [*_CAPITALISED.findall(title), *(run for run in _CAPITALISED.findall(about) if " " in run)]
    companies = [word for found in _KOREAN_COMPANY.findall(about) for word in found if word]
    in_file = _FILE_WORD.findall(PurePath(name).stem)
    words = [*in_file, *(run.split()[0] for run in runs), *_KOREAN_TITLE_WORD.findall(title), *companies]
    small = {word.lower() for word in words if not _OF_REPORTS.search(word)}
    return small - ENGLISH_STOP_WORDS - set(re.findall(r"\b[a-z]+", f"{title} {about}"))


def _one_a_quarter(dated: set[str], single: Mapping[str, Quarter]) -> bool:
    return len(dated) >= SHORTEST_SERIES and len({single[name] for name in dated}) == len(dated)


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
