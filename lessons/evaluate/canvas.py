"""What every plot is drawn on: fonts that know Korean, one colour for each stage, and labels that can be read."""

from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from textwrap import fill
from typing import Any
from unicodedata import east_asian_width

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
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

_KNOWN = STAGE_COLOURS | {
    "none": "#bab0ac",
    "window": "#4c78a8",
    "tiers": "#54a24b",
    "recursive summary": "#b279a2",
    "everything": "#e45756",
}
_OTHERS = [to_hex(each) for name in ("Dark2", "tab20b", "tab20c", "tab20") for each in mpl.color_sequences[name]]


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


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a plot, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def legend_beside(axes: Axes, **style: Any) -> None:
    """The legend to the right of the axes, where it hides nothing."""
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), **style)


def stage_colour(name: str) -> str:
    """The colour of a stage or a memory; one that is made in a notebook gets one that no stage has."""
    return stage_colours([name])[name]


def stage_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name of one plot, none twice; those of stages and memories are the same in all plots."""
    names = list(dict.fromkeys(names))
    free = iter([colour for colour in dict.fromkeys(_OTHERS) if colour not in _KNOWN.values()])
    return {name: _KNOWN[name] if name in _KNOWN else next(free) for name in names}


def columns(text: str) -> int:
    """How wide a text is: a Latin letter is one column, a Korean syllable two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def shortened(text: str, most: int) -> str:
    """The text, or as much of its beginning and its end as `most` columns hold, with an ellipsis between."""
    if columns(text) <= most:
        return text
    most_kept = min(len(text), most)  # no character is narrower than a column
    cuts = (f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}" for kept in range(most_kept, -1, -1))
    return next(cut for cut in cuts if columns(cut) <= most)


def wrapped(text: str, most: int) -> str:
    """The text in lines of about `most` columns."""
    return fill(text, max(1, most * len(text) // max(1, columns(text))))
