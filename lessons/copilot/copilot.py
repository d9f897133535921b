"""The copilot: gather, judge, answer in the given order – or say plainly why not."""

import logging
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from lessons.agent import stand_alone
from lessons.budget import Budget
from lessons.context.intent import needs_no_document, small_talk
from lessons.copilot.decision import ALL_STEPS, ANSWER, Decision, answer_prompt, decide, is_replaced
from lessons.copilot.tools import WHOLE_FILE, Call, CopilotTools, Menu, headings, is_in_section, menus_for
from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.memory.conversation import split_memory
from lessons.models.keyless import asks_for_documents, asks_for_steps
from lessons.models.llm import describe
from lessons.plan import FittedPart, Message, Part, Plan, history_part, messages_of
from lessons.rag.answer import Answer, conversation_memory, respond
from lessons.rag.catalog import catalog
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import AnswerStream, cause, cleaned, standalone
from lessons.rag.prompts import REFUSALS
from lessons.rag.types import Context, Query, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.other_transforms import normalized
from lessons.settings import settings
from lessons.stages import stages
from lessons.text import language
from lessons.trace import Step, Trace

logger = logging.getLogger(__name__)


@dataclass
class Gathered:
    """What the calls found, the decision after each of them, and whether the question asks for steps."""

    asks_for_steps: bool = False
    documents: list[RetrievedDocument] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    @property
    def best(self) -> list[RetrievedDocument]:
        """The passages that help, best first."""
        return [self.documents[number - 1] for decision in self.decisions[-1:] for number in decision.ranked_indices]

    @property
    def section(self) -> list[RetrievedDocument]:
        """What was found of the section whose steps are asked for, in its order; empty if none are.

        Small models name a section for any question, so the words of the question decide whether steps are wanted.
        """
        if not (self.asks_for_steps and self.best) or (path := self.decisions[-1].section) is None:
            return []
        in_file = [document for document in self.documents if document.source == self.best[0].source]
        passages = [document for document in in_file if is_in_section(document, path)]
        return sorted(passages, key=lambda document: document.metadata["chunk_index"])

    @property
    def ranked(self) -> list[RetrievedDocument]:
        """What the answer may rest on: the section whose steps are asked for, in its order, then the other passages."""
        section = self.section
        return [*section, *(document for document in self.best if document not in section)]


def gather(question: str, tools: CopilotTools, calls: int, trace: Trace) -> Generator[Step, None, Gathered]:
    """Call and decide until it suffices, nothing more is asked for, or no call is left.

    Each step is yielded as it begins. A call that fails is noted; the error of the first is raised.
    """
    gathered, call = Gathered(asks_for_steps(question)), Call("search_all", {"query": question})
    while True:
        gathered.calls.append(call)
        with trace.step(call.tool, dict(call.arguments)) as step:
            yield step
            step.output = _run(call, tools, gathered, step)
        with trace.step("decide", question) as step:
            yield step
            calls_so_far = list(map(str, gathered.calls))
            decision = step.output = decide(question, gathered.documents, calls_so_far, tools.resources.llm, step)
        gathered.decisions.append(decision)
        following = next_call(decision, question, gathered)
        if following is None or following in gathered.calls or len(gathered.calls) >= calls:
            return gathered
        call = following


def next_call(decision: Decision, question: str, gathered: Gathered) -> Call | None:
    """Return the call that a decision asks for. A search for steps keeps to sections with steps.

    Where FAQ and guides hold nothing relevant, the other documents are searched before other words are tried.
    """
    further = Call("search_others", {"query": question})
    if decision.confidence < settings().copilot_confidence and further not in gathered.calls:
        return further
    if decision.next_action == "get_section":
        first = gathered.documents[decision.ranked_indices[0] - 1]
        return Call("get_section", {"section": decision.section or WHOLE_FILE, "source_file": first.source})
    if decision.next_action == "none":
        return None
    query = {"query": decision.refined_query}
    if asks_for_steps(question):
        return Call("search_by_metadata", {**query, "doc_type": "guide", "has_steps": True})
    return Call("search_all", query)


def _run(call: Call, tools: CopilotTools, gathered: Gathered, step: Step) -> list[RetrievedDocument]:
    try:
        documents = tools.run(call)
    except Exception as error:
        if len(gathered.calls) == 1:
            raise
        logger.warning("a call of the copilot failed: %s", error, exc_info=not isinstance(error, LessonsError))
        step.notes.append(str(error) if isinstance(error, LessonsError) else "the call failed")
        return []
    known_ids = {document.id for document in gathered.documents}
    gathered.documents += [document for document in documents if document.id not in known_ids]
    gathered.documents.sort(key=is_replaced)
    return documents


