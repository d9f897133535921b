"""How the keyless model answers: for each part of a question it quotes at most three lines of one passage, or refuses.

A passage has to stand out: its best line must cover the part, and do so better than any line of another passage.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import dropwhile, groupby
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.keyless import scores, task
from lessons.keyless.comparisons import sides
from lessons.keyless.conversation import NOT_TOLD, asks_back, recalled
from lessons.keyless.courtesies import reply_to
from lessons.keyless.intent import OPEN, OPEN_FROM, is_small_talk
from lessons.keyless.keywords import keywords
from lessons.keyless.lines import Line, Passage, cells, is_ended, passages, search_terms
from lessons.keyless.scores import WORTH, Candidate, candidate_at, candidates, commands, fits, ranked, share, weighed
from lessons.keyless.summary import centrality
from lessons.keyless.words import ASIDE, INTERROGATIVE, Question, Unit, is_noun, kinds_of, read_question
from lessons.settings import settings
from lessons.text import language
from lessons.text.editions import VERSION, replaced

MOST = 4  # parts of a question
LINES = 3  # sentences of an answer, lists and summaries aside
GAIN = 2.0  # what a line is worth more for saying what the lines before it leave open
SURE = 0.7  # to a line of this score, only lines are joined that add something
ADDS = 0.02  # the gain from which one does
JOINS = 0.75  # the worth from which it joins, as a share of the first one's score
NEAR = 3  # lines between what happened and its reason
STANDS_OUT = 1.5  # what the distance to the best line of another passage counts beside a line's own score
LEAST_SURE = 0.8  # of both; both fitted to dev, where more refuses more right answers than wrong ones
LEAST_COVERED = 0.35  # share of the question's words, by weight, that an answer must cover
POINTS = 6  # sentences of a summary
MATTER = 3  # of an answer to what matters in a document
FEWEST = 4  # points of a section that can stand for itself; a shorter one goes on into the next
ABOUT = 0.3  # share of the question's words, by weight, that a document must hold to be about it
OF_THE_TITLE = 0.5  # what a word counts that only the title of the section's document says
MOST_STEPS = 20  # lines
LATEST = re.compile(r"(?i)\b(?:latest|newest|most recent)\b|최근|최신")
_CUT = re.compile(
    r"[?？!;]\s+|[.,]\s+(?:and|or)?\b\s*|\s(?:and|or|versus|vs\.?|than|compared (?:with|to))\s"
    r"|(?<=[가-힣](?:랑|와|과))\s(?!함께|같이)|(?<=[가-힣]{2}(?:하고|이고|이며|하며|되고|있고|없고))\s"
    r"|(?<=수 (?:있고|없고))\s|\s(?:그리고|또는|혹은)\s|(?:(?<=\d[년월])|(?<=\d분기)) 대비\s|(?<=보다)\s"
)


@dataclass(frozen=True)
class Part:
    """The whole question with its weight on one part. `words` is that part as it was asked."""

    words: str
    question: Question
    own: tuple[Unit, ...]

    @property
    def asks(self) -> bool:
        """Whether it asks by itself, as 'until when do they keep it' does and 'it is raining' does not."""
        asked = INTERROGATIVE.search(self.words) or re.search("[?？]", self.words)
        return asked is not None or any(unit.required for unit in self.own)


def parts(question: Question) -> list[Part]:
    """The two things that a question compares, else its parts in order, or itself if it has only one."""
    texts = sides(question.text) or [text.strip(" ,.?？") for text in _CUT.split(question.text)]
    found = [(text, tuple(unit for unit in question.units if _says(text, unit))) for text in texts]
    asked = [(text, own) for text, own in found if any(unit.required or unit.weight >= 0.5 for unit in own)]
    if not 1 < len(asked) <= MOST:
        return [Part(question.text, question, question.units)]
    return [Part(text, _weighted(question, text, own), own) for text, own in asked]


def _weighted(question: Question, text: str, own: Sequence[Unit]) -> Question:
    """The question as one part asks it, with the names and periods that it does not replace; other words count less."""
    kinds = {unit.kind for unit in own}
    aside = ASIDE if any(unit.kind == "word" and unit.weight >= 0.5 for unit in own) else 1.0
    units = [
        unit if unit in own or unit.kind != "word" else replace(unit, weight=aside * unit.weight)
        for unit in question.units
        if unit in own or unit.kind == "word" or unit.kind not in kinds
    ]
    return replace(question, units=tuple(units), kinds=kinds_of(text) or question.kinds)


def _says(text: str, unit: Unit) -> bool:
    if unit.kind == "quarter":
        return not unit.keys.isdisjoint(search_terms(text))
    return unit.text.lower() in text.lower()


def query(part: Part, every: Sequence[Part]) -> str:
    """A part as a search query: its words (those of all if it has none) and the names and periods that all share."""
    said = Counter(unit for each in every for unit in each.own)
    bare = not any(unit.kind == "word" and unit.weight >= WORTH and said[unit] == 1 for unit in part.own)
    units = sorted(part.question.units, key=lambda unit: unit.kind in ("quarter", "year"))
    kept = [one for one in units if one.weight >= WORTH or one in part.own or (bare and one.kind == "word")]
    return " ".join(unit.text.upper() if unit.kind == "quarter" else unit.text for unit in kept)


def _with_names(question: Question, found: Sequence[Passage]) -> Question:
    """Korean has no capitals: a word of three syllables in the titles of some documents but not of all is a name."""
    units = list(question.units)
    for at, unit in enumerate(units):
        long = unit.kind == "word" and len(unit.text) > 2 and not unit.text.isascii() and not unit.others
        if long and 0 < sum(unit.covered(one.title) == 1 for one in found) < len(found):
            units[at] = replace(unit, kind="name", weight=1.5)
    return replace(question, units=tuple(units))


def quote(question: Question, found: Sequence[Passage], most: int = LINES) -> list[Candidate]:
    """The lines of one passage that answer one part of a question, and a reason from another; empty to refuse it."""
    if names_what_is_missing(question, found):
        return []
    question = weighed(question, found)
    if "summary" in question.kinds:
        return _main_points(question, found)
    every = ranked(question, found)
    first = next((one for one in every if fits(question, one)), None)
    if first is None or sureness(question, first, every) < LEAST_SURE:
        return []
    chosen = _with_list(question, _with_reason(question, _of_its_passage(question, first, most), found))
    covered = together(chosen)
    is_open = any(u.required and value < scores.ELSEWHERE for u, value in zip(question.units, covered, strict=True))
    return [] if is_open or share(question.units, covered) < LEAST_COVERED else chosen


def sureness(question: Question, first: Candidate, every: Sequence[Candidate]) -> float:
    """How well a line covers the question, and how far it stands out from other passages' lines on the same names."""
    rivals = (one.score for one in every if one.passage is not first.passage and fits(question, one))
    return first.score + STANDS_OUT * (first.score - max(rivals, default=0.0))


