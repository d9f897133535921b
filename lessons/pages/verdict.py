"""What a comparison comes to: which stage is right, which is worth it; the reader's marks; where passages ranked."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

import streamlit as st

from lessons.evaluate.compare import paired_gain
from lessons.evaluate.comparison import Comparison, Passage
from lessons.evaluate.feedback import Rating, question_lines
from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.judge import judge_text
from lessons.evaluate.metrics import hits, ranking
from lessons.evaluate.plots import shortened
from lessons.models.keyless import Unit, unstated
from lessons.pages.answer import evidence_line, open_passage
from lessons.pages.common import page_of
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION, around, best_quote
from lessons.rag.pipeline import standalone
from lessons.rag.types import RetrievedDocument
from lessons.settings import settings
from lessons.tables import plain, plain_line
from lessons.text import language

BADGES = {
    "right": N_(":green-badge[✓ right]"),
    "partly": N_(":yellow-badge[◐ partly right]"),
    "answered": N_(":gray-badge[answered]"),
    "refused": N_(":gray-badge[○ refused]"),
    "wrong": N_(":red-badge[✗ wrong]"),
}


@dataclass(frozen=True)
class Score:
    """How a stage did; `ranks` has for each piece of evidence the best rank that holds it, None if none does.

    `words` are the answer without its citations, whose numbers depend on the ranks.
    """

    answer: Answer
    status: str
    ranks: tuple[int | None, ...]
    words: str

    @property
    def facts(self) -> str:
        """The ranks of the evidence, and what the answer took; a line breaks only between them."""
        trace, ranks = self.answer.trace, ", ".join(str(rank or "–") for rank in self.ranks)
        evidence = ["★ " + (ranks if any(self.ranks) else _("not found"))] if self.ranks else []
        calls = _("1 call") if trace.llm_calls == 1 else _("{number:,} calls", number=trace.llm_calls)
        used = calls, _("{number:,} tokens", number=trace.tokens), f"{trace.ms:,.0f} ms"
        price = f"${trace.cost:.4f}" if trace.cost else _("free")
        return " · ".join(fact.replace(" ", "\u00a0") for fact in (*evidence, *used, price))


Scores = Mapping[str, Score]  # by stage


def what_is_new(name: str) -> str:
    """Say what a stage adds to the one before it, for a newcomer."""
    tokens, judged, best = settings().naive_chunk_tokens, settings().rerank_candidates, settings().rerank_best
    return {
        "naive": _("chunks of {tokens} tokens, those nearest in meaning", tokens=tokens),
        "enhanced": _("+ chunks know their section"),
        "smart": _("+ words and meaning, question rewritten"),
        "reranked": _("+ {judged} judged, the best {kept} kept", judged=judged, kept=best),
        "agentic": _("+ the model chooses the searches"),
    }.get(name, _("a stage of your own"))


def scored(answer: Answer, golden: Golden | None) -> Score:
    """Judge an answer by what is known about its question."""
    correctness, refused = judge_text(golden, answer.text) if golden else (float("nan"), not answer.found)
    status = {1.0: "right", 0.5: "partly", 0.0: "wrong"}.get(correctness, "answered")
    covered = hits(ranking(answer), evidence := golden.evidence if golden else ())
    ranks = (
        next((rank for rank, numbers in enumerate(covered, 1) if number in numbers), None)
        for number in range(len(evidence))
    )
    words = " ".join(CITATION.sub("", answer.text).split())
    return Score(answer, "refused" if refused and status in ("wrong", "answered") else status, tuple(ranks), words)


def merged(names: Iterable[str], scores: Scores) -> list[list[str]]:
    """Group the stages in their order; neighbours that say the same are one group."""
    return [list(group) for _, group in groupby(names, lambda name: scores[name].words if name in scores else name)]


def sentence(scores: Scores, is_golden: bool) -> str:
    """Sum a comparison up. Where no right answer is known, no stage is praised: one that makes something up answers."""
    right = [name for name, score in scores.items() if score.status == "right"]
    refused = [name for name, score in scores.items() if score.status == "refused"]
    if not is_golden:
        if not refused and len(scores) > 1 and len(merged(scores, scores)) == 1:
            return _("Every stage gives the same answer. Is it right?")
        if not refused:
            return _("Every stage answers. Which is right?")
        if len(refused) == len(scores):
            return _("Every stage refuses. Do the documents say it?")
        answers = len(scores) - len(refused)
        return _("Refused: {refused}; answered: {answers}. Which is right?", refused=len(refused), answers=answers)
    if not right:
        return _("No stage is right.")
    if len(right) == len(scores):
        return _("Every stage is right.")
    wrong = [name for name in scores if name not in right]
    if right == [*scores][-len(right) :]:
        return _("{stages} is the first that is right.", stages=right[0].capitalize())
    return _("Right: {stages}; not right: {others}.", stages=_and(right), others=_and(wrong))


def missing_words(answer: Answer) -> list[Unit]:
    """List the nouns of the question that stand in no passage that the answer cites, if that is in its language."""
    cited = {citation.chunk_id for citation in answer.citations}
    read = [row for row in answer.context.documents if row.id in cited]
    passages = [f"{row.source} {row.metadata.get('title', '')} {row.content}" for row in read]
    if not passages or any(language(row.content) != language(answer.question) for row in read):
        return []
    return unstated(answer.question, " ".join(passages))


def changes_marked(text: str, previous_text: str) -> str:
    """Mark as Markdown what an answer says anew. What went is not written: it would be copied and read aloud."""
    words = text.split(" ")
    spans = SequenceMatcher(None, previous_text.split(" "), words, autojunk=False).get_opcodes()
    pieces = [(tag, " ".join(words[start:end])) for tag, _, _, start, end in spans if end > start]
    return " ".join(plain(new) if tag == "equal" else f":blue-background[{plain_line(new)}]" for tag, new in pieces)


def worth(right: Mapping[str, Sequence[float]], tokens: Mapping[str, float]) -> str:
    """Say which stage is worth its tokens: `right` has 1 for each right answer of a stage, in the order of questions.

    So few questions may mislead: a difference that the paired test does not show is said to be perhaps chance.
    """
    total = {name: sum(value == 1 for value in values) for name, values in right.items()}
    cheapest, number = min(total, key=lambda name: tokens[name]), len(next(iter(right.values())))
    best = max(total, key=lambda name: (total[name], -tokens[name]))
    facts = {"number": number, "right": total[best], "stage": best.capitalize(), "cheapest": cheapest.capitalize()}
    if len({*total.values()}) == 1:
        equal = _("On your questions ({number}) all stages are equal: {right} right.", **facts)
        price = _("{cheapest} costs least.", **facts)
        return f"{equal} {price}" if CHEAPER * tokens[cheapest] < sorted(tokens.values())[1] else equal
    first = next(iter(total))
    rival = first if first != best else max((name for name in total if name != best), key=total.__getitem__)
    facts |= {"other": rival.capitalize(), "less": total[rival], "times": f"{tokens[best] / max(1, tokens[rival]):.1f}"}
    words = N_(
        "On your {number} questions {stage} is worth it: {right} right of {number}, {other} {less}, at {times} times "
        "the tokens."
    )
    if best in (first, cheapest):
        words = N_("On your {number} questions {stage} is enough: {right} right of {number}, {other} {less}.")
    is_shown = paired_gain(rival, best, "correctness", right[rival], right[best]).verdict == "better"
    return _(words, **facts) + ("" if is_shown else " " + _("With so few, this may be chance."))


def _and(names: Iterable[str]) -> str:
    *first, last = [name.capitalize() for name in names] or [""]
    return _("{others} and {last}", others=", ".join(first), last=last) if first else last


# The reader's marks

MARKS = {1: N_("✓ right"), 0: N_("✗ wrong")}
FEWEST = 2  # questions of which something may be concluded
CHEAPER = 1.1  # times as many tokens of the next stage: less is no reason to choose one

Marked = dict[str, tuple[Rating, int]]  # by stage, with the tokens of the answer


def marked_questions(owner: str) -> list[Marked]:
    """Return what this session has marked of an owner's questions, a dictionary for each question."""
    marks = st.session_state.setdefault("marks", {})
    return [marked for (whose, *_question), marked in marks.items() if whose == owner and marked]


