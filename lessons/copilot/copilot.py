"""The copilot: gather, judge, answer in the given order – or say plainly why not."""

import logging
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lessons.budget import Budget
from lessons.copilot.fallback import Outcome, outcome_of, said
from lessons.copilot.gather import Gathered, gather
from lessons.copilot.layout import Layout, lay_out
from lessons.copilot.menus import Menu, menus_for
from lessons.copilot.outline import headings
from lessons.copilot.prompts import ALL_STEPS, answer_prompt
from lessons.copilot.tools import CopilotTools
from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.models.llm import describe
from lessons.rag.answer import Answer, respond
from lessons.rag.stages import AnswerStream, cause, cleaned, stages
from lessons.rag.types import Query, Scope
from lessons.search.transforms import Compress, standalone
from lessons.settings import settings
from lessons.trace import Step
from lessons.workspace import Workspace, workspace

logger = logging.getLogger(__name__)


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
