"""Pictures of one question: what a model is sent, which search found what, what a turn costs."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.copilot.copilot import Layout
from lessons.copilot.cost import CostModel
from lessons.evaluate.golden import Golden
from lessons.evaluate.metrics import hits
from lessons.evaluate.plots import canvas, legend_beside, name_rows, shortened, stage_colour, wrapped
from lessons.language import _
from lessons.plan import FittedPart
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.settings import ROOT
from lessons.text.sources import page_label
from lessons.trace import Step

PART_COLOURS = {
    "system prompt": "#79706e",
    "context": "#4c78a8",
    "documents": "#4c78a8",
    "memory": "#b279a2",
    "profile": "#b279a2",
    "long-term": "#ff9da6",
    "history": "#f58518",
    "question": "#54a24b",
    "answer": "#bab0ac",
}
_LABEL_WIDTH = 30  # columns of a line
_NARROWEST = 0.05  # of the width, of a part that has its number written in it
_DARK = {"system prompt", "context", "documents"}  # parts on which white is read better than black


def plot_budget(budgets: Mapping[str, Sequence[FittedPart]], total: int | Mapping[str, int]) -> Figure:
    """Draw a bar for each budget, its parts side by side; what was left out is hatched, and a line marks the total.

    The total may be a mapping of each budget to its own.
    """
    figure, axes = canvas(7.5, 0.7 * len(budgets) + 1.6)
    width = max((sum(piece.tokens + piece.dropped for piece in pieces) for pieces in budgets.values()), default=1)
    for row, pieces in enumerate(budgets.values()):
        left = 0
        for piece in pieces:
            bar = axes.barh(row, piece.tokens, left=left, color=PART_COLOURS[piece.name])
            if piece.tokens > _NARROWEST * width:
                ink = "white" if piece.name in _DARK else "black"
                axes.bar_label(bar, [f"{piece.tokens:,}"], label_type="center", fontsize=8, color=ink)
            left += piece.tokens
        for piece in pieces:
            edge = PART_COLOURS[piece.name]
            axes.barh(row, piece.dropped, left=left, color="white", edgecolor=edge, hatch="///")
            left += piece.dropped
    if isinstance(total, Mapping):
        for row, name in enumerate(budgets):
            axes.plot([total[name]] * 2, [row - 0.4, row + 0.4], color="black", linewidth=1)
        width = max(width, *total.values())
    elif total <= 1.5 * width:
        axes.axvline(total, color="black", linewidth=1)
        width = max(total, width)
    axes.set_xlim(0, 1.02 * width)
    name_rows(axes, [wrapped(name, _LABEL_WIDTH) for name in budgets])
    limits = "tokens (line: the limit); hatched: left out"
    xlabel = limits if isinstance(total, Mapping) else f"tokens (of {total:,}); hatched: left out"
    axes.set(xlabel=xlabel, title="What a model is sent")
    names = {piece.name for pieces in budgets.values() for piece in pieces if piece.tokens or piece.dropped}
    for name, colour in PART_COLOURS.items():
        if name in names:
            axes.plot([], [], "s", color=colour, label=name)
    legend_beside(axes, fontsize=8)
    return figure


_QUERY = 22  # columns of a line of a query
_LINES = 4  # of a query
_FILE = 38  # columns of a file's name


def plot_searches(answer: Answer) -> Figure:
    """Draw the rank in each search (the columns) of each document of the context (the rows); cited ones are filled."""
    searches = [step for step in answer.trace if isinstance(step.input, dict) and isinstance(step.output, list)]
    documents = answer.context.documents
    cited = {citation.chunk_id for citation in answer.citations}
    figure, axes = canvas(2.6 + 1.7 * max(1, len(searches)), 1.8 + 0.34 * len(documents))
    colour = stage_colour(answer.stage)
    for column, step in enumerate(searches):
        ranks = {document.id: str(rank) for rank, document in enumerate(step.output, start=1)}
        for row, document in enumerate(documents):
            if rank := ranks.get(document.id):
                ground, ink = (colour, "white") if document.id in cited else ("white", "black")
                axes.scatter(column, row, s=260, facecolor=ground, edgecolor=colour)
                axes.text(column, row, rank, ha="center", va="center", size=8, color=ink)
    name_rows(axes, _names(documents))
    axes.tick_params(labelsize=8)
    axes.set_xticks(range(len(searches)), [_query(step) for step in searches])
    axes.xaxis.tick_top()
    axes.set_xlim(-0.6, max(1, len(searches)) - 0.4)
    axes.set_xlabel("place in the list of each search; filled: cited in the answer")
    return figure


def _names(documents: Sequence[RetrievedDocument]) -> list[str]:
    """Name each document by file and page; number chunks of one page."""
    names = [shortened(document.source, _FILE) + page_label(*document.pages()) for document in documents]
    return [
        f"{name} ({1 + names[:row].count(name)})" if names.count(name) > 1 else name for row, name in enumerate(names)
    ]


def _query(step: Step) -> str:
    lines = wrapped(" in ".join(map(str, step.input.values())), _QUERY).splitlines()
    return "\n".join([*lines[: _LINES - 1], "…"] if len(lines) > _LINES else lines)


def plot_fusion(documents: Sequence[RetrievedDocument], question: Golden) -> Figure:
    """Draw each chunk of a hybrid search by its two scores, larger the better it ranks, with evidence coloured."""
    figure, axes = canvas(6.5, 4.5)
    # A chunk that one search did not find stands at the edge.
    lowest = {leg: min((d.legs[leg] for d in documents if leg in d.legs), default=0.0) for leg in ("meaning", "words")}
    pairs = list(zip(documents, hits(documents, question.evidence), strict=True))
    for label, colour, is_hit in (("other chunk", "#bab0ac", False), ("holds evidence", stage_colour("smart"), True)):
        group = [document for document, evidence in pairs if bool(evidence) is is_hit]
        x, y = ([document.legs.get(leg, low) for document in group] for leg, low in lowest.items())
        axes.scatter(x, y, s=[15 + 120 * document.score**2 for document in group], color=colour, label=label)
    axes.set(xlabel="vector search: cosine above its language's average", ylabel="keyword search: BM25 score")
    axes.set_title("What the two searches say of each chunk")
    axes.legend(frameon=False)
    return figure


NAMES = {"retrieval": "retrieval and judging", "answer": "answers", "update": "memory updates"}


def plot_layout(layout: Layout) -> Figure:
    """Draw each part of the prompt: the pale bar is what it may take, the dark one what it takes."""
    figure, axes = canvas(6, 3)
    plan = layout.plan
    for part in plan.pieces:
        axes.barh(_(part.name), part.limit, color="#4c78a8", alpha=0.25)
        axes.barh(_(part.name), part.tokens, color="#4c78a8")
    axes.invert_yaxis()
    title = f"{plan.tokens:,} of {plan.room:,} tokens, in the order in which they are sent"
    axes.set(xlabel="tokens (estimate)", title=title)
    return figure


def plot_monthly(model: CostModel, sessions_a_day: int, turns: Sequence[int]) -> Figure:
    """Draw the monthly cost by the length of a session, part upon part."""
    figure, axes = canvas(6, 3.2)
    costs = [model.monthly(sessions_a_day, count) for count in turns]
    parts = [[cost[name] for cost in costs] for name in NAMES]
    axes.stackplot(turns, parts, labels=NAMES.values(), colors=["#4c78a8", "#54a24b", "#f58518"], alpha=0.85)
    axes.set(xlabel="turns in a session", ylabel="US dollars a month", title=f"{sessions_a_day:,} sessions a day")
    axes.legend(loc="upper left", frameon=False)
    return figure


TEXTS = ROOT / "data" / "context" / "token_texts.json"  # by kind


def plot_token_error(counts: DataFrame) -> Figure:
    """Draw the error of each estimate; a row has the `kind` of a text, its tokens `estimated` and the `exact` ones.

    The bar is the error of all texts of a kind together.
    """
    kinds = counts.groupby("kind", sort=False)
    figure, axes = canvas(6, 0.6 * len(kinds) + 1.4)
    for row, (_kind, texts) in enumerate(kinds):
        axes.barh(row, 100 * (texts.estimated.sum() / texts.exact.sum() - 1), color="#4c78a8", alpha=0.4)
        axes.scatter(100 * (texts.estimated / texts.exact - 1), [row] * len(texts), color="#4c78a8", zorder=2)
    name_rows(axes, [_(kind) for kind in kinds.groups])
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("estimated against exact tokens (%): too few on the left, too many on the right")
    axes.set_title("How far the token estimate is off")
    return figure
