"""The two searches of one question, as two coordinates of every chunk."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lessons.evaluate.colours import stage_colour
from lessons.evaluate.golden import Golden
from lessons.evaluate.plots.canvas import canvas
from lessons.rag.types import RetrievedDocument

OTHER = "#bab0ac"  # Vega's tableau10 grey


def plot_fusion(documents: Sequence[RetrievedDocument], question: Golden) -> Figure:
    """Each chunk of a hybrid search by its two scores, larger the better it ranks, coloured where it holds evidence.

    A chunk that one search did not find stands at the edge, at the lowest score of that search.
    """
    figure, axes = canvas(6.5, 4.5)
    lowest = {leg: min((d.legs[leg] for d in documents if leg in d.legs), default=0.0) for leg in ("meaning", "words")}
    for label, colour, wanted in (("other chunk", OTHER, False), ("holds evidence", stage_colour("smart"), True)):
        chosen = [document for document in documents if _holds(document, question) is wanted]
        x, y = ([document.legs.get(leg, low) for document in chosen] for leg, low in lowest.items())
        axes.scatter(x, y, s=[15 + 120 * document.score**2 for document in chosen], color=colour, label=label)
    axes.set_xlabel("by meaning: cosine above the average of the chunk's language")
    axes.set_ylabel("by words: BM25 score")
    axes.set_title("What the two searches say of each chunk")
    axes.legend(frameon=False)
    return figure


def _holds(document: RetrievedDocument, question: Golden) -> bool:
    return any(evidence.covered_by(document.source, document.content) for evidence in question.evidence)
