"""How the keyless model answers: sentences taken from the given documents, each with its citation."""

import re
from typing import Any

from lessons.models.offline_choose import choose
from lessons.models.offline_passages import Line, cells, passages
from lessons.models.offline_question import read_question
from lessons.models.offline_score import Candidate
from lessons.models.offline_tasks import task

NOT_FOUND = {
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}

_CITED = re.compile(r"\s?\[\d+\]")
_LEAD = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+\s+|[QA]\d*[.:]\s+)")


@task("answer")
def answer(llm: Any, question: str, context: str = "", **_: Any) -> str:
    """One to three sentences of the context with their citations, steps in full, or NOT_FOUND."""
    asked, found = read_question(question), passages(context)
    chosen = choose(asked, found, llm.embedding) if asked.units else []
    if not chosen:
        return NOT_FOUND[asked.language]
    steps = [candidate for candidate in chosen if candidate.line.kind == "item"]
    separator = "\n" if len(steps) > 1 else " "
    several = len({candidate.passage.number for candidate in chosen}) > 1
    return separator.join(dict.fromkeys(cite(candidate, several) for candidate in chosen))


def cite(candidate: Candidate, titled: bool) -> str:
    """The line's own words with its citation before the full stop; a table row with the cells above it.

    Next to lines of other documents (`titled`) it stands after its document's title, which often holds its subject.
    """
    line, first = candidate.line, candidate.passage.lines[0]
    text = _row(line) if line.kind == "row" else _LEAD.sub("", line.text)
    if titled and first.kind == "heading" and first.text not in text:
        text = f"{_LEAD.sub('', first.text)}: {text}"
    text = _CITED.sub("", " ".join(text.split()))
    number = candidate.passage.number
    if not number:
        return text
    body = text.rstrip(".!?。！？…:;, ")
    end = text[len(body) :].strip()
    return f"{body} [{number}]{end or '.'}"


def _row(line: Line) -> str:
    row = cells(line.text)
    if len(row) != len(line.header):
        return ", ".join(cell for cell in row if cell)
    pairs = [(name, cell) for name, cell in zip(line.header, row, strict=True) if cell]
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs)
