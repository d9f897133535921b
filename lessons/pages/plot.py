"""A plot on a page: as large as in a notebook, and never wider than the screen."""

import streamlit as st
from matplotlib.figure import Figure
from streamlit.delta_generator import DeltaGenerator

PIXELS = 100  # an inch of the figure


def show_plot(figure: Figure, alt: str, place: DeltaGenerator | None = None) -> None:
    """Draw it here or in `place`; `alt` says in words what it shows."""
    (place or st).pyplot(figure, width=round(PIXELS * figure.get_figwidth()), alt=alt)
