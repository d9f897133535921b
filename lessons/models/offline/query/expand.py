"""How the keyless model phrases a question anew: its parts, other ways to write the same thing, its keywords."""

import re
from collections.abc import Iterator
from typing import Any

from lessons.models.offline.query.calendar import spelled_otherwise
from lessons.models.offline.query.compress import Turn, standalone
from lessons.models.offline.query.hyde import statement
from lessons.models.offline.query.rewrite import rewrite
from lessons.models.offline.question import read_question
from lessons.models.offline.tasks import task
from lessons.text import ENGLISH_STOP_WORDS, language, terms

# Ways to write the same thing, the first of each language being the usual one.
_SAME = [
    [form.strip() for form in line.split("=")]
    for line in """
chief executive officer = CEO = 대표이사 = 최고경영자
chief financial officer = CFO = 재무책임자 = 최고재무책임자
research and development = R&D = 연구개발
operating profit = operating income = 영업이익
net profit = net income = 당기순이익 = 순이익
revenue = net sales = turnover = 매출 = 매출액
year on year = year-on-year = compared with the previous year = 전년 동기 대비 = 전년 대비
single sign-on = SSO = 싱글 사인온 = 통합 로그인
multi-factor authentication = MFA = two-factor authentication = 다단계 인증 = 2단계 인증
frequently asked questions = FAQ = 자주 묻는 질문
side effects = adverse effects = 부작용 = 이상 반응
standard deviation = SD = 표준편차
confidence interval = CI = 신뢰구간
null hypothesis = H0 = 귀무가설
analysis of variance = ANOVA = 분산분석
blood pressure = 혈압
employees = staff = headcount = 직원 수 = 임직원 수 = 인원
refund = reimbursement = 환불
deadline = due date = 마감일 = 기한
""".strip().splitlines()
]
_PARTS = re.compile(
    r"\s*(?:[?？;]\s+|,?\s(?:and|as well as)\s"
    r"(?=(?:what|when|who|where|why|how|which|is|are|was|were|does|did|do|can)\b))"
    r"|(?<=[가-힣]고)[,]?\s(?=\S+\s\S+)|,?\s그리고\s",
    re.IGNORECASE,
)
_LEAST = 2  # words that make a part a question of its own


_PARTICLE = re.compile(
    "(?<=[가-힣]{2})(?:에서는|에서|에는|에게|으로|까지|부터|이랑|랑|은|는|을|를|의|에|와|과)$|(?<=[가-힣]{3})(?:이|가|도|로|만|나)$"
)
_ENDING = re.compile(
    r"(?:하나요|되나요|인가요|한가요|나요|까요|니까|이에요|예요|어요|아요|해요|돼요|죠|려면|면|는지)[?？]?$"
)
_NEGATIONS = frozenset("no not nor never without except cannot".split())  # noqa: SIM905
_DENIED = re.compile("없|않|못|안$|아닌|아니")
_KIND = {
    "date": ("date", "날짜 시기"),
    "number": ("amount", "금액 수"),
    "steps": ("steps", "방법 절차"),
    "why": ("reason", "이유 원인"),
    "person": ("person responsible", "담당자"),
}


@task("expand")
def expand(llm: Any, question: str, count: int = 3, **_: Any) -> dict[str, list[str]]:
    """At most `count` other phrasings, the most different ones first."""
    seen = {_same(question)}
    found: list[str] = []
    for variant in _variants(rewrite(llm, question)):
        if len(found) < count and _same(variant) not in seen and terms(variant):
            seen.add(_same(variant))
            found.append(variant)
    return {"queries": found}


def _variants(query: str) -> Iterator[str]:
    yield from _parts(query)
    yield from spelled_otherwise(query)
    yield from _other_words(query)
    yield keywords(query)
    yield statement(query)
    yield _with_kind(query)
    yield query


def _parts(query: str) -> Iterator[str]:
    """The questions that one question holds; a later one that lacks its subject takes it from the first."""
    parts = [part.strip(" ,") for part in _PARTS.split(query) if len(part.split()) >= _LEAST]
    if len(parts) > 1:
        first = Turn(parts[0], "")
        yield from (standalone(part, [first]) if part is not parts[0] else part for part in parts)


def _other_words(query: str) -> Iterator[str]:
    """The question with one of its expressions replaced by another of the same language."""
    for forms in _SAME:
        form = next((form for form in forms if _form(form).search(query)), None)
        others = [other for other in forms if form and other != form and language(other) == language(form)]
        if form and others:
            yield _form(form).sub(others[0], query, count=1)


def _form(form: str) -> re.Pattern[str]:
    edge = r"(?<![\w-]){}(?![\w-])" if form.isascii() else "(?<![가-힣]){}(?![가-힣]{{3}})"
    return re.compile(edge.format(re.escape(form)), 0 if form.isupper() else re.IGNORECASE)


def keywords(query: str) -> str:
    """Only the words that carry meaning, Korean ones without their particles and endings."""
    words = [word.strip("?,.;:!？\"'’“”") for word in query.split()]
    if language(query) == "ko":
        kept = [word for word in words if terms(word) or _DENIED.match(word)]
        return " ".join(_PARTICLE.sub("", _ENDING.sub("", word)) for word in kept)
    dropped = ENGLISH_STOP_WORDS - _NEGATIONS
    return " ".join(word for word in words if word.lower() not in dropped)


def _with_kind(query: str) -> str:
    """The keywords with a word for what is asked: a date, an amount, a reason …"""
    kinds = read_question(query).kinds
    place = language(query) == "ko"
    return " ".join([keywords(query), *(words[place] for kind, words in _KIND.items() if kind in kinds)])


def _same(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()
