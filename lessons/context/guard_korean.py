"""What a Korean question pins down: a particle tells a noun's part, an ending a clause's; the order is free."""

# ruff: noqa: E501

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from lessons.context.reading import WEAK, Reading, Word, by_word, quantities
from lessons.text.korean import PARTICLES, agrees

_POLITE = re.compile(
    r"안녕하(?:세요|십니까)|감사합니다|그게 말이죠|(?<![가-힣])(?:혹시|좀|그럼|제발|아|음|근데|도대체|정말)(?![가-힣])"
    r"|(?:알려|가르쳐|말해|말씀해|설명해) ?(?:주세요|주시겠어요|주십시오|줘요?|주실 수 있나요)|알 수 있(?:을까요|나요)"
    r"|알고 싶(?:습니다|어요|은데요?)|궁금(?:합니다|해요|한데요?|해)|(?:문의드립니다|질문입니다)"
)
_REWRITTEN = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"(?<=[가-힣])에 (?:의해서?|의하여)", "에의해"),
        (r"어떻게 (?:되|돼|됩)[가-힣]*", " 무엇"),
        (r"(?<=[가-힣]{2})일(?:이|은)? ?(?=언제)|일수[가는은]? ?(?=며칠)", " "),
        (r"(?:날짜|일자|일시|시점|시기|때)(?:가|는|은|이)? ?언제|(?:날짜|일자|일시|시점|시기)[를을가는은]?[\s.!]*$", " 언제"),
        (r"(?:장소|위치|곳|데)[가는은이]? ?어디|(?<=[는은을할될볼] )곳[을은이]?[\s.!]*$|어느 ?곳", " 어디"),
        (r"(?:사람|분)[이은]? ?누구", " 누구"),
        (r"(?<=[가-힣])야 ?(?:하|되|합|돼|할|해|됩)[가-힣]*", " 의무 "),
        (r"(?<=[가-힣])면 ?안 ?[되돼됩됨될된][가-힣]*|금지[인입된되예이]?[가-힣]*", " 금지 "),
        (r"[할을될]? ?수 ?있[가-힣]*|[이가]? ?가능(?:한가요|합니까|해요|한지[가-힣]*|한)?|(?<=[가-힣])도 ?(?:되|돼|됩|괜찮)[가-힣]*", " 가능 "),
        (r"(?<=[가-힣] )(?<!얼마나 )(?<!어떻게 )(?<!안 )(?:되나요|돼요|됩니까|됨|되나|돼|될까요?|되죠)\W*$", " 가능 "),
    )
]  # fmt: skip
_ASKS = {
    "who": re.compile("누구|누가|누굴"),
    "when": re.compile("언제"),
    "where": re.compile("어디"),
    "why": re.compile(r"(?<![가-힣])왜|어째서|(?<![가-힣])(?:이유|까닭|원인)"),
    "how": re.compile(r"어떻게|(?<![가-힣])(?:방법|절차|요령)[은을이를]?(?![가-힣])"),
}
_WHAT = re.compile("얼마|무엇|무슨|무얼|뭐|뭔|뭘|어떤|어느|어떻|몇|며칠")
_WHETHER = re.compile(r"(?:나요|니까|가요|까요|어요|아요|해요|돼요|[냐니음]|됨|[가-힣]요)\W*$|가능|의무|금지")
_ASKED = re.compile("(?:누(?:가|굴|구)|무엇|무얼|뭐|뭘|언제|어디|얼마|며칠|몇)(?P<particle>[가-힣]*)")
_PAST = re.compile(r"(?<![가-힣])(?>[가-힣]*?(?:었|았|였|했|됐|웠|렸|졌|쳤|갔|왔|봤|샀|켰|꼈))[가-힣]*+\W*+$")
_UNABLE = re.compile(r"(?<![가-힣])못(?= )|못하")
_NEGATION = re.compile(rf"{_UNABLE.pattern}|(?<![가-힣])안(?= )|않|(?<![가-힣])없|아니|아닌|말고|금지")
_MODALITY = {"가능": "can", "의무": "must", "금지": "forbidden"}
_ROLES = {each: role for each, role in PARTICLES.items() if role != "is"} | {"에의해": "agent"}
_PARTICLES = sorted(_ROLES, key=len, reverse=True)
_ENDINGS = by_word({
    "predicate": "습니까 ㅂ니까 습니다 ㅂ니다 나요 는가 은가 ㄴ가 ㄴ가요 는가요 은가요 을까 ㄹ까 을까요 ㄹ까요 는지 은지 ㄴ지 ㄹ지 을지 는다 ㄴ다 요 여"
    " 죠 지요 는데 은데 ㄴ데 던가 는 은 ㄴ 네요 는데요 ㄴ데요",
    "future": "을 ㄹ", "past": "던", "if": "면 으면 다면 ㄴ다면 거든", "because": "서 니까 으니까 느라",
    "and": "고 다가 면서 으면서 며 으며", "though": "지만 아도 어도 더라도", "to": "려면 으려면 려고 으려고 러 으러 도록",
    "": "나 냐 니 네 다 음 ㅁ 기 지 어 아 대 군 예요 이에요 에요 이야 야",
})  # fmt: skip
"""What closes a clause, by what it says of it; '' closes a question only. A lone consonant ends the syllable before it."""
_JAMO = str.maketrans("ㄴㄹㅁㅂㅆ", "ᆫᆯᆷᆸᆻ")
_SYNONYMS = by_word({
    "매출": "매출액", "의미": "뜻", "삭제": "지우 제거", "발급": "발행", "이메일": "메일", "가장": "제일", "온라인": "인터넷", "빌리": "대여",
    "줄": "줄어들 감소", "늘": "늘어나 증가", "직원": "임직원 사원", "구매": "구입",
})  # fmt: skip
_OPPOSITES = dict(zip("낮작적짧좁", "높크많길넓", strict=True)) | {"느리": "빠르", "가볍": "무겁", "저렴하": "비싸"}
_CONVERSE = {"배우": "가르치", "받": "주", "사": "팔"}
_LIGHT = re.compile(
    r"(?:무슨|뭔|뭣|어떤|어느|어떻|왜|어째서|가능|의무|금지)[가-힣]*|것|거|건|게|때|경우|및|그리고|또|정도|방법|절차|이유|까닭|원인|안|못|데|들"
    r"|나|내|우리|제|저희|걸|이런|저런|그런|대해|대한|이에요|예요|이야|야|인가요|입니까|입니다|인지요?|이죠|짜리|요|여|인|이렇게|그렇게|이리|그리|대략"
)
_OPTIONAL = frozenset("보 알 나오 걸리 나가 들 생기 받 이 그 저 여기 바로 보통 주로".split())  # noqa: SIM905
"""Words that one question may have and the other not, though not each another one."""
_LIGHT_VERBS = frozenset("있 되 하 싶 않 없 말 못하 아니 그러 이러 건가 거 것 중".split())  # noqa: SIM905
_TOKEN = re.compile(
    r"(?P<mark>#[^\s가-힣,?!]*[^\s가-힣,?!.]\.?)?(?P<latin>[a-z][a-z0-9._-]*)?(?P<hangul>[가-힣]*)(?P<comma>,?)"
)


