"""The plot of the two searches."""

import dataclasses

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.plots.fusion import plot_fusion
from lessons.rag.types import RetrievedDocument

QUESTION = Golden("q", "How long?", "en", "fact", evidence=(Evidence("a.pdf", "twenty hours"),))
RIGHT = RetrievedDocument("1", "It takes twenty hours.", 1.0, "a.pdf", legs={"meaning": 0.1, "words": 9.0})
WRONG = dataclasses.replace(RIGHT, id="2", content="It takes long.", score=0.5, legs={"meaning": 0.2})


def test_every_chunk_is_a_point_and_evidence_has_a_colour_of_its_own() -> None:
    axes = plot_fusion([RIGHT, WRONG], QUESTION).axes[0]
    points = {found.get_label(): found.get_offsets().tolist() for found in axes.collections}
    assert points == {"other chunk": [[0.2, 9.0]], "holds evidence": [[0.1, 9.0]]}


def test_a_search_that_found_nothing_is_an_empty_plot() -> None:
    assert plot_fusion([], QUESTION)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
