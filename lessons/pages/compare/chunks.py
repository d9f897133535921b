"""What the stages retrieved, place by place, with the changes of rank and the evidence that is known."""

import re

import streamlit as st

from lessons.evaluate.comparison import Alignment, Place
from lessons.evaluate.golden import Golden
from lessons.tables import plain, plain_line

PLACE, RANK = 330, 56  # pixels that a place and a rank need at least
HOW_TO_READ = """A row is a place in a document, with the ranks of each stage's chunks there. ↑ ↓ tell how many
ranks better or worse than in the stage before."""
_COLOURS = {"↑": "green", "↓": "orange", "new": "blue", "gone": "red", "=": "gray"}
_CHANGE = re.compile("(?:" + "|".join(_COLOURS) + r")\d*")


def show_chunks(alignment: Alignment) -> None:
    """The table, and the evidence that no stage found."""
    if not alignment.places:
        return
    st.header("Retrieved chunks", anchor=False)
    st.caption(HOW_TO_READ + (" ★ holds evidence of the golden question." if alignment.evidence else ""))
    for place in alignment.places:
        _show_place(place, alignment.stages)
    for each in alignment.missed:
        page_of = f", p. {each.page}" if each.page else ""
        st.warning(f"No stage found **{plain_line(each.source_file)}**{page_of}: “{plain_line(each.quote)}”")


def show_known(golden: Golden) -> None:
    """What is known about a golden question, folded away: the answer it should get, and the evidence."""
    with st.expander(plain(f"Golden question {golden.id} ({golden.split}, {golden.category}): what is known")):
        st.markdown(plain(golden.answer) or "The documents do not say; an honest refusal is right.")
        for number, each in enumerate(golden.evidence, start=1):
            page_of = f", p. {each.page}" if each.page else ""
            st.markdown(f"★ {number} **{plain_line(each.source_file)}**{page_of}  \n“{plain_line(each.quote)}”")


def _show_place(place: Place, stages: tuple[str, ...]) -> None:
    """The place beside its ranks, or above them on a narrow screen; each rank below the name of its stage."""
    row = st.container(border=True).grid(2, min_column_width=PLACE, gap="xsmall")
    row.markdown(f"**{plain_line(place.name)}**  \n:small[{plain_line(place.start)} …]")
    ranks = row.cell().grid(len(stages), min_column_width=RANK, gap="xsmall")
    for stage, told, cell in zip(stages, place.told, place.cells, strict=True):
        star = "★ " if cell and cell.evidence else ""
        ranks.markdown(f":small[:gray[{plain_line(stage.capitalize())}]]  \n{star}{_coloured(told) or '–'}")


def _coloured(told: str) -> str:
    """The change in a colour of its own; the words and arrows say the same without it."""
    return _CHANGE.sub(lambda sign: f":{_COLOURS[re.sub('[0-9]', '', sign[0])]}[{sign[0]}]", told)
