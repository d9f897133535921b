"""What every page needs: the workspace, the owner, fields and dialogs, and errors as sentences."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import wraps
from io import BytesIO
from typing import Any, Literal, TypeVar

import streamlit as st
from matplotlib.figure import Figure

from lessons.context.cache import AnswerTable
from lessons.errors import LessonsError
from lessons.evaluate.plots import translate
from lessons.library import ensure_corpus, indexes, shipped_documents
from lessons.models.llm import describe
from lessons.own_stages import every_stage, own_stages
from lessons.pages.language import _, from_address, to_address
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import HOME, settings
from lessons.stages import stages
from lessons.tables import plain

PIXELS = 100  # an inch of a figure
Option = TypeVar("Option")
_drawing = ThreadPoolExecutor(1, "drawing")


def page_of(*pages: int | None) -> str:
    """Format the page or pages of a passage, to follow the name of its file; empty if it has none."""
    numbers = sorted({page for page in pages if page})
    if len(numbers) > 1:
        return _(", pp. {first}–{last}", first=numbers[0], last=numbers[-1])
    return _(", p. {page}", page=numbers[0]) if numbers else ""


def show_plot(figure: Figure, alt: str) -> None:
    """Draw a figure as large as in a notebook; `alt` says in words what it shows."""
    translate(figure)
    picture = BytesIO()  # drawn by one thread for all pages: matplotlib keeps fonts open for each that ever drew
    _drawing.submit(figure.savefig, picture, format="png", dpi=2 * PIXELS, bbox_inches="tight").result()
    st.image(picture, width=round(PIXELS * figure.get_figwidth()), alt=alt)


def choose(label: str, options: Mapping[Option, str], **how: Any) -> Option:
    """Draw a menu of options under their names; `how` as `st.selectbox`."""
    return st.selectbox(label, list(options), format_func=options.__getitem__, **how)


def choose_stages(key: str, **how: Any) -> list[Stage]:
    """Draw the stages as pills, at first all selected, and return the selected ones in the order of the course."""
    stages_by_name = offered()
    names = list(stages_by_name)
    selected = st.pills(
        _("Stages"), names, selection_mode="multi", default=names, format_func=str.capitalize, key=key, **how
    )
    return [stages_by_name[name] for name in names if name in selected]


def offered() -> dict[str, Stage]:
    """Return the five stages, and the reader's own if they can be read."""
    try:
        return every_stage()
    except LessonsError:
        return stages()


def offer_to_delete(label: str, warning: str, delete: Callable[[], None], button: str = "", icon: str = "") -> None:
    """Draw a button that shows the warning, and below it the button that deletes."""

    def warn() -> None:
        st.markdown(warning)
        if st.button(button or _("Delete it"), on_click=errors_shown()(delete), type="primary"):
            st.rerun()

    if st.button(label, icon=icon or None):
        show_dialog(label, warn)


def show_dialog(
    title: str, body: Callable[..., object], *arguments: object, width: Literal["small", "large"] = "small"
) -> None:
    """Open a dialog. To draw the page anew would close it, so that waits while the session's `reading` is true.

    Popovers would need less code, but Tab leads into one only after everything else on the page.
    """
    st.session_state["reading"] = True
    st.dialog(title, width=width)(body)(*arguments)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show a LessonsError as its sentence instead of a traceback, and end the page there."""
    try:
        yield
    except LessonsError as error:
        show_error(error)
        st.stop()


def show_error(error: LessonsError) -> None:
    """Show its sentence; lines after it in equal widths, so that a caret stays under its column."""
    sentence, *lines = _(str(error)).split("\n", 1)
    st.error(plain(sentence))
    if lines:
        st.code(lines[0], language=None)


def titled(title: str, caption: str) -> Callable[[Callable[[Workspace, str], None]], Callable[[], None]]:
    """Draw a page below its title and caption, both messages, and beside the side bar; a LessonsError ends it."""

    def decorated(body: Callable[[Workspace, str], None]) -> Callable[[], None]:
        @wraps(body)
        def page() -> None:
            st.session_state["reading"] = False
            st.title(_(title), anchor=False)
            st.caption(_(caption))
            try:
                own_stages()
            except LessonsError as error:  # the page goes on without them
                show_error(error)
            with errors_shown():
                body(*opened())

        return page

    return decorated


def opened() -> tuple[Workspace, str]:
    """Return the workspace with the shipped documents loaded, and the owner chosen in the side bar."""
    owner = _choose_owner()
    with st.spinner(_("Opening the database …")):
        current = _open()
    with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
        if not current.store(indexes()[0]).documents(Scope(owner)):
            message = _("{owner} has no documents yet. Add some on the page Documents, or check the name.", owner=owner)
            st.info(plain(message))
    st.sidebar.caption(plain(_("Answers come from the {model}.", model=_(describe(current.llm)))))
    return current, owner


@st.cache_resource(show_spinner=False)
def _open() -> Workspace:
    current, bar = workspace(), st.empty()

    def progress(count: int, total: int) -> None:
        text = _("Loading the shipped documents, {done} of {total} …", done=count, total=total)
        bar.progress(count / total, text)

    ensure_corpus(current, current.settings.user, progress)
    bar.empty()
    return current


def _choose_owner() -> str:
    """Draw the menu of owners. At home any name may be typed or in the address; a shared app takes no other name.

    The owners of the database are not listed: no statement looks beyond one owner (row-level security).
    """
    shipped = (document["owner"] for document in shipped_documents())
    owners: dict[str, None] = st.session_state.setdefault("owners", dict.fromkeys([settings().user, *shipped]))
    if from_address("owner") and not is_shared():
        owners[from_address("owner")] = None
    if from_address("owner") in owners:
        st.session_state["owner-box"] = from_address("owner")
    another = _(" Type a name to choose another, such as the one of `lessons ingest --user`; a new name begins empty.")
    selected = st.sidebar.selectbox(
        _("Owner of the documents"),
        list(owners),
        key="owner-box",
        on_change=lambda: to_address("owner", st.session_state["owner-box"]),
        help=_("Only this owner's documents are searched.") + ("" if is_shared() else another),
        accept_new_options=not is_shared(),
    )
    owner = Scope(selected or settings().user).user_id
    to_address("owner", owner, settings().user)
    return owner


def is_shared() -> bool:
    """Tell whether other machines can reach the app."""
    return st.get_option("server.address") not in HOME


def show_reuse(workspace: Workspace, owner: str) -> None:
    """Show in the side bar how many answers are stored for this owner, and how often they have been reused."""
    with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
        stored, hits = AnswerTable(workspace.engine).counts(owner)
        st.sidebar.caption(_("Answers kept for reuse: {kept:,}, reused: {hits:,}.", kept=stored, hits=hits))
