"""A comparison as a Markdown file. What questions, documents and models say stays text: nothing of it is markup."""

from collections.abc import Iterator

from lessons.evaluate.comparison import Alignment, Comparison, summary, timeline, what_changes
from lessons.evaluate.golden import Evidence, Golden
from lessons.rag.answer import Answer
from lessons.rag.stages import stages
from lessons.tables import markdown_table, plain, plain_line
from lessons.trace import Trace

_STEPS = ["step", "ms", "model calls", "tokens in", "tokens out", "cost ($)", "queries and notes"]


def as_markdown(comparison: Comparison) -> str:
    """Question, answers with their citations, retrieved chunks and traces, each under a heading of its own."""
    parts = (_question, _answers, _chunks, _traces)
    return "\n\n".join(paragraph for part in parts for paragraph in part(comparison)) + "\n"


def _question(comparison: Comparison) -> Iterator[str]:
    yield f"# {plain_line(comparison.question)}"
    if comparison.limits:
        yield "\n".join(f"- {name}: {plain_line(value)}" for name, value in comparison.limits)
    if comparison.history:
        yield "## What was said before"
        yield "\n".join(f"- **{plain_line(role)}** {plain_line(content)}" for role, content in comparison.history)
    if comparison.golden:
        yield from _known(comparison.golden)


def _known(golden: Golden) -> Iterator[str]:
    yield f"## What is known: golden question {plain_line(golden.id)}"
    yield f"{golden.split}, {plain_line(golden.category)}. Expected: {plain(golden.answer) or 'an honest refusal'}"
    if golden.evidence:
        yield "\n".join(f"- {_passage(each)}" for each in golden.evidence)


def _answers(comparison: Comparison) -> Iterator[str]:
    yield "## Answers"
    for name in [*comparison.answers, *comparison.problems]:
        yield f"### {plain_line(name.capitalize())}"
        if name in stages():
            yield f"*{plain_line(what_changes(name))}*"
        if name in comparison.problems:
            yield plain(comparison.problems[name])
        else:
            yield from _answer(comparison.answers[name])


def _answer(answer: Answer) -> Iterator[str]:
    yield plain(answer.text)
    yield from (f"Warning: {plain(warning)}" for warning in answer.warnings)
    if answer.citations:
        yield "\n".join(f"- {plain_line(str(citation))}" for citation in answer.citations)
    yield plain_line(answer.answered_by)


def _chunks(comparison: Comparison) -> Iterator[str]:
    alignment = comparison.alignment
    if not alignment.places:
        return
    yield "## Retrieved chunks"
    stars = " ★ holds evidence." if alignment.evidence else ""
    yield f"The rank in each stage, and the change to the stage before it.{stars}"
    yield markdown_table(["place", *alignment.stages], _rows(alignment))
    if alignment.missed:
        yield "Evidence that no stage found:"
        yield "\n".join(f"- {_passage(each)}" for each in alignment.missed)


def _rows(alignment: Alignment) -> Iterator[list[str]]:
    for place in alignment.places:
        stars = ["★ " if cell and cell.evidence else "" for cell in place.cells]
        yield [f"{place.name}: {place.start}", *map("".join, zip(stars, place.told, strict=True))]


def _traces(comparison: Comparison) -> Iterator[str]:
    if comparison.answers:
        yield "## Traces"
    for name, answer in comparison.answers.items():
        yield f"### {plain_line(name.capitalize())}: {plain_line(summary(answer.trace))}"
        yield markdown_table(_STEPS, _steps(answer.trace))


def _steps(trace: Trace) -> Iterator[list[str]]:
    for bar in timeline(trace):
        used = [f"{bar.ms:.1f}", str(bar.llm_calls), str(bar.tokens_in), str(bar.tokens_out), f"{bar.cost:.6f}"]
        yield ["– " * bar.depth + bar.name, *used, " ".join(bar.said)]


def _passage(evidence: Evidence) -> str:
    page = f", p. {evidence.page}" if evidence.page else ""
    return plain_line(f"{evidence.source_file}{page}" + (f": “{evidence.quote}”" if evidence.quote else ""))
