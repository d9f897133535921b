"""The copilot: gather, judge, answer in the given order – or say plainly why not."""

import logging
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lessons.budget import Budget
from lessons.copilot.decision import ALL_STEPS, Decision, answer_prompt, decide
from lessons.copilot.layout import Layout, lay_out
from lessons.copilot.tools import WHOLE, Call, CopilotTools, Menu, headings, menus_for, within_section
from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.models.keyless import asks_for_steps
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.pipeline import standalone
from lessons.rag.stages import AnswerStream, cause, cleaned, stages
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.search.transforms import Compress
from lessons.settings import settings
from lessons.text import language
from lessons.trace import Step, Trace
from lessons.workspace import Workspace, workspace

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


_LONGEST = 200  # characters

_DOES = {
    "search_all": "searching FAQ and guides: {query}",
    "search_by_metadata": "searching where steps are told: {query}",
    "get_section": "reading the whole section {section} of {source_file}",
}


def telling(step: Step) -> str:
    """What a step that has just begun is about."""
    if isinstance(step.input, dict) and step.name in _DOES:
        return _DOES[step.name].format(**{"section": "", **step.input}).replace("  ", " ")[:_LONGEST]
    return "judging what was found"


def told(gathered: Gathered) -> list[dict[str, object]]:
    """One row for each call: what it was, and what was decided on it."""
    return [
        {
            "call": str(call),
            "helpful": len(decision.ranked_indices),
            "sufficient": decision.is_sufficient,
            "confidence": round(decision.confidence, 2),
            "missing": decision.missing,
            "next": decision.next_action,
        }
        for call, decision in zip(gathered.calls, gathered.decisions, strict=False)
    ]


Outcome = Literal["answered", "best_effort", "nothing_relevant", "not_documented", "unavailable"]

SAID = {
    "best_effort": {
        "en": "This is the best I can say from what I found; it may not be all of it.",
        "ko": "찾은 내용으로 답한 것이며, 빠진 부분이 있을 수 있습니다.",
    },
    "nothing_relevant": {
        "en": "I found nothing relevant to this question. These menus of the product may help:",
        "ko": "이 질문과 관련된 내용을 찾지 못했습니다. 다음 메뉴가 도움이 될 수 있습니다.",
    },
    "not_documented": {
        "en": "This is not documented yet.",
        "ko": "아직 문서에 없는 내용입니다.",
    },
}
"""What the copilot says, at the end of an answer or in its place."""


def outcome_of(gathered: Gathered) -> Outcome:
    """What the last decision comes to."""
    last = gathered.decisions[-1]
    if not last.ranked_indices:
        return "not_documented"
    if last.confidence < settings().copilot_confidence:
        return "nothing_relevant"
    return "answered" if last.is_sufficient else "best_effort"


def said(outcome: Outcome, question: str) -> str:
    """The sentence for an outcome in the language of the question."""
    return SAID[outcome][language(question)]


@dataclass(repr=False)
class CopilotAnswer(Answer):
    """An answer with how it came to an end, the menus offered instead of one, what was gathered, and the prompt."""

    outcome: Outcome = "unavailable"
    menus: list[Menu] = field(default_factory=list)
    gathered: Gathered = field(default_factory=Gathered)
    layout: Layout | None = None


@dataclass(frozen=True)
class Copilot:
    """Answers from FAQ and guides with at most `max_calls` calls of its tools. Asked and streamed as a stage is."""

    name: str = "copilot"
    index: Index = field(default_factory=lambda: stages()["reranked"].index)
    max_calls: int = field(default_factory=lambda: settings().copilot_calls)
    workspace: Workspace | None = field(default=None, repr=False, compare=False)

    def but(self, name: str, **change: Any) -> "Copilot":
        """This copilot under another name with something changed."""
        return replace(self, name=name, **change)

    def ask(self, question: str, **scope: Any) -> CopilotAnswer:
        """Answer a question; the arguments are those of `stream`."""
        stream = self.stream(question, **scope)
        for _ in stream:
            pass
        assert isinstance(stream.answer, CopilotAnswer)
        return stream.answer

    def stream(
        self,
        question: str,
        *,
        user: str | Scope | None = None,
        history: Sequence[tuple[str, str]] = (),
        memory: str = "",
    ) -> AnswerStream:
        """The answer piece by piece, and with `.events()` each call and decision as it begins.

        `history` and `memory` are what a memory recalls. LessonsError for a question without words.
        """
        place = (self.workspace or workspace()).for_one_answer()
        text, warnings = cleaned(question)
        scope = user if isinstance(user, Scope) else Scope(user or place.settings.user)
        query = Query(text, scope, history=tuple(history), memory=memory)
        answer = CopilotAnswer(question=text, stage=self.name, model=describe(place.llm), warnings=warnings)
        return AnswerStream(answer, self._answer(query, answer, place))

    def _answer(self, query: Query, answer: CopilotAnswer, place: Workspace) -> Iterator[str | Step]:
        try:
            yield from self._gather(query, answer, place)
            answer.outcome = outcome_of(answer.gathered)
        except Exception as error:
            logger.error("retrieval failed: %s", error, exc_info=not isinstance(error, LessonsError))
            answer.searched = False
            answer.warnings.append(f"Nothing could be retrieved: {cause(error)}")
        if answer.outcome in ("nothing_relevant", "not_documented"):
            yield _declined(answer)
            return
        question = standalone(answer.trace, answer.question)
        answer.layout = lay_out(question, answer.gathered.ranked, query.history, query.memory, Budget.of(place.llm))
        answer.context = answer.layout.context
        yield from _responded(answer, place)

    def _gather(self, query: Query, answer: CopilotAnswer, place: Workspace) -> Generator[Step, None, None]:
        resources = place.resources(self.index)
        with answer.trace.step(Compress.__name__, [query.text]) as step:
            step.output = Compress().transform([query.text], query, resources, step)
        question = standalone(answer.trace, query.text)
        answer.gathered = yield from gather(question, CopilotTools(query, resources), self.max_calls, answer.trace)


def _declined(answer: CopilotAnswer) -> str:
    answer.text = said(answer.outcome, answer.question)
    if answer.outcome == "nothing_relevant":
        answer.menus = menus_for(answer.question)
    return answer.text


def _responded(answer: CopilotAnswer, place: Workspace) -> Iterator[str]:
    """The model's answer; a procedure is told step by step. A refusal by the model is a fallback, too."""
    assert answer.layout is not None
    section = [each for each in answer.gathered.section if each in answer.context.documents]
    wanted = ALL_STEPS if section else None
    last = answer.gathered.decisions[-1] if answer.gathered.decisions else None
    yield from respond(
        answer,
        place.llm,
        answer.layout.question,
        wanted,
        memory=answer.layout.memory,
        prompt=answer_prompt("steps" if section else "answer", answer.layout.question),
        count=len(section),
        headings=headings(section, last.section or "") if last else [],
    )
    if answer.outcome != "unavailable" and not answer.found:
        answer.outcome = "not_documented"
    if answer.outcome == "best_effort":
        answer.text = f"{answer.text}\n\n{said('best_effort', answer.question)}"
        yield answer.text[-len(said("best_effort", answer.question)) - 2 :]
