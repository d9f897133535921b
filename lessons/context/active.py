"""Active retrieval: every wrapper around a stage, a memory before it, and one state that says what each of them did.

    similar question? → intent → profile and long-term memory → budget ⇄ retrieve → answer → refine → cache

Each wrapper also works alone. Here they stand so that one is not asked for what another has saved: what the cache
answers needs no intent, and what needs no document needs no budget.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from lessons.context.cache import CACHE_STEP, Cached
from lessons.context.compress import Hybrid, Managed
from lessons.context.intent import Decision, Intent
from lessons.context.refine import Iteration, Refined, iterations
from lessons.context.wrapper import Answering
from lessons.errors import LessonsError
from lessons.language import _
from lessons.memory.conversation import Conversation, Memory, NoMemory, split_memory
from lessons.memory.summaries import Tiers
from lessons.plan import Plan
from lessons.rag.answer import Answer
from lessons.rag.pipeline import Stage, standalone
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.tables import html_table

WRAPPERS: dict[str, Callable[[Any], Answering]] = {
    "compression": lambda stage: stage.but(stage.name, compressor=Hybrid()),
    "refine": Refined,
    "manager": Managed,
    "intent": Intent,
    "cache": Cached,
}
"""What stands around a stage, from the innermost to the outermost."""

MEMORY = "memory"
SWITCHES = (*reversed(WRAPPERS), MEMORY)  # the wrappers that can be switched off


@dataclass(frozen=True, repr=False)
class ActiveState:
    """All that one question went through; what a wrapper that was switched off would have found is empty."""

    answer: Answer
    turns: int
    profile: str  # what the user said about themselves
    long_term: str  # what is known from before the last turns

    @property
    def intent(self) -> Decision | None:
        return next((step.output for step in self.answer.trace if step.name == "intent"), None)

    @property
    def plan(self) -> Plan | None:
        return next((step.output for step in self.answer.trace if step.name == "manage"), None)

    @property
    def iterations(self) -> list[Iteration]:
        """The answers in their order, each with its quality and what it lacks."""
        return iterations(self.answer.trace)

    @property
    def quality(self) -> float | None:
        """Of the last answer that was judged, from 0 to 1."""
        return self.iterations[-1].quality if self.iterations else None

    @property
    def rows(self) -> list[tuple[str, str]]:
        understood = standalone(self.answer.trace, self.answer.question)
        looked_up = [note for step in self.answer.trace if step.name == CACHE_STEP for note in step.notes]
        return [
            ("similar question", "; ".join(looked_up) or "none"),
            ("intent", str(self.intent or "–")),
            ("memory", f"{self.turns} turns, {_lines(self.profile)} facts, {_lines(self.long_term)} older lines"),
            ("budget", f"{self.plan.tokens:,} of {self.plan.room:,} tokens" if self.plan else "–"),
            ("retrieved", f"{len(self.answer.context.documents)} chunks for “{understood}”"),
            ("iterations", " → ".join(f"quality {iteration.quality:.2f}" for iteration in self.iterations) or "–"),
            ("answer", f"{len(self.answer.text)} characters, {len(self.answer.citations)} citations"),
            ("cost", f"{self.answer.trace.llm_calls} model calls, {self.answer.trace.tokens:,} tokens"),
        ]

    def __repr__(self) -> str:
        return "\n".join([self.answer.text, *(f"{_(name)}: {_(value)}" for name, value in self.rows)])

    def _repr_html_(self) -> str:
        return html_table(["", self.answer.text], [(_(name), _(value)) for name, value in self.rows])


def _lines(text: str) -> int:
    return sum(line.startswith("- ") or not line.endswith(":") for line in text.splitlines())


@dataclass(frozen=True)
class ActiveAgent:
    """A stage with its wrappers, and sessions that remember."""

    stage: Stage
    wrappers: Sequence[str] = SWITCHES

    def without(self, *wrappers: str) -> Self:
        """Return this agent with wrappers switched off. LessonsError for an unknown name."""
        if unknown := [name for name in wrappers if name not in SWITCHES]:
            raise LessonsError(f"There is no wrapper {unknown[0]!r}; the wrappers are {', '.join(SWITCHES)}.")
        return replace(self, wrappers=[name for name in self.wrappers if name not in wrappers])

    @property
    def pipeline(self) -> Answering:
        """The stage within the wrappers that are switched on."""
        pipeline: Answering = self.stage
        for name, wrapper in WRAPPERS.items():
            pipeline = wrapper(pipeline) if name in self.wrappers else pipeline
        return pipeline.but(self.stage.name)

    def memory(self, session_id: str, user: str | Scope | None = None) -> Memory:
        """Return the memory of a user's session, or an empty one if the memory is switched off."""
        if MEMORY not in self.wrappers:
            return NoMemory()
        own = self.stage.workspace or workspace()
        return Tiers.of(own, Scope.of(user or own.settings.user), session_id)

    def ask(self, question: str, session_id: str = "active", user: str | Scope | None = None) -> ActiveState:
        """Answer a question of a session. LessonsError for an empty question, or one too long for the budget."""
        conversation = Conversation(self.memory(session_id, user))
        recollection = conversation.recall(question)
        answer = self.pipeline.ask(question, user=user, history=recollection.history, memory=recollection.memory)
        if answer.searched or answer.found:
            conversation.remember(question, answer.text)
        return ActiveState(answer, len(recollection.history) // 2, *split_memory(recollection.memory))