Outcome = Literal["answered", "best_effort", "nothing_relevant", "not_documented", "unavailable"]

REPLIES = {
    "best_effort": {
        "en": "This is the best I can say from what I found; it may not be all of it.",
        "ko": "찾은 내용으로 답한 것이며, 빠진 부분이 있을 수 있습니다.",
    },
    "replaced": {
        "en": "This is from a superseded edition; what the current one says was not found.",
        "ko": "이전 판에 있는 내용입니다. 현재 판에서는 찾지 못했습니다.",
    },
    "nothing_relevant": {
        "en": "I found nothing relevant to this question. These menus of the product may help:",
        "ko": "이 질문과 관련된 내용을 찾지 못했습니다. 다음 메뉴가 도움이 될 수 있습니다.",
    },
    "not_documented": {"en": "This is not documented yet.", "ko": "아직 문서에 없는 내용입니다."},
    "not_understood": {
        "en": "I could not tell what this adds to the question before it; please ask it in full.",
        "ko": "앞 질문에 이어 무엇을 물으시는지 알 수 없습니다. 질문을 온전하게 다시 적어 주세요.",
    },
    "documents": {
        "en": "I answer from these FAQ and guides, and from your other documents where they hold nothing: {}",
        "ko": "다음 FAQ와 가이드에서 답을 찾고, 없으면 다른 문서에서 찾습니다: {}",
    },
}
"""What the copilot says, at the end of an answer or in its place."""


def outcome_of(decision: Decision) -> Outcome:
    """Return the outcome that follows from the last decision."""
    if not decision.ranked_indices:
        return "not_documented"
    if decision.confidence < settings().copilot_confidence:
        return "nothing_relevant"
    return "answered" if decision.is_sufficient else "best_effort"


SENT = ("system", "summary", "entities", "turns", "documents", "question")  # in this order


@dataclass(frozen=True)
class Layout:
    """The texts that fit, and the plan of all parts in the order in which they are sent."""

    question: str
    memory: str
    context: Context
    plan: Plan


