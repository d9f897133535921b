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
        f"{stage}: the keyless model did {done[KEYLESS]:,} of {done.total():,} steps in place of {model}; "
        "the numbers are not those of that model alone."
        for stage, done in steps.items()
        if done[KEYLESS]
    ]


def announcement(llm: LLM, questions: int, stages: int) -> str:
    """What is about to be asked of a served model; empty for the keyless one, which takes a minute and no money."""
    if isinstance(llm, OfflineLLM):
        return ""
    answers = questions * (stages + 1)
    return (
        f"{describe(llm)} will answer {questions:,} questions × {stages} stage{'s' if stages > 1 else ''}, and each "
        f"question once more with its evidence given: {answers:,} answers."
    )


def forecast(first: Record, questions: int) -> str:
    """What all questions will take of a stage, from its first answer."""
    return (
        f"{first.stage}: the first answer took {first.ms / 1000:.1f} s, {first.tokens:,} tokens, US$ {first.cost:.4f}; "
        f"{questions:,} like it take {_duration(first.ms * questions / 1000)}, {first.tokens * questions:,} tokens, "
        f"US$ {first.cost * questions:.2f}."
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7_200 else f"{seconds / 3_600:.1f} hours"
