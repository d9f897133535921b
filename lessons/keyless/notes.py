"""How the keyless model notes what a user says, values and facts, each under a key whose new value replaces the old."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lessons.keyless import task
from lessons.keyless.recall import TAKEN_BACK, corrected, opens_correction
from lessons.keyless.values import key_of, same_key, topics, values
from lessons.text import language, sentences
from lessons.text.word_lists import words_of

_LATELY = 2  # turns within which 'no, 300' corrects something
Note = tuple[str, str, int]  # key, value and turn
Notes = dict[str, Note]  # by what the key means, the newest last


@task("entities")
def entities(llm: Any, turns: Sequence[tuple[int, str, str]], known: Sequence[Note] = (), **_: Any) -> Any:
    """What the user names in these turns (number, question, answer); an empty value takes an entity back."""
    before: Notes = {same_key(key): (key, value, turn) for key, value, turn in known}
    notes: Notes = dict(before)
    for number, question, _answer in turns:
        for sentence in sentences(question):
            _read(sentence, number, notes)
    new = [entity for meaning, entity in notes.items() if before.get(meaning) != entity]
    return {"entities": [{"key": key, "value": value, "turn": turn} for key, value, turn in new]}


def _read(sentence: str, number: int, notes: Notes) -> None:
    if _correct(sentence, number, notes, lambda value, turn: number - turn <= _LATELY):
        return
    if TAKEN_BACK.search(sentence):
        _take_back(sentence, number, notes)
        return
    found: dict[str, tuple[str, list[str]]] = {}
    for value in values(sentence):
        key = key_of(sentence, value)
        found.setdefault(same_key(key), (key, []))[1].append(value.text)
    for key, texts in found.values():
        _note(notes, key, ", ".join(dict.fromkeys(texts)), number)


def _note(notes: Notes, key: str, value: str, turn: int) -> None:
    notes.pop(same_key(key), None)
    notes[same_key(key)] = key, value, turn


def _correct(sentence: str, number: int, notes: Notes, may: Callable[[str, int], bool]) -> bool:
    """Whether the sentence corrects the newest note that it may."""
    for key, value, turn in reversed(notes.values()):
        if value and may(value, turn) and (new := corrected(value, sentence)):
            _note(notes, key, new, number)
            return True
    return False


def _take_back(sentence: str, number: int, notes: Notes) -> None:
    """What a sentence takes back: the values that it names, or the notes on its topic where it names none."""
    named = [m for m, (_, value, _turn) in notes.items() if any(p and p in sentence for p in value.split(", "))]
    about = [m for m, (key, *_) in notes.items() if m in topics(sentence) or key.casefold() in sentence.casefold()]
    for meaning in named or about:
        key, value, _turn = notes[meaning]
        kept = [part for part in value.split(", ") if part not in sentence] if named else []
        _note(notes, key, ", ".join(kept), number)


_WHO = r"^(?:I|we)(?:[’']ve| have)?(?: also| currently| now| mainly| mostly| usually)*"
_AM = r"^I(?:[’']m| am)(?: also| currently| now)*"
_NAME = r"(?-i:[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2})"
_THING = r"(?-i:(?:[A-Z][\w.+#-]*|[a-z]+\d\w*)(?:[ ,/](?:and |or )?[A-Z][\w.+#-]*){0,4})"
_ILLNESS = (
    r"(?:(?:type [12]|chronic|high|low|severe|mild|seasonal|gestational) )*"
    r"(?:diabetes|asthma|cancer|migraines?|epilepsy|gout|eczema|anxiety|depression|hay fever|glaucoma|copd|reflux"
    r"|psoriasis|hypertension|(?:blood |eye )?pressure|cholesterol"
    r"|(?:[a-z]+ ){0,2}(?:disease|disorder|syndrome|deficiency|insufficiency|failure|intolerance|condition)"
    r"|[a-z]+(?:itis|osis|emia|aemia|pathy|algia|apnoea|apnea|thyroidism))"
)
_HAVE = r"(?: have| got| suffer from| live with| been diagnosed with| was diagnosed with)*"
_MEDICINE = (
    r"(?:metformin|insulin|aspirin|ibuprofen|paracetamol|warfarin|antibiotics"
    r"|[a-z]+(?:statin|pril|sartan|olol|cillin|azole|profen|parin|gliptin|oxetine|thyroxine|dipine))"
)
_JOB = r"[a-z][a-z -]{2,30}?(?=$| (?:and|at|in|for|who|from|with|by)\b)"
_MONEY = r"(?:(?:about|around|only|now|roughly|up to|under|just) )*(?P<value>[^,;]{0,100}\d[^,;]{0,100}?)"
_ENGLISH = (
    ("name", rf"^(?:my name is|(?:please )?call me|I(?:[’']m| am) called) (?P<value>{_NAME})"),
    ("condition", rf"{_WHO}{_HAVE} (?:an? )?(?P<value>{_ILLNESS}(?:(?:,| and|, and) {_ILLNESS})*)\b"),
    ("condition", rf"{_AM} (?:an? )?(?P<value>diabetic|asthmatic|epileptic|pregnant|lactose intolerant|c?o?eliac)\b"),
    ("allergy", rf"(?:{_AM}) allergic to (?P<value>[a-z -]+?)(?=$| and I\b)"),
    ("allergy", rf"{_WHO} have an? (?P<value>[a-z -]+?) allergy"),
    ("medicine", rf"(?:{_WHO} (?:take|use)|{_AM} (?:taking|on)) (?P<value>{_MEDICINE})\b"),
    ("uses", rf"{_WHO} (?:use|run|rely on|work with|subscribe to|moved to|switched to) (?P<value>{_THING})"),
    ("uses", rf"^(?:we[’']re|we are|I[’']m|I am) (?:on|using) (?P<value>{_THING})"),
    ("budget", rf"^(?:my|our|the) (?:[a-z]+ )?budget (?:is|was|will be|changed to|is now) {_MONEY}$"),
    ("budget", rf"{_WHO} (?:can|could|want to)(?: only)? (?:spend|afford|pay) {_MONEY}$"),
    ("company", rf"{_WHO} work (?:for|at) (?P<value>{_NAME})"),
    ("job", rf"{_WHO} work as (?:an? )?(?P<value>{_JOB})"),
    ("home", rf"{_WHO} (?:live|moved|am based|are based) (?:in|to) (?P<value>{_NAME})"),
    ("home", rf"{_AM} from (?P<value>{_NAME})"),
    ("age", rf"{_AM} (?P<value>\d{{1,3}})(?: years old)?$"),
    ("team", r"^(?:my|our) team (?:has|is|consists of) (?P<value>\d+[a-z ]*)"),
    ("likes", rf"{_WHO} (?:prefer|like|love) (?P<value>(?!to\b)[^,;]+)"),
    ("job", rf"{_AM} an? (?P<value>{_JOB})"),
    ("", r"^(?:my|our) (?P<key>[a-z]+(?: [a-z]+)?) (?:is|are|was) (?:now )?(?P<value>[^,;]+)$"),
)

_ME = r"(?:^|\s)(?:저는|전|나는|난|저희는|우리는|제가|내가|우리가|저도|나도)\s(?:[^,]{0,100}?\s)??"
_OUR = r"(?:제|내|저희|우리|저의|나의)"
_MINE = rf"(?:^|\s){_OUR}\s(?:[가-힣]{{1,4}}\s)?"
_BE = (
    r"(?:이에요|예요|이고|이며|입니다|이야|야|인데요?|이?라고 (?:해요|합니다|불러 ?(?:주세요|줘))"
    r"|으로 (?:바꿨|변경했)[가-힣]*|이었어요|였어요|정도(?:예요|입니다)?|$)"
)
_KOREAN_ILLNESS = (
    r"(?:만성 |급성 |제?[12]형 )?"
    r"[가-힣]{0,20}(?:당뇨병?|고혈압|저혈압|천식|편두통|통풍|비염|위염|관절염"
    r"|[가-힣]{1,4}(?:병|(?<![격수분원입허생록명인검보])증|염|암)"  # 자격증 is a paper, no illness
    r"|[가-힣]{1,20} 질환)"
)
_TOOL = r"[A-Z][A-Za-z\d.+#-]{0,40}"
_TOOLS = rf"{_TOOL}(?:(?:하고|와|과|이?랑|,)? {_TOOL}){{0,3}}"
_USE = r"(?:쓰고|씁니다|써요|쓴다|써$|씀|사용|이용|씁)"
_KOREAN_JOB = r"[가-힣]{0,20}(?:[가-힣](?:사|원|가|관|장|수|생|자)|개발자|디자이너|엔지니어|매니저|컨설턴트|프리랜서)"
_KOREAN = (
    ("이름", rf"^(?:.* )?(?:제|내|저의|나의) 이름은 (?P<value>[가-힣]{{2,5}}?|[A-Z][a-z]+(?: [A-Z][a-z]+)?){_BE}"),
    ("이름", r"(?:^|\s)(?:저는|나는) (?P<value>[가-힣]{2,4}?|[A-Z][a-z]+)이?라고 (?:해요|합니다|불러)"),
    ("알레르기", r"(?:^|\s)(?P<value>[가-힣]+)(?:에)? ?알레르기(?:가|도)? 있"),
    ("질환", rf"(?:{_ME}|^)(?P<value>{_KOREAN_ILLNESS})(?:이|가|도|을|를)? (?:있(?!나|는지|을까)|앓|진단)"),
    ("질환", rf"{_ME}(?P<value>[가-힣]{{0,20}}(?:당뇨병?|고혈압|천식)) 환자"),
    ("복용 약", r"(?:^|\s)(?P<value>[가-힣A-Za-z]+?)(?:을|를|도) (?:매일 |하루 [가-힣]+ 번 |계속 )?복용"),
    ("사용", rf"{_ME}(?P<value>{_TOOLS})(?:을|를|도|만|로)? (?:주로 |같이 |함께 |모두 )?{_USE}"),
    (
        "예산",
        r"(?:^|\s)예산은 (?:약 |대략 |총 |이제 |한 )?"
        r"(?P<value>[^,]{0,60}?\d[^,]{0,60}?(?:원|달러|유로|[만억](?! ?원)))",
    ),
    ("나이", rf"(?:{_ME}|{_MINE}나이는 )(?:올해 )?(?P<value>\d{{1,3}}(?:살|세)){_BE}"),
    ("회사", rf"{_ME}(?P<value>[가-힣A-Z][가-힣A-Za-z]{{1,40}})(?:에서 일|에 다[니녀닙]|에서 근무)"),
    ("사는 곳", rf"(?:{_ME})(?P<value>[가-힣]{{2,8}})에 (?:살|거주)"),
    ("팀", rf"{_MINE}팀(?:은|이) (?P<value>\d+ ?명)"),
    ("선호", rf"{_ME}(?P<value>[가-힣A-Za-z\d ]{{1,60}}?)(?:을|를|이|가) (?:더 )?(?:선호|좋아(?:해|합|하고))"),
    ("직업", rf"{_ME}(?P<value>{_KOREAN_JOB}){_BE}"),
    ("", rf"(?:^|\s){_OUR}\s(?P<key>[가-힣]{{1,6}}(?: [가-힣]{{1,6}})?)(?:은|는) (?P<value>[^,]{{1,100}}?){_BE}"),
)
_STATEMENTS = {
    "en": [(key, re.compile(pattern, re.IGNORECASE)) for key, pattern in _ENGLISH],
    "ko": [(key, re.compile(pattern)) for key, pattern in _KOREAN],
}

ADDED_TO = frozenset(["condition", "allergy", "medicine"])
_NO_VALUES = re.compile(
    r"^(?:bit|little|lot|few|fan|while|not|no|what|how|why|when|where|who|that|this|it|broken|gone|wrong|missing|late"
    r"|slow|afraid|sure|sorry|question|problem|환자|안 |없)\b"
    r"|(?:^|.*\s)(?:뭐|뭔|무엇|무슨|얼마|어디|언제|누구|누가|어떻|어떤|어느|며칠|왜(?!곡)|몇(?!몇))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:!?]|,(?!\d{3})|\.(?!\d)|\s[–—-]\s|\b(?:and|but|so) (?=(?:I|we|my|our)\b)"
    r"|(?<=[고만데])\s(?=(?:제|저|우리|저희) )"
)
_FILLER = re.compile(
    r"^(?:(?:hi|hello|hey|well|ok(?:ay)?|so|and|but|also|actually|by the way|btw|no|yes|please note(?: that)?|note that"
    r"|fyi|now|currently|anyway|안녕하세요|안녕|네|예|음|그리고|근데|그런데|참고로|사실|또|지금|현재)\b[\s,]*)+",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"(?i)\b(?:if|suppose|imagine|assum\w+|pretend|say I|let's say|would|might|maybe)\b"
    r"|만약|만일|가령|라면|다면|(?<=[가-힣])으?면\b|경우"
)
_ALSO = re.compile(
    r"\b(?:also|too|as well|additionally)\b|(?<=[가-힣A-Za-z\d])도\s|(?<![가-힣])또(?:한)?\s", re.IGNORECASE
)
_LONGEST = 60  # characters of a value


@task("profile")
def profile(llm: Any, said: str, known: Sequence[tuple[str, str]] = (), before: str = "", **_: Any) -> Any:
    """The slots that a user's message changes; an empty value takes one back. `before` is the message before it."""
    old: Notes = {same_key(key): (key, value, 0) for key, value in known}
    notes: Notes = dict(old)
    for sentence in sentences(said):
        _read_statement(sentence, before, notes)
        before = f"{before} {sentence}"
    return {"slots": [{"key": note[0], "value": note[1]} for m, note in notes.items() if old.get(m) != note]}


