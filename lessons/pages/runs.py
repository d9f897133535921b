"""Evaluations: one for an owner in the background of the app, and the stored ones to choose from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from matplotlib.figure import Figure

from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.run import Watcher
from lessons.evaluate.runs import delete, load, runs, save, shipped
from lessons.pages.common import PIXELS, Work, choose, draw, offer_to_delete, show_progress
from lessons.pages.language import N_, _, language
from lessons.rag.workspace import Workspace
from lessons.tables import plain

Result = TypeVar("Result")
Name = int | str  # the number of a stored run, or the name of one that ships with the workbook


# In the background


@st.cache_resource
def current() -> dict[str, Work]:
    """Return the evaluations of this process by owner; every tab of an owner can watch and stop theirs."""
    return {}


def start(work: Callable[[Watcher], Evaluation], workspace: Workspace, owner: str) -> None:
    """Begin in a thread, which stores the run, unless another tab was faster, and draw the page anew."""
    if owner not in current():
        current()[owner] = Work(lambda running: save(work(running.watch), workspace.engine, owner))
    st.rerun()


def follow(key: str, owner: str) -> bool:
    """Show the owner's running evaluation and return True while there is one; its outcome is reported once.

    The number of its run is then in the session's state under `key`.
    """
    if not (running := current().get(owner)):
        return False
    if running.is_alive():
        show_progress(running)
        if st.button(_("Stop measuring")):
            running.is_stopped = True
        return True
    del current()[owner]
    if running.problem:
        st.warning(plain(_(running.problem)))
    else:
        st.session_state[key] = running.result
        stopped = N_("Stopped. What was measured is stored as run {number}.")
        st.success(_(stopped if running.is_stopped else N_("Stored as run {number}."), number=running.result))
    return False


# The stored ones


@dataclass(frozen=True, eq=False)
class Board:
    """A run, and what has been computed of it: every click draws the page anew, and intervals take seconds."""

    name: Name
    run: Evaluation
    _results: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def get(self, compute: Callable[..., Result], *arguments: object) -> Result:
        """Return what `compute` makes of the run, with its words in the language of the page."""
        key = compute, language(), *arguments
        if key not in self._results:
            self._results[key] = compute(self.run, *arguments)
        return self._results[key]

    def show(self, plot: Callable[..., Figure], alt: str, *arguments: str) -> None:
        """Show a plot of the run as large as in a notebook; `alt` says in words what it shows."""
        png, inches = self.get(_drawn, plot, *arguments)
        with st.container(width=round(PIXELS * inches)):  # with a width, `st.image` would draw it anew, less sharp
            st.image(png, width="stretch", alt=alt)


def _drawn(run: Evaluation, plot: Callable[..., Figure], *arguments: str) -> tuple[bytes, float]:
    figure = plot(run, *arguments)
    return draw(figure), figure.get_figwidth()


def choose_run(key: str, workspace: Workspace, owner: str | None) -> Board | None:
    """Choose a run, of an `owner` only private ones, and offer to delete it; None if there is none."""
    if not (labels := run_labels(workspace, owner)):
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"row of {key}"):
        name = choose(_("Runs"), labels, key=key)
        if isinstance(name, int):

            def delete_run() -> None:
                delete(name, workspace.engine, owner)
                del labels[name]
                if labels:
                    st.session_state[key] = next(iter(labels))  # else the field goes on showing the deleted run
                else:
                    del st.session_state[key]

            warning = _("Run {number} will be deleted with all its answers, for good.", number=name)
            offer_to_delete(_("Delete"), warning, delete_run)
    return load_run(name, workspace, owner)


def run_labels(workspace: Workspace, owner: str | None) -> dict[Name, str]:
    """Label stored runs, the latest first, and below them those that ship with the workbook."""
    rows = (row for row in runs(workspace.engine, owner) if row.user_id == owner)
    labels: dict[Name, str] = {row.id: _(str(row)) for row in rows}
    for name, run in shipped().items() if owner is None else ():
        labels[name] = _("reference · {run} · {at:%Y-%m-%d}", run=name, at=run.at)
    return labels


@st.cache_resource(max_entries=20, show_spinner=False)
def load_run(name: Name, _workspace: Workspace, owner: str | None) -> Board:
    """Load a stored or a shipped run; neither ever changes."""
    return Board(name, load(name, _workspace.engine, owner) if isinstance(name, int) else shipped()[name])
