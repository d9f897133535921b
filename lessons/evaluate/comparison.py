"""One question answered by several stages, side by side: the answers, the chunks that each retrieved, the traces."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.metrics import hits, ranking
from lessons.rag.answer import Answer
from lessons.rag.pipeline import changed
from lessons.rag.types import RetrievedDocument
from lessons.stages import stages
from lessons.tables import counted, markdown_table, money, plain, plain_line
from lessons.trace import Step, Trace

_SHINGLE = 4  # words in a row, of which two chunks hold the same
_START = 80  # characters of a chunk by which a reader knows it again


@dataclass(frozen=True)
class Comparison:
    """A question, what was said before it, and the answers by stage; `problems` says why a stage has none."""

    question: str
    answers: dict[str, Answer]
    problems: dict[str, str]
    history: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, str], ...] = ()  # the owner, the file and the filter within which was searched
    golden: Golden | None = None  # what is known about it

    @property
    def alignment(self) -> "Alignment":
        """What the stages retrieved, place by place, with the evidence if it is known."""
        return align(list(self.answers.values()), self.golden.evidence if self.golden else ())


def what_changes(name: str) -> str:
    """The one-line difference of a stage to the one before it in the course."""
    for before, after in pairwise(stages().values()):
        if after.name == name:
            return f"{before.name.capitalize()} with another {', '.join(changed(before, after))}"
    return "The first stage"


# What they retrieved


@dataclass(frozen=True)
class Cell:
    """The ranks, from 1, of a stage's chunks at a place, best first, and the numbers of the evidence they cover."""

    ranks: tuple[int, ...]
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True)
class Place:
    """A place in a document, with a cell for each stage: None if the stage found nothing there."""

    source_file: str
    page: int | None
    start: str
    cells: tuple[Cell | None, ...]

    @property
    def evidence(self) -> tuple[int, ...]:
        """The numbers of the evidence that any stage found here."""
        return tuple(sorted({number for cell in self.cells if cell for number in cell.evidence}))

    @property
    def told(self) -> list[str]:
        """For each stage its ranks here and the change to the stage before: `2 ↑3`, `4 new`, `gone`, or nothing."""
        first, *others = ["" if cell is None else ", ".join(map(str, cell.ranks)) for cell in self.cells]
        best = [None if cell is None else cell.ranks[0] for cell in self.cells]
        changes = [change(*pair) for pair in pairwise(best)]
        return [first, *(f"{ranks} {moved}".strip() for ranks, moved in zip(others, changes, strict=True))]


@dataclass(frozen=True)
class Alignment:
    """The places that the stages found, those of the last stage first, and the evidence that is known."""

    stages: tuple[str, ...]
    places: tuple[Place, ...]
    evidence: tuple[Evidence, ...] = ()

    @property
    def missed(self) -> list[Evidence]:
        """The evidence that no stage found."""
        found = {number for place in self.places for number in place.evidence}
        return [each for number, each in enumerate(self.evidence) if number not in found]


def align(answers: Sequence[Answer], evidence: Sequence[Evidence] = ()) -> Alignment:
    """What the answers retrieved, place by place. Every rank of every stage is in exactly one cell of its column."""
    found = [ranking(answer) for answer in answers]
    places = [_place(group, found, evidence) for group in _groups(found)]
    places.sort(key=lambda place: [cell.ranks[0] if cell else 10**6 for cell in reversed(place.cells)])
    return Alignment(tuple(answer.stage for answer in answers), tuple(places), tuple(evidence))


def change(before: int | None, now: int | None) -> str:
    """How a rank moved from one stage to the next: ↑3 (better by three), ↓2, =, new, gone, or nothing for neither."""
    if before is None or now is None:
        return "" if before == now else "new" if before is None else "gone"
    return "=" if before == now else f"↑{before - now}" if now < before else f"↓{now - before}"


def _groups(found: Sequence[Sequence[RetrievedDocument]]) -> list[list[RetrievedDocument]]:
    """The chunks, each id once, that stand at one place: more than half of the shorter one is in the other."""
    apart = [{document.id for document in documents} for documents in found]
    groups: list[list[RetrievedDocument]] = []
    for chunk in {document.id: document for documents in found for document in documents}.values():
        joined = [group for group in groups if any(_one_place(chunk, each, apart) for each in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*chain.from_iterable(joined), chunk])
    return groups


def _one_place(one: RetrievedDocument, other: RetrievedDocument, apart: Sequence[set[str]]) -> bool:
    """Two that one stage found apart are joined by a third at the most."""
    if one.source != other.source or any({one.id, other.id} <= ids for ids in apart):
        return False
    first, second = _shingles(one.content), _shingles(other.content)
    return 2 * len(first & second) > min(len(first), len(second))


