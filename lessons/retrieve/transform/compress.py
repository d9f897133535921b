"""Compression: a follow-up becomes a question that stands alone (row B5)."""

from dataclasses import dataclass

from lessons.retrieve.transform.checks import asked, note, strays, tidy
from lessons.retrieve.types import Query, Resources
from lessons.settings import settings
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class Compress:
    """Puts what a follow-up leaves out into it, from what was said before; without that nothing is asked."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        queries = tidy(queries, query.text)
        if not query.memory and not any(role == "user" and content.strip() for role, content in query.history):
            return queries
        return tidy([_standalone(text, query, resources, step) for text in queries], query.text)


def standalone(trace: Trace, question: str) -> str:
    """The question as this step of a trace completed it, or as it was put."""
    completed = (step.output for step in trace if step.name == Compress.__name__ and step.output)
    return next(completed, [question])[0]


def _standalone(text: str, query: Query, resources: Resources, step: Step) -> str:
    chosen, memory = settings(), query.memory
    turns = query.history[-2 * chosen.history_turns :]
    history = "\n".join(f"{role}: {content[: chosen.turn_chars]}" for role, content in turns)
    known = f"{memory}\n{history}".strip()
    variables = {"history": history, "turns": query.history, "memory": memory}
    said = asked("compress", text, resources, step, chosen.max_query_chars, known, **variables)
    if said is None or said == text:
        return text
    if problem := strays(said, text, f"{known}\n{text}"):
        note(step, problem)
        return text
    return said
