"""How the keyless model answers: sentences taken from the given documents, each with its citation."""

import re
from typing import Any

from lessons.models.offline.asking_back import asks_back
from lessons.models.offline.choose import Choice, choose
from lessons.models.offline.columns import asked_cells, row_cells
from lessons.models.offline.passages import Line, cells, passages
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.recall import recalled
from lessons.models.offline.score import Candidate
from lessons.models.offline.tasks import task
from lessons.text import language

NOTHING_FOUND = {
    "en": "Nothing was found in the documents for this question.",
    "ko": "이 질문과 관련된 내용을 문서에서 찾지 못했습니다.",
}
"""What is said when there is no document at all."""

NOT_FOUND = {
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}

_CITED = re.compile(r"\s?\[\d+\]")
_LEAD = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+\s+|[QA]\d*[.:]\s+)")

_NUMBERED = re.compile(r"^\(?\d{1,2}[.)]\s+")


"""What is said when there are documents and they do not answer."""

NOT_SAID = {
    "en": "The documents do not say: “{}”.",
    "ko": "“{}”에 대한 답은 문서에 나와 있지 않습니다.",
}
"""What is said of one part of a question when the others are answered."""


@task("answer")
def answer(llm: Any, question: str, context: str = "", memory: str = "", **_: Any) -> str:
    """A few sentences of the context with their citations, steps in full, or one of the two sentences of refusal.

    A question about what was said is answered from the memory of the conversation.
    """
    if remembered := recalled(question, memory):
        return remembered
    if asks_back(question):
        return NOT_FOUND[language(question)]
    asked, found = read_question(question), passages(context)
    if not found:
        return NOTHING_FOUND[asked.language]
    choice = choose(asked, found, llm.embedding) if asked.units else Choice()
    if not choice.lines:
        return NOT_FOUND[asked.language]
    steps = [candidate for candidate in choice.lines if candidate.line.kind == "item"]
    separator = "\n" if len(steps) > 1 else " "
    several = len({candidate.passage.number for candidate in choice.lines}) > 1
    said = dict.fromkeys(cite(asked, candidate, several) for candidate in choice.lines)
    return separator.join([*said, *(_not_said(asked.language, part) for part in choice.missing)])


def _not_said(language: str, part: str) -> str:
    return NOT_SAID[language].format(re.sub("[“”]", '"', part))


def cite(question: Question, candidate: Candidate, titled: bool) -> str:
    """The line's own words with its citation before the full stop; a table row with the cells above it.

    Next to lines of other documents (`titled`) it stands after its document's title, which often holds its subject.
    """
    line, name = candidate.line, candidate.passage.name
    text = _row(question, line) if line.kind == "row" else _LEAD.sub("", line.text)
    if titled and name and name not in text:
        text = f"{name}: {_NUMBERED.sub('', text)}"
    text = _CITED.sub("", " ".join(text.split()))
    number = candidate.passage.number
    if not number:
        return text
    body = text.rstrip(".!?。！？…:;, ")
    end = text[len(body) :].strip()
    return f"{body} [{number}]{end or '.'}"


def _row(question: Question, line: Line) -> str:
    """The label of a row and the asked cells, each behind the name of its column."""
    label, *rest = asked_cells(question, line) or row_cells(line) or (("", ""),)
    if not rest:
        return ", ".join(cell for cell in cells(line.text) if cell)
    if len(rest) + 1 < len(line.header):
        return ", ".join([label[1], *(f"{name}: {cell}" for name, cell in rest if cell)])
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in (label, *rest) if cell)