@lru_cache(maxsize=512)
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = text.split()
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def _place(
    group: Sequence[RetrievedDocument], found: Sequence[Sequence[RetrievedDocument]], evidence: Sequence[Evidence]
) -> Place:
    ids, cells = {chunk.id for chunk in group}, list[Cell | None]()
    for documents in found:
        here = {rank: document for rank, document in enumerate(documents, start=1) if document.id in ids}
        covered = set[int]().union(*hits(list(here.values()), evidence))
        cells.append(Cell(tuple(here), tuple(sorted(covered))) if here else None)
    first = min(group, key=lambda chunk: (chunk.page or 0, -len(chunk.content), chunk.id))
    return Place(first.source, first.page, " ".join(first.content.split())[:_START], tuple(cells))


# As a file

_STEPS = ["step", "ms", "model calls", "tokens in", "tokens out", "cost ($)", "queries and notes"]


def as_markdown(comparison: Comparison) -> str:
    """Question, answers, retrieved chunks and traces under their headings; what anybody said in them is no markup."""
    return "\n\n".join(filter(None, _paragraphs(comparison))) + "\n"


def _paragraphs(comparison: Comparison) -> Iterator[str]:
    yield f"# {plain_line(comparison.question)}"
    yield _list(f"{name}: {plain_line(value)}" for name, value in comparison.limits)
    if comparison.history:
        yield "## What was said before"
        yield _list(f"**{plain_line(role)}** {plain_line(content)}" for role, content in comparison.history)
    if golden := comparison.golden:
        yield f"## What is known: golden question {plain_line(golden.id)}"
        yield f"{golden.split}, {plain_line(golden.category)}. Expected: {plain(golden.answer) or 'an honest refusal'}"
        yield _list(map(_passage, golden.evidence))
    yield "## Answers"
    yield from _answers(comparison)
    if (alignment := comparison.alignment).places:
        yield from _chunks(alignment)
    if comparison.answers:
        yield "## Traces"
    for name, answer in comparison.answers.items():
        yield f"### {plain_line(name.capitalize())}: {plain_line(summary(answer.trace))}"
        yield markdown_table(_STEPS, _steps(answer.trace.steps))


def _answers(comparison: Comparison) -> Iterator[str]:
    for name in [*comparison.answers, *comparison.problems]:
        yield f"### {plain_line(name.capitalize())}"
        if name in stages():
            yield f"*{plain_line(what_changes(name))}*"
        if name in comparison.problems:
            yield plain(comparison.problems[name])
            continue
        answer = comparison.answers[name]
        yield plain(answer.text)
        yield from (f"Warning: {plain(warning)}" for warning in answer.warnings)
        yield _list(plain_line(str(citation)) for citation in answer.citations)
        yield plain_line(answer.answered_by)


def _chunks(alignment: Alignment) -> Iterator[str]:
    yield "## Retrieved chunks"
    stars = " ★ holds evidence." if alignment.evidence else ""
    yield f"The rank in each stage, and the change to the stage before it.{stars}"
    rows = []
    for place in alignment.places:
        marks = ["★ " if cell and cell.evidence else "" for cell in place.cells]
        page = f", p. {place.page}" if place.page else ""
        rows.append([f"{place.source_file}{page}: {place.start}", *map("".join, zip(marks, place.told, strict=True))])
    yield markdown_table(["place", *alignment.stages], rows)
    if alignment.missed:
        yield "Evidence that no stage found:"
        yield _list(map(_passage, alignment.missed))


def summary(trace: Trace) -> str:
    """What an answer took in all, in one line."""
    return f"{trace.ms:,.0f} ms, {counted(trace.llm_calls, 'model call')}, {trace.tokens:,} tokens, {money(trace.cost)}"


def _steps(steps: Sequence[Step], depth: int = 0) -> Iterator[list[str]]:
    """A row for each step, followed by the steps within it, and the queries that it made unless it was given them."""
    for step in steps:
        made = step.output if isinstance(step.output, list) and step.output != step.input else []
        queries = " · ".join(query for query in made if isinstance(query, str))
        said = [f"→ {queries}", *step.notes] if queries else step.notes
        used = [f"{step.ms:.1f}", str(step.llm_calls), str(step.tokens_in), str(step.tokens_out), f"{step.cost:.6f}"]
        yield ["– " * depth + step.name, *used, " ".join(said)]
        yield from _steps(step.parts, depth + 1)


def _passage(evidence: Evidence) -> str:
    page = f", p. {evidence.page}" if evidence.page else ""
    return plain_line(f"{evidence.source_file}{page}" + (f": “{evidence.quote}”" if evidence.quote else ""))


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
