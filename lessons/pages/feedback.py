"""👍 and 👎 below an answer, and the rated answers as questions of the reader's own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from lessons.evaluate.feedback import Rating, Ratings, question_lines
from lessons.pages.language import _
from lessons.rag.answer import Answer
from lessons.tables import plain, plain_line

THUMBS = ":material/thumb_down:", ":material/thumb_up:"
SHOWN = 20  # of the rated answers


def offer_feedback(ratings: Ratings, given: Mapping[str, Rating], answer: Answer, history: Iterable[str]) -> None:
    """Rate an answer; after 👎 there is a line for what is right. A second click takes a rating back.

    `given` are the ratings by their ids.
    """
    rating = Rating.of(answer, True, history=history)
    known, key = given.get(rating.id), f"thumbs-{rating.id}"
    chosen = st.feedback("thumbs", key=key, default=int(known.is_good) if known else None)
    if chosen is None:
        if known:
            ratings.take_back(rating.id)
        return
    right = known.right if known else ""
    if not chosen:
        typed = st.text_input(
            _("What would be right? (optional)"),
            right,
            key=f"right-{rating.id}",
            help=_("With it, the question can be taken over on the page Own questions."),
        )
        right = typed.strip()
    rating = replace(rating, is_good=bool(chosen), right=right)
    if rating != known:
        ratings.rate(rating)


def offer_rated(ratings: Ratings, key: str) -> None:
    """The rated answers, what is right of each to be seen and corrected, and a button that puts them under the key."""
    given = ratings.all()[:SHOWN]
    if not given:
        return
    with st.expander(_("Rated answers of the chat ({number})", number=len(given)), icon=":material/thumbs_up_down:"):
        st.caption(
            _(
                "With :material/thumb_up: the answer is what is expected, and the passage that it cites first is the "
                "evidence. With :material/thumb_down: write what is right; until then the question does not count."
            )
        )
        seen = [_shown(ratings, rating) for rating in given]
        counted = [rating for rating in seen if rating.expected]
        there = st.session_state.get(key, "").strip()
        st.button(
            _("Take over the questions that count ({number})", number=len(counted)),
            help=_("They go into the field below, one JSON object a line, after those that are there in this form."),
            disabled=not counted or not (there or "{").startswith("{"),
            on_click=_take_over,
            args=(key, counted),
        )


def _shown(ratings: Ratings, rating: Rating) -> Rating:
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"{THUMBS[rating.is_good]} **{plain_line(rating.question)}**")
        if not rating.is_good:
            st.caption(plain(_("{stage} answered: {answer}", stage=rating.stage.capitalize(), answer=rating.answer)))
        for file, quote in rating.passages[:1] if rating.is_good else ():
            st.caption(f"**{plain_line(file)}**: “{plain_line(quote)}”")
        right = st.text_input(_("Expected answer"), rating.expected, key=f"expected-{rating.id}").strip()
    if right and right != rating.expected:
        rating = replace(rating, right=right)
        ratings.rate(rating)
    return rating


def _take_over(key: str, counted: Sequence[Rating]) -> None:
    """In a callback, because a field is filled only before it is drawn. Lines that are there stay."""
    there = st.session_state.get(key, "").splitlines()
    new = [line for line in question_lines(counted).splitlines() if line not in there]
    st.session_state[key] = "\n".join([*there, *new])
