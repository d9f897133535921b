"""What every page stands on: the workspace, the owner of the documents, fields, pictures and dialogs."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import wraps
from io import BytesIO
from typing import Any, Literal, TypeVar

import streamlit as st
from matplotlib.figure import Figure

from lessons.errors import LessonsError
from lessons.evaluate.plots import translate
from lessons.evaluate.run import StoppedError
from lessons.ingest.jobs import Jobs
from lessons.library import ensure_corpus, indexes, shipped_documents
from lessons.models.llm import describe
from lessons.own_stages import every_stage, own_stages
from lessons.pages.language import N_, _, from_address, to_address
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import HOME, settings
from lessons.stages import stages
from lessons.tables import plain

OWN_SPACE = "my documents"  # the owner of a visitor's files, at home
PIXELS = 100  # an inch of a figure
SIGNS = {"right": "✓", "half": "◐", "refused": "○", "wrong": "✗", "": "·"}  # of `Record.outcome`
UNEXPECTED = N_("This broke off for an unexpected reason; the log has the details.")
pages: dict[str, Callable[[], None]] = {}
"""The pages by the name of their module, for links from one to another: modules import each other in no circle."""


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


class Work(threading.Thread):
    """What a thread does while pages watch: how far it is, then its result or the error that broke it off."""

    def __init__(self, work: Callable[["Work"], Any], label: str = N_("Beginning")) -> None:
        super().__init__(daemon=True)
        self.label, self.count, self.total = label, 0, 0
        self.is_stopped = False  # an evaluation then stores what was answered up to then
        self.result: Any = None
        self.error: Exception | None = None
        self._work = work
        self.start()

    def run(self) -> None:
        try:
            self.result = self._work(self)
        except Exception as error:
            self.error = error
            if not isinstance(error, LessonsError):
                logging.getLogger(__name__).exception("work in the background broke off")

    @property
    def problem(self) -> str:
        """Why it broke off, or "" if it did not."""
        unexpected = UNEXPECTED if self.error else ""
        return str(self.error) if isinstance(self.error, LessonsError) else unexpected

    def watch(self, label: str, count: int, total: int) -> None:
        """Take note of the progress; end the work if the reader has stopped it."""
        if self.is_stopped:
            raise StoppedError(N_("The evaluation was stopped before there was an answer to store."))
        self.label, self.count, self.total = label, count, total


@st.fragment(run_every=1.0)
def show_progress(work: Work) -> None:
    """Show how far it is; once it has ended, draw the page anew."""
    if not work.is_alive():
        st.rerun()
    number = _(": {count:,} of {total:,}", count=work.count, total=work.total) if work.total else ""
    st.progress(work.count / max(1, work.total), plain(_(work.label) + number))


@st.cache_resource(show_spinner=False)
def _open() -> Work:
    def load(work: Work) -> Workspace:
        current, label = workspace(), N_("Loading the shipped documents")
        copies = len(indexes())  # of each file, which goes into every index
        ensure_corpus(current, current.settings.user, lambda at, of: work.watch(label, at // copies, of // copies))
        return current

    return Work(load)


def opened(owner: str, meanwhile: Callable[[str], None] | None = None, waits: bool = True) -> Workspace:
    """Return the workspace with the shipped documents loaded; while they are not, draw the bar and end the page."""
    opening = _open()
    with st.spinner(_("Opening the database …")):
        while opening.is_alive() and not opening.total:
            opening.join(0.1)
    if opening.error:
        _open.clear()
        raise opening.error
    if waits and opening.is_alive():
        show_progress(opening)
        st.caption(_("This is done once. Scoreboard, The field and Health can be read until then."))
        if meanwhile:
            meanwhile(owner)
        st.stop()
    current = workspace()
    with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
        if waits and not current.store(indexes()[0]).documents(Scope(owner)):
            st.info(plain(_("{owner} has no documents yet. Add some, or check the name.", owner=owner)))
    st.sidebar.caption(plain(_("Answers come from the {model}.", model=_(describe(current.llm)))))
    return current


@st.cache_resource
def jobs() -> Jobs:
    """Return the ingestion jobs of this app, with those that an earlier process left over."""
    running = Jobs(workspace(), {index.name: index for index in indexes()})
    running.start()
    return running


def _choose_owner() -> str:
    """Draw the menu of owners. At home any name may be typed or in the address; a shared app takes no other name.

    Owners who have uploaded files are listed at home; others of the database are not: no search looks beyond one owner.
    """
    shipped = (document["owner"] for document in shipped_documents())
    owners: dict[str, None] = st.session_state.setdefault("owners", dict.fromkeys([settings().user, *shipped]))
    if not is_shared():
        if _open().total or _open().result:
            with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
                owners.update(dict.fromkeys(jobs().owners()))
        if from_address("owner"):
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


def offer_own_space(owner: str) -> bool:
    """Offer an owner of one's own, if the chosen one's documents are shipped: files would be lost among them.

    That owner has no documents at first; on a shared app it is one whom nobody can guess.
    """
    if owner not in {document["owner"] for document in shipped_documents()}:
        return False

    def choose_it() -> None:
        name = st.session_state.setdefault("own-space", f"me-{secrets.token_urlsafe(9)}" if is_shared() else OWN_SPACE)
        st.session_state["owners"][name] = None
        to_address("owner", name)

    st.button(_("Use my own documents"), icon=":material/upload_file:", on_click=choose_it)
    return True


def is_shared() -> bool:
    """Tell whether other machines can reach the app."""
    return st.get_option("server.address") not in HOME


# Fields, pictures and dialogs

Option = TypeVar("Option")
_drawing = ThreadPoolExecutor(1, "drawing")


def page_of(*pages: int | None) -> str:
    """Format the page or pages of a passage, to follow the name of its file; empty if it has none."""
    numbers = sorted({page for page in pages if page})
    if len(numbers) > 1:
        return _(", pp. {first}–{last}", first=numbers[0], last=numbers[-1])
    return _(", p. {page}", page=numbers[0]) if numbers else ""


def draw(figure: Figure) -> bytes:
    """Draw a figure, in the language of the page, as PNG of twice the size that it has in a notebook."""
    translate(figure)
    picture = BytesIO()  # drawn by one thread for all pages: matplotlib keeps fonts open for each that ever drew
    _drawing.submit(figure.savefig, picture, format="png", dpi=2 * PIXELS, bbox_inches="tight").result()
    return picture.getvalue()


def choose(label: str, options: Mapping[Option, str], **how: Any) -> Option:
    """Draw a menu of options under their names; `how` as `st.selectbox`."""
    return st.selectbox(label, list(options), format_func=options.__getitem__, **how)


def pressed(label: str, options: Sequence[Option], key: str, label_of: Callable[[Option], str]) -> Option | None:
    """Draw pills that work as buttons: return the one that was just pressed, and leave none selected."""

    def release() -> None:
        st.session_state[f"{key}-pressed"], st.session_state[key] = st.session_state[key], None

    st.pills(label, options, format_func=label_of, key=key, on_change=release)
    return st.session_state.pop(f"{key}-pressed", None)


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
