"""What several stages retrieved, side by side: a row for each place in a document, a column of ranks for each stage.

Stages cut documents into different chunks. Two chunks of one file stand in the same row if more than half of the
shorter one is in the other; chunks that one stage found apart are not joined on their own account.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lessons.evaluate.golden import Evidence
from lessons.evaluate.ranking import ranking
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.tables import html_table

_SHINGLE = 4  # words in a row, of which two chunks hold the same
_START = 80  # characters of a chunk by which a reader knows it again


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
    ids, first = (
        {chunk.id for chunk in group},
        min(group, key=lambda chunk: (chunk.page or 0, -len(chunk.content), chunk.id)),
    )
    cells = tuple(_cell(ids, documents, evidence) for documents in found)
    return Place(first.source, first.page, " ".join(first.content.split())[:_START], cells)


def _cell(ids: set[str], documents: Sequence[RetrievedDocument], evidence: Sequence[Evidence]) -> Cell | None:
    here = [(rank, document) for rank, document in enumerate(documents, start=1) if document.id in ids]
    covered = {
        number
        for number, each in enumerate(evidence)
        if any(each.covered_by(document.source, document.content) for _, document in here)
    }
    return Cell(tuple(rank for rank, _ in here), tuple(sorted(covered))) if here else None
