"""Who did the steps of the answers that are measured, and what measuring a served model will take."""

from collections import Counter
from collections.abc import Sequence

from llama_index.core.llms import LLM

from lessons.evaluate.evaluation import Record
from lessons.models.call import KEYLESS
from lessons.models.llm import describe
from lessons.models.offline.llm import OfflineLLM


def stood_in(records: Sequence[Record], model: str) -> list[str]:
    """A note for each stage of a served model in which the keyless one did steps in its place."""
    if model.startswith(KEYLESS):
        return []
    steps: dict[str, Counter[str]] = {}
    for record in records:
        steps.setdefault(record.stage, Counter()).update(record.answered)
    return [
        f"{stage}: the keyless model did {done[KEYLESS]:,} of {done.total():,} steps in place of {model}."
        for stage, done in steps.items()
        if done[KEYLESS]
    ]


def announcement(llm: LLM, questions: int, stages: int) -> str:
    """What is about to be asked of a served model; empty for the keyless one, which takes a minute and no money."""
    if isinstance(llm, OfflineLLM):
        return ""
    return f"{describe(llm)}: {questions:,} questions × {stages} stages, and each once more with its evidence given."


def forecast(first: Record, questions: int) -> str:
    """What all questions will take of a stage, from its first answer."""
    minutes = first.ms * questions / 60_000
    told = f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
    return (
        f"{first.stage}: the first answer took {first.ms / 1000:.1f} s, {first.tokens:,} tokens, ${first.cost:.4f}; "
        f"{questions:,} take about {told}, {first.tokens * questions:,} tokens, ${first.cost * questions:.2f}."
    )