def names_what_is_missing(question: Question, found: Sequence[Passage]) -> bool:
    """Whether a name, period or identifier of the question stands in none of the documents."""
    everything = _words_of_all(found)
    return any(unit.required and unit.covered(everything) < 1 for unit in question.units)


def _words_of_all(found: Sequence[Passage]) -> frozenset[str]:
    return frozenset().union(*(passage.all for passage in found))


def _of_its_passage(question: Question, first: Candidate, most: int) -> list[Candidate]:
    """The best line with those lines of its passage that say what is still open, in their order.

    Of a figure and its cause only the figure: the cause beside it is added later, and others are of other figures.
    """
    if "why" in question.kinds:
        return [first]
    rest, chosen = [*candidates(question, [first.passage])], [first]

    def may_join(one: Candidate) -> bool:  # another row has figures of something else
        return first.score < SURE and one.line.kind != "row"

    while len(chosen) < most:
        covered = together(chosen)
        rest = [one for one in rest if not _repeats(one, chosen[-1])]
        gains = [(_gain(question, covered, one), one) for one in rest]
        worth = [(one.score + GAIN * gain, one) for gain, one in gains if gain >= ADDS or may_join(one)]
        value, best = max(worth, key=lambda each: each[0], default=(0.0, first))
        if value < JOINS * first.score or value == 0.0:
            break
        chosen.append(best)
    return sorted(chosen, key=lambda one: one.position)


