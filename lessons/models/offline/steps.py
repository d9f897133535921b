"""How the keyless model tells a procedure: every step of a section in its order, with its headings and citations."""

from collections.abc import Collection
from itertools import groupby
from typing import Any

from lessons.models.offline.answer import answer, cite
from lessons.models.offline.passages import Passage, is_ended, passages
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.score import Candidate, commands
from lessons.models.offline.tasks import task

MOST = 40  # lines


@task("steps")
def steps(llm: Any, question: str, context: str, count: int, headings: Collection[str] = (), **more: Any) -> str:
    """The steps in the first `count` documents, under these headings if there are any; else an answer as usual."""
    asked, found = read_question(question), passages(context)[:count]
    told = [line for one in found for line in _told(asked, one, headings)]
    told = told or [line for one in found for line in _told(asked, one, ())]
    return "\n".join(told[:MOST]) or answer(llm, question, context, **more)


def _told(asked: Question, found: Passage, headings: Collection[str]) -> list[str]:
    places = [place for place, line in enumerate(found.lines) if line.kind != "heading" and not commands(line)]
    told: list[str] = []
    for heading, group in groupby(places, key=lambda place: found.lines[place].heading):
        if headings and heading not in headings:
            continue
        said = _lines(asked, found, list(group))
        told += [f"{heading.rstrip(':')}:", *said] if heading and said else said
    return told


def _lines(asked: Question, found: Passage, places: list[int]) -> list[str]:
    """The numbered items under a heading, each with the sentences behind it; without items, the sentences."""
    kinds = [found.lines[place].kind for place in places]
    begin = kinds.index("item") if kinds.count("item") > 1 else 0
    told: list[str] = []
    for place in places[begin:]:
        line = found.lines[place]
        said = cite(asked, Candidate(line, found, place, (), 0.0), titled=False)
        if told and line.kind != "item" and "item" in kinds and is_ended(line.text):
            told[-1] = f"{told[-1]} {said}"
        elif line.kind == "item" or is_ended(line.text):
            told.append(said)
    return told
