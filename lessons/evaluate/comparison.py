"""One question answered by several stages, side by side: the answers, the chunks that each retrieved, the traces.

Stages cut documents into different chunks. Two chunks of one file stand in the same row if more than half of the
shorter one is in the other; chunks that one stage found apart are not joined on their own account.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.metrics import hits, ranking
from lessons.rag.answer import Answer
from lessons.rag.stages import changed, stages
from lessons.rag.types import RetrievedDocument
from lessons.tables import html_table
from lessons.trace import Step, Trace

_SHINGLE = 4  # words in a row, of which two chunks hold the same
_START = 80  # characters of a chunk by which a reader knows it again


@dataclass(frozen=True)
class Comparison:
    """A question, what was said before it, and the answers by stage; `problems` says why a stage has none.

    `limits` names the owner, the file and the filter within which was searched. `golden` is what is known about it.
    """

    question: str
    answers: dict[str, Answer]
    problems: dict[str, str]
    history: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, str], ...] = ()
    golden: Golden | None = None

    @property
    def alignment(self) -> "Alignment":
        """What the stages retrieved, place by place, with the evidence if it is known."""
        return align(list(self.answers.values()), self.golden.evidence if self.golden else ())


def what_changes(name: str) -> str:
    """The one-line difference of a stage to the one before it in the course."""
    taught = list(stages().values())
    number = list(stages()).index(name)
    if number == 0:
        return "The first stage"
    return f"{taught[number - 1].name.capitalize()} with another {', '.join(changed(*taught[number - 1 : number + 1]))}"


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
    def name(self) -> str:
        return f"{self.source_file}{f', p. {self.page}' if self.page else ''}"

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

    def _repr_html_(self) -> str:
        rows = [[f"{'★ ' if place.evidence else ''}{place.name}: {place.start}", *place.told] for place in self.places]
        return html_table(["★ holds evidence" if self.evidence else "", *self.stages], rows)


def align(answers: Sequence[Answer], evidence: Sequence[Evidence] = ()) -> Alignment:
    """What the answers retrieved, place by place. Every rank of every stage is in exactly one cell of its column."""
    found = [ranking(answer) for answer in answers]
    places = [_place(group, found, evidence) for group in _groups(found)]
    ordered = sorted(places, key=lambda place: [cell.ranks[0] if cell else 10**6 for cell in reversed(place.cells)])
    return Alignment(tuple(answer.stage for answer in answers), tuple(ordered), tuple(evidence))


def change(before: int | None, now: int | None) -> str:
    """How a rank moved from one stage to the next: ↑3 (better by three), ↓2, =, new, gone, or nothing for neither."""
    if before is None or now is None:
        return "" if before == now else "new" if before is None else "gone"
    return "=" if before == now else f"↑{before - now}" if now < before else f"↓{now - before}"


def _groups(found: Sequence[Sequence[RetrievedDocument]]) -> list[list[RetrievedDocument]]:
    """The chunks that stand at one place, each id once."""
    chunks = list({document.id: document for documents in found for document in documents}.values())
    apart = [{document.id for document in documents} for documents in found]
    groups: list[list[RetrievedDocument]] = []
    for chunk in chunks:
        joined = [group for group in groups if any(_one_place(chunk, each, apart) for each in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(each for group in joined for each in group), chunk])
    return groups


def _one_place(one: RetrievedDocument, other: RetrievedDocument, apart: Sequence[set[str]]) -> bool:
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
    ids = {chunk.id for chunk in group}
    first = min(group, key=lambda chunk: (chunk.page or 0, -len(chunk.content), chunk.id))
    cells = tuple(_cell(ids, documents, evidence) for documents in found)
    return Place(first.source, first.page, " ".join(first.content.split())[:_START], cells)


def _cell(ids: set[str], documents: Sequence[RetrievedDocument], evidence: Sequence[Evidence]) -> Cell | None:
    here = [(rank, document) for rank, document in enumerate(documents, start=1) if document.id in ids]
    covered = set[int]().union(*hits([document for _, document in here], evidence))
    return Cell(tuple(rank for rank, _ in here), tuple(sorted(covered))) if here else None


# How long it took


@dataclass(frozen=True)
class Bar:
    """A step on the timeline. Times are milliseconds from the first step, cost US dollars; steps within one lie deeper.

    `said` are the queries that the step made, and its notes.
    """

    name: str
    depth: int
    start: float
    ms: float
    llm_calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    said: tuple[str, ...] = ()

    @property
    def end(self) -> float:
        return self.start + self.ms


def timeline(trace: Trace) -> list[Bar]:
    """The steps in the order in which they began, each followed by those within it. Steps do not overlap."""
    return list(_bars(trace.steps, 0.0, 0))


def summary(trace: Trace) -> str:
    """What an answer took in all, in one line."""
    calls = f"{trace.llm_calls} model call{'' if trace.llm_calls == 1 else 's'}"
    return f"{trace.ms:,.0f} ms, {calls}, {trace.tokens:,} tokens, ${trace.cost:.4f}"


def _bars(steps: Sequence[Step], start: float, depth: int) -> Iterator[Bar]:
    for step in steps:
        used = step.llm_calls, step.tokens_in, step.tokens_out, step.cost
        yield Bar(step.name, depth, start, step.ms, *used, said=tuple(_said(step)))
        yield from _bars(step.parts, start, depth + 1)
        start += step.ms


def _said(step: Step) -> list[str]:
    """The queries that a step made of those it was given, and what it noted, such as the search of an agent."""
    made = step.output if isinstance(step.output, list) and step.output != step.input else []
    queries = [query for query in made if isinstance(query, str)]
    return [*([f"→ {' · '.join(queries)}"] if queries else []), *step.notes]
