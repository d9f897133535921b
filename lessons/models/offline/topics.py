"""What people say of themselves, by topic: which words ask for a name, a budget, an illness in either language."""

import re

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
TYPES = {
    "money": ("amount", "금액"),
    "percent": ("share", "비율"),
    "date": ("date", "날짜"),
    "identifier": ("identifier", "식별자"),
    "service": ("service", "서비스"),
    "name": ("subject", "대상"),
    "period": ("period", "기간"),
}
"""What a value without a word for it is called, in English and in Korean."""

_ENGLISH = {korean: english for english, korean in TYPES.values()}
_MODIFIER = re.compile(
    r"^(?:(?:my|our|the|new|monthly|yearly|annual|total|whole|current|제|우리|새|월|전체|총|이번 달|한 달)\s)+"
)
_KEYS = frozenset(["복용 약", "사는 곳"])
_TOPIC = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _WORDS.items()}


def topics(text: str) -> frozenset[str]:
    """The topics that the words of a text belong to."""
    return frozenset(name for name, pattern in _TOPIC.items() if pattern.search(text))


def same_key(key: str) -> str:
    """What a key means: 'budget', 'monthly budget' and '예산' are the same; a dog's name is not its owner's."""
    plain = _MODIFIER.sub("", " ".join(key.split()).casefold())
    about = topics(plain)
    alone = " " not in plain or plain in _KEYS
    return next(iter(about)) if len(about) == 1 and alone else _ENGLISH.get(plain, plain)