def fit_prompt(
    question: str,
    documents: Sequence[RetrievedDocument],
    history: Sequence[Message] = (),
    memory: str = "",
    budget: Budget | None = None,
) -> Layout:
    """Fit everything into its share, the documents last. LessonsError if not even prompt and question fit.

    `memory` is what a memory recalls as text: its lines that begin with a dash are entities, the others the summary.
    """
    budget = budget or Budget()
    most = {name: getattr(settings(), f"copilot_{name}_tokens") for name in SENT}
    entities, summary = (
        [text.strip() for text in part.splitlines() if text.strip() and not text.rstrip().endswith(":")]
        for part in split_memory(memory)
    )
    turns = [(role, " ".join(content.split())[: settings().turn_chars]) for role, content in history]
    parts = (
        Part("system", [ANSWER[language(question)]], most["system"], "all"),
        Part("question", [question], most["question"], "all"),
        Part("entities", entities, most["entities"], "last", joint="\n"),
        Part("summary", summary, most["summary"], "last", joint="\n"),
        history_part(turns, most["turns"]),
    )
    plan = budget.plan(parts, min(sum(most.values()), budget.available))
    context = ContextBuilder(min(most["documents"], plan.buffer), budget.counter).build(documents)
    left_out = sum(document.estimated_tokens for document in documents[len(context.documents) :])
    read = FittedPart("documents", context.total_tokens, left_out, min(most["documents"], plan.buffer))
    plan = replace(plan, pieces=tuple(read if name == read.name else plan[name] for name in SENT))
    memory_text = "\n".join(filter(None, (plan["summary"].text, plan["entities"].text)))
    return Layout(question, conversation_memory(memory_text, messages_of(plan["turns"])), context, plan)


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
    tools: type[CopilotTools] = CopilotTools
    workspace: Workspace | None = field(default=None, repr=False, compare=False)

    def but(self, name: str, **change: Any) -> "Copilot":
        """Return this copilot under another name with fields changed."""
        return replace(self, name=name, **change)

    def ask(self, question: str, **scope: Any) -> CopilotAnswer:
        """Answer a question; the arguments are those of `stream`."""
        return cast(CopilotAnswer, self.stream(question, **scope).read())

    def stream(
        self, question: str, *, user: str | Scope | None = None, history: Sequence[Message] = (), memory: str = ""
    ) -> AnswerStream:
        """Stream the answer; `.events()` has each call and decision, too. LessonsError for an empty question."""
        own_workspace = (self.workspace or workspace()).for_one_answer()
        text, warnings = cleaned(question)
        scope = Scope.of(user or own_workspace.settings.user)
        query = Query(text, scope, history=tuple(history), memory=memory)
        answer = CopilotAnswer(question=text, stage=self.name, model=describe(own_workspace.llm), warnings=warnings)
        return AnswerStream(answer, self._answer(query, answer, own_workspace))

    def _answer(self, query: Query, answer: CopilotAnswer, workspace: Workspace) -> Iterator[str | Step]:
        if asks_for_documents(query.text):
            files = catalog(workspace.store(self.index), query.scope).items()
            shown = (file.get("title") or name for name, file in files if file.get("doc_type") in ("faq", "guide"))
            yield from _canned_reply(answer, REPLIES["documents"][language(query.text)].format("; ".join(shown)))
            return
        if needs_no_document(query.text, workspace.llm):  # the words decide, as for steps, whichever model answers
            yield from small_talk(answer, workspace.llm, conversation_memory(query.memory, query.history))
            answer.found = not answer.text.startswith(REFUSALS)
            answer.outcome = "answered" if answer.found else answer.outcome
            return
        try:
            resources = workspace.resources(self.index)
            alone, tools = stand_alone(query, resources, answer.trace).text, self.tools(query, resources)
            if _is_repeated(alone, query):
                yield from _canned_reply(answer, REPLIES["not_understood"][language(query.text)], answered=False)
                return
            answer.gathered = yield from gather(alone, tools, self.max_calls, answer.trace)
            answer.outcome = outcome_of(answer.gathered.decisions[-1])
        except Exception as error:
            logger.error("retrieval failed: %s", error, exc_info=not isinstance(error, LessonsError))
            answer.searched = False
            answer.warnings.append(f"Nothing could be retrieved: {cause(error)}")
        if answer.outcome in ("nothing_relevant", "not_documented"):
            answer.text = REPLIES[answer.outcome][language(answer.question)]
            answer.menus = menus_for(answer.question) if answer.outcome == "nothing_relevant" else []
            yield answer.text
        else:
            question = standalone(answer.trace, answer.question)
            layout = fit_prompt(question, answer.gathered.ranked, query.history, query.memory, Budget.of(workspace.llm))
            answer.layout, answer.context = layout, layout.context
            yield from _responded(answer, layout, workspace)


def _canned_reply(answer: CopilotAnswer, text: str, answered: bool = True) -> Iterator[str]:
    """Answer with a text that no model writes."""
    answer.text, answer.found, answer.outcome = text, answered, "answered" if answered else "not_documented"
    yield text


def _is_repeated(alone: str, query: Query) -> bool:
    """Return whether a follow-up was completed to a question asked before, and so was not understood."""
    earlier = {normalized(content) for role, content in query.history if role == "user"}
    return normalized(alone) != normalized(query.text) and normalized(alone) in earlier


def _responded(answer: CopilotAnswer, layout: Layout, workspace: Workspace) -> Iterator[str]:
    """Stream the model's answer, a procedure step by step. A refusal by the model is a fallback, too."""
    section = [passage for passage in answer.gathered.section if passage in answer.context.documents]
    path = answer.gathered.decisions[-1].section if section else None
    steps: dict[str, Any] = {"count": len(section), "headings": headings(section, path or WHOLE_FILE)}
    prompt = answer_prompt(layout.question, bool(section))
    form = ALL_STEPS[language(layout.question)] if section else None
    yield from respond(answer, workspace.llm, layout.question, form, memory=layout.memory, prompt=prompt, **steps)
    if answer.outcome != "unavailable" and not answer.found:
        answer.outcome = "not_documented"
    old = {document.source for document in answer.context.documents if is_replaced(document)}
    cited = {citation.source_file for citation in answer.citations}
    for name, holds in {"best_effort": answer.outcome == "best_effort", "replaced": cited and cited <= old}.items():
        if holds:
            caveat = f"\n\n{REPLIES[name][language(answer.question)]}"
            answer.text += caveat
            yield caveat
