"""Which columns of a table row a question asks for: those under the quarters and years that it names."""

from lessons.models.offline.passages import Line, cells, quarters, search_terms, years
from lessons.models.offline.question import Question


def row_cells(line: Line) -> tuple[tuple[str, str], ...]:
    """The cells of a row with the names above them; empty where the names cannot be told apart."""
    row = cells(line.text)
    return tuple(zip(line.header, row, strict=True)) if len(row) == len(line.header) else ()


def asked_cells(question: Question, line: Line) -> tuple[tuple[str, str], ...]:
    """The label of a row, and its cells under the periods of the question.

    All cells where the question names no period or the columns stand for other things; none for other periods only.
    """
    pairs = row_cells(line)
    dated = [_moments(name) for name, _ in pairs]
    if sum(bool(moment) for moment in dated) < 2 or not _asked(question):
        return pairs
    wanted = _asked(question)
    kept = [pair for pair, moment in zip(pairs, dated, strict=True) if moment and _meets(moment, wanted)]
    return (pairs[0], *kept) if kept else ()


def is_other_period(question: Question, line: Line) -> bool:
    """Whether all columns of the row stand for periods that nobody asked for."""
    return line.kind == "row" and bool(row_cells(line)) and not asked_cells(question, line)


def _asked(question: Question) -> frozenset[str]:
    return frozenset().union(*(unit.keys for unit in question.units if unit.kind in ("year", "quarter")))


def _moments(text: str) -> frozenset[str]:
    words = search_terms(text)
    return years(words) | quarters(words)


def _meets(moment: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether nothing that the column says of its period contradicts the question."""
    said = ((years(moment), years(wanted)), (quarters(moment), quarters(wanted)))
    return all(not mine or not theirs or mine & theirs for mine, theirs in said)
