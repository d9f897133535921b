"""The deterministic judge: is the answer right, does it rest on what it cites, does it rightly refuse?

An answer is right when it states every key fact, with its unit, about its subject and for its period, without offering
other numbers to choose from; where there are several key facts, it must also say the rest of the reference. It is
partly right if it states, or nearly states, at least a third of the facts, and wrong below. Without key facts, the
words of a reference of at most 30 words are compared, and correctness against a longer one is not reported. What the
judge cannot do, and how often answers labelled by hand agree with it, stands in `agreement.py`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.judge.facts import Asked, Level, clause_of, level
from lessons.evaluate.judge.reading import Reading, clauses, numbers_in, read, read_all
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.rag.served_words import closed, is_refusal
from lessons.rag.types import RetrievedDocument
from lessons.text import language, normalize, sentences, terms
from lessons.text.numbers import COUNTS, MONEY, Quantity

LEAST = 1 / 3  # share of the facts from which an answer is partly right
LONGEST_REFERENCE = 30  # words; those of the answers that the judge was tuned on have 28 at most
RIGHT, PARTLY = 0.65, 0.4  # shares of a reference's terms, tuned on the split dev of the labelled answers
MOST_TERMS = 0.6  # share of a sentence's terms that its passages must hold

# More other numbers of the fact's kind than this in its sentence are a list to choose from.
# A sentence of a report gives a figure, last year's and the total; that is not hedging.
OTHERS_IN_SENTENCE = 2

_OR = re.compile(r"\s?(?:or|또는|혹은|이거나|아니면)\s?", re.I)
_CHOICE = re.compile(r"\bone of\b|\beither\b|중 ?하나|중에 ?하나", re.I)
_PRIVATE = frozenset({"user_id", "ref_id", "type"})  # metadata that is no title


@dataclass(frozen=True)
class Verdict:
    """`correctness`: 1.0 right, 0.5 partly, 0.0 wrong, NaN not judged; `grounded`: a share, 1.0 for a refusal."""

    correctness: float
    grounded: float
    refused: bool
    right_answer_wrong_evidence: bool


def judge(golden: Golden, answer: Answer) -> Verdict:
    """The verdict on one answer."""
    correctness, refused = judge_text(golden, answer.text)
    evidence = golden.evidence if correctness == 1.0 and not is_unanswerable(golden) else ()
    astray = bool(evidence) and not any(_is_cited(place, answer) for each in evidence for place in each.places)
    return Verdict(correctness, 1.0 if refused else groundedness(answer), refused, astray)


def judge_text(golden: Golden, text: str) -> tuple[float, bool]:
    """Correctness of the words alone, NaN where it cannot be judged, and whether they refuse."""
    refusal = bool(text.strip()) and is_refusal(text)  # to say nothing is not to say no
    if is_unanswerable(golden):
        return float(refusal), refusal
    if not is_judged(golden):
        return float("nan"), refusal
    correctness = by_facts(golden, text) if golden.key_facts else 0.0 if refusal else _by_words(golden.answer, text)
    return correctness, refusal and not correctness > 0.0


def is_judged(golden: Golden) -> bool:
    """Whether there are key facts, or a reference as short as those that the judge was measured with."""
    return bool(golden.key_facts) or 0 < len(golden.answer.split()) <= LONGEST_REFERENCE


def is_unanswerable(golden: Golden) -> bool:
    """Whether the only right answer is to say that the documents do not tell."""
    refused = bool(golden.answer) and is_refusal(golden.answer)
    return golden.category == "unanswerable" or (refused and not golden.evidence and not golden.key_facts)


def by_facts(golden: Golden, text: str) -> float:
    """1.0 if the text states every key fact and the rest of the reference, 0.5 for a third of the facts, else 0.0."""
    asked = Asked(golden.question, golden.answer)
    levels = [level(fact, text, asked) for fact in golden.key_facts]
    least = Level.STATED if is_refusal(text) else Level.NEAR
    if sum(each >= least for each in levels) < LEAST * len(levels) or _is_swapped(golden, text):
        return 0.0
    whole = min(levels) == Level.STATED and (len(levels) == 1 or _is_complete(golden, text))
    return 1.0 if whole and not _is_hedged(text, golden.key_facts, asked) else 0.5


def _by_words(reference: str, answer: str) -> float:
    """1.0, 0.5 or 0.0 by the share of the reference's terms in the answer; without half of its numbers 0.5 at best."""
    numbers = _hard_parts(reference)
    kept = len(numbers & _hard_parts(answer)) / len(numbers) if numbers else 1.0
    if language(reference) != language(answer):  # words cannot be compared
        return 0.0 if not numbers or kept < PARTLY else 0.5 if kept < 1.0 else 1.0
    wanted = set(terms(reference))
    share = len(wanted & set(terms(answer))) / len(wanted) if wanted else 0.0
    if share < PARTLY:
        return 0.0
    return 1.0 if share >= RIGHT and kept > 0.5 else 0.5


