"""What every plot is drawn on: fonts that know Korean, one colour for each stage, and labels that can be read."""

from collections.abc import Iterable, Iterator, Sequence
from colorsys import hls_to_rgb
from functools import cache
from io import BytesIO
from statistics import fmean
from textwrap import fill
from typing import NamedTuple
from unicodedata import east_asian_width

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lessons.settings import ROOT

FONT = ROOT / "data" / "fonts" / "NanumGothic.ttf"

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


_GAP = 0.07  # of the height of the axes, between two names in the margin


class Plot(Figure):
    """A figure that every notebook shows, whatever backend it runs."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=100)
        return picture.getvalue()


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure outside pyplot, so that none stays open and no window system is needed. Sizes are inches."""
    use_fonts()
    figure = Plot(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    return figure, axes


@cache
def use_fonts() -> str:
    """Make the shipped font known to matplotlib and put it first; returns its name.

    DejaVu Sans stays behind it for signs that it lacks.
    """
    font_manager.fontManager.addfont(FONT)
    name = font_manager.FontProperties(fname=str(FONT)).get_name()
    mpl.rcParams["font.family"] = [name, "DejaVu Sans"]
    mpl.rcParams["axes.unicode_minus"] = False
    return name


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


class Point(NamedTuple):
    """A point of a plot, in data coordinates, with what it stands for."""

    x: float
    y: float
    name: str
    colour: str


def columns(text: str) -> int:
    """How wide a text is: a Latin letter is one column, a Korean syllable two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def shortened(text: str, most: int) -> str:
    """The text, or as much of its beginning as `most` columns hold, with an ellipsis."""
    if columns(text) <= most:
        return text
    kept = next(end for end in range(len(text), -1, -1) if columns(text[:end]) < most)
    return f"{text[:kept].rstrip()}…"


def shortened_within(text: str, most: int) -> str:
    """The same with the ellipsis in the middle, for names that differ at their end."""
    if columns(text) <= most:
        return text
    begin = shortened(text, most // 2)
    return begin + shortened(text[::-1], most - columns(begin) + 1)[-2::-1]


def wrapped(text: str, most: int) -> str:
    """The text in lines of about `most` columns."""
    return fill(text, max(1, most * len(text) // max(1, columns(text))))


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, of which those that occur again are numbered."""
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        numbered.append(f"{name} ({seen[name]})" if names.count(name) > 1 else name)
    return numbered


def name_points(axes: Axes, points: Sequence[Point]) -> None:
    """Write each point's name into the right margin, at its height or as near as the others leave room, with a line."""
    low, high = axes.get_ylim()
    ordered = sorted(points, key=lambda point: point.y)
    heights = spread([(point.y - low) / (high - low) for point in ordered], _GAP)
    for point, height in zip(ordered, heights, strict=True):
        line = {"arrowstyle": "-", "color": point.colour, "alpha": 0.5, "linewidth": 0.8}
        axes.annotate(
            point.name, (point.x, point.y), (1.02, height), textcoords="axes fraction", va="center",
            arrowprops=line, annotation_clip=False,
        )  # fmt: skip


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Ascending heights moved as little as possible to be at least `gap` apart, within 0 and 1 if there is room.

    Least squares under this condition is isotonic regression of what is left of the heights without their gaps
    (pool adjacent violators; Ayer et al., 1955).
    """
    pools: list[list[float]] = []
    for place, height in enumerate(heights):
        pools.append([height - place * gap])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    even = [fmean(pool) for pool in pools for _ in pool]
    top = max(0.0, 1 - gap * (len(heights) - 1))
    return [min(top, max(0.0, height)) + place * gap for place, height in enumerate(even)]
