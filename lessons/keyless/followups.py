"""Whether a question stands alone, or points at something that was said before it."""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lessons.keyless import task
from lessons.keyless.recall import asks_back, recalled, remembered
from lessons.keyless.values import Value, dated, owners, people, slots, without
from lessons.keyless.words import Unit, read_question
from lessons.text import language, normalize, terms
from lessons.text.korean import particle_pattern
from lessons.text.periods import moved, periods, pointed_at, written

_LEAD = re.compile(
    r"^\s*(?:(?:아|네|그럼|그러면|그렇다면|그리고|그런데|근데|또|혹시|아니면|같은 (?:기간|분기|시기|해)(?:에는|에)?)"
    r"(?:[\s,]+|$))+"
    r"|^\s*(?:(?:and|but|or|so|ok(?:ay)?|also|then|well|now)\b[\s,]*)*"
    r"(?:(?:what|how) about\b\s*|(?:the )?same (?:thing )?for\b\s*)?",
    re.IGNORECASE,
)
_DUMMY = re.compile(
    r"\b(?:is|was|would|will|be) it (?:\w+ ){1,3}(?:to|that|if)\b|\bit takes? (?:\w+ ){0,3}(?:to|for|until|before)\b"
    r"|\bit (?:is|was) (?:\w+ ){1,3}(?:to|that|if)\b|\b(?:this|that) (?:year|month|quarter|week)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|its|they|them|theirs?|he|him|his|she|her|hers|this|these|those)\b"
    r"|(?:^|\b(?:a|about|after|and|are|as|at|before|by|can|did|do|does|for|from|had|has|have|if|in|is|like|of|on|or|than|to"
    r"|under|was|were|will|with|would|doing)\s)that\b|\bthat(?=\s*(?:[?.,!]|$))"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\s*[?.,!]|$)"
    r"|\b(?:the same|the one(?!-)|the other|either of|each of|which one)\b|\bones?\b(?=\W*$)"
    r"|\bthe (?:change|increase|decrease|decline|rise|fall|drop|difference|company|group|firm)\b"
    r"(?! (?:in|of|to|between|from|on|for|with)\b)"
    r"|(?<![가-힣])(?:그|이|저) (?!밖|외|후)(?=[가-힣])"
    r"|(?<![가-힣])(?:그|이)(?:것|거|건|게|걸|분|곳|때|날|중)(?:들)?(?=[가-힣]{0,3}(?![가-힣]))"
    r"|(?<![가-힣])(?:거기|여기|그렇게|이렇게|그러려면|둘|해당|방금|아까|앞의|위의|걔)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may|who|what|why|when|where|which|how)\b",
    re.IGNORECASE,
)
_KOREAN_PREDICATE = re.compile(
    r"(?:(?<![은는도에])(?<!에서)(?<!까지)(?<!부터)요|니까|니다|까|가|죠|어|아|지|려면|는지|은지|인지|냐|니|다|래"
    r"|(?:[가-힣]|(?:[게야도안못잘]|려고) )[해돼]|[가-힣][야여워와봐써져켜줘둬])\s*[?？.!]*\s*$"
)
_KOREAN_ASKING = re.compile("얼마|언제|어디|무엇|무슨|뭐|뭘|누구|누가|어떻게|어느|어떤|며칠|왜|(?<![가-힣])몇")
_RELATED = re.compile(
    r"^(?:founder|chief|ceo|cfo|head|owner|manager|director|address|headquarters?|office|factory|plant|staff|reason|price"
    r"|result|deadline|size|number|name|직원|임직원|대표|본사|공장|설비|생산|주소|가격|이유|원인|기한|결과|이름|담당자|책임자|창업자|설립)"
)
_DEFINES = re.compile(
    r"^how (?:do|does) (?!it\b|they\b|that\b|this\b|these\b|those\b)[\w -]+ work\W*$"
    r"|^(?:what|who) (?:is|are) (?:an?\s)?(?!the\b|its\b|their\b)[\w-]+(?: [\w-]+){0,2}\W*$"
    r"|^how (?:long|big|large|often|far|old) (?:is|does|do|can|may|must) an? [\w-]+\b(?! of\b)"
    r"|^[가-힣]{4,}(?:은|는) (?:무슨|언제|어디|얼마|몇|누가|왜)\b"
    r"|(?:이란|란|이|가) (?:뭐|무엇|뭔)\S*$|무슨 (?:뜻|말|의미)\S*$",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\bhow (?:do|does|can) |(?:을|를|은|는) 어떻게 (?!되|해|하|돼)[가-힣]", re.IGNORECASE)
_FEW = {"en": 1, "ko": 2}  # words of a question too thin to stand alone


def without_lead(text: str) -> str:
    """The question without its 'and what about' or '그럼'."""
    return _LEAD.sub("", text, count=1).strip()


def own_words(text: str) -> list[Unit]:
    """What a question is about, its measures, names and periods aside."""
    return [unit for unit in read_question(without(text, slots(text))).units if unit.weight >= 0.5]


def is_fragment(text: str) -> bool:
    """Whether a question names things but says nothing of them: 'And in Q2?', '2분기는요?'."""
    rest = without_lead(text)
    if language(text) == "ko":
        return len(rest.split()) <= 4 and not (_KOREAN_PREDICATE.search(rest) or _KOREAN_ASKING.search(rest))
    return len(rest.split()) <= 8 and not _PREDICATE.search(rest)


def lacks_subject(text: str) -> bool:
    """Whether the question can only be understood with what was said before."""
    found, rest = slots(text), without_lead(text)
    named = [slot for slot in found if slot.kind in ("name", "identifier")]
    words = [unit for unit in own_words(rest) if not _RELATED.match(unit.text.lower())]
    kinds = {slot.kind for slot in found}
    if words and "measure" in kinds and kinds & {"year", *WITHIN_A_YEAR}:
        return False
    if is_fragment(text):
        return _is_open(text, rest, named, words)
    if _points_outside(text, named):
        return True
    if named or _new_topic(rest, words):
        return False
    return len(words) <= _FEW[language(text)] or pointed_at(text) is not None


def _is_open(text: str, rest: str, named: list[Value], words: list[Unit]) -> bool:
    """Whether a fragment needs its sentence: one that begins with 'and', asks, or is one thing only."""
    points = rest != text.strip() or _POINTING.search(text) is not None
    if not points and named and (words or len(slots(rest)) > 2):
        return False
    asks = points or text.rstrip().endswith(("?", "？", "요"))
    return len(words) <= (3 if asks else 0)


def _points_outside(text: str, named: list[Value]) -> bool:
    """Whether a pronoun stands before any name that it could mean."""
    plain = _DUMMY.sub(lambda match: " " * len(match[0]), text)
    pointer = _POINTING.search(plain)
    if pointer is None:
        return False
    if any(slot.end <= pointer.start() for slot in named):
        return False
    near = pointer[0].lower().endswith(("this", "that", "these", "those"))
    return len(own_words(text[: pointer.start()])) <= (3 if near else 1)


def _new_topic(rest: str, words: list[Unit]) -> bool:
    """Whether a question asks what something is, or how to do something to it, and names it."""
    nouns = [unit for unit in words if unit.weight > 0.5]
    return bool(nouns) and (_DEFINES.search(rest) is not None or (len(words) > 1 and _HOW_TO.search(rest) is not None))


WITHIN_A_YEAR = {"quarter", "half", "month"}
END = " \t\n?!.？"
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
_PERIOD = r"(?:분기|반기|기간|시기|해|달|년|월|주|날|때|year|quarter|half|month|week|day|time|period)"
_POINTED = re.compile(
    rf"(?<![가-힣])(?:그|이|저|해당|같은) ?(?:(?:회사|기업|업체|그룹|법인|기관){particle_pattern()}?"
    rf"|(?!{_PERIOD})[가-힣]+의)"
    r"(?![가-힣])|\b(?:that|this|the(?: same)?) (?:company|firm|group|business|organi[sz]ation)\b(?:['’]s)?"
    rf"|\b(?:that|this|the same) (?!{_PERIOD}\b)[a-z]+['’]s\b"
    rf"|\b(?:of|at|in|by|for|from|with) (?:that|this|the same) (?!{_PERIOD}\b)[a-z]+\b",
    re.IGNORECASE,
)
"""What stands for whoever was named before: '그 회사의', 'that clinic's'."""
_TODAY = re.compile("작년|올해|금년|내년|재작년|지난|이번|요즘|최근|오늘|어제")  # nobody said when this is


def filled(source: str, given: list[Value], rest: str) -> tuple[str, str]:
    """The earlier question with the follow-up's slots in their places, and what found no place."""
    bare = [] if given else _bare_name(rest, slots(source))
    alone = bool(bare) or not own_words(rest)
    used: list[Value] = []
    for kind, slot in _one_of_each(given or bare, rest).items():
        taken = [place for place in slots(source) if place.kind == kind or {place.kind, kind} <= WITHIN_A_YEAR]
        if len(taken) == 1 and (kind != "name" or alone):
            source = _put(source, taken[0], slot.text)
            used.append(slot)
    if any(slot.start < 0 for slot in used):
        return source, ""
    left = _POINTED.sub(" ", without(rest, used)) if used else rest
    return source, _bare(left) if own_words(left) or slots(left) else ""


def _one_of_each(given: list[Value], rest: str) -> dict[str, Value]:
    """A slot for each kind; several of one kind, as in '2023 and 2024', are taken as one."""
    found: dict[str, Value] = {}
    for slot in given:
        start = found[slot.kind].start if slot.kind in found else slot.start
        found[slot.kind] = slot if start < 0 else Value(slot.kind, rest[start : slot.end], start, slot.end)
    return found


def _bare_name(rest: str, places: list[Value]) -> list[Value]:
    """A Korean word alone takes the place of whoever owns the measure of the earlier question."""
    word = _bare(rest)
    owned = {"name", "measure"} <= {place.kind for place in places}
    if not owned or language(rest) != "ko" or not is_fragment(rest):
        return []
    if " " in word or _TODAY.match(word) or not own_words(word):
        return []
    return [Value("name", word, rest.find(word), rest.find(word) + len(word))]


def _bare(text: str) -> str:
    """A fragment without its question mark and its last particle."""
    text = re.sub(r"\s+", " ", text).strip(END + ",")
    return re.sub(r"(?<=[가-힣]{2})(?:에서는|에는|[은는도이가])?요?$", "", text)


def _put(source: str, place: Value, text: str) -> str:
    """The text with one slot replaced, its Korean particle made to fit."""
    after = source[place.end :]
    if "가" <= text[-1] <= "힣" and after:
        closed = (ord(text[-1]) - ord("가")) % 28 > 0
        for pair in _PARTICLES:
            if after[0] in pair and not ("가" <= after[1:2] <= "힣"):
                after = pair[not closed] + after[1:]
    return source[: place.start] + text + after


_PREPOSITION = re.compile(r"^(?:in|on|for|at|by|from|with)\s+(?:the\s+)?", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(calendar.day_name)})\b")
_TURNS, _CHARS = 10, 1_000  # how much of a conversation is read
_LONGEST = 300  # characters of a question that can lack something
_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers)\b|그\s?(?:분|사람|여자|남자)|이분", re.IGNORECASE)
_KOREAN_VERB = re.compile("(?:요|까|죠|니다)$")
_LATIN_PARTICLE = re.compile(rf"(?<=[A-Za-z\d%]){particle_pattern()}$")