def _letters(text: str) -> str:
    return unicodedata.normalize("NFD", text.translate(_JAMO))


_ROLE_OF_ENDING = {_letters(ending): role for ending, role in _ENDINGS.items()}
_OUTER = sorted(_ROLE_OF_ENDING, key=len, reverse=True)
_INNER = [
    _letters(each)
    for each in "해 돼 어져 아져 어지 아지 고있 어있 드리 으시 이 받 었 았 였 ㅆ 겠 시 하 되 어 아".split()  # noqa: SIM905
]
_STEM = re.compile(f"(.+?)(?:{'|'.join(_INNER)}){{0,6}}({'|'.join(_OUTER)})")
_CONTRACTED = [("해", "하"), ("돼", "되"), ("ᅧ", "ᅵ"), ("ᅯ", "ᅮ"), ("ᅪ", "ᅩ")]
_NOUNS = tuple("보고서 계산서 계약서 증명서 보고 사고 신고 광고 경고 창고 냉장고 화면 측면 수면".split(" "))  # noqa: SIM905
"""Ends of nouns that look like those of clauses."""


def read_korean(question: str) -> Reading:
    text = quantities(_POLITE.sub(" ", question))
    for pattern, instead in _REWRITTEN:
        text = pattern.sub(instead, text)
    whether = _WHETHER.search(text) and not _WHAT.search(text)
    asks = {ask for ask, pattern in _ASKS.items() if pattern.search(text)} or {"whether" if whether else "what"}
    modality = {name for word, name in _MODALITY.items() if word in text} | ({"can"} if _UNABLE.search(text) else set())
    implied = set() if asks == {"whether"} else {"must", "can"} if asks & {"how", "where"} else {"must"}
    words = _words(text)
    kind = "verb" if words and words[-1].role == "predicate" else "who" if asks == {"who"} else ""
    return Reading(
        language="ko",
        asks=frozenset(asks),
        words=tuple(_turned(words)),
        negated=len(_NEGATION.findall(text)) - ("밖에" in text),
        modality=frozenset(modality - implied),
        tense=kind and f"{kind} {'past' if _PAST.search(text) else 'present'}",
    )


