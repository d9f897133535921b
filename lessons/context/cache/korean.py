"""What a Korean question pins down: particles bind a noun to its part, endings a clause to the next; order is free."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from lessons.context.cache import korean_words as known
from lessons.context.cache.quantities import UNITS, quantities
from lessons.context.cache.reading import WEAK, Reading, Word
from lessons.text.korean import agrees
from lessons.text.word_lists import KOREAN_NO_NOUNS, NOUNS_LIKE_PARTICLES, NOUNS_LIKE_PREDICATES

_TOKEN = re.compile(r"(?P<mark>#[^\s가-힣,?!]*[^\s가-힣,?!.]\.?)?(?P<latin>[a-z][a-z0-9._-]*)?(?P<hangul>[가-힣]*)")
_FORMS = sorted(known.ADNOMINAL, key=len, reverse=True)
_PARTICLES = sorted(known.ROLES, key=len, reverse=True)
_JAMO = str.maketrans("ㄴㄹㅁㅂㅆㅏㅐㅓㅕㅗㅘㅙㅚㅜㅝㅡㅣ", "ᆫᆯᆷᆸᆻᅡᅢᅥᅧᅩᅪᅫᅬᅮᅯᅳᅵ")
_PASSIVE = re.compile(r".*(?:되|돼|된|됩|될|됐|가능|필요|있|없|[아어]지|[가-힣]?졌|[가-힣]져)")
_NOUNS = NOUNS_LIKE_PREDICATES + NOUNS_LIKE_PARTICLES
_SPACED_FROM = 6  # syllables of a word that may be several written together


def _letters(text: str) -> str:
    return unicodedata.normalize("NFD", text.translate(_JAMO))


_ENDINGS = {_letters(ending): role for role, endings in known.ENDINGS.items() for ending in endings.split()}
_INNER = sorted(map(_letters, [*known.INNER, *known.ENDINGS["predicate"].split()]), key=len, reverse=True)
_OUTER = sorted(_ENDINGS, key=len, reverse=True)
_CONTRACTED = [(_letters(contracted), _letters(full)) for contracted, full in known.CONTRACTED]
_AFTER_VOWEL = {*map(_letters, ("ㅆ", "요", "여", "서", "야", "지", "")), ""}
_LIGHT_SUFFIXES = frozenset(map(_letters, ("하", "되", "시키", "이", "받", "드리")))
_BEFORE_LOST_L = tuple(map(_letters, ("는", "ㄴ", "ㅂ니까", "ㅂ니다", "나요", "시", "네요")))


def read_korean(question: str) -> Reading:
    """The constraints of a Korean question."""
    text = quantities(known.POLITE.sub(" ", question.lower()))
    for pattern, instead in known.REWRITTEN:
        text = pattern.sub(instead, text)
    asks = {ask for pattern, ask in known.ASKS if pattern.search(text)}
    if not asks:
        asks = {"whether" if known.WHETHER.search(text) and not known.WHAT.search(text) else "what"}
    modality = {name for word, name in known.MODALITY.items() if word in text}
    implied = set() if asks == {"whether"} else {"must", "can"} if asks & {"how", "where"} else {"must"}
    words = _turned(_words(text))
    return Reading(
        language="ko",
        asks=frozenset(asks),
        words=tuple(words),
        negated=len(known.NEGATION.findall(text)),
        modality=frozenset(modality - implied),
        tense=_tense(text, asks),
    )


def _tense(text: str, asks: set[str]) -> str:
    """The tense of the verb at the end, or of 'who is'; 'what was' of a thing asks what it is."""
    last = list(_TOKEN.finditer(text.rstrip(" ?!.")))[-2:]
    verb = any(word.role == "predicate" for token in last for word in _read(token, True) if token[0])
    kind = "verb" if verb else "who" if asks == {"who"} else ""
    return kind and f"{kind} {'past' if known.PAST.search(text) else 'present'}"


def spaced(question: str, words: Iterable[Word]) -> str:
    """The question with a space before each word of another question that is written together with what precedes it."""
    stems = {stem for word in words for stem in word.stems if len(stem) > 1 and stem[0] >= "가"} | known.QUESTION_WORDS
    for token in {token for token in re.findall("[가-힣]+", question) if len(token) >= _SPACED_FROM}:
        apart = token
        for stem in sorted(stems, key=lambda stem: (len(stem), stem)):
            apart = apart.replace(stem, f" {stem}")
        question = question.replace(token, apart)
    return question


def _words(text: str) -> list[Word]:
    tokens = [found for found in _TOKEN.finditer(text) if found[0]]
    words = [
        (token, word)
        for token, after in zip(tokens, [*(each[0] for each in tokens[1:]), ""], strict=False)
        for word in _read(token, after in known.MODALITY or not after)
    ]
    following = [*words[1:], (tokens[0], Word(frozenset()))] if words else []
    bound = []
    for (token, word), (after, head) in zip(words, following, strict=True):
        passive = word.role == "subject" and _PASSIVE.match(after[0])
        joined = text[token.end() : token.end() + 1] not in (",", ".")
        belongs = word.role == "of" or (
            word.role == "" and joined and head.role not in ("predicate", "") and not head.is_asked
        )
        role = "topic" if passive else word.role
        bound.append(replace(word, role=role, heads=head.stems if belongs else frozenset()))
    return bound


def _read(token: re.Match[str], last: bool) -> Iterator[Word]:
    """The words of one token between spaces: a number, its unit or noun, a name in Latin letters."""
    hangul = token["hangul"]
    if asked := known.ASKED.fullmatch(hangul):
        particle = {"누가": "가", "누굴": "를", "뭘": "를", "무얼": "를"}.get(hangul, asked["particle"])
        role = next((known.ROLES[each] for each in _PARTICLES if particle.startswith(each)), "")
        if hangul.startswith(("누", "뭐", "뭘", "무")) or role not in (*WEAK, "or", "also"):
            yield Word(frozenset("?"), role)
    elif token["mark"] or token["latin"]:
        stems, role = _noun(hangul) if hangul not in known.ROLES else (frozenset(), known.ROLES[hangul])
        yield Word(frozenset([token["mark"] or _same(token["latin"])]), role)
        if stems and not any(known.LIGHT.fullmatch(stem) or stem in known.LIGHT_VERBS for stem in stems):
            yield Word(stems, role)
    elif hangul not in known.ROLES and not known.LIGHT.fullmatch(hangul):
        stems, role = _noun(hangul, last)
        if not stems & known.LIGHT_VERBS and not any(
            known.LIGHT.fullmatch(stem) for stem in stems if role in known.PARTICLE_ROLES
        ):
            form = next(
                (
                    known.ADNOMINAL[each]
                    for each in _FORMS
                    if role == "predicate" and _letters(hangul).endswith(_letters(each))
                ),
                "",
            )
            yield Word(
                frozenset(map(_same, stems)), role, form="" if last else form, light=bool(stems & known.OPTIONAL)
            )


@lru_cache(maxsize=50_000)
def _noun(token: str, last: bool = False) -> tuple[frozenset[str], str]:
    """The stems that a word can be an inflection of, and its particle's or its ending's role."""
    if not token or token in KOREAN_NO_NOUNS or token in _NOUNS:
        return frozenset([token] if token else []), ""
    particle = next(
        (each for each in _PARTICLES if token.endswith(each) and agrees(token.removesuffix(each) or "가", each)), ""
    )
    noun = token.removesuffix(particle) or token
    if token.endswith(_NOUNS):
        return frozenset([token, noun]), known.ROLES[particle] if noun != token else ""
    ending = next((each for each in _OUTER if _letters(token).endswith(each) and (last or _ENDINGS[each])), "")
    if noun != token and len(_letters(particle)) >= len(ending):
        inflected = _stems(token, ending) if ending == _letters(particle) else ()
        return frozenset([noun, token, *inflected]), known.ROLES[particle]
    if last or (ending and len(token) > 1):
        return frozenset([token, *_stems(token, ending)]), _ENDINGS.get(ending) or "predicate" if ending else ""
    return frozenset([token]), ""


def _stems(token: str, ending: str) -> Iterator[str]:
    """What may be left of a predicate without its endings, the outermost first: 승인하 and 승인 of 승인했나요."""
    todo = [(_letters(token), ending)]
    while todo:
        letters, ending = todo.pop()
        rest = letters.removesuffix(ending)
        fulls = {rest}
        if ending in _AFTER_VOWEL:
            fulls |= {rest.removesuffix(short) + full for short, full in _CONTRACTED if rest.endswith(short)}
        fulls |= {rest + "ᆯ"} if ending in _BEFORE_LOST_L else set()
        fulls |= {rest.removesuffix(_letters("우")) + "ᆸ"} if rest.endswith(_letters("우")) else set()
        for full in fulls:
            stem = unicodedata.normalize("NFC", full)
            if re.fullmatch("[가-힣]+", stem):
                yield stem
                todo += [
                    (full, inner)
                    for inner in _inner(full, stem)
                    if ending in _AFTER_VOWEL or len(ending) > 1 or len(stem) > 2
                ]


def _inner(letters: str, stem: str) -> list[str]:
    """The longest ending that may stand inside; a noun before 하 or 되 has two syllables."""
    inner = next((each for each in _INNER if letters.endswith(each) and letters != each), "")
    short = (
        inner in _LIGHT_SUFFIXES and len(stem) < 3 and not (inner == _letters("이") and agrees(stem[:-1] or "가", "이"))
    )
    return [inner] if inner and not short and not stem.endswith(_NOUNS) else []


def _same(stem: str) -> str:
    unit = UNITS.get(stem)
    return "{:g}{}".format(*unit) if unit and len(stem) > 1 else known.SYNONYMS.get(stem, stem)


def _turned(words: list[Word]) -> list[Word]:
    """'수아가 누구한테 배웠나' as '수아에게 누가 가르쳤나', 'A가 B보다 낮나' as 'B가 A보다 높나'."""
    roles = {word.role for word in words}
    if "agent" in roles:
        words = _roles(words, {"agent": "subject", "subject": "object", "topic": "object"})
    for table, partner in ((known.OPPOSITES, ("than",)), (known.CONVERSE, ("to", "from"))):
        turned = next((stem for word in words for stem in word.stems if stem in table), None)
        if turned and roles.intersection(partner):
            change = {"subject": partner[0], "topic": partner[0], **dict.fromkeys(partner, "subject")}
            words = [
                replace(word, stems=frozenset([table[turned]])) if turned in word.stems else word for word in words
            ]
            words = _roles(words, change)
    return words


def _roles(words: list[Word], change: dict[str, str]) -> list[Word]:
    return [replace(word, role=change.get(word.role, word.role)) for word in words]