def _hard_parts(text: str) -> set:
    return {
        part
        for reading in read_all(text)
        for part in (*(each.value for each in reading.quantities), *reading.moments, *reading.identifiers)
    }


# Does it say the rest of the reference?


def _is_complete(golden: Golden, text: str) -> bool:
    """Whether the text holds every number of the reference and a third of the terms beside the facts' clauses."""
    said, spellings = sentences(normalize(text)), _spellings(golden.key_facts)
    known, there = numbers_in(golden.question, *spellings), numbers_in(*said)
    if not all(_same_number(each, [*there, *known]) for each in numbers_in(golden.answer)):
        return False
    with_fact = {clause_of(form, golden.answer) for form in spellings}
    others = " ".join(part for part in clauses(golden.answer) if part not in with_fact)
    rest = set(terms(others)) - set(terms(" ".join(with_fact)))
    told = [sentence for sentence in said if language(sentence) == language(golden.answer)]
    return not told or len(rest & set(terms(" ".join(told)))) >= LEAST * len(rest)


def _spellings(key_facts: Sequence[str]) -> list[str]:
    return [form for fact in key_facts for form in fact.split("|")]


def _same_number(number: Quantity, numbers: Iterable[Quantity]) -> bool:
    return any(number.value == other.value or number.written == other.written for other in numbers)


# Does it give each fact to the thing that it belongs to?


def _is_swapped(golden: Golden, text: str) -> bool:
    """Whether facts have changed places, as in 'guaranteed 87.9%, measured 86.5%' where 86.5% was guaranteed."""
    right, said = _beside(golden, golden.answer), _beside(golden, text)
    both = right.keys() & said.keys()
    return len({right[word] for word in both}) > 1 and all(right[word] != said[word] for word in both)


def _beside(golden: Golden, text: str) -> dict[str, str]:
    """The nearest key fact to each word of the question, in the one clause of a text that holds the word."""
    said = normalize(text).replace(";", ",")
    spelled = " ".join(_spellings(golden.key_facts)).casefold()
    words = [word for word in set(terms(golden.question)) if said.casefold().count(word) == 1 and word not in spelled]
    beside: dict[str, str] = {}
    for clause in (clause.casefold() for sentence in sentences(said) for clause in clauses(sentence)):
        spans = [
            (clause.index(form), clause.index(form) + len(form), fact)
            for fact in golden.key_facts
            for form in fact.casefold().split("|")
            if form in clause
        ]
        for word in words if spans else ():
            if (at := clause.find(word)) >= 0:
                beside[word] = min(spans, key=lambda span: max(span[0] - at - len(word), at - span[1]))[2]
    return beside


# Does it offer numbers to choose from?


def _is_hedged(answer: str, key_facts: Sequence[str], asked: Asked) -> bool:
    """Whether every sentence that gives a fact's number has too many others of its kind, or one offers a choice."""
    wanted = [quantity for form in _spellings(key_facts) for quantity in read(form).quantities]
    known = {quantity.value for quantity in [*wanted, *numbers_in(asked.question, asked.reference)]}
    known |= {quantity.written for quantity in wanted}
    readings = read_all(answer)
    for number in wanted:
        giving = [each for each in readings if _same_number(number, each.quantities)]
        others = [_others(number, known, reading) for reading in giving]
        is_list = giving and min(map(len, others)) > OTHERS_IN_SENTENCE + len(key_facts) - 1
        offers = (found and _offers_choice(reading, number) for found, reading in zip(others, giving, strict=True))
        if is_list or any(offers):
            return True
    return False


def _others(wanted: Quantity, known: set, reading: Reading) -> set:
    """Values of the fact's kind that stand in the sentence and are none of the known ones."""
    kinds = {wanted.kind, ""} if wanted.kind in MONEY else {wanted.kind}  # '94억, 153억, 254억 원' has one unit for all
    alike = (each for each in reading.quantities if each.kind in kinds and (each.kind == wanted.kind or each.scaled))
    return {each.value for each in alike if not {each.value, each.written} & known}


