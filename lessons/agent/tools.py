"""The two tools of the agent (row B9): the search of a pipeline, bound to the owner of the question."""

import logging
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import FunctionTool
from llama_index.core.vector_stores.types import MetadataFilters
from pydantic import ValidationError

from lessons.agent.deadline import within
from lessons.errors import LessonsError
from lessons.models.keyless import OfflineLLM
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import Pipeline
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.catalog import registered_file
from lessons.search.transforms import normalized
from lessons.settings import settings
from lessons.text import normalize
from lessons.trace import Step, Trace

logger = logging.getLogger(__name__)

NOTHING = "Nothing was found."
SHOWN_BEFORE = "This search found only documents that you have been shown."
REPEATED = "This search was made before; it was not run again. Search for something else, or stop."
TOO_SLOW = "The search took too long; try other words, or stop."
FAILED = "The search failed; try other words, or stop."


@dataclass(frozen=True)
class Found:
    """What one search found, best first, and the steps it took."""

    documents: tuple[RetrievedDocument, ...]
    trace: Trace


class SearchTools:
    """The searches that a model may make for one question, and what they found, by (query, file or None).

    The model names neither an owner nor a filter: those are the question's.
    """

    def __init__(self, pipeline: Pipeline, query: Query, resources: Resources) -> None:
        self._pipeline, self._query, self._resources = pipeline, query, resources
        searches = (self.search_documents, self.search_by_metadata)
        self.tools = [FunctionTool.from_defaults(each, description=each.__doc__) for each in searches]
        self.found: dict[tuple[str, str | None], tuple[RetrievedDocument, ...]] = {}
        self.error: Exception | None = None

    def search_documents(self, query: str) -> Found:
        """Search all documents. `query`: what to look for, understandable alone."""
        return self._search(query, self._query.filters)

    def search_by_metadata(self, query: str, source_file: str) -> Found:
        """Search in one file only. `source_file`: its name as the header of a found document gives it."""
        store, scope = self._resources.store, self._query.scope
        return self._search(query, registered_file(source_file, self._query.filters, store, scope))

    def run(self, call: ToolSelection, step: Step) -> str:
        """Run a call; what the model is told of it. A call that cannot be run or fails tells why."""
        try:
            tool = self._tool(call.tool_name)
            step.input = arguments = _arguments(tool, call.tool_kwargs)
            search = normalized(arguments["query"]), normalize(arguments.get("source_file", "")) or None
            if search in self.found:
                raise LessonsError(REPEATED)
            found: Found = within(self._seconds(), lambda: tool.call(**arguments)).raw_output
        except Exception as error:
            self.error = error
            step.notes.append(problem := _problem(error))
            return problem
        step.notes.append(f"{' in '.join(arguments.values())} → {len(found.documents)} documents")
        for part in found.trace:
            step.nest(part)
        step.output = list(found.documents)
        known = {document.id for documents in self.found.values() for document in documents}
        self.found[search] = found.documents
        return _told(found.documents, known)

    def _seconds(self) -> float:
        """How long a search may take: its own time, and that of the model calls in it."""
        calls = len(self._pipeline.query) + bool(self._pipeline.reranker)
        waiting = 0 if isinstance(self._resources.llm, OfflineLLM) else calls * settings().reply_seconds
        return settings().tool_timeout + waiting

    def _tool(self, name: str) -> FunctionTool:
        named = {tool.metadata.get_name(): tool for tool in self.tools}
        if name not in named:
            raise LessonsError(f"There is no tool {name!r}; the tools are {' and '.join(named)}.")
        return named[name]

    def _search(self, text: str, filters: MetadataFilters | None) -> Found:
        trace = Trace()
        query = replace(self._query, text=text, filters=filters, history=(), memory="")
        return Found(tuple(self._pipeline.search(query, self._resources, trace)), trace)


def _arguments(tool: FunctionTool, given: dict[str, Any]) -> dict[str, str]:
    """The arguments that the tool takes; LessonsError, for the model to read, if they cannot be used."""
    schema = tool.metadata.fn_schema
    assert schema is not None
    try:
        arguments: dict[str, str] = schema.model_validate(given).model_dump()
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise LessonsError(f"The arguments of {tool.metadata.get_name()} cannot be used: {wrong}.") from error
    arguments["query"] = normalize(arguments["query"]).strip()[: settings().max_query_chars]
    if not any(map(str.isalnum, arguments["query"])):
        raise LessonsError("The query holds no words.")
    return arguments


def _problem(error: Exception) -> str:
    """What the model is told of an error."""
    if isinstance(error, LessonsError):
        return str(error)
    logger.warning("a search of the agent failed", exc_info=error)
    return TOO_SLOW if isinstance(error, TimeoutError) else FAILED


def _told(documents: tuple[RetrievedDocument, ...], known: set[str]) -> str:
    """The documents that the model has not been shown yet, as far as they fit."""
    new = [document for document in documents if document.id not in known]
    if not new:
        return SHOWN_BEFORE if documents else NOTHING
    return ContextBuilder(settings().agent_result_tokens).build(new).text
