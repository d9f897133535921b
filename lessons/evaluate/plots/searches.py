"""An agent's searches as a picture: which of them found which passage of the answer's context."""

from textwrap import fill

from matplotlib.figure import Figure

from lessons.answer.answer import Answer
from lessons.evaluate.colours import stage_colour
from lessons.evaluate.plots.canvas import canvas
from lessons.trace import Step

_QUERY = 22  # characters of a line of a query
_LINES = 4  # of a query
_FILE = 34  # characters of a file's name


def plot_searches(answer: Answer) -> Figure:
    """A column for each search in its order, a row for each document of the context; the number is its place in a list.

    Documents that the answer cites are filled.
    """
    searches = [step for step in answer.trace if isinstance(step.input, dict) and isinstance(step.output, list)]
    documents = answer.context.documents
    cited = {citation.chunk_id for citation in answer.citations}
    figure, axes = canvas(2.6 + 1.7 * max(1, len(searches)), 1.8 + 0.34 * len(documents))
    colour = stage_colour(answer.stage)
    for column, step in enumerate(searches):
        places = {document.id: place for place, document in enumerate(step.output, start=1)}
        for row, document in enumerate(documents):
            if document.id in places:
                fill_with = colour if document.id in cited else "white"
                axes.scatter(column, row, s=260, facecolor=fill_with, edgecolor=colour)
                ink = "white" if document.id in cited else "black"
                axes.text(column, row, str(places[document.id]), ha="center", va="center", size=8, color=ink)
    axes.set_yticks(range(len(documents)), [_name(document.source, document.page) for document in documents], size=8)
    axes.set_xticks(range(len(searches)), [_query(step) for step in searches], size=8)
    axes.xaxis.tick_top()
    axes.set_xlim(-0.6, max(1, len(searches)) - 0.4)
    axes.set_ylim(len(documents) - 0.4, -0.6)
    axes.set_xlabel("place in the list of each search; filled: cited in the answer")
    return figure


def _name(source: str, page: int | None) -> str:
    name = source.rpartition("/")[2]
    return f"{name[:_FILE]}{f', p. {page}' if page else ''}"


def _query(step: Step) -> str:
    lines = fill(" in ".join(map(str, step.input.values())), _QUERY).splitlines()
    return "\n".join([*lines[: _LINES - 1], "…"] if len(lines) > _LINES else lines)