def _repeats(one: Candidate, other: Candidate) -> bool:
    """Whether two lines are the same, or rows with one label, whose figures would contradict each other."""
    rows = one.line.kind == other.line.kind == "row"
    return one.line.text == other.line.text or (rows and cells(one.line.text)[0] == cells(other.line.text)[0])


def _gain(question: Question, covered: Sequence[float], one: Candidate) -> float:
    """How much of what is still open a line covers; a word that the title or heading holds is not open."""
    gains = (max(0.0, new - old) * (old < scores.TITLE) for new, old in zip(one.covered, covered, strict=True))
    return share(question.units, list(gains))


def _with_reason(question: Question, chosen: list[Candidate], found: Sequence[Passage]) -> list[Candidate]:
    """What rose or fell, and why, if that is asked: the figure and the reason beside each other, else a passage's best.

    The reason may share no word with the question.
    """
    if "why" not in question.kinds:
        return chosen
    first = chosen[0]
    if scores.gives_reason(first.line):
        figure = _figure_before(question, first)
        return [figure, first] if figure else chosen
    if new := _reason_beside(question, first):
        return sorted([first, new], key=lambda one: one.position)
    told = [(scores.reason(question, passage), rank) for rank, passage in enumerate(found[:LINES])]
    (value, place), rank = max(told, key=lambda each: each[0][0] - scores.RANK * each[1])
    if value < 0 or not found[rank].lines or commands(found[rank].lines[place]):
        return chosen
    return [first, candidate_at(question, found[rank], place, rank)]


def _figure_before(question: Question, reason: Candidate) -> Candidate | None:
    """The nearest line before a reason that holds a figure and a word of the question that the reason holds, too."""
    lines = reason.passage.lines
    for at in range(reason.position - 1, max(0, reason.position - NEAR) - 1, -1):
        shares = not question.terms.isdisjoint(lines[at].own & reason.line.own)
        if shares and any(map(str.isdigit, lines[at].text)) and not scores.gives_reason(lines[at]):
            return candidate_at(question, reason.passage, at)
    return None


def _reason_beside(question: Question, one: Candidate) -> Candidate | None:
    """The nearest line that gives a reason, one under the same heading and behind this one before others."""
    lines, here = one.passage.lines, one.line.heading
    near = range(max(0, one.position - NEAR), min(len(lines), one.position + NEAR + 1))
    told = [at for at in near if lines[at].kind != "heading" and not commands(lines[at])]
    fit = [at for at in told if at != one.position and scores.gives_reason(lines[at])]
    nearest = min(
        fit, key=lambda at: (lines[at].heading != here, at < one.position, abs(at - one.position)), default=None
    )
    return None if nearest is None else candidate_at(question, one.passage, nearest)


def together(chosen: Sequence[Candidate]) -> list[float]:
    """How well the lines cover each unit of the question between them."""
    return [max(values) for values in zip(*(candidate.covered for candidate in chosen), strict=True)]


def tells(line: Line) -> bool:
    """Whether it is a whole sentence, a list item or a row of a table, and no instruction to its reader."""
    return (line.kind in ("item", "row") or (line.kind == "prose" and is_ended(line.text))) and not commands(line)


def _with_list(question: Question, chosen: list[Candidate]) -> list[Candidate]:
    """A line that opens a list brings the list; a step of a how-to question brings its neighbours."""
    first, lines = chosen[0], chosen[0].passage.lines
    start = end = first.position
    if first.line.text.rstrip().endswith((":", "：")) or ("steps" in question.kinds and first.line.kind == "item"):
        while first.line.kind == "item" and start and lines[start - 1].kind == "item":
            start -= 1
        while end + 1 < len(lines) and lines[end + 1].kind == "item" and end - start < 10:
            end += 1
    return [replace(first, line=lines[i], position=i) for i in range(start, end + 1)] if start < end else chosen


