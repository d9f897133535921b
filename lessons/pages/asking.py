"""What is asked: a question, be it typed, golden, a follow-up or a sample, and what limits its search on Compare.

Samples of the shipped documents are chosen by what the stages got right in the reference run on *dev*, and their badge
says so; those of a reader's own documents are made from their headings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from math import isnan
from typing import Any

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import SPLITS, Golden, golden_questions
from lessons.evaluate.runs import shipped
from lessons.library import indexes
from lessons.pages.common import SIGNS, choose, choose_stages
from lessons.pages.language import N_, _, language, to_address
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.materials import chunk_range
from lessons.stages import stages as course_stages
from lessons.tables import plain, plain_line
from lessons.text import language as language_of
from lessons.text import normalize, sentences

MAX_OWN_SAMPLES = 3  # made from a reader's own documents
FACT_LENGTH = 20, 120  # characters of a sentence that a question asks about
_FIGURE = re.compile(r"\d[\d.,:]*\d|\d")
CHUNKS_READ = 20  # of each of these documents, for their headings
EVERYWHERE = N_("all documents")
LEFT = N_("The page was left before this stage had answered. Ask again.")
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = N_("""Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`. `page_number` is the page on which a chunk begins.""")


History = tuple[tuple[str, str], ...]  # what was said before: (role, content), oldest first


@cache
def all_golden() -> list[Golden]:
    """Return the golden questions of both splits."""
    return [golden for split in SPLITS for golden in golden_questions(split)]


def golden_named(id: str) -> Golden | None:
    """Return the golden question with this id."""
    return next((golden for golden in all_golden() if golden.id == id), None)


def golden_for(question: str, owner: str, history: History) -> Golden | None:
    """Return the golden question that asks exactly this of these documents after the same conversation."""
    key = question.strip(), owner, history
    return next((row for row in all_golden() if (row.question, row.owner, tuple(row.history)) == key), None)


def question_form(workspace: Workspace, owner: str) -> Comparison | None:
    """Draw the field for a question, the rest folded away below it; return what was just asked, unanswered, or None.

    The address has every field. It may name a golden question, too.
    """
    if golden := golden_named(st.query_params.get("golden", "")):
        del st.query_params["golden"]
        fill_question(golden.question, tuple(golden.history))
    in_address: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
    with st.form("question-form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        example = _("In English or Korean")
        question = st.text_input(_("Your question"), key="question", placeholder=example, **in_address)
        is_asked = st.form_submit_button(_("Ask"), type="primary") or st.session_state.pop("pressed", "") == "question"
    _show_history()
    with st.expander(_("Options: stages, golden questions, files and filters"), icon=":material/tune:"):
        _choose_golden()
        stages = [stage.name for stage in choose_stages("stages", **in_address)]
        left, right = st.columns(2)
        with left:
            files = {EVERYWHERE: _(EVERYWHERE)} | {name: name for name in files_of(workspace, owner)}
            file = choose(_("Search in"), files, key="file", **in_address)
        with right:
            how = in_address | {"placeholder": FILTER_EXAMPLE, "help": _(FILTER_HELP)}
            filter_text = st.text_input(_("Filter"), key="filter", **how)
    if not stages:
        st.info(_("Choose at least one stage."))
    if not is_asked or not stages:
        return None
    question, history = normalize(question or ""), st.session_state.get("history", ())
    within = {N_("owner"): owner, N_("file"): file, N_("filter"): normalize(filter_text or "")}
    limits = tuple((name, value) for name, value in within.items() if value and value != EVERYWHERE)
    return Comparison(question, {}, dict.fromkeys(stages, LEFT), history, limits, golden_for(question, owner, history))


def _show_history() -> None:
    history: History = st.session_state.get("history", ())
    if not history:
        return
    with st.expander(_("A follow-up to “{question}”", question=plain_line(history[0][1])), icon=":material/forum:"):
        for role, content in history:
            label = _("answered") if role == "assistant" else _("asked")
            st.caption(f"**{label.capitalize()}** {plain_line(content)}")
        st.button(_("Ask something new instead"), on_click=fill_question)


def fill_question(question: str = "", history: History = ()) -> None:
    """Put a question into the form, with the conversation before it."""
    st.session_state.question, st.session_state.history = question, history


def files_of(workspace: Workspace, owner: str) -> list[str]:
    """List the owner's files. An error is shown and gives none: a question may still be asked."""
    try:
        store = workspace.store(next(iter(course_stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(_(str(error))))
        return []


def _choose_golden() -> None:
    st.selectbox(
        _("Golden questions ({number})", number=len(all_golden())),
        all_golden(),
        index=None,
        format_func=_golden_label,
        key="golden-question",
        placeholder=_("Type to search, also for a category"),
        help=_("Their answer and evidence are known. *dev* questions were for tuning, *test* ones only to report."),
        on_change=_take_golden,
    )


def _golden_label(golden: Golden) -> str:
    follow_up = _(", follow-up") if golden.history and golden.category != "follow-up" else ""
    return f"{golden.question} ({golden.split}, {_(golden.category)}{follow_up}, {golden.owner})"


def _take_golden() -> None:
    golden = st.session_state["golden-question"]
    if isinstance(golden, Golden):  # a browser may send any text
        if golden.owner != st.session_state.get("owner"):
            st.toast(_("The owner is {owner} now, whose documents this question is about.", owner=plain(golden.owner)))
        to_address("owner", golden.owner)
        fill_question(golden.question, tuple(golden.history))


# Samples

Records = Sequence[Record]  # the answers of the stages to one question, in the order of the course


@dataclass(frozen=True)
class Sample:
    """A question, its badge in Markdown, which is a message, and the conversation before it."""

    question: str
    badge: str = ""
    history: History = ()

    def __str__(self) -> str:
        return f"{_(self.badge)} {plain_line(self.question)}".strip()


FOLLOW_UP = N_(":blue-badge[a follow-up]")
KINDS = {
    N_(":green-badge[Smart is the first]"): "[^✓]{2}✓{3}",
    N_(":orange-badge[Enhanced is the first]"): "[^✓]✓{4}",
    N_(":red-badge[later stages lose it]"): ".*✓.*[^✓]",
    FOLLOW_UP: ".*✓.*",
    N_(":violet-badge[no stage is right]"): "[○✗]+",
    N_(":gray-badge[not in the documents]"): "–+",
}
"""What a sample shows, and the signs of the answers by which it is recognised."""


def _signs(records: Records) -> str:
    """Return a sign for each stage, such as `✗✗✓✓✓`; to refuse what the documents do not say is a dash."""
    return "".join("–" if row.is_rightly_refused else SIGNS[row.outcome] for row in records)


@cache
def golden_samples(owner: str, reader: str = "en") -> list[Sample]:
    """Choose a question of each kind about the owner's shipped documents, in the language of the reader.

    A kind without one is left out, unless no question of the owner's is in that language. Of several, that is chosen
    whose answer is the easiest to read; a telegram comes behind whole sentences.
    """
    records = dict[str, list[Record]]()
    for record in shipped()["keyless-dev"].records:
        records.setdefault(record.question_id, []).append(record)
    goldens = [golden for golden in all_golden() if golden.owner == owner and golden.id in records]
    goldens = [golden for golden in goldens if golden.language == reader] or goldens
    samples = list[Sample]()
    for badge, signs in KINDS.items():
        fitting = [row for row in goldens if re.fullmatch(signs, _signs(records[row.id]))]
        fitting = [row for row in fitting if bool(row.history) == (badge == FOLLOW_UP)]
        fitting.sort(key=lambda golden: _clutter(records[golden.id]))
        samples += [Sample(row.question, badge, tuple(row.history)) for row in fitting[:1]]
    return samples


def _clutter(records: Records) -> tuple[bool, int, int, float]:
    """Measure how hard a question, if no sentence, and its last answer are to read.

    Of the answer its quotes count, then its cells of a table, then what does not belong to it.
    """
    record, belonging = records[-1], records[-1].value("belonging")
    quotes, cells = record.answer.count(" ["), record.answer.count(": ")
    return record.question[0].islower(), quotes, cells, 1 - (0.0 if isnan(belonging) else belonging)


def own_samples(owner: str) -> list[Sample]:
    """Make questions from the headings of an owner's documents, and from a sentence with a figure in each."""
    store = workspace().store(max(indexes(), key=lambda index: index.can_enrich))
    files = [document.source_file for document in islice(store.documents(Scope(owner)), MAX_OWN_SAMPLES)]
    questions = []
    for at, name in enumerate(files):
        chunks = chunk_range(store, Scope(owner), name, 0, CHUNKS_READ)
        facts = [question for chunk in chunks for question in _fact_questions(chunk.get_content(MetadataMode.NONE))]
        headings = [_about(heading) for heading in dict.fromkeys(map(_heading, chunks)) if not heading.endswith(".")]
        pairs = zip_longest(facts, headings) if at % 2 else zip_longest(headings, facts)
        mixed = [question for pair in pairs for question in pair if question]
        about_file = f"{name} 문서는 무엇에 관한 것인가요?" if language_of(name) == "ko" else f"What is {name} about?"
        questions.append([Sample(question, f":gray-badge[{plain_line(name)}]") for question in [*mixed, about_file]])
    return [sample for row in zip_longest(*questions) for sample in row if sample][:MAX_OWN_SAMPLES]


def _about(heading: str) -> str:
    if heading.endswith("?"):
        return heading
    return f"{heading} 내용을 요약해 주세요." if language_of(heading) == "ko" else f"Summarise {heading}."


def _fact_questions(text: str) -> Iterator[str]:
    """Leave the figure of a sentence open: “The shop opens at …?”"""
    for sentence in sentences(text):
        figure = _FIGURE.search(sentence)
        if figure and FACT_LENGTH[0] <= len(sentence) <= FACT_LENGTH[1] and "|" not in sentence:
            words = f"{sentence[: figure.start()].lstrip('#- ')}… {sentence[figure.end() :].strip(' .')}"
            yield f"{words.strip()}?"


def _heading(chunk: BaseNode) -> str:
    metadata = chunk.metadata
    return str(metadata.get("section") or metadata.get("title") or metadata["source_file"]).rpartition(" › ")[2]


def samples_for(owner: str) -> list[Sample]:
    """Return samples of the owner's shipped documents, else of their own; none while the database is away."""
    try:
        return golden_samples(owner, language()) or own_samples(owner)
    except LessonsError:
        return []


def offer_samples(samples: Sequence[Sample], key: str) -> None:
    """Draw questions to try. The one that is pressed goes into the session's state under `key`."""

    def take() -> None:
        if (sample := st.session_state[f"{key}-sample"]) in samples:
            st.session_state[key], st.session_state.history = sample.question, sample.history
            st.session_state.pressed = key
            st.session_state[f"{key}-sample"] = None

    if samples:
        st.pills(_("Try one of these"), samples, format_func=str, key=f"{key}-sample", on_change=take)
