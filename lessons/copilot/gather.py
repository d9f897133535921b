"""The loop: a call of a tool, a decision on what was found, at most so many times (rows E5 and E6)."""

import logging
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from lessons.copilot.decision import Decision, decide
from lessons.copilot.outline import WHOLE, within_section
from lessons.copilot.tools import Call, CopilotTools
from lessons.errors import LessonsError
from lessons.models.keyless import asks_for_steps
from lessons.rag.types import RetrievedDocument
from lessons.trace import Step, Trace

logger = logging.getLogger(__name__)


@dataclass
class Gathered:
    """What the calls found, and the decision after each of them."""

    documents: list[RetrievedDocument] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    @property
    def ranked(self) -> list[RetrievedDocument]:
        """The passages that help: those of the section whose steps are asked for, in its order, then the others."""
        if not self.decisions:
            return []
        best = [self.documents[number - 1] for number in self.decisions[-1].ranked_indices]
        section = self.section
        return [*section, *(each for each in best if each not in section)]

    @property
    def section(self) -> list[RetrievedDocument]:
        """What was found of the section whose steps are asked for, in its order; empty if none are."""
        last = self.decisions[-1] if self.decisions else None
        if last is None or last.section is None or not last.ranked_indices:
            return []
        source = self.documents[last.ranked_indices[0] - 1].source
        own = [each for each in self.documents if each.source == source and within_section(each, last.section)]
        return sorted(own, key=lambda each: each.metadata["chunk_index"])


def gather(question: str, tools: CopilotTools, calls: int, trace: Trace) -> Generator[Step, None, Gathered]:
    """Call and decide until it suffices, nothing more is asked for, or no call is left.

    Each step is yielded as it begins. A call that fails is noted; the error of the first is raised.
    """
    gathered, call = Gathered(), Call("search_all", {"query": question})
    while True:
        gathered.calls.append(call)
        with trace.step(call.tool, dict(call.arguments)) as step:
            yield step
            step.output = _run(call, tools, gathered, step)
        with trace.step("decide", question) as step:
            yield step
            made = list(map(str, gathered.calls))
            decision = step.output = decide(question, gathered.documents, made, tools.resources.llm, step)
        gathered.decisions.append(decision)
        following = next_call(decision, question, gathered.documents)
        if following is None or following in gathered.calls or len(gathered.calls) >= calls:
            return gathered
        call = following


def next_call(decision: Decision, question: str, documents: Sequence[RetrievedDocument]) -> Call | None:
    """The call that a decision asks for. A search for steps keeps to the sections that tell them."""
    if decision.next_action == "get_section":
        first = documents[decision.ranked_indices[0] - 1]
        return Call("get_section", {"source_file": first.source, "section": decision.section or WHOLE})
    if decision.next_action == "search_again":
        if asks_for_steps(question):
            steps = {"doc_type": "guide", "has_steps": True}
            return Call("search_by_metadata", {"query": decision.refined_query, **steps})
        return Call("search_all", {"query": decision.refined_query})
    return None


def _run(call: Call, tools: CopilotTools, gathered: Gathered, step: Step) -> list[RetrievedDocument]:
    try:
        found = tools.run(call)
    except Exception as error:
        if len(gathered.calls) == 1:
            raise
        logger.warning("a call of the copilot failed", exc_info=True)
        step.notes.append(str(error) if isinstance(error, LessonsError) else "the call failed")
        return []
    known = {document.id for document in gathered.documents}
    gathered.documents += [document for document in found if document.id not in known]
    return found
