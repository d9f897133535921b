"""Which lines answer a question, and whether they do.

If the best ones leave something essential open – a name, a year, an identifier, half of the words – nothing is chosen.
"""

from dataclasses import dataclass, replace

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.models.offline_crossing import nearest, neutral
from lessons.models.offline_join import joined, together, with_list
from lessons.models.offline_parts import parts
from lessons.models.offline_passages import Passage
from lessons.models.offline_question import Question, Unit
from lessons.models.offline_score import ELSEWHERE, Candidate, candidates, fits, rarity, with_topics

ENOUGH = 0.42  # share of the question's words, by rarity, that an answer must cover; tuned on two outside sets
MOST_LINES, PART_LINES = 3, 2  # that answer a question, or one part of it
NEXT_BEST = 60  # lines that may join the best one


@dataclass(frozen=True)
class Choice:
    """The lines that answer, in the order to say them, and the parts of the question that nothing answers."""

    lines: tuple[Candidate, ...] = ()
    missing: tuple[str, ...] = ()


def choose(question: Question, found: list[Passage], embedding: BaseEmbedding | None) -> Choice:
    """From the documents in the question's language; if they are silent, by meaning from those in the other one.

    Meanings cannot tell 'near' from 'not there', so the retriever must have put a document in the other language first.
    """
    chosen = choose_by_words(question, [passage for passage in found if passage.language == question.language])
    foreign = [passage for passage in found if passage.language != question.language]
    if chosen.lines or not foreign or foreign[0] is not found[0] or embedding is None:
        return chosen
    return Choice(tuple(choose_by_meaning(question, foreign, embedding)))


def choose_by_words(question: Question, found: list[Passage]) -> Choice:
    """The lines that answer each part; none when the context leaves something essential of all of them open."""
    question = with_topics(question, found)
    asked = parts(question)
    alone = len(asked) == 1
    answers = [(part, _answer(part.question, found, MOST_LINES if alone else PART_LINES)) for part in asked]
    lines: list[Candidate] = []
    for _, chosen in answers:
        lines += [one for one in chosen if all(one.line is not other.line for other in lines)]
    missing = [part.words for part, chosen in answers if not chosen and part.asks]
    return Choice(tuple(lines), tuple(missing)) if lines else Choice()


def _answer(question: Question, found: list[Passage], most: int) -> list[Candidate]:
    """The lines that answer one part; empty when the context leaves something essential open."""
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.required and unit.covered(everything) < 1 for unit in question.units):
        return []
    weights = rarity(question, found)
    ranked = sorted(candidates(question, found, weights), key=lambda candidate: -candidate.score)
    first = next((candidate for candidate in ranked if fits(question, candidate)), None)
    if first is None:
        return []
    chosen = joined(question, first, ranked[:NEXT_BEST], weights, most)
    return with_list(question, chosen) if _enough(question.units, weights, together(chosen)) else []


def choose_by_meaning(question: Question, found: list[Passage], embedding: BaseEmbedding) -> list[Candidate]:
    """The nearest line in meaning among those that hold the question's years, quarters and identifiers."""
    units = tuple(unit for unit in question.units if neutral(unit))
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.covered(everything) < 1 for unit in units):
        return []
    bound = replace(question, units=units, terms=frozenset())
    left = [one for one in candidates(bound, found, [unit.weight for unit in units]) if fits(bound, one)]
    if not left:
        return []
    ranked = nearest(question, [(one.line, one.passage, one.score) for one in left], embedding)
    return with_list(question, [left[i] for i in ranked[:2]])


def _enough(units: tuple[Unit, ...], weights: list[float], covered: list[float]) -> bool:
    if any(unit.required and value < ELSEWHERE for unit, value in zip(units, covered, strict=True)):
        return False
    return sum(weight * value for weight, value in zip(weights, covered, strict=True)) >= ENOUGH * sum(weights)
