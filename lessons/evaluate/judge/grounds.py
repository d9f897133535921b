"""Groundedness: whether the passages that an answer cites support its sentences, and whether they are the evidence."""

import re
from functools import lru_cache

from lessons.evaluate.judge.question import Passage
from lessons.evaluate.judge.reading import Reading, read, read_all
from lessons.evaluate.quotes import holds
from lessons.rag.answer import Answer
from lessons.rag.citations import CITATION, closed
from lessons.rag.refusals import is_refusal
from lessons.rag.types import RetrievedDocument
from lessons.text import language, normalize, sentences, terms

MOST_TERMS = 0.6  # share of a sentence's terms that its passages must hold


def groundedness(answer: Answer) -> float:
    """The share of the answer's sentences that a cited passage supports; 0.0 for an answer that says nothing.

    Supported: every number, date and identifier of the sentence stands in one of its passages or their titles, and
    most of its terms do. Without a citation nothing is supported. A sentence in another language than its passages
    needs a number, a date or an identifier: its words alone cannot be compared. A sentence without a citation that says
    what the documents do not tell claims nothing.
    """
    claims = [sentence for sentence in sentences(closed(normalize(answer.text))) if _is_claim(sentence)]
    return sum(_supported(claim, answer) for claim in claims) / len(claims) if claims else 0.0


def covers_evidence(answer: Answer, passage: Passage) -> bool:
    """Whether a cited chunk holds the evidence's words, or lies on the same page of the same document."""
    for citation in answer.citations:
        document = _documents(answer).get(citation.number)
        content = document.content if document else citation.quote
        same = _same_file(citation.source_file, passage.source_file)
        on_page = passage.page is not None and citation.page == passage.page
        if same and (on_page or holds(content, passage.quote)):
            return True
    return False


def _is_claim(sentence: str) -> bool:
    if not terms(CITATION.sub("", sentence)) or sentence[-1] == ":":
        return False
    return CITATION.search(sentence) is not None or not is_refusal(sentence)


def _supported(claim: str, answer: Answer) -> bool:
    documents = _documents(answer)
    cited = [documents[number] for number in map(int, CITATION.findall(claim)) if number in documents]
    passages = "\n".join(_with_titles(document) for document in cited)
    sentence = read(claim)
    if not cited or not _hard_parts_hold(sentence, passages):
        return False
    words = set(terms(CITATION.sub("", claim)))
    if all(language(claim) != language(document.content) for document in cited):
        return bool(sentence.numbers or sentence.moments or sentence.identifiers)
    return len(words & set(terms(passages))) >= MOST_TERMS * len(words)


def _hard_parts_hold(sentence: Reading, passages: str) -> bool:
    values, written, moments, years = _inventory(passages)
    numbers = (found.quantity for found in sentence.numbers)
    return (
        all(each.value in values or each.written in written for each in numbers)
        and all(any(there.answers(wanted, years) for there in moments) for wanted in sentence.moments)
        and all(name in passages.lower() for name in sentence.identifiers)
    )


@lru_cache(maxsize=200)
def _inventory(passages: str) -> tuple[frozenset, frozenset, tuple, frozenset[int]]:
    """Values with a unit, bare numbers as written (tables give the unit in their head), moments and years."""
    readings = read_all(passages)
    numbers = [found.quantity for reading in readings for found in reading.numbers]
    moments = tuple(moment for reading in readings for moment in reading.moments)
    return (
        frozenset(each.value for each in numbers),
        frozenset(each.written for each in numbers if not each.kind and not each.scaled),
        moments,
        frozenset(moment.year for moment in moments if moment.year),
    )


def _documents(answer: Answer) -> dict[int, RetrievedDocument]:
    """The documents by citation number: by the citation's chunk, else by their place in the context."""
    by_id = {document.id: document for document in answer.context.documents}
    placed = dict(enumerate(answer.context.documents, start=1))
    return placed | {each.number: by_id[each.chunk_id] for each in answer.citations if each.chunk_id in by_id}


def _with_titles(document: RetrievedDocument) -> str:
    titles = [str(value) for key, value in document.metadata.items() if isinstance(value, str) and key not in _PRIVATE]
    name = re.sub(r"[-_/.]", " ", document.source)
    return "\n".join([document.source, name, *titles, document.content])


_PRIVATE = frozenset({"user_id", "ref_id", "type"})


def _same_file(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