def _main_points(question: Question, found: Sequence[Passage]) -> list[Candidate]:
    """The main sentences, items and rows of the section that a question is about, in their order; none if none is."""
    if not (told := _section(question, found)):
        return []
    texts, whole = [one.line.text for one in told], tuple(line.text for line in told[0].passage.lines)
    return _best(POINTS, told, centrality(texts, question.text, whole))


def _best(count: int, lines: Sequence[Candidate], worth: Sequence[float]) -> list[Candidate]:
    """The lines that are worth most, in their own order."""
    return [lines[place] for place in sorted(nlargest(count, range(len(lines)), worth.__getitem__))]


def _section(question: Question, found: Sequence[Passage]) -> list[Candidate]:
    """What the section tells that a question is about, line by line; nothing if none is about it."""
    sections = [
        (_held_by_section(question, passage, places) - scores.RANK * rank, passage, places)
        for rank, passage in enumerate(found)
        if scores.held(question, passage.all) >= ABOUT or not question.units
        for places in _sections(passage)
    ]
    if not sections:
        return []
    _, passage, places = max(sections, key=lambda each: each[0])
    return [candidate_at(question, passage, place) for place in places]


def _held_by_section(question: Question, passage: Passage, places: list[int]) -> float:
    """How much of the question a section holds, 0 to 1."""
    words = frozenset().union(*(passage.lines[place].own | passage.lines[place].above for place in places))
    covered = [max(unit.covered(words), OF_THE_TITLE * unit.covered(passage.title)) for unit in question.units]
    return share(question.units, covered)


def _sections(passage: Passage) -> Iterator[list[int]]:
    """The places of what each section tells, with that of the next ones while it is short."""
    told = [place for place, line in enumerate(passage.lines) if tells(line)]
    sections = [list(group) for _, group in groupby(told, key=lambda place: passage.lines[place].heading)]
    for start, places in enumerate(sections):
        following = iter(sections[start + 1 :])
        while len(places) < FEWEST and (more := next(following, None)):
            places = places + more
        yield places


def of_the_whole(question: Question, found: Sequence[Passage], embedding: BaseEmbedding) -> list[Candidate]:
    """What is nearest in meaning in the document whose title an open question names; for the latest, the newest one."""
    if names_what_is_missing(question, found):
        return []
    found = newest_editions(question, found)
    best = max(found, key=lambda one: sum(unit.covered(one.title) for unit in question.units))
    about = replace(question, units=tuple(unit for unit in question.units if unit.covered(best.title) == 1))
    names = {one.name for one in found} if LATEST.search(question.text) else {best.name}
    read = [one for one in found if one.name in names]
    told = [candidate_at(about, one, at) for one in read for at, line in enumerate(one.lines) if tells(line)]
    return _best(MATTER, told, _nearness(question, told, embedding))


def is_open(llm: Any, question: str) -> bool:
    """Whether a question asks of a document as a whole what is worrying, important or striking in it."""
    return bool(llm.openness.scores(question)[OPEN.index("open")] > OPEN_FROM)


@dataclass(frozen=True)
class Choice:
    """The lines that answer, in the order to say them, and the parts of the question that nothing answers."""

    lines: tuple[Candidate, ...] = ()
    missing: tuple[str, ...] = ()


def choose(question: Question, found: Sequence[Passage]) -> Choice:
    """The lines that answer, from the newest editions if they do. No words are translated: that would be to invent."""
    chosen = _by_words(question, newest_editions(question, found))
    return chosen if chosen.lines or LATEST.search(question.text) else _by_words(question, found)


def newest_editions(question: Question, found: Sequence[Passage]) -> list[Passage]:
    """The documents without those of which a newer edition is there, unless the question names a version.

    For the latest report, the newest of those documents whose titles hold most of the question's words.
    """
    if LATEST.search(question.text):
        named = [sum(unit.covered(one.title) == 1 for unit in question.units) for one in found]
        about = [one for one, count in zip(found, named, strict=True) if count == max(named)]
        newest = max(map(_when, about), default="")
        return [one for one in about if _when(one) == newest]
    if VERSION.search(question.text):
        return list(found)
    old = replaced({str(place): {"title": one.name, "date": one.day} for place, one in enumerate(found)})
    return [one for place, one in enumerate(found) if str(place) not in old]


