"""The reader's marks: right or wrong on each card of Compare, counted over the session, and taken over as questions."""

import json

import streamlit as st

from lessons.evaluate.comparison import Comparison
from lessons.evaluate.feedback import Rating, question_lines
from lessons.pages.language import N_, _
from lessons.pages.verdict import worth
from lessons.tables import plain

MARKS = {1: N_("✓ right"), 0: N_("✗ wrong")}
FEWEST = 2  # questions of which something may be concluded

Marked = dict[str, tuple[Rating, int]]  # by stage, with the tokens of the answer


def marked_questions(owner: str) -> list[Marked]:
    """Return what this session has marked of an owner's questions, a dictionary for each question."""
    stored = st.session_state.setdefault("marks", {})
    return [marked for (whose, *_question), marked in stored.items() if whose == owner and marked]


def offer_marks(comparison: Comparison, owner: str, group: tuple[str, ...]) -> None:
    """Draw the buttons of a card; a mark counts for every stage on it."""
    key_of_question = owner, comparison.question, comparison.history
    key = f"mark-{hash(key_of_question)}-{'-'.join(group)}"
    history = [text for _role, text in comparison.history]

    def mark() -> None:
        marked = st.session_state.setdefault("marks", {}).setdefault(key_of_question, {})
        for name in group:
            marked.pop(name, None)
            if (choice := st.session_state[key]) is not None:
                answer = comparison.answers[name]
                marked[name] = Rating.of(answer, bool(choice), history=history), answer.trace.tokens

    earlier_mark = st.session_state.get("marks", {}).get(key_of_question, {}).get(group[0])
    st.segmented_control(
        _("Is the answer of {stage} right?", stage=group[0].capitalize()),
        MARKS,
        format_func=lambda mark: _(MARKS[mark]),
        default=int(earlier_mark[0].is_good) if earlier_mark else None,
        key=key,
        on_change=mark,
        label_visibility="collapsed",
    )


def show_marks(owner: str) -> bool:
    """Show the count, and what it comes to; True if the marks are to become a question set."""
    if not (marked := marked_questions(owner)):
        return False
    names = dict.fromkeys(name for stages in marked for name in stages)
    ratings = {name: [stages[name][0] for stages in marked if name in stages] for name in names}
    counts = ", ".join(
        f"{name.capitalize()} {sum(row.is_good for row in rows)} / {len(rows)}" for name, rows in ratings.items()
    )
    sentences = [_("Marked as right: {counts}.", counts=counts)]
    complete = [name for name, rows in ratings.items() if len(rows) == len(marked)]
    if len(marked) >= FEWEST and len(complete) > 1:
        right = {name: [float(row.is_good) for row in ratings[name]] for name in complete}
        tokens = {name: sum(stages[name][1] for stages in marked) for name in complete}
        sentences.append(worth(right, tokens))
    with st.container(horizontal=True, vertical_alignment="center", key="marks"):
        st.markdown(plain(" ".join(sentences)))
        return st.button(_("Make a question set of them"), on_click=take_over, args=(owner,))


def take_over(owner: str) -> None:
    """Write the marked questions into the field of the page Scoreboard; a right answer is what is expected."""
    st.session_state["own-text"] = question_set(marked_questions(owner))
    st.session_state["question-set"] = "own"


def question_set(marked: list[Marked]) -> str:
    """Write a JSON object a line: a question, and the answer of the first stage that was marked right."""
    lines = []
    for stages in marked:
        ratings = [rating for rating, _tokens in stages.values()]
        known_lines = question_lines(ratings).splitlines()
        bare: dict[str, object] = {"question": ratings[0].question}
        bare |= {"history": list(ratings[0].history)} if ratings[0].history else {}
        lines.append(known_lines[0] if known_lines else json.dumps(bare, ensure_ascii=False))
    return "\n".join(lines)
