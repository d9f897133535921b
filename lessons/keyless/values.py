"""The typed parts of a question that a follow-up can replace: its periods, names, identifiers and measures."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lessons.keyless.words import KOREAN_COMPANY
from lessons.text import ENGLISH_STOP_WORDS, language
from lessons.text.korean import particle_pattern
from lessons.text.periods import MONTHS, neighbours, periods
from lessons.text.word_lists import words_of

_IDENTIFIER = re.compile(r"(?<![\w-])[A-Za-z]+[-_#][A-Za-z\d_-]*\d[A-Za-z\d_-]*")
_MEASURE = re.compile(
    r"(?i)(?:\b(?:net|gross|operating|total|annual|average|free|pre-tax|advertising)\s+){0,5}"
    r"(?<![\w-])(?:revenues?|(?:net )?sales|profits?|margins?|income|debt|costs?|cash flow|expenses?|expenditure"
    r"|earnings|turnover|headcount|employees|assets|equity|liabilities|market share|dividends?|spending|investments?"
    r"|backlog|EBITDA|workforce)\b"
    r"|[가-힣]{0,20}(?:매출|매출액|이익|손실|이익률|(?<=[가-힣]{2})[률율]|비용|(?<=[가-힣]{2})(?<![설장준경])비|자산|부채|자본|차입금"
    r"|현금흐름|배당금|인원|판매량|생산량|수주잔고|주가|직원 수)"
    rf"(?={particle_pattern()}|요|\W|$)"
)
_NAME = re.compile(r"\b[A-Z][A-Za-zÀ-ÿ\d&-]*(?:[ ](?:(?:of|and) (?=[A-Z]))?[A-Z][A-Za-zÀ-ÿ\d&-]*)*")
_NO_NAMES = ENGLISH_STOP_WORDS | words_of("no_names")
_KOREAN_NAME = re.compile(rf"(?<![가-힣])[가-힣]{{1,8}}{KOREAN_COMPANY}(?={particle_pattern()}|요|\W|$)")
_OWNER = re.compile(r"(?<![가-힣])[가-힣]{2,10}?(?=의\s)")
_POINTER = re.compile(r"(?<!\S)(?:그|이|저|해당|같은|어느|어떤)\s$")
_HANGUL = re.compile(rf"([가-힣]*?){particle_pattern()}{{0,3}}요?(?![가-힣])")
_PARTICLE = re.compile(r"(?:'s?|’s?|" + particle_pattern() + "?요?(?![가-힣]))")
_PERSON = re.compile(
    r"([가-힣]{2,4})\s?(?:대표|회장|사장|부사장|전무|상무|이사|부장|팀장|교수|박사|의장|위원장|선생|매니저)"
    r"|\b([A-Z][a-z]+(?: [A-Z][\w-]+)+)"
)


@dataclass(frozen=True)
class Value:
    """A value and its place. `kind`: year, quarter, half, month, name, identifier, measure or one of `_TYPED`."""

    kind: str
    text: str
    start: int
    end: int


def _apart(found: Iterable[Value]) -> list[Value]:
    """The values in the order of the text, without those that overlap an earlier one of the list."""
    kept: list[Value] = []
    for value in found:
        if all(value.end <= other.start or value.start >= other.end for other in kept):
            kept.append(value)
    return sorted(kept, key=lambda value: value.start)


def slots(text: str) -> list[Value]:
    """The parts of a question that a follow-up can replace, in its order; none overlaps another."""
    named = [Value(each.unit, text[each.start : each.end], each.start, each.end) for each in periods(text)]
    typed = [*_matches("identifier", _IDENTIFIER, text), *_matches("measure", _MEASURE, text)]
    return _apart([*named, *typed, *names(text)])


def without(text: str, given: list[Value]) -> str:
    """The text with blanks in place of these slots and of the particles behind them."""
    for slot in given:
        particle = _PARTICLE.match(text, slot.end)
        end = particle.end() if particle else slot.end
        text = text[: slot.start] + " " * (end - slot.start) + text[end:]
    return text


def names(text: str) -> list[Value]:
    """Capitalised names; in Korean companies, and whoever owns a measure ('미래정밀의 2021년 연구개발비')."""
    found = [slot for match in _NAME.finditer(text) if (slot := _name(match, text))]
    found += _matches("name", _KOREAN_NAME, text)
    if (owner := _OWNER.search(text)) and not _POINTER.search(text[: owner.start()]):
        measure = _MEASURE.search(text, owner.end())
        found += [Value("name", owner[0], *owner.span())] if measure and not _MEASURE.fullmatch(owner[0]) else []
    return found


def _name(match: re.Match[str], text: str) -> Value | None:
    """A capitalised sequence without the word that is capitalised because the sentence begins with it."""
    start = match.start()
    words = match[0].split()
    first = text[:start].rstrip()[-1:] in ("", ".", "!", "?", ":")
    while words and words[0].lower() in _NO_NAMES:
        start, words = start + len(words[0]) + 1, words[1:]
        first = False
    if not words or (first and len(words) == 1 and re.match(r" [a-z]", text[match.end() :])):
        return None
    rest = _HANGUL.match(text, match.end())  # 'SK하이닉스는' goes on in Hangul up to its particle
    end = rest.end(1) if rest else match.end()
    return Value("name", text[start:end], start, end)


def people(text: str) -> list[str]:
    found = dict.fromkeys(match[1] or match[2] for match in _PERSON.finditer(text))
    return [name for name in found if name.split()[0].lower() not in ENGLISH_STOP_WORDS]


def _matches(kind: str, pattern: re.Pattern[str], text: str) -> list[Value]:
    return [Value(kind, match[0], *match.span()) for match in pattern.finditer(text)]


_NUMBER = r"\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,30})?|\d{1,30}(?:\.\d{1,30})?"
# Possessive: else a long number without a currency would be tried in every way to cut it.
_KOREAN_NUMBER = rf"(?:(?:(?:{_NUMBER})\s?[조억만천백]?|[일이삼사오육칠팔구십백천]*[조억만천백])\s?)++"
_MONTH = rf"(?:{'|'.join(month[:3] + f'(?:{month[3:]})?' for month in MONTHS)})"
_PATTERNS = {
    "money": rf"(?:US\$|[$€£₩]|\b(?:USD|EUR|KRW) ?)(?:{_NUMBER})(?:\s?(?:k|m|bn|thousand|million|billion)\b)?"
    rf"|(?:{_NUMBER})\s?(?:k |thousand |million |billion |trillion )?(?:dollars?|euros?|won|pounds?|USD|EUR|KRW)\b"
    rf"|(?<![\d조억만천백]){_KOREAN_NUMBER}(?:원|달러|유로)",
    "percent": rf"(?:{_NUMBER})\s?(?:%p?|percent\b|per cent\b|퍼센트|프로(?![가-힣]))",
    "date": rf"\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b(?![-:])"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? \d{{4}})?"
    r"|(?:\d{4}년\s?)?(?<!\d)\d{1,2}월\s?\d{1,2}일",
    "identifier": r"(?<![\w-])[A-Z]{2,}[-_#][A-Z\d_-]*\d[A-Z\d_-]*",
    "quantity": rf"(?:{_NUMBER})\s?(?:people|persons?|employees|users?|customers?|instances?|servers?|nodes?|GB|TB|MB"
    r"|vCPUs?|hours?|minutes?|days?|weeks?|months?|years?|times|kg|mg|ml|km|pages?|seats?|licen[cs]es?|accounts?|units?|tablets?"
    r"|items?|requests?|projects?|stores?|rooms?)(?![A-Za-z])"
    r"|(?:\d[\d,.]{0,30}|한(?= )|두|세|네|다섯|여섯|열)\s?(?:만|천)?\s?(?:명|개월|개|대|건|시간|분(?!기)"
    r"|일(?![가-힣]{2})|주(?![가-힣])|년간|회|번|장|인분|살|세(?![가-힣])|곳|팀|페이지|정(?=[씩을])|킬로|리터|기가|테라)",
    "service": r"(?<![\w-])(?:[A-Z]{1,5}\d+[A-Za-z]?|[A-Z][a-z]+(?:[A-Z][a-z]*\d*)+|[A-Z]{2,}[a-z]+[A-Za-z]*"
    r"|(?:AWS|GCP|RDS|EKS|GKE|EBS|IAM|SQS|SNS|VPC|ECS|Azure|Lambda|Kubernetes|Redis|Kafka|Oracle|Postgres|Python|Java"
    r"|Excel|Slack|Jira|Notion|Salesforce|SAP))(?![A-Za-z\d_-])",
}
_CAPITALS = "identifier", "service"
_TYPED = {kind: re.compile(form, 0 if kind in _CAPITALS else re.IGNORECASE) for kind, form in _PATTERNS.items()}
_QUARTER = re.compile(r"Q[1-4]|H[12]|[1-4]Q")
_TRAILING = re.compile(r"(?<![\s,.])[\s,.]+$")


def values(text: str) -> list[Value]:
    """The values of a text in its order; none overlaps another."""
    typed, named = list[Value](), list[Value]()
    for kind, pattern in _TYPED.items():
        for match in pattern.finditer(text):
            found = _TRAILING.sub("", match[0])
            if kind != "service" or not _QUARTER.fullmatch(found):
                typed.append(Value(kind, found, match.start(), match.start() + len(found)))
    for slot in slots(text):  # a single capitalised word at the beginning of a sentence is no name
        begins = text[: slot.start].rstrip()[-1:] in ("", ".", "!", "?")
        if slot.kind == "name" and not (begins and slot.text.isascii() and " " not in slot.text):
            named.append(slot)
    return _apart((*typed, *dated(text), *named))


def dated(text: str) -> Iterator[Value]:
    """Neighbouring periods as one, of the kind of the finest: 'November 2024', '2024년 3분기'."""
    for run in neighbours(text):
        start, end, units = run[0].start, run[-1].end, {period.unit for period in run}
        finest = next(unit for unit in ("month", "quarter", "half", "year") if unit in units)
        yield Value(finest, text[start:end], start, end)


_WORDS = {
    "name": r"\bnames?\b|\bcalled\b|이름|성함|성명",
    "budget": r"\bbudget|\bspend\b|\bafford\b|예산|쓸 수 있는 (?:돈|금액)",
    "uses": r"\bus(?:e|es|ed|ing)\b|\b(?:cloud|provider|tools?|platform)\b|사용|이용|클라우드|(?<![가-힣])[쓰써썼씁쓴]",
    "condition": r"\b(?:condition|illness|disease|diagnos\w+|suffer\w*|sick)\b|질환|질병|지병|(?<![가-힣])앓|병력|진단",
    "allergy": r"\ballerg\w+|알레르기|알러지",
    "medicine": r"\b(?:medicines?|medications?|drugs?|pills?)\b|(?<![가-힣])약(?=[을이은도물]|$|\s)|복용",
    "job": r"\b(?:job|profession|occupation|role|do for a living)\b|직업|직무|직책|하는 일",
    "company": r"\b(?:company|employer|work (?:for|at))\b|회사|직장|다니",
    "home": r"\b(?:live|lives|home|city)\b|사는|살고|살아|거주|사는 곳|집",
    "age": r"\b(?:age|old)\b|나이|몇 ?살|연세",
    "team": r"\bteam\b|(?<![가-힣])(?:팀|부서)|직원 ?수|인원",
    "likes": r"\b(?:like|likes|prefer\w*|favou?rite)\b|좋아|선호",
    "goal": r"\b(?:goal|target|aim)\b|목표",
    "deadline": r"\b(?:deadline|due)\b|마감|기한",
}
TYPES = {  # what a value without a word for it is called, in English and in Korean
    "money": ("amount", "금액"), "percent": ("share", "비율"), "date": ("date", "날짜"), "name": ("subject", "대상"),
    "identifier": ("identifier", "식별자"), "service": ("service", "서비스"), "period": ("period", "기간"),
}  # fmt: skip
_ENGLISH = {korean: english for english, korean in TYPES.values()}
_MODIFIER = re.compile(
    r"^(?:(?:my|our|the|new|monthly|yearly|annual|total|whole|current|제|우리|새|월|전체|총|이번 달|한 달)\s)+"
)
_TOPIC = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _WORDS.items()}


def topics(text: str) -> frozenset[str]:
    """The topics that the words of a text belong to."""
    return frozenset(name for name, pattern in _TOPIC.items() if pattern.search(text))


def same_key(key: str) -> str:
    """What a key means: 'budget', 'monthly budget' and '예산' are the same; a dog's name is not its owner's."""
    plain = _MODIFIER.sub("", " ".join(key.split()).casefold())
    about = topics(plain)
    alone = " " not in plain or plain in ("복용 약", "사는 곳")
    return next(iter(about)) if len(about) == 1 and alone else _ENGLISH.get(plain, plain)


_ABOUT = r"(?:about|around|only|now|roughly|up to|under|at most|less than|just|currently|still|already|set to|[:=])"
_IS = rf"(?:is|was|are|were|will be|should be|of|rose to|fell to|[:=])(?:\s+{_ABOUT})*\s*$"
_OWNED = re.compile(
    rf"\b(?:my|our|the|an?|his|her|its|their)\s+((?:[a-z][a-z-]+\s){{0,2}}?[a-z][a-z-]+)(?:\s(?:for|of|in|at)\s[^,.;]{{1,30}}?)?\s*{_IS}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"(?:^|[,;(]\s*|\band\s)([a-z][a-z-]+(?:\s[a-z][a-z-]+)?)\s*{_IS}", re.IGNORECASE)
_BEHIND = re.compile(r"\s(budget|limit|deadline|discount|fee|margin|share|tax|increase|decrease|plan)\b", re.IGNORECASE)
_SPENDS = re.compile(r"\b(?:can|could) (?:only )?(?:spend|pay|afford)\b[^,.;]*$", re.IGNORECASE)
_KOREAN_SPENDS = re.compile(r"\s*+(?:정도|쯤|까지)?(?:는|을|를)?\s*+(?:쓸 수 있|낼 수 있)")
_KOREAN = re.compile(
    r"([가-힣A-Za-z][가-힣A-Za-z\d]{0,40}(?:\s[가-힣]{1,6}?)?)(?:은|는|이|가|을|를|:)"
    r"\s*+(?:약|대략|총|한|이제|매달|최대|지금|현재)?\s*+$"
)
_POSSESSIVE = re.compile(r"^(?:제|내|저희|우리|저|나|이번|이제|지금|현재|그|이|저희의|우리의)\s+")
_NO_LABELS = ENGLISH_STOP_WORDS | words_of("no_labels")


def key_of(sentence: str, value: Value) -> str:
    """The word for a value in the language of its sentence; where there is none, what values of its kind are called."""
    tongue, before = language(sentence), sentence[: value.start]
    if value.kind in ("year", "quarter", "half", "month"):
        return TYPES["period"][tongue == "ko"]
    behind, named = sentence[value.end :], value.kind in ("name", "service", "identifier")
    found = _korean(before, behind) if tongue == "ko" else _english(before, behind, named)
    if found is None and value.kind in ("money", "percent"):
        found = next((slot.text.lower() for slot in slots(sentence) if slot.kind == "measure"), None)
    if found is None and value.kind == "quantity":
        found = re.sub(r"^[\d,.\s]+", "", value.text)
    return found or TYPES[value.kind][tongue == "ko"]


def _english(before: str, behind: str, named: bool) -> str | None:
    """The margin *of* a company is not called so, an amount *of* something is."""
    match = None if named and before.rstrip().endswith(" of") else _OWNED.search(before) or _PLAIN.search(before)
    if not (match := match or _BEHIND.match(behind)):
        return "budget" if _SPENDS.search(before) else None
    label = " ".join(match[1].lower().split())
    return None if set(label.split()) & _NO_LABELS else label


def _korean(before: str, behind: str) -> str | None:
    match = _KOREAN.search(before)
    label = _POSSESSIVE.sub("", match[1]).strip() if match else ""
    if label in words_of("nobody") or (len(label) < 2 and label != "팀"):
        return "예산" if _KOREAN_SPENDS.match(behind) else None
    return label
