"""What every plot is drawn on."""

from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lessons.evaluate.fonts import use_fonts


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
