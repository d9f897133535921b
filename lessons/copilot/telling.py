"""A step of the copilot in words, for those who wait or look on."""

from lessons.copilot.gather import Gathered
from lessons.trace import Step

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