def _offers_choice(reading: Reading, wanted: Quantity) -> bool:
    numbers = [found for found in reading.numbers if found.quantity.kind == wanted.kind]
    return bool(_CHOICE.search(reading.text)) or any(
        _OR.fullmatch(first.clause[first.quantity.end : second.quantity.start])
        for first, second in pairwise(numbers)
        if first.clause == second.clause
    )


# Does it rest on what it cites?


def groundedness(answer: Answer) -> float:
    """The share of the answer's sentences that a cited passage supports; 0.0 for an answer that says nothing."""
    claims = [sentence for sentence in sentences(closed(normalize(answer.text))) if _is_claim(sentence)]
    return sum(_supported(claim, answer) for claim in claims) / len(claims) if claims else 0.0


def _is_cited(passage: Evidence, answer: Answer) -> bool:
    """Whether a cited chunk holds the evidence's words, or lies on the same page of the same document."""
    documents = _documents(answer)
    for citation in answer.citations:
        document = documents.get(citation.number)
        content = document.content if document else citation.quote
        on_page = passage.page is not None and passage.page in (citation.page, *citation.pages)
        if _same_file(citation.source_file, passage.source_file) and (on_page or holds(content, passage.quote)):
            return True
    return False


def _is_claim(sentence: str) -> bool:
    """Whether it says something; to say, without a citation, what the documents do not tell claims nothing."""
    says = bool(terms(CITATION.sub("", sentence))) and sentence[-1] != ":"
    return says and (CITATION.search(sentence) is not None or not is_refusal(sentence))


def _supported(claim: str, answer: Answer) -> bool:
    """Whether its passages or their titles hold every number, date and identifier, and most of its terms."""
    documents = _documents(answer)
    cited = [documents[number] for number in map(int, CITATION.findall(claim)) if number in documents]
    passages = "\n".join(map(_with_titles, cited))
    sentence = read(claim)
    if not cited or not _hard_parts_hold(sentence, passages):
        return False
    words = set(terms(CITATION.sub("", claim)))
    if all(language(claim) != language(document.content) for document in cited):
        return bool(sentence.numbers or sentence.moments or sentence.identifiers)  # words cannot be compared
    return len(words & set(terms(passages))) >= MOST_TERMS * len(words)


def _hard_parts_hold(sentence: Reading, passages: str) -> bool:
    kinds, written, moments, years, named = _inventory(passages)
    return (
        all(each.written in written or _has_kind(each, kinds.get(each.value, ())) for each in sentence.quantities)
        and all(any(there.answers(wanted, years) for there in moments) for wanted in sentence.moments)
        and all(  # itself and not a longer one: ERR-10 does not stand in ERR-104, but 2.3.1 is read in 2.3.1-beta
            {name, f"v{name}"} & named
            or re.search(rf"(?<![a-z0-9-])v?{re.escape(name)}(?![a-z0-9]|-[a-z0-9])", passages.lower())
            for name in sentence.identifiers
        )
    )


def _has_kind(number: Quantity, kinds: Collection[str]) -> bool:
    """Whether a value of these kinds in the passages may be this number: 40 euros are not 40%."""
    return number.kind in kinds or "" in kinds or bool(kinds and (not number.kind or {number.kind, *kinds} <= COUNTS))


@lru_cache(maxsize=200)
def _inventory(passages: str) -> tuple[dict[Decimal, set[str]], frozenset, tuple, frozenset[int], frozenset[str]]:
    """The kinds of each value, bare numbers as written (as in tables), moments, years and identifiers."""
    readings = read_all(passages)
    moments = tuple(moment for reading in readings for moment in reading.moments)
    named = frozenset(name for reading in readings for name in reading.identifiers)
    kinds = defaultdict[Decimal, set[str]](set)
    for each in (numbers := numbers_in(passages)):
        kinds[each.value].add(each.kind)
    bare = frozenset(each.written for each in numbers if not each.kind and not each.scaled)
    return kinds, bare, moments, frozenset(moment.year for moment in moments if moment.year), named


def _documents(answer: Answer) -> dict[int, RetrievedDocument]:
    """The documents by citation number: by the citation's chunk, else by their place in the context."""
    by_id = {document.id: document for document in answer.context.documents}
    placed = dict(enumerate(answer.context.documents, start=1))
    return placed | {each.number: by_id[each.chunk_id] for each in answer.citations if each.chunk_id in by_id}


def _with_titles(document: RetrievedDocument) -> str:
    titles = [str(value) for key, value in document.metadata.items() if isinstance(value, str) and key not in _PRIVATE]
    name = re.sub(r"[-_/.]", " ", document.source)
    return "\n".join([document.source, name, *titles, document.content])


def _same_file(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
