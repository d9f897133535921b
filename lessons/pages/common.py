"""What every page needs: the workspace, the owner, what a visitor may ask, and what outlives a reload."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from io import BytesIO
from threading import Lock
from time import monotonic
from typing import Any, Literal, TypeVar

import streamlit as st
from matplotlib.figure import Figure
from streamlit.delta_generator import DeltaGenerator

from lessons.context.cache import AnswerTable, Cached, with_cache
from lessons.errors import LessonsError
from lessons.evaluate.plots import translate
from lessons.library import ensure_corpus, indexes, shipped_documents
from lessons.models.llm import describe
from lessons.own_stages import every_stage, own_stages
from lessons.pages.language import N_, _, keep, kept
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import HOME, settings
from lessons.stages import stages
from lessons.tables import plain

PIXELS = 100  # an inch of a figure
Option = TypeVar("Option")
_drawing = ThreadPoolExecutor(1, "drawing")
TOO_MANY_QUESTIONS = N_("""That is more than {most} answers a minute, which is what one visitor may ask for here; \
ask again in {seconds:.0f} seconds, or of fewer stages.""")
TOO_MANY_UPLOADS = N_("""That is more than {most} files an hour, which is what one visitor may upload here; \
upload again in {minutes:.0f} minutes, or fewer files.""")


def page_of(*pages: int | None) -> str:
    """The page or pages of a citation or of evidence, to be put behind the name of its file; empty if it has none."""
    known = sorted({page for page in pages if page})
    if len(known) > 1:
        return _(", pp. {first}–{last}", first=known[0], last=known[-1])
    return _(", p. {page}", page=known[0]) if known else ""


def show_plot(figure: Figure, alt: str, place: DeltaGenerator | None = None) -> None:
    """Draw it here or in `place`, as large as in a notebook; `alt` says in words what it shows."""
    translate(figure)
    picture = BytesIO()  # drawn by one thread for all pages: matplotlib keeps fonts open for each that ever drew
    _drawing.submit(figure.savefig, picture, format="png", dpi=2 * PIXELS, bbox_inches="tight").result()
    (place or st).image(picture, width=round(PIXELS * figure.get_figwidth()), alt=alt)


def choose(label: str, options: Mapping[Option, str], place: DeltaGenerator | None = None, **how: Any) -> Option:
    """A field, here or in `place`, for one of the options, which it shows by their names; `how` as `st.selectbox`."""
    return (place or st).selectbox(label, list(options), format_func=options.__getitem__, **how)


def choose_stages(key: str) -> list[Stage]:
    """The stages that are chosen, in the order of the course; all of them at first."""
    known = offered()
    names = list(known)
    st.session_state[key] = [name for name in st.session_state.get(key, names) if name in known]
    chosen = st.pills(_("Stages"), names, selection_mode="multi", format_func=str.capitalize, key=key)
    return [known[name] for name in names if name in chosen]


def offered() -> dict[str, Stage]:
    """The stages to choose from: the five, and the reader's own where they can be read."""
    try:
        return every_stage()
    except LessonsError:
        return stages()


def offer_to_delete(label: str, warning: str, delete: Callable[[], None], button: str = "", icon: str = "") -> None:
    """A button that shows the warning, and below it the button that deletes."""

    def warn() -> None:
        st.markdown(warning)
        finish_button(button or _("Delete it"), delete, type="primary")

    if st.button(label, icon=icon or None):
        show_dialog(label, warn)


def finish_button(label: str, work: Callable[[], None], button: Callable[..., bool] = st.button, **how: Any) -> None:
    """A button in a dialog, which does the work and closes the dialog; `how` as `st.button`."""
    if button(label, on_click=errors_shown()(work), **how):
        st.rerun()


