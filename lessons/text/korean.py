"""Korean words between spaces: the noun in them without its particle or ending, and how sure it is one."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from lessons.text.word_lists import KOREAN_NO_NOUNS, KOREAN_STOP_WORDS, words_of

Kind = Literal["noun", "action", "maybe", "open", "none"]
"""noun: before a particle that only nouns take; action: before 하다, 되다; open: bare; maybe: bare, or a verb; none."""

PARTICLES = {
    particle: role
    for role, forms in {
        "topic": "은 는", "subject": "이 가 께서", "object": "을 를", "of": "의", "at": "에 에는", "in": "에서 에서는",
        "to": "에게 에게는 한테 께", "from": "에게서 한테서", "since": "부터 부터는", "until": "까지 까지는",
        "than": "보다", "by": "으로 로 으로는 로는 으로써 로써", "as": "으로서 로서",
        "with": "와 과 랑 이랑 하고",
        "only": "만 에만 에서만 밖에", "also": "도 에도 에서도 으로도 로도 까지도 조차 라도", "each": "마다 씩 별로",
        "like": "처럼 만큼", "or": "이나 나", "named": "이라는 이라고 이란 라는 라고 란",
        "is": "입니다 인지 이라면 이지만 이므로 이며 이고 이다 인데 인", "many": "들 들이 들은 들을 들의 들에게 들도",
    }.items()
    for particle in forms.split()
}  # fmt: skip
"""What may follow a noun, and its part: the one list, which every room reads. `is` are forms of 이다, `many` of 들."""

_LONGEST_FIRST = sorted(PARTICLES, key=len, reverse=True)


def particle_pattern(*without: str) -> str:
    """Return a regex group that matches any particle, the longest first, `without` those of some roles."""
    return f"(?:{'|'.join(particle for particle in _LONGEST_FIRST if PARTICLES[particle] not in without)})"


def without_particle(word: str, *without: str) -> str:
    """Drop the particle at the end, `without` those of some roles; one that its last syllable does not take stays."""
    for particle in _LONGEST_FIRST:
        stem = word.removesuffix(particle)
        if len(stem) > 1 and stem != word and PARTICLES[particle] not in without and agrees(stem, particle):
            return stem
    return word


_AFTER_CONSONANT = frozenset("은이을과")
_AFTER_VOWEL = frozenset("는가를와나란랑")
_UNSURE = frozenset(["인", "는", "은", "도", "만", "나", "이나", "이고", "하고", "로", "란", "들", "을", "랑"])
_ACTION = re.compile(
    r"([가-힣]{2,}?)(?:하|되|시키|당하)?(?:하|되|받|해|돼|했|됐|합|됩|할|될|한|된|함|됨|시킵|시켜|시킨|시킬)[가-힣]{0,6}"
)
_PREDICATE = re.compile(
    r"[가-힣]*(?:다|니까|세요|시오|어요|아요|해요|에요|예요|나요|까요|지요|죠|려고|도록|면서|지만|는데|어야|아야|려면|거나|며"
    r"|으면|으니|어서|아서|여서|든지|자마자|수록|므로|더라도|어도|아도|는지|은지|을지|일수록|려는|던|든|뀐|른|린|킨|친|낸|쓴"
    r"|릴|킬|칠|쓸|눌|았을|었을|지면|리면|게|워|려|져|켜|쳐|내고|지고|리고|이고|나서|고는|여|라|써|러|히|야|운)"
)
_CONNECTED = re.compile(
    r"[가-힣]+(?:거나|므로|려면|려고|면서|지만|는데|도록|더라도|어도|아도|어서|아서|여서|어야|아야|으면|으니|면|며|습니다|[었았였겠]다|세요|시오)"
)
_MAYBE = re.compile(r"[가-힣]*(?:고|면|지|기|서|니|자|는|을|던|진|난|될|어|아|음)")
_HANGUL = re.compile("[가-힣]+")
# Ends of nouns that look like the ends of verbs, and like particles.
_LIKE_PREDICATES, _LIKE_PARTICLES = (tuple(words_of(f"nouns_like_{part}")) for part in ("predicates", "particles"))


def korean_nouns(texts: Iterable[str]) -> frozenset[str]:
    """Collect the stems that stand before a noun's particle somewhere in the texts."""
    words = {word for text in texts for word in _HANGUL.findall(text)}
    return frozenset(stem for word in words for stem, kind in [read_korean(word)] if kind == "noun")


@lru_cache(maxsize=50_000)
def read_korean(word: str) -> tuple[str, Kind]:
    """Return the stem of a word between spaces, and how sure it is a noun: ('발행', 'noun') for '발행합니다'."""
    if word in KOREAN_STOP_WORDS or word in KOREAN_NO_NOUNS:
        return word, "none"
    if word.endswith(_LIKE_PREDICATES + _LIKE_PARTICLES):
        return word, "open"
    if _CONNECTED.fullmatch(word):
        action = _ACTION.fullmatch(word)
        return (action[1], "action") if action else (word, "none")
    for particle in _LONGEST_FIRST:
        stem = word.removesuffix(particle)
        if stem and stem != word and agrees(stem, particle):
            return _stem_of(stem, particle) if len(stem) > 1 else (word, "maybe")
    return _bare(word)


def _stem_of(stem: str, particle: str) -> tuple[str, Kind]:
    if _PREDICATE.fullmatch(stem) and not stem.endswith(_LIKE_PREDICATES):
        return stem, "maybe" if particle not in _UNSURE else "none"
    if particle == "는" and (action := _ACTION.fullmatch(stem)) and not stem.endswith(_LIKE_PREDICATES):
        return action[1], "action"  # 발행하는
    return stem, ("maybe" if particle == "는" else "open") if particle in _UNSURE else "noun"


def _bare(word: str) -> tuple[str, Kind]:
    if action := _ACTION.fullmatch(word):
        return action[1], "action"
    if _PREDICATE.fullmatch(word):
        return word, "none"
    return word, "maybe" if _MAYBE.fullmatch(word) else "open"


def agrees(stem: str, particle: str) -> bool:
    """Tell whether the particle has the form that the last syllable asks for: 을 follows a consonant, 를 a vowel."""
    final = (ord(stem[-1]) - 0xAC00) % 28  # 0: it ends in a vowel, 8: in ㄹ
    if particle[0] in _AFTER_CONSONANT and particle not in ("이나", "이며", "이고"):
        return final > 0 or (particle.startswith("이") and len(particle) > 1)
    if particle in _AFTER_VOWEL:
        return final == 0
    if particle.startswith("으로"):
        return final not in (0, 8)
    if particle in ("로", "로는", "로도", "로써", "로서"):
        return final in (0, 8)
    return True