@dataclass(frozen=True)
class Turn:
    """A question as it stands alone, and what was answered.

    `own` is what surely belongs to it: a question in few words that points at nothing may have changed the subject.
    """

    question: str
    answer: str
    own: str


@task("condense")
def compress(llm: Any, question: str, turns: Sequence[tuple[str, str]] = (), memory: str = "", **_: Any) -> str:
    """The question as it can be understood without the history; unchanged if it stands alone.

    What a memory says that somebody said counts as older turns. A question that what was said answers stays as it is.
    """
    spoken = [f"{role}: {' '.join(content.split())}" for role, content in turns]
    if asks_back(question) or recalled(question, "\n".join([memory, *spoken])):
        return question
    earlier = [(line.source, line.text) for line in remembered(memory) if line.source != "noted"]
    said = _turns([*earlier, *turns[-2 * _TURNS :]])
    alone = standalone(question, said)
    return alone if standalone(alone, said) == alone else question


def standalone(question: str, said: list[Turn]) -> str:
    """The question with the subject of the last turn that has one."""
    if not said or len(question) > _LONGEST or not lacks_subject(question):
        return question
    rest = without_lead(question)
    if is_fragment(question) and (changed := _parallel(_bare(rest), said)):
        return changed
    given = _given(rest, said)
    source = _source(given, said, rest)
    changed, left = filled(source.question, given, rest)
    fits = changed != source.question or not _POINTED.search(question)
    if fits and is_fragment(question) and language(question) == language(source.question):
        return f"{changed.rstrip(END)} – {left}?" if left else changed
    topic = _topic(changed, source, said[-1], question)
    return f"{topic}: {question}" if topic else question


