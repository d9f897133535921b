"""Asking several stages at once. What is done is kept at once: a page that is left has not paid for nothing."""

from collections.abc import Mapping

from streamlit.delta_generator import DeltaGenerator

from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison
from lessons.pages.asked import Asked, Line, golden_named
from lessons.pages.common import answering, plain
from lessons.pages.limits import allow_questions
from lessons.pages.streaming import Outcome, answers_of
from lessons.rag.stages import AnswerStream, cleaned, stages
from lessons.search.filter_text import parse_filter


def begin(asked: Asked, owner: str) -> tuple[Comparison, dict[str, AnswerStream]]:
    """The comparison, still empty, and the answers to come; LessonsError for what cannot be asked, or not yet.

    A stage that cannot even begin is among the problems of the comparison.
    """
    question, _ = cleaned(asked.question)
    filters = parse_filter(asked.filter_text) if asked.filter_text.strip() else None
    allow_questions(owner, len(asked.stages))
    limits = {"owner": owner, "file": asked.source_file or "", "filter": asked.filter_text}
    compared = Comparison(
        question,
        answers={},
        problems={},
        history=tuple((_speaker(line), line.content) for line in asked.before),
        limits=tuple((name, value) for name, value in limits.items() if value),
        golden=golden_named(asked.golden),
    )
    streams: dict[str, AnswerStream] = {}
    for name in asked.stages:
        try:
            streams[name] = answering(stages()[name]).stream(
                question, user=owner, source_file=asked.source_file, filters=filters, history=asked.history(name)
            )
        except LessonsError as error:
            compared.problems[name] = str(error)
    return compared, streams


def run(compared: Comparison, streams: Mapping[str, AnswerStream], cells: Mapping[str, DeltaGenerator]) -> None:
    """Stream the answers into their cells, all at once, and fill the comparison as each is done."""
    places = {name: cell.empty() for name, cell in cells.items()}
    for name in places:
        places[name].caption("Thinking …")
    for name, problem in compared.problems.items():
        places[name].error(plain(problem))
    names = list(streams)

    def done(number: int, outcome: Outcome) -> None:
        if isinstance(outcome, LessonsError):
            compared.problems[names[number]] = str(outcome)
            places[names[number]].error(plain(str(outcome)))
        else:
            compared.answers[names[number]] = outcome
            places[names[number]].markdown(plain(str(outcome)))

    answers_of(
        list(streams.values()),
        lambda number, text: text and places[names[number]].markdown(plain(text)),
        done,
    )


def follow_up(asked: Asked, compared: Comparison) -> tuple[Line, ...]:
    """The conversation that a question after these answers goes on with: each stage remembers its own answer."""
    answers = compared.answers
    said = [Line("assistant", answers[name].text, name) for name in asked.stages if name in answers]
    return (*asked.before, Line("user", compared.question), *said)


def _speaker(line: Line) -> str:
    return f"{line.stage}, {line.role}" if line.stage else line.role
