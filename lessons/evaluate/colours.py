"""One colour for each stage, the same in every plot, notebook and page."""

from collections.abc import Iterable, Iterator
from colorsys import hls_to_rgb

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

_OTHERS = (
    "#9d755d", "#72b7b2", "#eeca3b", "#79706e", "#ff9da6", "#2f4b7c", "#a0c75c", "#7b4173", "#17becf", "#ad494a",
    "#637939", "#1a1a1a",
)  # fmt: skip


def stage_colour(name: str) -> str:
    """The colour of a stage or a memory; one that is made in a notebook gets its own, the same each time."""
    return stage_colours([name])[name]


def stage_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name of one plot, none twice; a new name keeps that of `stage_colour` if nobody has it yet."""
    known = STAGE_COLOURS | _MEMORY_COLOURS
    names = list(dict.fromkeys(names))
    given = {name: known[name] for name in names if name in known}
    for name in names:
        if name not in given:
            given[name] = next(colour for colour in _candidates(name) if colour not in given.values())
    return {name: given[name] for name in names}


def _candidates(name: str) -> Iterator[str]:
    """The colours that a new name may have, best first, without end."""
    start = sum(name.encode()) % len(_OTHERS)
    yield from (*_OTHERS[start:], *_OTHERS[:start])
    hue = 0.3
    while True:
        hue += 0.618034  # of the circle: no two of the next ones are near each other
        yield "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(hue % 1, 0.35, 0.6))
