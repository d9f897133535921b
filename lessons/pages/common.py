"""What every page needs: the workspace, the owner, fields and dialogs, and errors as sentences."""

import html
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import wraps
from io import BytesIO
from typing import Any, Literal, NamedTuple, TypeVar

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

OWN_SPACE = "my documents"  # the owner of a visitor's files, at home
PIXELS = 100  # an inch of a figure
Option = TypeVar("Option")
_drawing = ThreadPoolExecutor(1, "drawing")
pages: dict[str, Callable[[], None]] = {}
"""The pages by the name of their module, for links from one to another: modules import each other in no circle."""


def page_of(*pages: int | None) -> str:
    """Format the page or pages of a passage, to follow the name of its file; empty if it has none."""
    numbers = sorted({page for page in pages if page})
    if len(numbers) > 1:
        return _(", pp. {first}–{last}", first=numbers[0], last=numbers[-1])
    return _(", p. {page}", page=numbers[0]) if numbers else ""


class Picture(NamedTuple):
    """A figure as PNG, and its width on the page in pixels."""

    png: bytes
    width: int


def draw(figure: Figure) -> Picture:
    """Draw a figure as large as in a notebook, in the language of the page."""
    translate(figure)
    picture = BytesIO()  # drawn by one thread for all pages: matplotlib keeps fonts open for each that ever drew
    _drawing.submit(figure.savefig, picture, format="png", dpi=2 * PIXELS, bbox_inches="tight").result()
    return Picture(picture.getvalue(), round(PIXELS * figure.get_figwidth()))


def show_picture(picture: Picture, alt: str) -> None:
    """Show a drawn figure; `alt` says in words what it shows."""
    st.image(picture.png, width=picture.width, alt=alt)


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


COPY = """<script>for (const button of document.querySelectorAll("button.copy")) button.onclick = async () => {
  await navigator.clipboard.writeText(button.dataset.text);
  button.textContent = button.dataset.done;
};</script>"""


def offer_copy(text: str) -> None:
    """Draw a button that copies a text. Streamlit has one only for code; `st.html` takes scripts, but no `onclick`."""
    done, label = html.escape(_("Copied")), html.escape(_("Copy"))
    button = f'<button class="copy" data-done="{done}" data-text="{html.escape(text)}">{label}</button>'
    st.html(button + COPY, unsafe_allow_javascript=True)


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


def titled(
    title: str, caption: str, meanwhile: Callable[[str], None] | None = None, waits: bool = True
) -> Callable[[Callable[[Workspace, str], None]], Callable[[], None]]:
    """Draw a page below its title and caption, both messages, and beside the side bar; a LessonsError ends it.

    While the shipped documents are being loaded, the page is what `meanwhile` draws; one that does not wait for them is
    drawn at once.
    """

    def decorated(body: Callable[[Workspace, str], None]) -> Callable[[], None]:
        @wraps(body)
        def page() -> None:
            st.session_state["reading"] = False
            st.title(_(title), anchor=False)
            if caption:
                st.caption(_(caption))
            try:
                own_stages()
            except LessonsError as error:  # the page goes on without them
                show_error(error)
            with errors_shown():
                owner = _choose_owner()
                body(opened(owner, meanwhile, waits), owner)

        pages[body.__module__.rpartition(".")[2]] = page
        return page

    return decorated


class Opening:
    """The workspace, opened in a thread, and how many of the shipped files have been loaded into it."""

    def __init__(self) -> None:
        self.files, self.total = 0, 0
        self.error: Exception | None = None
        self.workspace: Workspace | None = None
        self.thread = threading.Thread(target=self._load, daemon=True)
        self.thread.start()

    def _load(self) -> None:
        try:
            self.workspace = workspace()
            ensure_corpus(self.workspace, self.workspace.settings.user, self._progress)
        except Exception as error:  # raised by `opened` in the thread of a page
            self.error = error

    def _progress(self, done: int, total: int) -> None:
        """Count each file once, though it goes into every index."""
        self.files, self.total = done // len(indexes()), total // len(indexes())


@st.cache_resource(show_spinner=False)
def _open() -> Opening:
    return Opening()


def opened(owner: str, meanwhile: Callable[[str], None] | None = None, waits: bool = True) -> Workspace:
    """Return the workspace with the shipped documents loaded; while they are not, draw the bar and end the page."""
    opening = _open()
    with st.spinner(_("Opening the database …")):
        while opening.thread.is_alive() and not opening.total:
            opening.thread.join(0.1)
    if opening.error:
        _open.clear()
        raise opening.error
    if waits and opening.thread.is_alive():
        _show_opening(opening)
        if meanwhile:
            meanwhile(owner)
        st.stop()
    current = opening.workspace
    assert current is not None  # since the thread has loaded something, or ended
    with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
        if waits and not current.store(indexes()[0]).documents(Scope(owner)):
            st.info(plain(_("{owner} has no documents yet. Add some, or check the name.", owner=owner)))
    st.sidebar.caption(plain(_("Answers come from the {model}.", model=_(describe(current.llm)))))
    return current


@st.fragment(run_every=1.0)
def _show_opening(opening: Opening) -> None:
    if not opening.thread.is_alive():
        st.rerun()
    text = _("Loading the shipped documents, {done} of {total} …", done=opening.files, total=opening.total)
    st.progress(opening.files / opening.total, text)
    st.caption(_("This is done once. Scoreboard, The field and Health can be read until then."))


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


def is_sample_owner(owner: str) -> bool:
    """Tell whether the owner's documents are shipped ones, among which files of one's own would be lost."""
    return owner in {document["owner"] for document in shipped_documents()}


def choose_own_space() -> None:
    """Choose an owner of one's own, who has no documents at first; on a shared app one whom nobody can guess."""
    name = st.session_state.setdefault("own-space", f"me-{secrets.token_urlsafe(9)}" if is_shared() else OWN_SPACE)
    st.session_state["owners"][name] = None
    to_address("owner", name)


def is_shared() -> bool:
    """Tell whether other machines can reach the app."""
    return st.get_option("server.address") not in HOME


def show_reuse(workspace: Workspace, owner: str) -> None:
    """Show in the side bar how many answers are stored for this owner, and how often they have been reused."""
    with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
        stored, hits = AnswerTable(workspace.engine).counts(owner)
        st.sidebar.caption(_("Answers kept for reuse: {kept:,}, reused: {hits:,}.", kept=stored, hits=hits))
