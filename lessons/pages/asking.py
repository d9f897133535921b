"""What is asked: a question, be it typed, golden, a follow-up or a sample, and what limits its search on Compare.

Samples of the shipped documents are chosen by what the stages got right in the reference run on *dev*, and their badge
says so; those of a reader's own documents are made from their headings.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, zip_longest

import streamlit as st
from llama_index.core.schema import BaseNode

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import SPLITS, Golden, golden_questions
from lessons.evaluate.runs import shipped
from lessons.library import indexes
from lessons.pages.common import choose, choose_stages
from lessons.pages.language import N_, _, keep, language
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.materials import chunk_range
from lessons.stages import stages
from lessons.tables import plain, plain_line
from lessons.text import language as language_of
from lessons.text import normalize

MOST_OWN = 4  # samples that are made from a reader's own documents
MOST_READ = 20  # chunks of each of these, whose headings are read
EVERYWHERE = N_("all documents")
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = N_("""Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`. `page_number` is the page on which a chunk begins.""")


@dataclass(frozen=True)
class Line:
    """A line of the conversation before a follow-up. One without a stage is the same for all stages."""

    role: str
    content: str
    stage: str = ""


@dataclass(frozen=True)
class Asked:
    """A question, the stages it goes to, the file and the filter that limit it, and what was said before it."""

    question: str
    stages: tuple[str, ...]
    source_file: str | None = None
    filter_text: str = ""
    golden: Golden | None = None
    before: tuple[Line, ...] = ()

    @property
    def follows(self) -> bool:
        """Whether it goes on with answers of the stages, without which it could not be asked again."""
        return any(line.stage for line in self.before)

    def history(self, stage: str) -> list[tuple[str, str]]:
        """What was said before as this stage heard it: (role, content), oldest first."""
        return [(line.role, line.content) for line in self.before if line.stage in ("", stage)]


def lines_of(golden: Golden) -> tuple[Line, ...]:
    """What was said before a golden question."""
    return tuple(Line(role, content) for role, content in golden.history)


def golden_named(id: str) -> Golden | None:
    """The golden question with this id."""
    return next((each for each in all_golden() if each.id == id), None)


def golden_for(question: str, owner: str, before: Sequence[Line]) -> Golden | None:
    """The golden question that asks exactly this of these documents after the same words."""
    asked = question.strip(), owner, tuple(before)
    return next((each for each in all_golden() if (each.question, each.owner, lines_of(each)) == asked), None)


@cache
def all_golden() -> list[Golden]:
    """The golden questions of both splits."""
    return [each for split in SPLITS for each in golden_questions(split)]


def question_box(key: str, label: str = N_("Your question")) -> str:
    """The field for a question; its text is in the session's state under the key, too."""
    return st.text_input(_(label), key=key, placeholder=_("In English or Korean")) or ""


def ask_line(key: str, label: str, button: str, taken: Callable[[], None] | None = None) -> bool:
    """A line for a question, and whether it was just asked; `taken` is called before the page is drawn for it."""
    with st.form(f"{key}-form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        question_box(key, label)
        return st.form_submit_button(_(button), type="primary", on_click=taken)


def ask_form(place: Workspace, owner: str, pressed: bool) -> Asked | None:
    """What was just asked, or None: a line for the question, and what is seldom changed folded away below it."""
    follows = st.session_state.pop("follows", ())
    asked = ask_line("question", N_("Your question"), N_("Ask")) or pressed or follows
    _show_before()
    with st.expander(_("Options: stages, golden questions, files and filters"), icon=":material/tune:"):
        _pick_golden()
        chosen = tuple(stage.name for stage in choose_stages("stages"))
        files = {EVERYWHERE: _(EVERYWHERE)} | {name: name for name in files_of(place, owner)}
        if st.session_state.get("file", EVERYWHERE) not in files:
            st.session_state.file = EVERYWHERE
        left, right = st.columns(2)
        file = choose(_("Search in"), files, left, key="file")
        typed = right.text_input(_("Filter"), key="filter", placeholder=FILTER_EXAMPLE, help=_(FILTER_HELP))
    if not chosen:
        st.info(_("Choose at least one stage."))
    if not asked or not chosen:
        return None
    question = normalize(st.session_state["follow-up" if follows else "question"])
    before = follows or st.session_state.get("before", ())
    source_file = None if file == EVERYWHERE else file
    return Asked(question, chosen, source_file, normalize(typed), golden_for(question, owner, before), before)


def _show_before() -> None:
    before = st.session_state.get("before", ())
    if not before:
        return
    with st.expander(_("A follow-up to “{question}”", question=plain_line(before[0].content)), icon=":material/forum:"):
        for line in before:
            said = _("answered") if line.role == "assistant" else _("asked")
            st.caption(f"**{said.capitalize()}** {plain_line(line.content)}")
        st.button(_("Ask something new instead"), on_click=begin)


def begin(question: str = "", before: tuple[Line, ...] = ()) -> None:
    """Put a question into the form, with the conversation that it goes on with."""
    st.session_state.question, st.session_state.before = question, before


def files_of(place: Workspace, owner: str) -> list[str]:
    """The owner's files. None, and the reason on the page, if they cannot be listed: a question may be asked still."""
    try:
        store = place.store(next(iter(stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(_(str(error))))
        return []


def _pick_golden() -> None:
    known = _("Their answer and evidence are known. *dev* questions were there for tuning, *test* ones only to report.")
    st.selectbox(
        _("Golden questions ({number})", number=len(all_golden())),
        all_golden(),
        index=None,
        format_func=_label,
        key="golden-question",
        placeholder=_("Type to search, also for a category"),
        help=known,
        on_change=_take_golden,
    )


def _label(each: Golden) -> str:
    follows = _(", follow-up") if each.history and each.category != "follow-up" else ""
    return f"{each.question} ({each.split}, {_(each.category)}{follows}, {each.owner})"


def _take_golden() -> None:
    chosen = st.session_state["golden-question"]
    if isinstance(chosen, Golden):  # a browser may send any text
        keep("owner", chosen.owner)
        begin(chosen.question, lines_of(chosen))


# Samples

Answers = Sequence[Record]  # what the stages answered to one question, in the order of the course


@dataclass(frozen=True)
class Sample:
    """A question with its badge in Markdown, which is a message, and what was said before it."""

    question: str
    badge: str = ""
    before: tuple[Line, ...] = ()

    def __str__(self) -> str:
        return f"{_(self.badge)} {plain_line(self.question)}".strip()


def _right(answers: Answers) -> list[bool]:
    return [record.value("correctness") == 1 for record in answers]


def _first(stage: str, answers: Answers) -> bool:
    """Whether this stage and all after it are right, and none before it."""
    right, at = _right(answers), [record.stage for record in answers].index(stage)
    return all(right[at:]) and not any(right[:at])


FOLLOW_UP = N_(":blue-badge[a follow-up]")
KINDS: dict[str, Callable[[Answers], bool]] = {
    N_(":green-badge[Smart is the first]"): partial(_first, "smart"),
    N_(":orange-badge[Enhanced is the first]"): partial(_first, "enhanced"),
    N_(":red-badge[later stages lose it]"): lambda answers: any(right := _right(answers)) and not right[-1],
    FOLLOW_UP: lambda answers: any(_right(answers)),
    N_(":violet-badge[no stage is right]"): lambda said: all(each.value("correctness") == 0 for each in said),
    N_(":gray-badge[not in the documents]"): lambda said: all(each.refused and not each.answerable for each in said),
}
"""What a sample shows, and how its answers are known."""


@cache
def golden_samples(owner: str, first: str = "en") -> list[Sample]:
    """One question of each kind about the owner's shipped documents, English and Korean in turn as far as there are."""
    asked = dict[str, list[Record]]()
    for record in shipped()["keyless-dev"].records:
        asked.setdefault(record.question_id, []).append(record)
    mine = [(each, asked[each.id]) for each in all_golden() if each.owner == owner and each.id in asked]
    found = list[Sample]()
    for badge, fits in KINDS.items():
        goldens = [each for each, told in mine if bool(each.history) == (badge == FOLLOW_UP) and fits(told)]
        goldens.sort(key=lambda golden: (golden.language == first) == bool(len(found) % 2))
        found += [Sample(golden.question, badge, lines_of(golden)) for golden in goldens[:1]]
    return found


def own_samples(owner: str) -> Iterator[Sample]:
    """Questions about the headings of an owner's first documents: the first of each, then the second of each …"""
    store = workspace().store(max(indexes(), key=lambda index: index.can_enrich))
    files = [each.source_file for each in islice(store.documents(Scope(owner)), MOST_OWN)]
    begun = [chunk_range(store, Scope(owner), name, 0, MOST_READ) for name in files]
    headings = [dict.fromkeys(map(_heading, chunks)) for chunks in begun]
    turns = ((name, each) for row in zip_longest(*headings) for name, each in zip(files, row, strict=True) if each)
    for name, heading in islice(turns, MOST_OWN):
        asked = f"{heading} 내용을 요약해 주세요." if language_of(heading) == "ko" else f"Summarise {heading}."
        yield Sample(heading if heading.endswith("?") else asked, f":gray-badge[{plain_line(name)}]")


def _heading(chunk: BaseNode) -> str:
    known = chunk.metadata
    return str(known.get("section") or known.get("title") or known["source_file"]).rpartition(" › ")[2]


def offer_samples(owner: str, key: str, *more: str) -> None:
    """Questions to try; the one that is pressed goes into the field `key` and is asked, as `is_pressed` tells."""
    try:
        samples = golden_samples(owner, language()) or list(own_samples(owner))
    except LessonsError:
        samples = []  # the page tells of a database that is away
    if key != "question":  # only Compare has a conversation before a question, and stages that a badge speaks of
        samples = [Sample(each.question) for each in samples if not each.before]
    samples += map(Sample, more)

    def pressed() -> None:
        if (sample := st.session_state[f"{key}-sample"]) in samples:
            st.session_state[key], st.session_state["pressed"] = sample.question, key
            st.session_state["before"] = sample.before
            st.session_state[f"{key}-sample"] = None

    if samples:
        st.pills(_("Try one of these"), samples, format_func=str, key=f"{key}-sample", on_change=pressed)


def is_pressed(key: str) -> bool:
    """Whether a sample for this field has just been pressed; told once."""
    return st.session_state.pop("pressed", None) == key
