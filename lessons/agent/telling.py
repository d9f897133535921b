"""A step of the agent in words, for those who wait for the answer."""

from lessons.trace import Step

_LONGEST = 200  # characters


def telling(step: Step) -> str:
    """What a step that has just begun is about: `searching: late fees in faq.md`."""
    if not isinstance(step.input, dict):
        return "choosing what to search for"
    return f"searching: {' in '.join(map(str, step.input.values()))}"[:_LONGEST]
