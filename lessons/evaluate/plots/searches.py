"""An agent's searches as a picture: which of them found which passage of the answer's context."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lessons.evaluate.colours import stage_colour
from lessons.evaluate.plots.canvas import canvas
from lessons.evaluate.plots.labels import shortened_within, told_apart, wrapped
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.trace import Step

_QUERY = 22  # columns of a line of a query
_LINES = 4  # of a query
_FILE = 38  # columns of a file's name


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
    axes.set_yticks(range(len(documents)), _names(documents), size=8)
    axes.set_xticks(range(len(searches)), [_query(step) for step in searches], size=8)
    axes.xaxis.tick_top()
    axes.set_xlim(-0.6, max(1, len(searches)) - 0.4)
    axes.set_ylim(len(documents) - 0.4, -0.6)
    axes.set_xlabel("place in the list of each search; filled: cited in the answer")
    return figure


def _names(documents: Sequence[RetrievedDocument]) -> list[str]:
    """File and page of each document; chunks of one page are numbered, files of the same name keep their folder."""
    sources = list(dict.fromkeys(document.source for document in documents))
    short = [source.rpartition("/")[2] for source in sources]
    names = {source: name if short.count(name) == 1 else source for source, name in zip(sources, short, strict=True)}
    pages = [f", p. {document.page}" if document.page else "" for document in documents]
    shown = [shortened_within(names[document.source], _FILE) for document in documents]
    return told_apart([f"{name}{page}" for name, page in zip(shown, pages, strict=True)])


def _query(step: Step) -> str:
    lines = wrapped(" in ".join(map(str, step.input.values())), _QUERY).splitlines()
    return "\n".join([*lines[: _LINES - 1], "…"] if len(lines) > _LINES else lines)
