"""Questions to try, each with a badge that says what it shows; the one that is pressed is asked at once.

Those of the shipped documents are chosen by what the stages got right in the reference run on *dev*, those of a
reader's own documents are made from their headings.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Record
from lessons.evaluate.runs import shipped
from lessons.library import indexes
from lessons.pages.asking import Line, golden_named, lines_of
from lessons.pages.language import N_, _
from lessons.pages.language import language as spoken
from lessons.rag.types import Scope
from lessons.search.materials import chunk_range
from lessons.tables import plain_line
from lessons.text import language
from lessons.workspace import workspace

MOST_OWN = 4  # samples that are made from a reader's own documents
Answers = Mapping[str, Record]
"""What the stages answered to one question, by their names."""


@dataclass(frozen=True)
class Sample:
    """A question with its badge in Markdown, which is a message, and what was said before it."""

    question: str
    badge: str = ""
    before: tuple[Line, ...] = ()

    def __str__(self) -> str:
        return f"{_(self.badge)} {plain_line(self.question)}".strip()


def _right(answers: Answers) -> list[bool]:
    return [record.value("correctness") == 1 for record in answers.values()]


def _first(stage: str, answers: Answers) -> bool:
    """Whether this stage and all after it are right, and none before it."""
    right, at = _right(answers), list(answers).index(stage)
    return all(right[at:]) and not any(right[:at])


def _is_refused(answers: Answers) -> bool:
    """Whether the documents do not say, and every stage says so."""
    return all(record.refused and not record.answerable for record in answers.values())


FOLLOW_UP = N_(":blue-badge[a follow-up]")
KINDS: dict[str, Callable[[Answers], bool]] = {
    N_(":green-badge[Smart is the first]"): partial(_first, "smart"),
    N_(":orange-badge[Enhanced is the first]"): partial(_first, "enhanced"),
    N_(":red-badge[later stages lose it]"): lambda answers: any(right := _right(answers)) and not right[-1],
    FOLLOW_UP: lambda answers: any(_right(answers)),
    N_(":violet-badge[no stage is right]"): lambda answers: not any([*_right(answers), _is_refused(answers)]),
    N_(":gray-badge[not in the documents]"): _is_refused,
}
"""What a sample shows, and how its answers are known."""


@cache
def golden_samples(owner: str, first: str = "en") -> list[Sample]:
    """One question of each kind about the owner's shipped documents, English and Korean in turn as far as there are."""
    asked = dict[str, dict[str, Record]]()
    for record in next(run for run in shipped().values() if run.split == "dev").records:
        asked.setdefault(record.question_id, {})[record.stage] = record
    known = [(golden, answers) for name, answers in asked.items() if (golden := golden_named(name))]
    found = list[Sample]()
    for badge, fits in KINDS.items():
        goldens = [
            golden
            for golden, answers in known
            if golden.owner == owner and bool(golden.history) == (badge == FOLLOW_UP) and fits(answers)
        ]
        goldens.sort(key=lambda golden: (golden.language == first) == bool(len(found) % 2))
        found += [Sample(golden.question, badge, lines_of(golden)) for golden in goldens[:1]]
    return found


def own_samples(owner: str) -> Iterator[Sample]:
    """A question about the first heading of each of an owner's first documents."""
    store = workspace().store(max(indexes(), key=lambda index: index.can_enrich))
    firsts = (chunk_range(store, Scope(owner), each.source_file, 0, 1) for each in store.documents(Scope(owner)))
    for chunk in islice((chunk for chunks in firsts for chunk in chunks), MOST_OWN):
        known, name = chunk.metadata, chunk.metadata["source_file"]
        heading = str(known.get("section") or known.get("title") or name).rpartition(" › ")[2]
        asked = f"{heading} 내용을 요약해 주세요." if language(heading) == "ko" else f"Summarise {heading}."
        yield Sample(heading if heading.endswith("?") else asked, f":gray-badge[{plain_line(name)}]")


def offer_samples(owner: str, key: str, *more: str) -> None:
    """Questions to try; the one that is pressed goes into the field `key` and is asked, as `is_pressed` tells.

    A page other than Compare, whose field is `question`, has no conversation before a question, and no stages side by
    side that a badge could speak of.
    """
    try:
        samples = golden_samples(owner, spoken()) or list(own_samples(owner))
    except LessonsError:
        samples = []  # the page tells of a database that is away
    if key != "question":
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
