"""One question answered by several stages, side by side: the answers, the chunks that each retrieved, the traces."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.metrics import hits, ranking
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument
from lessons.tables import counted, markdown_table, money, plain, plain_line
from lessons.trace import Trace

_SHINGLE = 4  # words in a row, of which two chunks hold the same
_START = 80  # characters of a chunk by which a reader knows it again


@dataclass(frozen=True)
class Comparison:
    """A question with its conversation, and the answers by stage; `problems` says why a stage has none."""

    question: str
    answers: dict[str, Answer]
    problems: dict[str, str]
    history: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, str], ...] = ()  # the owner, the file and the filter within which was searched
    golden: Golden | None = None  # what is known about it

    @property
    def alignment(self) -> "Alignment":
        """What the stages retrieved, passage by passage, with the evidence if it is known."""
        return align(list(self.answers.values()), self.golden.evidence if self.golden else ())


# What they retrieved


@dataclass(frozen=True)
class Cell:
    """The ranks, from 1, of a stage's chunks of a passage, best first, and the numbers of the evidence they cover."""

    ranks: tuple[int, ...]
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A part of a document, with a cell for each stage: None if the stage retrieved nothing there."""

    source_file: str
    page: int | None
    start: str
    cells: tuple[Cell | None, ...]

    @property
    def evidence(self) -> tuple[int, ...]:
        """The numbers of the evidence that any stage found here."""
        return tuple(sorted({number for cell in self.cells if cell for number in cell.evidence}))

    @property
    def ranks(self) -> list[str]:
        """For each stage its ranks and the change to the stage before: `2 ↑3`, `4 new`, `gone`, or nothing."""
        first, *later = ["" if cell is None else ", ".join(map(str, cell.ranks)) for cell in self.cells]
        best = [None if cell is None else cell.ranks[0] for cell in self.cells]
        changes = [change(*pair) for pair in pairwise(best)]
        return [first, *(f"{ranks} {moved}".strip() for ranks, moved in zip(later, changes, strict=True))]


@dataclass(frozen=True)
class Alignment:
    """The passages that the stages retrieved, those of the last stage first, and the evidence that is known."""

    stages: tuple[str, ...]
    passages: tuple[Passage, ...]
    evidence: tuple[Evidence, ...] = ()

    @property
    def missed(self) -> list[Evidence]:
        """The evidence that no stage found."""
        numbers = {number for passage in self.passages for number in passage.evidence}
        return [fact for number, fact in enumerate(self.evidence) if number not in numbers]


def align(answers: Sequence[Answer], evidence: Sequence[Evidence] = ()) -> Alignment:
    """Align what the answers retrieved. Every rank of every stage is in exactly one cell of its column."""
    rankings = [ranking(answer) for answer in answers]
    passages = [_passage(group, rankings, evidence) for group in _groups(rankings)]
    passages.sort(key=lambda passage: [cell.ranks[0] if cell else 10**6 for cell in reversed(passage.cells)])
    return Alignment(tuple(answer.stage for answer in answers), tuple(passages), tuple(evidence))


def change(old: int | None, new: int | None) -> str:
    """Say how a rank moved: ↑3 (better by three), ↓2, =, new, gone, or nothing if it is in neither stage."""
    if old is None or new is None:
        return "" if old == new else "new" if old is None else "gone"
    return "=" if old == new else f"↑{old - new}" if new < old else f"↓{new - old}"


def _groups(rankings: Sequence[Sequence[RetrievedDocument]]) -> list[list[RetrievedDocument]]:
    """Group the chunks, each id once, that overlap: more than half of the shorter one is in the other."""
    separate = [{document.id for document in documents} for documents in rankings]
    groups: list[list[RetrievedDocument]] = []
    for chunk in {document.id: document for documents in rankings for document in documents}.values():
        joined = [group for group in groups if any(_overlap(chunk, member, separate) for member in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*chain.from_iterable(joined), chunk])
    return groups


def _overlap(first: RetrievedDocument, second: RetrievedDocument, separate: Sequence[set[str]]) -> bool:
    """Return whether two chunks overlap. Two that one stage retrieved separately are joined by a third at the most."""
    if first.source != second.source or any({first.id, second.id} <= ids for ids in separate):
        return False
    a, b = _shingles(first.content), _shingles(second.content)
    return 2 * len(a & b) > min(len(a), len(b))


@lru_cache(maxsize=512)
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = text.split()
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def _passage(
    group: Sequence[RetrievedDocument], rankings: Sequence[Sequence[RetrievedDocument]], evidence: Sequence[Evidence]
) -> Passage:
    ids, cells = {chunk.id for chunk in group}, list[Cell | None]()
    for documents in rankings:
        ranked = {rank: document for rank, document in enumerate(documents, start=1) if document.id in ids}
        covered = set[int]().union(*hits(list(ranked.values()), evidence))
        cells.append(Cell(tuple(ranked), tuple(sorted(covered))) if ranked else None)
    first = min(group, key=lambda chunk: (chunk.page or 0, -len(chunk.content), chunk.id))
    return Passage(first.source, first.page, " ".join(first.content.split())[:_START], tuple(cells))


def summary(trace: Trace) -> str:
    """Sum up in one line what an answer took."""
    return f"{trace.ms:,.0f} ms, {counted(trace.llm_calls, 'model call')}, {trace.tokens:,} tokens, {money(trace.cost)}"


def as_markdown(comparison: Comparison) -> str:
    """Write the question, the answers and the ranks of the passages; no text in them becomes markup."""
    paragraphs = [f"# {plain_line(comparison.question)}"]
    paragraphs += [f"- {plain_line(f'{name}: {value}')}" for name, value in [*comparison.limits, *comparison.history]]
    for name, problem in comparison.problems.items():
        paragraphs += [f"## {plain_line(name.capitalize())}", plain(problem)]
    for name, answer in comparison.answers.items():
        paragraphs += [f"## {plain_line(name.capitalize())}", plain(answer.text), *map(plain, answer.warnings)]
        paragraphs += [f"- {plain_line(str(citation))}" for citation in answer.citations]
        paragraphs.append(plain_line(f"{answer.answered_by}, {summary(answer.trace)}"))
    alignment = comparison.alignment
    rows = [
        [f"{passage.source_file}, {passage.page or '–'}: {passage.start}", *passage.ranks]
        for passage in alignment.passages
    ]
    paragraphs += ["## Ranks", markdown_table(["passage, page", *alignment.stages], rows)] if rows else []
    return "\n\n".join(paragraphs) + "\n"
