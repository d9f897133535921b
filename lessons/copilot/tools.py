"""The three tools of the copilot, bound to the owner of the question, and the menus it falls back on."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, chain
from typing import Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import select

from lessons.agent import within
from lessons.errors import LessonsError
from lessons.rag.catalog import catalog
from lessons.rag.filters import BooleanFilter
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.search.hybrid import HybridRetriever
from lessons.search.materials import chunk_range
from lessons.settings import ROOT, settings
from lessons.text import language, normalize, terms
from lessons.text.sources import VERSION, replaced

MENU_LINKS = 3  # that are offered where nothing relevant was found
WHOLE_FILE = ""  # the path of the section that is the whole file
SEPARATOR = " > "


@dataclass(frozen=True)
class Call:
    """A tool by its name, and what it is given."""

    tool: str
    arguments: Mapping[str, Any] = field(hash=False)

    def __str__(self) -> str:
        return f"{self.tool}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


def is_in_section(document: RetrievedDocument, section: str) -> bool:
    """Return whether a chunk has text of a section, or of one inside it."""
    return section in _paths(document.metadata)


def _paths(metadata: Mapping[str, Any]) -> list[str]:
    """List the sections that a chunk belongs to, outer ones and the whole file included."""
    paths = metadata.get("sections") or [metadata.get("section") or WHOLE_FILE]
    above = (accumulate(path.split(SEPARATOR), lambda *names: SEPARATOR.join(names)) for path in paths)
    return list(dict.fromkeys([WHOLE_FILE, *chain.from_iterable(above)]))


def headings(documents: Sequence[RetrievedDocument], section: str) -> list[str]:
    """List the headings of a section and of those inside it that the documents have; none for the whole file."""
    paths = dict.fromkeys(path for document in documents for path in _paths(document.metadata))
    inside = [path for path in paths if path == section or path.startswith(f"{section}{SEPARATOR}")]
    return [path.rpartition(SEPARATOR)[2] for path in inside] if section else []


def add_outlines(documents: Sequence[RetrievedDocument], store: ChunkStore, scope: Scope) -> list[RetrievedDocument]:
    """Add to the metadata the `outline` of each document's file: the chunk indexes of every section."""
    chunks = store.chunks.c
    source = chunks.metadata_["source_file"].astext
    columns = source, chunks.chunk_index, chunks.metadata_["sections"], chunks.metadata_["section"].astext
    in_files = source.in_({document.source for document in documents})
    statement = select(*columns).where(store.within(scope), in_files).order_by(source, chunks.chunk_index)
    outlines: dict[str, dict[str, list[int]]] = {}
    for file, number, sections, section in store.rows(statement, scope):
        for path in _paths({"sections": sections, "section": section}):
            outlines.setdefault(file, {}).setdefault(path, []).append(number)
    return [
        replace(document, metadata=document.metadata | {"outline": outlines.get(document.source, {})})
        for document in documents
    ]


@dataclass(frozen=True)
class CopilotTools:
    """The searches that may be made for one question. No argument names an owner: that is the question's."""

    query: Query
    resources: Resources

    def run(self, call: Call) -> list[RetrievedDocument]:
        """Run a call. LessonsError if it cannot be run, TimeoutError if it takes too long."""
        return within(settings().tool_timeout, lambda: getattr(self, call.tool)(**call.arguments))

    def search_all(self, query: str) -> list[RetrievedDocument]:
        """Search FAQ and guides: the best chunks of both, some more of the guides."""
        config = settings()
        limits = {"faq": config.copilot_faq_chunks, "guide": config.copilot_guide_chunks}
        counts, results = Counter[str](), []
        for document in self._search(query, _of_kind(*limits), config.fusion_candidates):
            counts[kind := document.metadata["doc_type"]] += 1
            results += [document] if counts[kind] <= limits[kind] else []
        return results

    def search_others(self, query: str) -> list[RetrievedDocument]:
        """Search the documents that are neither FAQ nor guides."""
        filters = _of_kind("faq", "guide", operator=FilterOperator.NIN)
        return self._search(query, filters, settings().copilot_guide_chunks)

    def search_by_metadata(self, query: str, doc_type: str, has_steps: bool) -> list[RetrievedDocument]:
        """Search FAQ or guides only, in the sections that tell steps or in the others."""
        filters = MetadataFilters(filters=[_of_kind(doc_type), BooleanFilter(key="has_steps", value=has_steps)])
        return self._search(query, filters, settings().copilot_faq_chunks + settings().copilot_guide_chunks)

    def get_section(self, source_file: str, section: str) -> list[RetrievedDocument]:
        """Read a whole section by its file and its path of headings. LessonsError if either does not exist."""
        file, path = normalize(source_file), normalize(section).strip()
        nodes = chunk_range(self.resources.store, self.query.scope, file, 0, 10**9)  # more than a file has
        documents = (RetrievedDocument(node.node_id, node.get_content(), 1.0, file, node.metadata) for node in nodes)
        passages = [document for document in documents if is_in_section(document, path)]
        if not passages:
            raise LessonsError(f"{file[:100]} has no section {path[:100]!r}; name it as a found document does.")
        return self._annotate(passages)

    def _search(self, text: str, filters: MetadataFilters, count: int) -> list[RetrievedDocument]:
        text = normalize(text).strip()[: settings().max_query_chars]
        if not any(map(str.isalnum, text)):
            raise LessonsError("The query holds no words.")
        query = replace(self.query, text=text, filters=filters, history=(), memory="")
        return self._annotate(HybridRetriever(top_k=count).search([text], query, self.resources))

    def _annotate(self, documents: Sequence[RetrievedDocument]) -> list[RetrievedDocument]:
        """Add outlines, and `replaced_by` with the newer edition, unless a version is asked for."""
        store, scope = self.resources.store, self.query.scope
        newer = {} if VERSION.search(self.query.text) else replaced(catalog(store, scope))
        marks = ({"replaced_by": newer[document.source]} if document.source in newer else {} for document in documents)
        pairs = zip(documents, marks, strict=True)
        marked = [replace(document, metadata=document.metadata | mark) for document, mark in pairs]
        return add_outlines(marked, store, scope)


def _of_kind(*kinds: str, operator: FilterOperator = FilterOperator.IN) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="doc_type", value=[*kinds], operator=operator)])


MENUS = ROOT / "data" / "copilot" / "menus.jsonl"


@dataclass(frozen=True)
class Menu:
    """A place in the product and what it is about, each in English (`en`) and Korean (`ko`)."""

    path: dict[str, str]
    about: dict[str, str]
    url: str

    def name(self, question: str) -> str:
        return self.path[language(question)]


@cache
def menus() -> tuple[Menu, ...]:
    """Read the menus; the last one is for questions that fit no other."""
    return tuple(Menu(**json.loads(line)) for line in MENUS.read_text(encoding="utf-8").splitlines())


def menus_for(question: str) -> list[Menu]:
    """Return the menus that share the rarest words with a question, best first, and the last of all at the end."""
    all_menus, question_terms = menus(), set(terms(question))
    texts = [set(terms(" ".join([*menu.path.values(), *menu.about.values()]))) for menu in all_menus]
    frequency = Counter(term for text in texts for term in text)
    rarity = {term: math.log(1 + len(all_menus) / count) for term, count in frequency.items()}
    scores = [sum(rarity[term] for term in sorted(question_terms & text)) for text in texts]
    best = sorted((-score, index) for index, score in enumerate(scores) if score)
    best_menus = [all_menus[index] for _, index in best][: MENU_LINKS - 1]
    return [*(menu for menu in best_menus if menu is not all_menus[-1]), all_menus[-1]]