def _words(text: str) -> list[Word]:
    tokens = [found for found in _TOKEN.finditer(text) if found[0].strip(",")]
    last = (after[0] in _MODALITY for after in tokens[1:])
    return [word for token, ends in zip(tokens, [*last, True], strict=False) for word in _read(token, ends)]


def _read(token: re.Match[str], last: bool) -> Iterator[Word]:
    """The words of one token between spaces: a number, its unit or noun, a name in Latin letters."""
    hangul = token["hangul"]
    if asked := _ASKED.fullmatch(hangul):
        particle = {"누가": "가", "누굴": "를", "뭘": "를", "무얼": "를"}.get(hangul, asked["particle"])
        role = next((_ROLES[each] for each in _PARTICLES if particle.startswith(each)), "")
        if hangul.startswith(("누", "뭐", "뭘", "무")) or role not in (*WEAK, "or", "also"):
            yield Word(frozenset("?"), role)
        return
    stems, role = _stems(hangul, last and not (token["mark"] or token["latin"]))
    if token["comma"] and not role:
        role = "topic"
    elif last and role == "future":
        role = "predicate"
    if token["mark"] or token["latin"]:
        yield Word(frozenset([token["mark"] or token["latin"]]), role)
    if hangul in _ROLES or hangul == "약" or _LIGHT.fullmatch(hangul) or stems & _LIGHT_VERBS:
        return
    if stems and not (role in _ROLES.values() and any(map(_LIGHT.fullmatch, stems))):
        yield Word(frozenset(_SYNONYMS.get(stem, stem) for stem in stems), role, light=bool(stems & _OPTIONAL))


def _stems(token: str, last: bool) -> tuple[frozenset[str], str]:
    """What a word can be an inflection of, and the role of its particle or its ending."""
    particle = next(
        (each for each in _PARTICLES if token.endswith(each) and agrees(token.removesuffix(each) or "가", each)), ""
    )
    ending = next((each for each in _OUTER if _letters(token).endswith(each) and (last or _ROLE_OF_ENDING[each])), "")
    if particle and len(_letters(particle)) >= len(ending):
        inflected = _inflected(token) if ending == _letters(particle) else ()
        return frozenset([token.removesuffix(particle), token, *inflected]), _ROLES[particle]
    if (last or (ending and len(token) > 1)) and not token.endswith(_NOUNS):
        return frozenset([token, *_inflected(token)]), _ROLE_OF_ENDING.get(ending) or "predicate" if ending else ""
    return frozenset([token] if token else []), ""


def _inflected(token: str) -> set[str]:
    """A predicate without its endings: 승인 of 승인했나요, 만들 of 만드는. Contractions are undone alike in all of its forms."""
    found = _STEM.fullmatch(_letters(token))
    stem = found[1] if found else _letters(token)
    for short, full in _CONTRACTED:
        stem = re.sub(f"{_letters(short)}$", _letters(full), stem)
    lost = [f"{stem}ᆯ"] if found and found[2][0] in "ᄂᆫᆸ" and stem[-1] <= "ᅵ" else []
    return {unicodedata.normalize("NFC", each) for each in (stem, *lost)}


def _turned(words: list[Word]) -> list[Word]:
    """'수아가 누구한테 배웠나' as '수아에게 누가 가르쳤나', 'A가 B보다 낮나' as 'B가 A보다 높나'."""
    roles = {word.role for word in words}
    if "agent" in roles:
        words = _roles(words, {"agent": "subject", "subject": "object", "topic": "object"})
    for table, partner in ((_OPPOSITES, ("than",)), (_CONVERSE, ("to", "from"))):
        turned = next((stem for word in words for stem in word.stems if stem in table), None)
        if turned and roles.intersection(partner):
            change = {"subject": partner[0], "topic": partner[0], **dict.fromkeys(partner, "subject")}
            verb = frozenset([table[turned]])
            words = _roles([replace(each, stems=verb) if turned in each.stems else each for each in words], change)
    return words


def _roles(words: list[Word], change: dict[str, str]) -> list[Word]:
    return [replace(word, role=change.get(word.role, word.role)) for word in words]