def _turns(history: Sequence[tuple[str, str]]) -> list[Turn]:
    """The user's questions, each made to stand alone by those before it, with what was said until the next."""
    said: list[Turn] = []
    for role, content in history:
        content = normalize(content)[:_CHARS]  # as the question is, so that both have the same words
        if role == "user" and content.strip():
            asked = content[:_LONGEST]
            sure = is_fragment(asked) or _POINTING.search(asked)
            own = standalone(asked, [replace(turn, question=turn.own) for turn in said]) if sure else asked
            said.append(Turn(standalone(asked, said), "", own))
        elif role == "assistant" and said:
            said[-1] = replace(said[-1], answer=f"{said[-1].answer}\n{content}".strip())
    return said


def _given(question: str, said: list[Turn]) -> list[Value]:
    """The slots that the follow-up itself fills, those it only points at included."""
    given = [slot for slot in slots(question) if slot.kind != "name" or is_fragment(question)]
    pointed = pointed_at(question)
    if pointed and not any(slot.kind == pointed[0] for slot in given):
        named = {period.unit: period.number for period in periods(said[-1].question)}
        spelled, tongue = "quarter" in said[-1].question, language(said[-1].question)
        new = moved(named, *pointed)
        given += [Value(unit, written(unit, number, tongue, spelled), -1, -1) for unit, number in new.items()]
    return given


