"""Labels that can be read: none is cut off without a sign, none lies on another, and Korean counts as wide as it is."""

from collections.abc import Sequence
from statistics import fmean
from textwrap import fill
from typing import NamedTuple
from unicodedata import east_asian_width

from matplotlib.axes import Axes

_GAP = 0.07  # of the height of the axes, between two names in the margin


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
