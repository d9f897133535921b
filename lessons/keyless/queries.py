"""How the keyless model turns a question into a search query: without its courtesies, with everything it is about."""

import re
from collections.abc import Iterator
from typing import Any

from lessons.keyless import task
from lessons.keyless.followups import standalone
from lessons.keyless.parts import sides
from lessons.keyless.words import read_question
from lessons.text import ENGLISH_STOP_WORDS, language, terms
from lessons.text.korean import particle_pattern
from lessons.text.periods import normal_form, spelled_otherwise

_COURTESIES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:(?:hi|hello|hey|excuse me|sorry|well|so|ok(?:ay)?)\b(?!-\w)[\s,.!:–-]*)+"
        r"|(?<![가-힣])(?:안녕하세요|죄송하지만|혹시|네)(?:[\s,.!]+|$)",
        r"(?<![\s,.!])[\s,.!]*\b(?:thanks|thank you)\b[\w\s.!]{0,20}$"
        r"|\s?(?:감사합니다|고맙습니다|부탁드(?:립니다|려요))[.!]*$",
        r"\b(?:(?:could|can|would|will) you (?:please )?(?:tell|show|explain to|give) (?:me|us)"
        r"|(?:please )?tell (?:me|us)|do you know|please)\b[\s,:]*|(?<![가-힣])좀\s"
        r"|^(?:summari[sz]e|sum up|give me an? (?:\w+ )?overview of|in short,|explain|analy[sz]e|describe)\s",
        r"\s?(?:에 대해서?\s)?(?:(?:자세히|간단히|짧게)\s)?(?:알려|말해|설명해|정리해|요약해|분석해)\s?"
        r"(?:주세요|주실 수 있나요|줘요?|줄래)?[.?!]*$|(?:이|가)?\s?궁금(?:합니다|해요)[.?!]*$",
    )
]
_BE = re.compile(r"^(?:what|which|who)(?: (is|are|was|were)|[’']s) ((?!there\b|the one\b).+)$", re.IGNORECASE)
_ASKING = re.compile(
    r"(?i)^(?:when|where|why|how|what|which|who)\b(?:\s(?:much|many|long|often|far))?"
    r"(?:\s(?:is|are|was|were|do|does|did|can|will|would|should)\b(?:\s(?:I|we|you|one)\b)?)?\s*"
    r"|^(?:do|does|did|can|could|will|would|should)\s"
)
_KOREAN_ASKING = re.compile(r"(?<![가-힣])(?:언제|어디|얼마|누구|무엇|뭐|며칠|어떻게|왜)\S{0,60}(?:요|까|죠|지)$")
_PARTS = re.compile(
    r"(?i)(?<!\s)\s*(?:[?？;]\s+|,?\s(?:and|as well as)\s"
    r"(?=(?:what|when|who|where|why|how|which|is|are|was|were|does|did|do|can)\b))"
    r"|(?<=[가-힣]고)[,]?\s(?=\S+\s\S+)|,?\s그리고\s"
)
_LEAST = 2  # words that make a part a question of its own
_PARTICLE = re.compile(rf"(?<=[가-힣]{{3}}){particle_pattern('is', 'many', 'named')}$|(?<=[가-힣]{{2}})[은는을를의에]$")
_ENDING = re.compile(
    r"(?:하나요|되나요|인가요|한가요|나요|까요|니까|이에요|예요|어요|아요|해요|돼요|죠|려면|면|는지)[?？]?$"
)
_NEGATIONS = frozenset("no not nor never without except cannot".split())  # noqa: SIM905
_DENIED = re.compile("없|않|못|안$|아닌|아니")
_KIND = {  # a word for what is asked, in English and in Korean
    "date": ("date", "날짜 시기"), "number": ("amount", "금액 수"), "steps": ("steps", "방법 절차"),
    "why": ("reason", "이유 원인"), "person": ("person responsible", "담당자"),
}  # fmt: skip


@task("rewrite")
def rewrite(llm: Any, question: str, **_: Any) -> str:
    """Drop what only politeness put into the question; every word that a search looks for stays."""
    query = question.strip()
    for courtesy in _COURTESIES:
        query = courtesy.sub("", query).strip()
    query = re.sub(r"\s+", " ", query).strip(" ,.?!？")
    return query if terms(query) else question


@task("hyde")
def hyde(llm: Any, question: str, **_: Any) -> str:
    """Turn the question into a statement that leaves its answer open."""
    text = statement(rewrite(llm, question))
    return f"{text[:1].upper()}{text[1:]}."


def statement(query: str) -> str:
    """Turn a question into the beginning of a statement: 'the revenue in Q2 was', '매출은 다음과 같습니다'."""
    if match := _BE.match(query):
        return f"{match[2]} {match[1] or 'is'}"
    return _KOREAN_ASKING.sub("다음과 같습니다", _ASKING.sub("", query)) or query


@task("expand")
def expand(llm: Any, question: str, count: int = 3, **_: Any) -> dict[str, list[str]]:
    """Return at most `count` other phrasings, the most different ones first."""
    query = rewrite(llm, question)
    tongue, kinds = language(query), read_question(query).kinds
    kind_words = [words[tongue == "ko"] for kind, words in _KIND.items() if kind in kinds]
    plain, essence = normal_form(query), content_words(query)
    variants = [*sides(query), *_parts(query), plain, *spelled_otherwise(plain, language(plain))]
    phrasings = {_same(question): question}
    for variant in [*variants, essence, statement(query), " ".join([essence, *kind_words]), query]:
        if terms(variant):
            phrasings.setdefault(_same(variant), variant)
    return {"queries": list(phrasings.values())[1 : count + 1]}


def _parts(query: str) -> Iterator[str]:
    """Yield the questions that one question holds; a later one that lacks its subject takes it from the first."""
    parts = [part.strip(" ,") for part in _PARTS.split(query) if len(part.split()) >= _LEAST]
    if len(parts) > 1:
        yield from (standalone(part, parts[:1]) if part is not parts[0] else part for part in parts)


def content_words(query: str) -> str:
    """Keep only the words that carry meaning, Korean ones without their particles and endings."""
    words = [word.strip("?,.;:!？\"'’“”") for word in query.split()]
    if language(query) == "ko":
        words = [word for word in words if terms(word) or _DENIED.match(word)]
        return " ".join(_PARTICLE.sub("", _ENDING.sub("", word)) for word in words)
    return " ".join(word for word in words if word.lower() not in ENGLISH_STOP_WORDS - _NEGATIONS)


def _same(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()