def _when(passage: Passage) -> str:
    """The date of a document, or the last period that its title names."""
    year, quarter = (max(found(passage.title), default="") for found in (scores.years, scores.quarters))
    return passage.day or f"{year} {quarter}".strip()


def _by_words(question: Question, found: Sequence[Passage]) -> Choice:
    """The lines that answer each part, fewer for each the more there are; none if every part stays open."""
    asked = parts(_with_names(question, found))
    most = LINES if len(asked) == 1 else 2 if len(asked) == 2 else 1
    answers = [quote(part.question, found, most) for part in asked]
    kept = {one.line.text: one for lines in answers for one in lines}
    missing = tuple(part.words for part, lines in zip(asked, answers, strict=True) if not lines and part.asks)
    return Choice(tuple(kept.values()), missing if kept else ())


def _nearness(question: Question, lines: Sequence[Candidate], embedding: BaseEmbedding) -> list[float]:
    """How similar in meaning each line is to the question, under its title and heading that may hold its subject."""
    asked = embedding.get_query_embedding(question.text)
    placed = [(one.passage.name, one.line.heading, " ".join(one.line.header), one.line.text) for one in lines]
    texts = [": ".join(dict.fromkeys(filter(None, each))) for each in placed]
    return [embedding.similarity(asked, vector) for vector in embedding.get_text_embedding_batch(texts)]


NOTHING_FOUND = {  # said when there is no document at all
    "en": "Nothing was found in the documents for this question.",
    "ko": "이 질문과 관련된 내용을 문서에서 찾지 못했습니다.",
}
NOT_FOUND = {  # said when there are documents and they do not answer
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}
NOT_SAID = {  # said of one part of a question when the others are answered
    "en": "The documents do not say: “{}”.",
    "ko": "“{}”에 대한 답은 문서에 나와 있지 않습니다.",
}
NOWHERE = {  # said after a refusal
    "en": "The passages found do not mention {}.",
    "ko": "찾은 문서에 나오지 않는 말: {}.",
}
KEYWORDS = {"en": "Keywords", "ko": "키워드"}
MOST_NAMED = 3  # words
_CITED = re.compile(r"\s?\[\d+\]")
_NUMBERED = re.compile(r"^\(?\d{1,2}[.)]\s+")
_LEAD = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+\s+|[QA]\d*[.:]\s+)")


@task("answer")
def answer(llm: Any, question: str, context: str = "", memory: str = "", **_: Any) -> str:
    """Lines of the context with their citations, steps in full, or a refusal that names what stands nowhere."""
    if remembered := recalled(question, memory):
        return remembered
    if asks_back(question):
        return NOT_TOLD[language(question)]
    if is_small_talk(llm, question):
        return reply_to(question)
    asked, found = read_question(question), passages(context)
    if not found:
        return NOTHING_FOUND[asked.language]
    if "keywords" in asked.kinds and (named := _named(asked, found)):
        return _keywords(llm, asked, named)
    choice = choose(asked, found) if asked.units or _named(asked, found) else Choice()
    if not choice.lines and llm.embedding is not None and is_open(llm, question):
        choice = Choice(tuple(of_the_whole(asked, found, llm.embedding)))
    if not choice.lines:
        return _refusal(asked, found)
    several = len({one.passage.number for one in choice.lines}) > 1
    said = dict.fromkeys(cite(asked, one.line, one.passage, several) for one in choice.lines)
    missing = [NOT_SAID[asked.language].format(re.sub("[“”]", '"', part)) for part in choice.missing]
    return ("\n" if _items(one.line for one in choice.lines) > 1 else " ").join([*said, *missing])


def _named(question: Question, found: Sequence[Passage]) -> list[Passage]:
    """The passages of the one document that is searched, or whose title holds what the question names."""
    units = [unit for unit in question.units if unit.weight > WORTH]
    about = [one for one in found if all(unit.covered(one.title) == 1 for unit in units)]
    return next((list(some) for some in (found, about) if len({one.file for one in some}) == 1), [])