def _read_statement(sentence: str, before: str, notes: Notes) -> None:
    """Only what the message before spoke of can be corrected by a mere 'no, 300'."""
    found = list(stated(sentence))
    if TAKEN_BACK.search(sentence):
        _take_back(sentence, 0, notes)
    elif found:
        for key, value in found:
            _put(notes, key, value, added=_ALSO.search(sentence) is not None)
    else:
        _correct(sentence, 0, notes, lambda value, turn: value in before)


def stated(sentence: str) -> Iterator[tuple[str, str]]:
    """Key and value of every statement; a part that ends in a question mark states nothing."""
    if _SUPPOSED.search(sentence):
        return
    start, tongue = 0, language(sentence)
    for end, following in [*(match.span() for match in _CLAUSE.finditer(sentence)), (len(sentence), len(sentence))]:
        clause = _FILLER.sub("", (opens_correction(sentence[start:end]) or sentence[start:end]).strip())
        start = following
        if sentence[end:following].strip() not in ("?", "？"):
            yield from _statement(clause, tongue)


def _statement(clause: str, tongue: str) -> Iterator[tuple[str, str]]:
    """One value for each key; what only 'my … is …' tells comes last and counts if nothing else did."""
    found: dict[str, str] = {}
    for name, pattern in _STATEMENTS[tongue]:
        if (name in found) or (not name and found) or not (match := pattern.search(clause)):
            continue
        key = name or " ".join(match["key"].lower().split())
        value = match["value"].strip(" .,!'\"“”")
        if value and len(value) <= _LONGEST and not _NO_VALUES.match(value) and key not in words_of("no_facts"):
            found[key] = value
    yield from found.items()


def _put(notes: Notes, key: str, value: str, added: bool) -> None:
    """An illness does not replace another; a name, a home or a budget does."""
    meaning = same_key(key)
    old = notes.get(meaning, (key, "", 0))[1]
    known = value.casefold() in old.casefold()
    if old and not known and (added or meaning in ADDED_TO):
        value = f"{old}, {value}"
    _note(notes, key, old if known and meaning in ADDED_TO else value, 0)
