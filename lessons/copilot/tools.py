"""The three tools of the copilot (row E5), bound to the owner of the question."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from lessons.agent.deadline import within
from lessons.copilot.outline import section_of, with_outlines
from lessons.errors import LessonsError
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.catalog import registered_file
from lessons.search.filters import BooleanFilter
from lessons.search.hybrid import HybridRetriever
from lessons.settings import settings
from lessons.text import normalize, terms

KINDS = ("faq", "guide")


@dataclass(frozen=True)
class Call:
    """A tool by its name, and what it is given."""

    tool: str
    arguments: Mapping[str, Any] = field(hash=False)

    def __str__(self) -> str:
        return f"{self.tool}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


@dataclass(frozen=True)
class CopilotTools:
    """The searches that may be made for one question. No argument names an owner: that is the question's."""

    query: Query
    resources: Resources

    def run(self, call: Call) -> list[RetrievedDocument]:
        """What a call finds. LessonsError for one that cannot be run, TimeoutError for one that takes too long."""
        tools = {tool.__name__: tool for tool in (self.search_all, self.search_by_metadata, self.get_section)}
        if call.tool not in tools:
            raise LessonsError(f"There is no tool {call.tool[:100]!r}; the tools are {', '.join(tools)}.")
        return within(settings().tool_timeout, lambda: tools[call.tool](**call.arguments))

    def search_all(self, query: str) -> list[RetrievedDocument]:
        """Search FAQ and guides: the best chunks of both, some more of the guides."""
        chosen = settings()
        wanted = {"faq": chosen.copilot_faq_chunks, "guide": chosen.copilot_guide_chunks}
        found = self._search(query, _is("doc_type", list(KINDS)), settings().fusion_candidates)
        kept = {kind: [one for one in found if one.metadata["doc_type"] == kind][: wanted[kind]] for kind in KINDS}
        ids = {one.id for documents in kept.values() for one in documents}
        return [one for one in found if one.id in ids]

    def search_by_metadata(
        self, query: str, doc_type: str | None = None, has_steps: bool | None = None, source_file: str | None = None
    ) -> list[RetrievedDocument]:
        """Search FAQ or guides only, sections that tell steps only, or one file only."""
        filters = [_is("doc_type", [doc_type] if doc_type else list(KINDS))]
        if has_steps is not None:
            filters.append(MetadataFilters(filters=[BooleanFilter(key="has_steps", value=has_steps)]))
        if source_file is not None:
            filters.append(registered_file(source_file, None, self.resources.store, self.query.scope))
        chosen = settings()
        both = chosen.copilot_faq_chunks + chosen.copilot_guide_chunks
        return self._search(query, MetadataFilters(filters=[*filters]), both)

    def get_section(self, source_file: str, section: str) -> list[RetrievedDocument]:
        """A whole section by its file and its path of headings: all of its chunks, in order."""
        store, scope = self.resources.store, self.query.scope
        return with_outlines(section_of(store, scope, normalize(source_file), section), store, scope)

    def _search(self, text: str, filters: MetadataFilters, count: int) -> list[RetrievedDocument]:
        text = normalize(text).strip()[: settings().max_query_chars]
        if not terms(text):
            raise LessonsError("The query holds no words.")
        both = [filters, self.query.filters] if self.query.filters else [filters]
        query = replace(self.query, text=text, filters=MetadataFilters(filters=[*both]), history=(), memory="")
        found = HybridRetriever(top_k=count).retrieve([text], query, self.resources)
        return with_outlines(found, self.resources.store, query.scope)


def _is(key: str, values: list[str]) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=values, operator=FilterOperator.IN)])