def offer_marks(comparison: Comparison, owner: str, group: tuple[str, ...]) -> None:
    """Draw the buttons of a card; a mark counts for every stage on it."""
    question = owner, comparison.question, comparison.history
    marked: Marked = st.session_state.setdefault("marks", {}).setdefault(question, {})
    key = f"mark-{hash(question)}-{'-'.join(group)}"

    def mark() -> None:
        for name in group:
            marked.pop(name, None)
            if (choice := st.session_state[key]) is not None:
                answer, history = comparison.answers[name], [text for _role, text in comparison.history]
                marked[name] = Rating.of(answer, bool(choice), history=history), answer.trace.tokens

    st.segmented_control(
        _("Is the answer of {stage} right?", stage=group[0].capitalize()),
        MARKS,
        format_func=lambda mark: _(MARKS[mark]),
        default=int(marked[group[0]][0].is_good) if group[0] in marked else None,
        key=key,
        on_change=mark,
        label_visibility="collapsed",
    )


def show_marks(owner: str) -> bool:
    """Show the count, and what it comes to; True if the marks are to become a question set."""
    if not (marked := marked_questions(owner)):
        return False
    names = dict.fromkeys(name for stages in marked for name in stages)
    right = {name: [float(stages[name][0].is_good) for stages in marked if name in stages] for name in names}
    counts = ", ".join(f"{name.capitalize()} {sum(rows):.0f} / {len(rows)}" for name, rows in right.items())
    sentences = [_("Marked as right: {counts}.", counts=counts)]
    right = {name: rows for name, rows in right.items() if len(rows) == len(marked)}
    if len(marked) >= FEWEST and len(right) > 1:
        sentences.append(worth(right, {name: sum(stages[name][1] for stages in marked) for name in right}))
    with st.container(horizontal=True, vertical_alignment="center", key="marks"):
        st.markdown(plain(" ".join(sentences)))
        return st.button(_("Make a question set of them"), on_click=take_over, args=(marked,))


