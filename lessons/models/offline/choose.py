"""Which lines answer a question, and whether they do.

If the best ones leave something essential open – a name, a year, an identifier, half of the words – nothing is chosen.
"""

from dataclasses import dataclass, replace

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.models.offline.cover import ELSEWHERE
from lessons.models.offline.crossing import nearest, neutral
from lessons.models.offline.join import joined, together, with_list
from lessons.models.offline.main_points import main_points
from lessons.models.offline.parts import parts
from lessons.models.offline.passages import Passage
from lessons.models.offline.question import Question
from lessons.models.offline.score import Candidate, candidates, fits, rarity, with_topics
from lessons.models.offline.unit import Unit

ENOUGH = 0.4  # share of the question's words, by rarity, that an answer must cover
LINES, LINES_OF_PARTS = 4, 9  # that answer a question, and one with several parts
NEXT_BEST = 60  # lines that may join the best one
SAYS_ENOUGH = 2  # words of full weight without which meaning says nothing; 'And in the year before?' has one


@dataclass(frozen=True)
class Choice:
    """The lines that answer, in the order to say them, and the parts of the question that nothing answers."""

    lines: tuple[Candidate, ...] = ()
    missing: tuple[str, ...] = ()


def choose(question: Question, found: list[Passage], embedding: BaseEmbedding | None) -> Choice:
    """From the documents in the question's language; if they are silent, from all, first by words and then by meaning.

    Where the first document is in the other language, all are read at once. A document may mix the languages. Meanings
    cannot tell 'near' from 'not there', so they count only if the retriever has put a document in the other language
    first.
    """
    own = [passage for passage in found if passage.language == question.language]
    foreign = [passage for passage in found if passage.language != question.language]
    chosen = choose_by_words(question, own if own and own[0] is found[0] else found)
    if foreign and not chosen.lines:
        chosen = choose_by_words(question, found)
    if chosen.lines or not foreign or foreign[0] is not found[0] or embedding is None:
        return chosen
    if sum(unit.weight >= 1 for unit in question.units) < SAYS_ENOUGH:
        return Choice()
    return Choice(tuple(choose_by_meaning(question, foreign, embedding)))


def choose_by_words(question: Question, found: list[Passage]) -> Choice:
    """The lines that answer each part; none when the context leaves something essential of all of them open."""
    question = with_topics(question, found)
    asked = parts(question)
    most = LINES if len(asked) == 1 else max(2, LINES_OF_PARTS // len(asked))
    answers = [(part, _answer(part.question, found, most)) for part in asked]
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
    if "summary" in question.kinds:
        return main_points(question, found, weights)
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