def _parallel(text: str, said: list[Turn]) -> str | None:
    """The latest question with a phrase that is formed like the text: 'week 12' and 'week 13', 월요일 and 화요일."""
    text = _PREPOSITION.sub("", text)
    if not own_words(text) and not _WEEKDAY.fullmatch(text):
        return None
    like = _like(text)
    for turn in reversed(said):
        if like and (found := like.search(turn.own)) and found[0] != text:
            return _put(turn.own, Value("like", found[0], *found.span()), text)
    return None


def _like(text: str) -> re.Pattern[str] | None:
    """Phrases with other numbers, of as many syllables with the same end, of another kind of one thing."""
    first, _, last = text.rpartition(" ")
    if re.search(r"\d", text):
        return re.compile(r"(?<![\w-])" + re.sub(r"\d+", r"\\d+", re.escape(text)) + r"(?![\d-])", re.IGNORECASE)
    if _WEEKDAY.fullmatch(text):
        return _WEEKDAY
    if not re.fullmatch("[가-힣]{2,}", last) or (not first and len(last) < 3):
        return None
    form = rf"\w+ {last}" if first else f"[가-힣]{{{len(last) - 1}}}{last[-1]}"
    return re.compile(rf"(?<![가-힣]){form}(?={particle_pattern()}?(?![가-힣]))")


def _source(given: list[Value], said: list[Turn], question: str) -> Turn:
    """The latest question with a place for what the follow-up names, else the latest."""
    kinds = {slot.kind for slot in given if slot.kind != "name"}
    kinds = kinds - {"measure"} or kinds
    kinds |= WITHIN_A_YEAR if kinds & WITHIN_A_YEAR else set()
    kinds = {"name"} if _POINTED.search(question) else kinds
    for turn in reversed(said):
        if kinds & {slot.kind for slot in slots(turn.own)}:
            return replace(turn, question=turn.own)
    return said[-1]


def _topic(changed: str, source: Turn, last: Turn, question: str) -> str:
    """What the earlier question is about and the follow-up does not say; for 'she' also whom the answer names."""
    covered = set(terms(question))
    who = people(last.answer) if _PERSON.search(question) else []
    pointed = _POINTED.search(question) is not None
    named = [slot.text for slot in slots(changed) if slot.kind == "name"] or (pointed and owners(changed)) or []
    when = [period.text for period in dated(changed)]
    units = [_LATIN_PARTICLE.sub("", unit.text) for unit in read_question(changed).units if _carries(unit)]
    about = [next((name for name in named if unit in name.split()), unit) for unit in units]
    about = [phrase for phrase in about if not any(phrase != each and phrase in each.split() for each in when)]
    about = named if pointed and named else about
    found: list[str] = []
    for phrase in dict.fromkeys([*who, *about, *when]):
        new = set(terms(phrase)) - covered
        if new:
            found.append(phrase)
            covered |= new
    return " ".join(found)


def _carries(unit: Any) -> bool:
    return unit.kind not in ("year", "quarter") and unit.weight > 0.5 and not _KOREAN_VERB.search(unit.text)