def _keywords(llm: Any, question: Question, found: Sequence[Passage]) -> str:
    """The keywords of these passages, made as they are when a file is ingested, each with its citation once."""
    texts = ["\n".join(line.text for line in one.lines) for one in found]
    made = [keywords(llm, text, count=settings().keywords_per_chunk, document=texts)["keywords"] for text in texts]
    said = [f"{', '.join(words)} [{one.number}]" for words, one in zip(made, found, strict=True) if words]
    return f"{KEYWORDS[question.language]}: {'; '.join(said)}." if said else NOT_FOUND[question.language]


def _refusal(question: Question, found: Sequence[Passage]) -> str:
    """A refusal, and the words of the question that stand in none of the passages."""
    everything = _words_of_all(found)
    nouns = [unit for unit in question.units if unit.weight >= WORTH and is_noun(unit.text)]
    lacking = [
        unit.text.upper() if unit.kind == "quarter" else unit.text for unit in nouns if not unit.covered(everything)
    ]
    nowhere = [NOWHERE[question.language].format(", ".join(f"“{word}”" for word in lacking[:MOST_NAMED]))]
    return " ".join([NOT_FOUND[question.language], *(nowhere if lacking else [])])


def cite(question: Question, line: Line, found: Passage, titled: bool) -> str:
    """The line's own words with its citation before the full stop; `titled` behind its document's title."""
    text = _row(question, line) if line.kind == "row" else _LEAD.sub("", line.text)
    text = f"{found.name}: {_NUMBERED.sub('', text)}" if titled and found.name and found.name not in text else text
    text = _CITED.sub("", " ".join(text.split()))
    if not found.number:
        return text
    body = text.rstrip(".!?。！？…:;, ")
    return f"{body} [{found.number}]{text[len(body) :].strip() or '.'}"


def _row(question: Question, line: Line) -> str:
    """The label of a row and the asked cells, each behind the name of its column."""
    pairs = scores.asked_cells(question, line)
    if len(pairs) < 2:
        return ", ".join(cell for cell in cells(line.text) if cell)
    label, *rest = pairs
    named = [label] if len(pairs) == len(line.header) else [("", label[1])]
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in [*named, *rest] if cell)


@task("steps")
def steps(llm: Any, question: str, context: str, count: int, headings: Collection[str] = (), **more: Any) -> str:
    """The steps in the first `count` documents, under these headings or where there are lists; else a usual answer."""
    asked = read_question(question)
    found = newest_editions(asked, passages(context)[:count])
    told = [(one, [line for line in one.lines if line.kind != "heading" and not commands(line)]) for one in found]
    groups = ((one, *group) for one, lines in told for group in groupby(lines, key=lambda line: line.heading))
    sections = [(one, heading, list(lines)) for one, heading, lines in groups]
    wanted = headings or {heading for _, heading, lines in sections if _items(lines) > 1}
    shown = [line for each in sections if each[1] in wanted for line in _told(asked, *each)]
    shown = shown or [line for each in sections for line in _told(asked, *each)]
    return "\n".join(shown[:MOST_STEPS]) or answer(llm, question, context, **more)


def _items(lines: Iterable[Line]) -> int:
    return sum(line.kind == "item" for line in lines)


def _told(asked: Question, found: Passage, heading: str, lines: Sequence[Line]) -> list[str]:
    """A heading, and the items under it with the sentences behind each; without items, the sentences."""
    count = _items(lines)
    told: list[str] = []
    for line in lines if count < 2 else dropwhile(lambda line: line.kind != "item", lines):
        said = cite(asked, line, found, titled=False)
        if said and told and count and line.kind != "item" and is_ended(line.text):
            told[-1] = f"{told[-1]} {said}"
        elif said and (line.kind == "item" or is_ended(line.text)):
            told.append(said)
    return [f"{heading.rstrip(':')}:", *told] if heading and told else told


@task("restyle")
def restyle(llm: Any, answer: str, **_: Any) -> str:
    return answer
