"""One colour for each stage, the same in every plot, notebook and page."""

STAGE_COLOURS = {
    "naive": "#4c78a8",
    "enhanced": "#f58518",
    "smart": "#54a24b",
    "reranked": "#b279a2",
    "agentic": "#e45756",
}
"""The first colours of Vega's tableau10 scheme."""

_MEMORY_COLOURS = {
    "none": "#bab0ac",
    "window": "#4c78a8",
    "tiers": "#54a24b",
    "recursive summary": "#b279a2",
    "everything": "#e45756",
}

_OTHERS = ("#9d755d", "#72b7b2", "#eeca3b", "#79706e", "#ff9da6")


def stage_colour(name: str) -> str:
    """The colour of a stage or a memory; one that is made in a notebook gets its own, the same each time."""
    return (STAGE_COLOURS | _MEMORY_COLOURS).get(name) or _OTHERS[sum(name.encode()) % len(_OTHERS)]
