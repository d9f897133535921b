"""What the found documents name and a question only describes: 'the director of Solaris' is a name to search for."""

import calendar
import re
from collections.abc import Iterator

from lessons.models.offline.cover import BEFORE
from lessons.models.offline.coverage import WORTH
from lessons.models.offline.join import together
from lessons.models.offline.passages import Passage
from lessons.models.offline.question import Question
from lessons.models.offline.score import Candidate, candidates, rarity
from lessons.text import ENGLISH_STOP_WORDS, terms

_RUN = re.compile(
    r"(?P<start>(?:^|[.!?:]\s+|[“\"‘'(]))?(?P<name>[A-Z][\w’'&-]*\w\.?(?:\s(?:(?:of|the|de|da|di|van|von|del|la|le|du|and|&|for)\s){0,2}[A-Z][\w’'&-]*\w)*)"
)
_KOREAN = re.compile(
    r"[‘'“\"《〈「]([^’'”\"》〉」]{2,30})[’'”\"》〉」]"
    r"|([가-힣]{2,}(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업|식품|상사|해운|소재))"
)
_NO_NAMES = {*(name.lower() for name in [*calendar.month_name, *calendar.day_name] if name)} | ENGLISH_STOP_WORDS
READ = 3  # passages, best first
LINES = 2  # of each


def bridges(question: Question, found: list[Passage]) -> list[str]:
    """Queries with a name from the best lines, and the words of the question that its document leaves open."""
    known = set(terms(question.text))
    weights = rarity(question, found)
    valued: dict[str, float] = {}
    for rank, passage in enumerate(found[:READ]):
        best = sorted(candidates(question, [passage], weights), key=lambda one: -one.score)[:LINES]
        open_words = _open(question, best)
        if not open_words:
            continue
        for candidate in best:
            for place, (name, worth) in enumerate(names(candidate.line.text)):
                if not set(terms(name)) <= known:
                    query = f"{name} {' '.join(open_words)}"
                    value = (candidate.score - 0.1 * rank) * worth - 0.01 * place
                    valued[query] = max(valued.get(query, 0), value)
    return sorted(valued, key=lambda query: -valued[query])


def _open(question: Question, best: list[Candidate]) -> list[str]:
    """The words of the question that none of the lines holds."""
    covered = together(best)
    return [
        unit.text
        for unit, value in zip(question.units, covered or [0.0] * len(question.units), strict=True)
        if value < BEFORE and unit.weight >= WORTH
    ]


def names(text: str) -> Iterator[tuple[str, float]]:
    """The names in a line, in its order, and how surely each is one."""
    for match in _RUN.finditer(text):
        words = match["name"].rstrip(".").split()
        initial = match["start"] is not None and match["start"][:1] not in "“\"‘'("
        while words and words[0].lower() in _NO_NAMES:
            words, initial = words[1:], False
        name = " ".join(words)
        if not words or not terms(name) or len(name) < 3:
            continue
        if len(words) == 1 and initial:
            continue
        yield name, 1.0 if len(words) > 1 else 0.7
    for match in _KOREAN.finditer(text):
        yield match[1] or match[2], 1.0