def take_over(marked: Sequence[Marked]) -> None:
    """Write the questions into the field of the page Scoreboard, with the first answer that was marked right."""
    lines = []
    for stages in marked:
        ratings = [rating for rating, _tokens in stages.values()]
        bare = {"question": ratings[0].question, "history": list(ratings[0].history)}
        lines += question_lines(ratings).splitlines()[:1] or [json.dumps(bare, ensure_ascii=False)]
    st.session_state["own-text"] = "\n".join(lines)
    st.session_state["question-set"] = "own"


# Where each passage ranked

NAME_WIDTH = 32  # columns of a passage's name in the table
MAX_ROWS, ROW_HEIGHT = 10, 35  # of the table that are seen at once; pixels
HOW_TO_READ = N_("Choose a row to open its passage. ↑ ↓ count the ranks gained or lost, ★ marks the evidence.")


def show_ranks(comparison: Comparison) -> None:
    """Draw the table; a click on a row opens its passage."""
    answers, alignment = list(comparison.answers.values()), comparison.alignment
    if not (passages := sorted(alignment.passages, key=lambda passage: not passage.evidence)):
        return
    st.header(_("Where each passage ranked"), anchor=False)
    st.caption(_(HOW_TO_READ))
    opened = st.session_state.setdefault("opened", 0)  # a new key for each passage, so that none stays selected
    table, names = f"table-{opened}", [name.capitalize() for name in comparison.answers]
    chunks = [_best_words(passage, answers, alignment.evidence) for passage in passages]

    def choose() -> None:
        if rows := st.session_state[table].selection.rows:
            st.session_state.update(passage=int(rows[0]), opened=opened + 1)

    st.dataframe(
        [_row(passage, names, *chunk[1:]) for passage, chunk in zip(passages, chunks, strict=True)],
        hide_index=True,
        height=ROW_HEIGHT * (1 + min(len(chunks), MAX_ROWS)) + 2,
        column_config={_("Passage"): st.column_config.Column(pinned=True, width=230)}
        | dict.fromkeys(names, st.column_config.Column(width=80)),
        key=table,
        on_select=choose,
        selection_mode="single-row",
        alt=_("The rank of each passage in every stage, and its words that matter"),
    )
    for evidence in alignment.missed:
        st.caption(_("No stage found {passage}", passage=evidence_line(evidence)))
    if (number := st.session_state.pop("passage", len(chunks))) < len(chunks):
        answer, document, words = chunks[number]
        open_passage(answer, document, [words] if words else [])


def _best_words(
    passage: Passage, answers: Sequence[Answer], evidence: Sequence[Evidence]
) -> tuple[Answer, RetrievedDocument, str]:
    """Return the last answer that found a passage, its chunk, and words of it; "" if none of them matter.

    They are those of the evidence, or else what an answer cites, or the sentence nearest to the question.
    """
    cells = [(answer, cell) for answer, cell in zip(answers, passage.cells, strict=True) if cell]
    answer, cell = next((pair for pair in reversed(cells) if pair[1].evidence), cells[-1])
    document = ranking(answer)[cell.ranks[0] - 1]
    quotes = [row.quote for number in passage.evidence for row in evidence[number].passages]
    quotes += [row.quote for row in answer.citations if row.chunk_id == document.id]
    nearest = best_quote(standalone(answer.trace, answer.question), document.content)
    words = next(filter(None, (around(quote, document.content)[1] for quote in quotes)), nearest)
    return answer, document, " ".join(words.split()).lstrip("#| ")


def _row(passage: Passage, names: Sequence[str], document: RetrievedDocument, words: str) -> dict[str, str]:
    stars = ["★ " if cell and cell.evidence else "" for cell in passage.cells]
    ranks = [rank.replace("new", _("new")).replace("gone", _("gone")) for rank in passage.ranks]
    by_stage = dict(zip(names, (star + (rank or "–") for star, rank in zip(stars, ranks, strict=True)), strict=True))
    name = shortened(document.source.rpartition("/")[2] + page_of(*document.pages(words)), NAME_WIDTH)
    beginning = f"{passage.start.rpartition(' ')[0] or passage.start} …"
    return {_("Passage"): name, **by_stage, _("Matching sentence"): words or beginning}
