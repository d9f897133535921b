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


def what_changes(name: str) -> str:
    """Describe in one line how a stage differs from the one before it in the course."""
    for previous, stage in pairwise(stages().values()):
        if stage.name == name:
            return f"{previous.name.capitalize()} with another {', '.join(changed(previous, stage))}"
    return "The first stage"


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


# As a file


def as_markdown(comparison: Comparison) -> str:
    """Write question, answers, retrieved chunks and traces under headings; no text in them becomes markup."""
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
        yield _list(map(_quoted, golden.evidence))
    yield "## Answers"
    for name in [*comparison.answers, *comparison.problems]:
        yield f"### {plain_line(name.capitalize())}"
        yield f"*{plain_line(what_changes(name))}*" if name in stages() else ""
        yield from (
            [plain(comparison.problems[name])] if name in comparison.problems else _text(comparison.answers[name])
        )
    if (alignment := comparison.alignment).passages:
        yield from _chunks(alignment)
    if comparison.answers:
        yield "## Traces"
    for name, answer in comparison.answers.items():
        yield f"### {plain_line(name.capitalize())}: {plain_line(summary(answer.trace))}"
        head = ["step", "ms", "model calls", "tokens in", "tokens out", "cost ($)", "queries and notes"]
        yield markdown_table(head, _steps(answer.trace.steps))


def _text(answer: Answer) -> Iterator[str]:
    yield plain(answer.text)
    yield from (f"Warning: {plain(warning)}" for warning in answer.warnings)
    yield _list(plain_line(str(citation)) for citation in answer.citations)
    yield plain_line(answer.answered_by)


def _chunks(alignment: Alignment) -> Iterator[str]:
    yield "## Retrieved chunks"
    stars = " ★ holds evidence." if alignment.evidence else ""
    yield f"The rank in each stage, and the change to the stage before it.{stars}"
    rows = []
    for passage in alignment.passages:
        marks = ["★ " if cell and cell.evidence else "" for cell in passage.cells]
        name = f"{passage.source_file}{_page(passage.page)}: {passage.start}"
        rows.append([name, *map("".join, zip(marks, passage.ranks, strict=True))])
    yield markdown_table(["place", *alignment.stages], rows)
    if alignment.missed:
        yield "Evidence that no stage found:"
        yield _list(map(_quoted, alignment.missed))


def summary(trace: Trace) -> str:
    """Sum up in one line what an answer took."""
    return f"{trace.ms:,.0f} ms, {counted(trace.llm_calls, 'model call')}, {trace.tokens:,} tokens, {money(trace.cost)}"


def _steps(steps: Sequence[Step], depth: int = 0) -> Iterator[list[str]]:
    """Yield a row for each step with the queries that it made, followed by the steps within it."""
    for step in steps:
        output = step.output if isinstance(step.output, list) and step.output != step.input else []
        queries = " · ".join(query for query in output if isinstance(query, str))
        notes = [f"→ {queries}", *step.notes] if queries else step.notes
        usage = [f"{step.ms:.1f}", str(step.llm_calls), str(step.tokens_in), str(step.tokens_out), f"{step.cost:.6f}"]
        yield ["– " * depth + step.name, *usage, " ".join(notes)]
        yield from _steps(step.parts, depth + 1)


def _quoted(evidence: Evidence) -> str:
    quote = f": “{evidence.quote}”" if evidence.quote else ""
    return plain_line(f"{evidence.source_file}{_page(evidence.page)}{quote}")


def _page(page: int | None) -> str:
    return f", p. {page}" if page else ""


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
