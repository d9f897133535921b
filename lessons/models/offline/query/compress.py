"""How the keyless model makes a follow-up stand alone: it carries the missing subject over from what was said.

A fragment ('And in Q2?') is put into the place of its kind in an earlier question; a whole question that points back
('how do I undo that?') gets that question's subject in front of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lessons.models.offline.asking_back import asks_back
from lessons.models.offline.query.calendar import moved, written
from lessons.models.offline.query.fill import END, WITHIN_A_YEAR, filled
from lessons.models.offline.query.gaps import is_fragment, lacks_subject, own_words, without_lead
from lessons.models.offline.query.periods import periods, pointed_at
from lessons.models.offline.query.slots import Slot, people, slots
from lessons.models.offline.question import read_question
from lessons.models.offline.recall import recalled, remembered
from lessons.models.offline.tasks import task
from lessons.text import language, normalize, terms

_TURNS, _CHARS = 10, 1_000  # how much of a conversation is read
_LONGEST = 300  # characters of a question that can lack something
_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers)\b|그\s?(?:분|사람|여자|남자)|이분", re.IGNORECASE)
_HOW_TO = re.compile(r"\bhow (?:do|can|could|should|would) (?:i|we|you|one) \w+|\bhow to \w+", re.IGNORECASE)
_KOREAN_VERB = re.compile("(?:요|까|죠|니다)$")
_LATIN_PARTICLE = re.compile(r"(?<=[A-Za-z\d%])(?:은|는|이|가|을|를|의|에|에서|로|으로|와|과|도)$")


@dataclass(frozen=True)
class Turn:
    """A question as it stands alone, and what was answered."""

    question: str
    answer: str


@task("compress")
def compress(llm: Any, question: str, turns: Sequence[tuple[str, str]] = (), memory: str = "", **_: Any) -> str:
    """The question as it can be understood without the history; unchanged if it stands alone.

    What a memory says that somebody said counts as older turns. A question that what was said answers stays as it is.
    """
    spoken = [f"{role}: {' '.join(content.split())}" for role, content in turns]
    if asks_back(question) or recalled(question, "\n".join([memory, *spoken])):
        return question
    earlier = [(line.source, line.text) for line in remembered(memory) if line.source != "noted"]
    said = _turns([*earlier, *turns[-2 * _TURNS :]])
    alone = standalone(question, said)
    return alone if standalone(alone, said) == alone else question


def standalone(question: str, said: list[Turn]) -> str:
    """The question with the subject of the last turn that has one."""
    if not said or len(question) > _LONGEST or not lacks_subject(question, f"{said[-1].question}\n{said[-1].answer}"):
        return question
    rest = without_lead(question)
    given = _given(rest, said)
    source = _source(given, said)
    changed, left = filled(source.question, given, rest)
    if is_fragment(question) and language(question) == language(source.question):
        return f"{changed.rstrip(END)} – {left}?" if left else changed
    topic = _topic(changed, source, said[-1], question)
    return f"{topic}: {question}" if topic else question


def _turns(history: Sequence[tuple[str, str]]) -> list[Turn]:
    """The user's questions, each made to stand alone by those before it, with what was said until the next."""
    said: list[Turn] = []
    for role, content in history:
        content = normalize(content)[:_CHARS]  # as the question is, so that both have the same words
        if role == "user" and content.strip():
            said.append(Turn(standalone(content[:_LONGEST], said), ""))
        elif role == "assistant" and said:
            said[-1] = Turn(said[-1].question, f"{said[-1].answer}\n{content}".strip())
    return said


def _given(question: str, said: list[Turn]) -> list[Slot]:
    """The slots that the follow-up itself fills, those it only points at included."""
    given = [slot for slot in slots(question) if slot.kind != "name" or is_fragment(question)]
    pointed = pointed_at(question)
    if pointed and not any(slot.kind == pointed[0] for slot in given):
        named = {period.unit: period.number for period in periods(said[-1].question)}
        spelled, tongue = "quarter" in said[-1].question, language(said[-1].question)
        new = moved(named, *pointed)
        given += [Slot(unit, written(unit, number, tongue, spelled), -1, -1) for unit, number in new.items()]
    return given


def _source(given: list[Slot], said: list[Turn]) -> Turn:
    """The latest question with a place for what the follow-up names, else the latest."""
    kinds = {slot.kind for slot in given if slot.kind not in ("name", "measure")}
    kinds |= WITHIN_A_YEAR if kinds & WITHIN_A_YEAR else set()
    for turn in reversed(said):
        if kinds & {slot.kind for slot in slots(turn.question)}:
            return turn
    return said[-1]


def _topic(changed: str, source: Turn, last: Turn, question: str) -> str:
    """What the earlier question is about and the follow-up does not say; for 'she' also whom the answer names."""
    covered = set(terms(question))
    who = people(last.answer) if _PERSON.search(question) else []
    answered = _names_near(last.answer, last.question, question)
    units = [unit for unit in read_question(_HOW_TO.sub(" ", changed)).units if _carries(unit)]
    about = [_LATIN_PARTICLE.sub("", unit.text) for unit in units]
    when = [slot.text for slot in slots(changed) if slot.kind in {"year"} | WITHIN_A_YEAR]
    found: list[str] = []
    for phrase in dict.fromkeys([*who, *answered, *about, *when]):
        new = set(terms(phrase)) - covered
        if new:
            found.append(phrase)
            covered |= new
    return " ".join(found)


def _carries(unit: Any) -> bool:
    return unit.kind not in ("year", "quarter") and unit.weight > 0.5 and not _KOREAN_VERB.search(unit.text)


def _names_near(answer: str, source: str, question: str) -> list[str]:
    """The names of an answer that speaks of a word of the question, unless the earlier question did."""
    asked = {term for unit in own_words(question) for term in unit.terms} - set(terms(source))
    if asked.isdisjoint(terms(answer)):
        return []
    return [slot.text for slot in slots(answer) if slot.kind == "name"]
