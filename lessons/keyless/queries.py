"""How the keyless model turns a question into a search query: without its courtesies, with everything it is about."""

import re
from collections.abc import Iterator
from typing import Any

from lessons.keyless import task
from lessons.keyless.followups import Turn, standalone
from lessons.keyless.parts import sides
from lessons.keyless.words import read_question
from lessons.text import ENGLISH_STOP_WORDS, language, terms
from lessons.text.korean import particle_pattern
from lessons.text.periods import normal_form, spelled_otherwise

_GREETINGS = (
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|excuse me|sorry(?: to bother you)?|um+|well|so|ok(?:ay)?"
    r"|just out of curiosity|quick question|a question)\b(?!-\w)[\s,.!:–-]*)+"
    r"|(?<![가-힣])(?:안녕하세요|실례지만|죄송하지만|죄송한데|혹시|저기요?|있잖아요|음+|아|네)(?:[\s,.!]+|$)"
)
_REQUESTS = (
    r"\b(?:(?:could|can|would|will) you (?:please |kindly )?(?:tell|show|explain to|help|give) (?:me|us)(?: with)?\b"
    r"|(?:please )?tell (?:me|us)\b|i(?: would|['’]d) (?:really )?(?:like|love) to (?:know|ask|find out)\b"
    r"|i (?:was |am |['’]m )(?:just )?wondering(?: if you could tell me)?\b|i (?:need|want) to (?:know|find out)\b"
    r"|do you (?:happen to )?know\b|can i ask\b|if (?:possible|you don['’]t mind|i may ask)\b)[\s,:]*"
    r"|\b(?:please|kindly|actually|basically|by the way)\b,?\s?|(?<![가-힣])좀\s"
    r"|^(?:summari[sz]e|sum up|give me (?:an? )?(?:(?:short|brief|quick) )?(?:overview|summary) of|in short,"
    r"|explain|analy[sz]e|describe)\s"
)
_THANKS = (
    r"(?<![\s,.!])[\s,.!]*\b(?:thanks|thank you)(?: (?:so|very) much| a lot| in advance)?[.!]*$"
    r"|\s?(?:감사합니다|고맙습니다|부탁드립니다|부탁드려요|부탁해요|부탁합니다)[.!]*(?=$|\s)"
)
_KOREAN_REQUESTS = (
    r"\s?(?:에 대해서?\s)?(?:(?:자세히|간단히|간략히|짧게|빨리)\s)?"
    r"(?:알려|말해|말씀해|설명해|가르쳐|찾아|보여|정리해|요약해|분석해)\s?"
    r"(?:주세요|주시겠어요|주실 수 있나요|주실래요|줘요?|주십시오|달라|줄래)?[.?!]*$"
    r"|(?:이|가)?\s?(?:궁금합니다|궁금해요|궁금한데요|알고 싶습니다|알고 싶어요|알고 싶은데요)[.?!]*$"
)
_FILLER = [re.compile(pattern, re.IGNORECASE) for pattern in (_GREETINGS, _THANKS, _REQUESTS, _KOREAN_REQUESTS)]
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
    for filler in _FILLER:
        query = filler.sub("", query).strip()
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
        first = Turn(parts[0])
        yield from (standalone(part, [first]) if part is not parts[0] else part for part in parts)


def content_words(query: str) -> str:
    """Keep only the words that carry meaning, Korean ones without their particles and endings."""
    words = [word.strip("?,.;:!？\"'’“”") for word in query.split()]
    if language(query) == "ko":
        words = [word for word in words if terms(word) or _DENIED.match(word)]
        return " ".join(_PARTICLE.sub("", _ENDING.sub("", word)) for word in words)
    return " ".join(word for word in words if word.lower() not in ENGLISH_STOP_WORDS - _NEGATIONS)


def _same(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()
