"""The trace of an answer as a timeline: when each step began and ended, what it cost, and which steps lie within it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lessons.trace import Step, Trace


@dataclass(frozen=True)
class Bar:
    """A step on the timeline. Times are milliseconds from the first step, cost US dollars; steps within one lie deeper.

    `said` are the queries that the step made, and its notes.
    """

    name: str
    depth: int
    start: float
    ms: float
    llm_calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    said: tuple[str, ...] = ()

    @property
    def end(self) -> float:
        return self.start + self.ms


def timeline(trace: Trace) -> list[Bar]:
    """The steps in the order in which they began, each followed by those within it. Steps do not overlap."""
    return list(_bars(trace.steps, 0.0, 0))


def summary(trace: Trace) -> str:
    """What an answer took in all, in one line."""
    calls = f"{trace.llm_calls} model call{'' if trace.llm_calls == 1 else 's'}"
    return f"{trace.ms:,.0f} ms, {calls}, {trace.tokens:,} tokens, ${trace.cost:.4f}"


def _bars(steps: Sequence[Step], start: float, depth: int) -> Iterator[Bar]:
    for step in steps:
        used = step.llm_calls, step.tokens_in, step.tokens_out, step.cost
        yield Bar(step.name, depth, start, step.ms, *used, said=tuple(_said(step)))
        yield from _bars(step.parts, start, depth + 1)
        start += step.ms


def _said(step: Step) -> list[str]:
    """The queries that a step made of those it was given, and what it noted, such as the search of an agent."""
    made = step.output if isinstance(step.output, list) and step.output != step.input else []
    queries = [query for query in made if isinstance(query, str)]
    return [*([f"→ {' · '.join(queries)}"] if queries else []), *step.notes]