def show_dialog(
    title: str, body: Callable[..., object], *shown: object, width: Literal["small", "large"] = "small"
) -> None:
    """Open a dialog. To draw the page anew would close it, so that waits while the session's `reading` is true.

    Popovers would need less code, but Tab leads into one only after everything else on the page.
    """
    st.session_state["reading"] = True
    st.dialog(title, width=width)(body)(*shown)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show a known problem as its sentence instead of a traceback, and end the page there."""
    try:
        yield
    except LessonsError as error:
        show_error(error)
        st.stop()


def show_error(error: LessonsError) -> None:
    """Its sentence; lines after it in equal widths, so that a caret stays under its column."""
    sentence, *lines = _(str(error)).split("\n", 1)
    st.error(plain(sentence))
    if lines:
        st.code(lines[0], language=None)


def titled(
    title: str, caption: str, owned: bool = True
) -> Callable[[Callable[[Workspace, str], None]], Callable[[], None]]:
    """A page below its title and caption, both messages, and beside the side bar; a known problem ends it plainly."""

    def decorated(body: Callable[[Workspace, str], None]) -> Callable[[], None]:
        @wraps(body)
        def shown() -> None:
            st.session_state["reading"] = False
            st.title(_(title), anchor=False)
            st.caption(_(caption))
            try:
                own_stages()
            except LessonsError as error:  # the page goes on without them
                show_error(error)
            with errors_shown():
                body(*opened(owned))

        return shown

    return decorated


def opened(owned: bool = True) -> tuple[Workspace, str]:
    """The workspace with the shipped documents loaded, and the owner chosen in the side bar, or the reader."""
    owner = _choose_owner() if owned else settings().user
    with st.spinner(_("Opening the database …")):
        place = _open()
    with suppress(LessonsError):  # a database that cannot say so is told of by what needs it
        if not place.store(indexes()[0]).documents(Scope(owner)):
            none = _("{owner} has no documents yet. Add some on the page Documents, or check the name.", owner=owner)
            st.info(plain(none))
    st.sidebar.caption(plain(_("Answers come from the {model}.", model=_(describe(place.llm)))))
    return place, owner


def offer_reuse(place: Workspace, owner: str) -> None:
    """Whether answers are reused, and how many have been; only where a page asks `answering` stages."""
    reuse = _("A question that asks the same as an earlier one gets its answer, as long as no document changes.")
    default = "on" if settings().response_cache else "off"
    chosen = st.sidebar.toggle(
        _("Reuse earlier answers"), (kept("cache") or default) == "on", key="cache-box", help=reuse
    )
    keep("cache", "on" if chosen else "off", default)
    if chosen:
        with st.sidebar:
            show_reuse(place, owner)


def show_reuse(place: Workspace, owner: str) -> None:
    """How many answers are kept for this owner, and how often they have been reused."""
    with suppress(LessonsError):  # a database that cannot say so is told of by what needs it
        kept_answers, hits = AnswerTable(place.engine).counts(owner)
        st.caption(_("Answers kept for reuse: {kept:,}, reused: {hits:,}.", kept=kept_answers, hits=hits))


def _choose_owner() -> str:
    """One of the known owners or, at home, any that is typed or in the address. A shared app never takes another name.

    The owners of the database are not listed: no statement looks beyond one owner (row-level security).
    """
    shipped = (document["owner"] for document in shipped_documents())
    known: dict[str, None] = st.session_state.setdefault("owners", dict.fromkeys([settings().user, *shipped]))
    if kept("owner") and not is_shared():
        known[kept("owner")] = None
    if kept("owner") in known:
        st.session_state["owner-box"] = kept("owner")
    another = _(" Type a name to choose another, such as the one of `lessons ingest --user`; a new name begins empty.")
    chosen = st.sidebar.selectbox(
        _("Owner of the documents"),
        list(known),
        key="owner-box",
        on_change=lambda: keep("owner", st.session_state["owner-box"]),
        help=_("Only this owner's documents are searched.") + ("" if is_shared() else another),
        accept_new_options=not is_shared(),
    )
    owner = Scope(chosen or settings().user).user_id
    keep("owner", owner, settings().user)
    return owner


def answering(stage: Stage) -> Stage | Cached:
    """The stage, with the response cache around it if the side bar says so."""
    return with_cache(stage, kept("cache") == "on")


@st.cache_resource(show_spinner=False)
def _open() -> Workspace:
    place, bar = workspace(), st.empty()

    def progress(done: int, total: int) -> None:
        bar.progress(done / total, _("Loading the shipped documents, {done} of {total} …", done=done, total=total))

    ensure_corpus(place, place.settings.user, progress)
    bar.empty()
    return place


@dataclass
class RateLimit:
    """At most `most` events of a visitor within `seconds`. Safe under threads; visitors who stay away are forgotten."""

    seconds: float
    clock: Callable[[], float] = monotonic
    _events: dict[str, list[float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, visitor: str, most: int, number: int = 1) -> float:
        """Count `number` events and give 0; or count nothing, and give the seconds until they are allowed."""
        now = self.clock()
        with self._lock:
            recent = {name: [at for at in events if at > now - self.seconds] for name, events in self._events.items()}
            self._events = {name: events for name, events in recent.items() if events}
            events = self._events.get(visitor, [])
            if (surplus := len(events) + number - most) <= 0:
                self._events[visitor] = [*events, *[now] * number]
                return 0.0
            if not events:
                return self.seconds
            return max(events[min(len(events), surplus) - 1] + self.seconds - now, 1e-9)  # rounding may come to 0


@st.cache_resource
def _limit(seconds: float) -> RateLimit:
    return RateLimit(seconds)


def _allow(seconds: float, most: int, number: int, owner: str, too_many: str) -> None:
    """Count for an owner at an address: a reload of the page does not begin anew. At home the limits are wider."""
    most *= 1 if is_shared() else settings().limits_at_home
    if wait := _limit(seconds).take(f"{owner}@{st.context.ip_address or 'here'}", most, number):
        raise LessonsError(_(too_many, most=most, seconds=wait, minutes=wait / 60))


def allow_questions(owner: str, number: int = 1) -> None:
    """Count questions of this visitor; LessonsError with the seconds to wait if there were too many in a minute."""
    _allow(60, settings().questions_a_minute, number, owner, TOO_MANY_QUESTIONS)


def allow_uploads(owner: str, number: int) -> None:
    """Count uploaded files of this visitor; LessonsError with the minutes to wait if there were too many in an hour."""
    _allow(3_600, settings().uploads_an_hour, number, owner, TOO_MANY_UPLOADS)


def is_shared() -> bool:
    """Whether other machines can reach the app."""
    return st.get_option("server.address") not in HOME
