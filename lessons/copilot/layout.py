"""What the model is sent, in which order, and how many tokens each part may take."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.budget import Budget, last_fitting, too_long
from lessons.copilot.decision import ANSWER
from lessons.rag.answer import conversation_memory
from lessons.rag.context import ContextBuilder
from lessons.rag.types import Context, RetrievedDocument
from lessons.settings import settings
from lessons.tables import html_table
from lessons.text import language

GIVES = ("documents", "turns", "summary", "entities")
"""Whose room a long question takes, in this order."""


@dataclass(frozen=True)
class Part:
    """A part of the prompt with its estimated tokens, the most it may take, and whether some of it was left out."""

    name: str
    tokens: int
    limit: int
    cut: bool = False


@dataclass(frozen=True, repr=False)
class Layout:
    """The texts that fit, and the parts in the order in which they are sent."""

    question: str
    memory: str
    context: Context
    parts: tuple[Part, ...]

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def limit(self) -> int:
        return sum(part.limit for part in self.parts)

    def __repr__(self) -> str:
        lines = [f"{part.name}: {part.tokens:,} of {part.limit:,}{', cut' * part.cut}" for part in self.parts]
        return "\n".join([*lines, f"in all: {self.tokens:,} of {self.limit:,} tokens"])

    def _repr_html_(self) -> str:
        rows = [[part.name, f"{part.tokens:,}", f"{part.limit:,}", "yes" * part.cut] for part in self.parts]
        return html_table(["", "tokens", "of", "cut"], [*rows, ["in all", f"{self.tokens:,}", f"{self.limit:,}", ""]])


def lay_out(
    question: str,
    documents: Sequence[RetrievedDocument],
    history: Sequence[tuple[str, str]] = (),
    memory: str = "",
    budget: Budget | None = None,
) -> Layout:
    """Fit everything into its share. The question always stays whole; a long one takes the room of the documents first.

    `memory` is what a memory recalls as text: its lines that begin with a dash are entities, the others the summary.
    In a window smaller than all shares together (`budget`), each gives what is missing, the documents first.
    LessonsError if not even the system prompt and the question fit.
    """
    budget = budget or Budget()
    count = budget.counter.count
    system, asked = count(ANSWER[language(question)]), count(question)
    limits = _limits(asked, system, budget.room())
    entities, summary = _read(memory)
    kept = {
        "summary": last_fitting(summary, lambda line: count(line) + 1, limits["summary"]),
        "entities": last_fitting(entities, lambda line: count(line) + 1, limits["entities"]),
    }
    turns = budget.turns(_shortened(history), limits["turns"])
    context = ContextBuilder(limits["documents"], budget.counter).build(documents)
    said = "\n".join([*kept["summary"], *kept["entities"]])
    parts = (
        Part("system", system, limits["system"]),
        Part("summary", count("\n".join(kept["summary"])), limits["summary"], len(kept["summary"]) < len(summary)),
        Part("entities", count("\n".join(kept["entities"])), limits["entities"], len(kept["entities"]) < len(entities)),
        Part("turns", sum(count(text) for _, text in turns), limits["turns"], len(turns) < len(history)),
        Part("documents", context.total_tokens, limits["documents"], len(context.documents) < len(documents)),
        Part("question", asked, limits["question"]),
    )
    return Layout(question, conversation_memory(said, turns), context, parts)


def _limits(asked: int, system: int, room: int) -> dict[str, int]:
    """The share of each part, once the question and the system prompt have taken what they need beyond their own."""
    chosen = settings()
    names = ("system", "summary", "entities", "turns", "documents", "question")
    limits: dict[str, int] = {name: getattr(chosen, f"copilot_{name}_tokens") for name in names}
    for name, needed in (("question", asked), ("system", system)):
        short = max(0, needed - limits[name])
        limits[name] += short
        _give(limits, short)
    if sum(limits.values()) > room:
        limits |= {"system": system, "question": asked}
        _give(limits, max(0, sum(limits.values()) - room))
    return limits


def _give(limits: dict[str, int], short: int) -> None:
    """Take what is short from those who give, in their order. LessonsError if they have not as much."""
    for giver in GIVES:
        given = min(short, limits[giver])
        limits[giver] -= given
        short -= given
    if short:
        raise too_long(sum(limits.values()) - short)


def _read(memory: str) -> tuple[list[str], list[str]]:
    """Entities and summary of a memory's text, without the titles above them."""
    lines = [line.strip() for line in memory.splitlines() if line.strip() and not line.rstrip().endswith(":")]
    return [line for line in lines if line.startswith("- ")], [line for line in lines if not line.startswith("- ")]


def _shortened(history: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(role, " ".join(content.split())[: settings().turn_chars]) for role, content in history]
