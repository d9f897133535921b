"""What users state about themselves: a subject, a predicate of a closed class, and the value between or behind them.

Only plain statements are read, such as 'I take …', 'our … is …' or '우리는 …을 써'. Each fact
has a key, its class or the word behind 'my', and a new value under a key takes the place of the old one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lessons.keyless import task
from lessons.text import ENGLISH_STOP_WORDS, language, sentences
from lessons.text.korean import agrees
from lessons.text.word_lists import words_of

# Each class with its key in English and Korean, its English predicates and its Korean stems. The list is closed.
CLASSES: dict[str, tuple[str, str, str, str]] = {
    "use": ("uses", "사용", r"us(?:e|ing)|run|runn?ing|rely on|work with", "사용|이용|쓰|써|썼|씁|쓴"),
    "take": ("takes", "복용", r"tak(?:e|ing)", "복용|먹"),
    "have": ("has", "있음", r"have(?: an?)?|got|suffer from|(?:was |been )?diagnosed with", "있|앓"),
    "live": ("lives in", "거주", r"(?:live|based|moved?) (?:in|to)|(?:be|am|are) from", "거주|살|삽|산"),
    "work": ("works", "근무", r"work (?:for|at|as an?)", "근무|일하|일해|일합|다니|다녀|다닙|다닌"),
    "like": ("likes", "선호", r"prefer|like|love", "선호|좋아"),
    "be": ("is", "본인", r"am|are|be|is", ""),
}
SEVERAL = frozenset(["have", "take", "be"])  # a second illness does not replace the first, a second home does
_LONGEST = 60  # characters of a value
_LATELY = 2  # turns within which 'no, 300' corrects something


class Fact(NamedTuple):
    """A value under its key; `of_user` is False if its subject need not be the user's: 'the deadline is 5 May'."""

    key: str
    value: str
    of_user: bool = True


Note = tuple[str, str, int]  # key, value and turn
Notes = dict[str, Note]  # by what the key means, the newest last


def same_key(key: str) -> str:
    """Return what a key means: 'budget', 'monthly budget' and '예산' are the same; a dog's name is not its owner's."""
    plain = re.sub(rf"^(?:(?:{'|'.join(words_of('owners'))})\s)+", "", " ".join(key.split()).casefold())
    return _MEANINGS.get(plain, plain)


def class_of(word: str) -> str:
    """Return the class whose predicate a word is, a form of `use` or 먹다; "" for any other word."""
    forms = ((name, row[3] if re.match("[가-힣]", word) else row[2]) for name, row in CLASSES.items())
    return next((name for name, form in forms if form and re.match(rf"(?:{form})(?![a-z])", word.lower())), "")


_MEANINGS = {word: entry.split(":")[0] for entry in words_of("same_facts") for word in entry.split(":")[1].split(",")}
_MEANINGS |= {label: name for name, labels in CLASSES.items() for label in labels[:2]}

_ADVERB = r"(?: (?:also|currently|now|mainly|mostly|usually|only|already|just))*"
_ENGLISH = re.compile(
    rf"(?i)^(?:I|we)(?: have|['’]ve)?{_ADVERB}(?: (?:am|are)|['’]m|['’]re)?{_ADVERB} "
    rf"(?:{'|'.join(f'(?P<{name}>{row[2]})' for name, row in CLASSES.items() if name != 'be')}) (?P<value>.+)$"
)
_IS = re.compile(
    rf"(?i)^(?:I|we)(?: am| are|['’]m|['’]re){_ADVERB} "
    r"(?P<value>allergic to .+|an? .+|\d.*|(?P<at>on|in|at) .+|[a-z]+)$"
)
_OWNED = re.compile(
    rf"(?i)^(?P<owner>my|our|the) (?P<key>[a-z]+(?: [a-z]+){{0,2}}) (?:is|are|was|were|will be){_ADVERB} (?P<value>.+)$"
)
_TRAILING = re.compile(r"(?i) (?:for|since|because|when|while|now|every|so|today|at the moment)\b.*$")
_CLAUSE = re.compile(
    r"(?i)[;:!?？](?!\d)|,(?!\d{3})|\.(?!\d)|\s[–—-]\s"
    rf"|\b(?:and|but|so) (?=(?:I|we|my|our|{'|'.join(row[2] for row in CLASSES.values())})\b)"
    r"|(?<=[가-힣])(?:(?<=[고데며서])(?<!하고)(?<!라고)(?<!다고)(?<!에서))\s(?!있)"
)
_FILLER = re.compile(rf"(?i)^(?:(?:{'|'.join(words_of('openers'))})(?![\w가-힣])[\s,]*)+")
_SUPPOSED = re.compile(
    r"(?i)\b(?:if|suppose|imagine|assum\w+|would|might|maybe|let's say)\b|만약|만일|가령|[라다]면|으면\b|경우"
)
_ASKS = re.compile(
    r"(?i)[?？]\s*$|^(?:what|how|why|when|where|who|which)\b"
    r"|뭐|뭔|무엇|무슨|얼마|어디|언제|누구|누가|어떻|어떤|어느|며칠|(?<![가-힣])(?:왜|몇)|(?:나요|까요?|는지|죠)\s*$"
)
_NEGATED = re.compile(
    r"(?i)\b(?:no longer|not? (?:\w+ )?any ?more|stopped|don[’']t (?:have|use|take)|forget)\b"
    r"|(?<![가-힣])안 [가-힣]|않|[이가은는] 없|없던|잊어|그만"
)
_CORRECTS = re.compile(
    r"(?i)^\W*(?:no|sorry|actually|wait|i meant?|not|correction)\b|^\W*(?:아니|아뇨|정정|죄송|잘못)|아니(?:라|고)"
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|\d")

_LEADING = re.compile(r"(?i)^(?:(?:about|around|roughly|only|now|약|대략|총|모두|이제|한)\s)+")
_SELF = re.compile(r"^(?:I|we)\b|^(?:저|나|전|난|저희|우리)(?:는|은|도)?\s(?=\S)|^(?:제|내|저희|우리)가\s")
_OWNER = re.compile(
    r"^(?:제|내|저희|우리|저의|나의)\s(?P<key>[가-힣]+(?: [가-힣]+)?)(?:은|는|이|가|도)\s(?P<predicate>.+)$"
)
_MEASURED = re.compile(r"^(?P<key>[가-힣]+(?: [가-힣]+)?)(?:은|는|이|가)\s(?P<value>(?:\S+ )?\S*\d.*)$")
_COPULA = re.compile(
    r"(?P<value>.+?)(?: ?정도)?(?:이에요|예요|이?야|입니다|이?라고 (?:해요?|합니다|불러.*)"
    r"|이고|이며|(?<=[^은는])인데요?)$"
)
_KOREAN = re.compile(
    rf"^(?P<value>.+?)\s(?:{'|'.join(f'(?P<{name}>{row[3]})' for name, row in CLASSES.items() if row[3])})"
    r"(?:하|해|합|한|함)?(?:는|고)?\s?(?:있|중)?(?:어|아|여|이에|이|에|예)?(?:요|[습]?니다|는?다|고|며|는데|야|거든요)?$"
)
_AMBIGUOUS = re.compile(r"[어아]요?$")  # in speech 있어요 states and asks alike


def facts(sentence: str) -> Iterator[Fact]:
    """Yield the facts of a sentence, none of what is asked, supposed or said of somebody else."""
    if not _SUPPOSED.search(sentence):
        yield from (fact for clause in _clauses(sentence) for fact in clause)


def states_only(text: str) -> list[Fact]:
    """Return the facts of a text that says nothing else; empty if a clause of it is no fact."""
    clauses = [clause for sentence in sentences(text) for clause in _clauses(sentence)]
    doubtful = _SUPPOSED.search(text) or _NEGATED.search(text)
    return [fact for clause in clauses for fact in clause] if all(clauses) and not doubtful else []


def _clauses(sentence: str) -> Iterator[list[Fact]]:
    """Yield the facts of each clause; in Korean the subject of the first clause is that of the next ones, too."""
    of_user, start, read = False, 0, _korean if language(sentence) == "ko" else _english
    for end, mark_end in [*(match.span() for match in _CLAUSE.finditer(sentence)), (len(sentence), len(sentence))]:
        clause, mark = _FILLER.sub("", sentence[start:end].strip()).strip(" ."), sentence[end:mark_end].strip()
        of_user, start = of_user or bool(_SELF.match(clause)), mark_end
        if clause:
            no_statement = _ASKS.search(clause + mark) or _NEGATED.search(clause)
            yield [fact] if not no_statement and (fact := read(clause, of_user)) else []


def _english(clause: str, of_user: bool) -> Fact | None:
    if match := _OWNED.match(clause):
        of_user = match["owner"].lower() != "the"
        return (
            _fact(match["key"].lower(), match["value"], of_user) if of_user or _NUMBER.search(match["value"]) else None
        )
    if match := _IS.match(clause):
        return _fact(match["at"].lower(), match["value"][3:]) if match["at"] else _measured("be", match["value"])
    match = _ENGLISH.match(clause) or (_ENGLISH.match(f"I {clause}") if of_user else None)
    return _measured(_class_of(match), match["value"]) if match else None


def _measured(name: str, value: str) -> Fact | None:
    """Name a number by what it counts: 'we have 8 users'; 'I am 34' is an age."""
    counted = re.fullmatch(r"(?P<number>\d[\d,.]*) ?(?P<unit>[a-z]+(?: old)?)?[ .,!]*", _TRAILING.sub("", value))
    if name in ("have", "be") and counted:
        return _fact("age" if counted["unit"] in (None, "years old") else counted["unit"], value)
    return _fact(CLASSES[name][0], re.sub(r"^an? ", "", value))


def _korean(clause: str, of_user: bool) -> Fact | None:
    if owner := _OWNER.match(clause):
        copula = _copula(owner["predicate"])
        return _fact(owner["key"], copula["value"]) if copula else _predicated(owner["predicate"], of_user=True)
    copula = _copula(clause := _SELF.sub("", clause))
    if copula and (measured := _MEASURED.match(copula["value"])):
        return _fact(measured["key"], measured["value"], of_user)
    if copula and (of_user or copula["value"].endswith(" 중")):
        return _fact(CLASSES["be"][1], copula["value"])
    return _predicated(clause, of_user)


def _copula(text: str) -> re.Match[str] | None:
    """Match the predicate 이다; lists in speech leave it out behind a number."""
    return _COPULA.fullmatch(text) or re.fullmatch(r"(?P<value>\d.*)", text)


def _predicated(clause: str, of_user: bool) -> Fact | None:
    """Return a fact of a class; none if a word before its value is the subject, so that it is somebody else's."""
    match = _KOREAN.match(clause)
    if not match or ((name := _class_of(match)) == "have" and not of_user and _AMBIGUOUS.search(clause)):
        return None
    value = re.split(r"(?<=[가-힣A-Za-z\d])[을를](?:\s|$)", match["value"])[0]
    *leading, last = value.split()
    has_object = last != match["value"].split()[-1]
    if not of_user and has_object and len(leading) == 1 and re.fullmatch("[가-힣]+[은는]", leading[0]):
        return _fact(
            leading[0][:-1], last, of_user=False
        )  # a topic with an object behind it: 클라우드는 Altis를 씁니다
    subjects = "이가" if of_user else "이가은는"
    if any(word[-1] in subjects and len(word) > 1 and agrees(word[:-1], word[-1]) for word in leading):
        return None
    ending = r"(?<=.)(?:에서|에)$" if name in ("live", "work") else r"(?<=.)[이가도]$"
    return _fact(CLASSES[name][1], " ".join([*leading, re.sub(ending, "", last)]))


def _class_of(match: re.Match[str]) -> str:
    return next(name for name in CLASSES if match.groupdict().get(name))


def _fact(key: str, value: str, of_user: bool = True) -> Fact | None:
    """Return the fact, if its value can be one: no request, no trouble with the product, no pronoun."""
    value = _LEADING.sub("", _TRAILING.sub("", value).rstrip(" .,!").strip(" '\"“”"))
    first, *_ = value.split() or [""]
    is_word = re.fullmatch(r"[a-z]+", first) and (first in ENGLISH_STOP_WORDS - words_of("may_begin_values"))
    words = {*re.split(r"[\s]|(?<=[가-힣])[이가은는을를](?=\s|$)", value.lower()), key}
    is_none = is_word or re.match(r"(?i)\w{2,}(?:ing|ed)$", first) or words & words_of("no_facts")
    return Fact(key, value, of_user) if 0 < len(value) <= _LONGEST and not is_none else None


def take_up(notes: Notes, sentence: str, turn: int, only_user: bool = False) -> None:
    """Put what a sentence states, corrects or takes back into the notes, `only_user` if surely of the user."""
    new = [fact for fact in facts(sentence) if fact.of_user or not only_user or same_key(fact.key) in notes]
    if _NEGATED.search(sentence):
        _take_back(notes, sentence, turn)
    elif notes and not new and corrects(sentence):
        _correct(notes, sentence, turn)
    for fact in new:
        old = notes.pop(same_key(fact.key), ("", "", 0))[1]
        joins = same_key(fact.key) in SEVERAL or re.search(r"(?i)\b(?:also|too|as well)\b|도\s", sentence)
        values = dict.fromkeys([*(old.split(", ") if joins else []), fact.value])
        notes[same_key(fact.key)] = fact.key, ", ".join(filter(None, values)), turn


def corrects(sentence: str) -> bool:
    return bool(_CORRECTS.search(sentence)) and not _ASKS.search(sentence)


def _correct(notes: Notes, sentence: str, turn: int) -> None:
    """Let a number behind 'no' replace the newest one of its unit; a bare one replaces the newest one.

    A number of another unit takes the newest back, since it is not clear what it is the number of.
    """
    recent = [m for m, note in notes.items() if turn - note[2] <= _LATELY and _NUMBER.search(note[1])]
    numbers = _NUMBER.findall(sentence)
    if recent and numbers:
        units = {m: _NUMBER.sub("", notes[m][1], count=1).strip() for m in recent}
        is_bare = re.search(rf"{re.escape(numbers[-1])}(?:이에요|예요|요|입니다)?\W*$", sentence)
        meaning = next((m for m in reversed(recent) if units[m] in sentence), recent[-1])
        key, old, _ = notes.pop(meaning)
        replaces = is_bare or units[meaning] in sentence
        notes[meaning] = key, _NUMBER.sub(numbers[-1], old, count=1) if replaces else "", turn


def _take_back(notes: Notes, sentence: str, turn: int) -> None:
    """Drop the values that a sentence names, or else those of the notes whose key it names."""
    values = {m: note[1].split(", ") for m, note in notes.items()}
    left = {m: [value for value in values[m] if value not in sentence] for m in notes}
    words = re.findall("[a-z]+|[가-힣]+", sentence.casefold())
    keys = {same_key(form) for word in words for form in (word, word[:-1])}
    changed = {m: left[m] for m in notes if len(left[m]) < len(values[m])} or {m: [] for m in notes if m in keys}
    for meaning, remaining in changed.items():
        notes[meaning] = notes[meaning][0], ", ".join(remaining), turn


@task("entities")
def entities(llm: Any, turns: Sequence[tuple[int, str, str]], known: Sequence[Note] = (), **_: Any) -> Any:
    """Extract what users state in these turns (number, question, answer); an empty value takes an entity back."""
    old: Notes = {same_key(key): (key, value, turn) for key, value, turn in known}
    notes = dict(old)
    for number, question, _answer in turns:
        for sentence in sentences(question):
            take_up(notes, sentence, number)
    new = [note for meaning, note in notes.items() if old.get(meaning) != note]
    return {"entities": [{"key": key, "value": value, "turn": turn} for key, value, turn in new]}


@task("profile")
def profile(llm: Any, said: str, known: Sequence[tuple[str, str]] = (), before: str = "", **_: Any) -> Any:
    """Return the slots that a message changes; an empty value takes one back. `before` is the message before it."""
    old: Notes = {same_key(key): (key, value, 0 if value in before else -_LATELY) for key, value in known}
    notes = dict(old)
    for sentence in sentences(said):
        take_up(notes, sentence, 1, only_user=True)
    new = [note[:2] for meaning, note in notes.items() if old.get(meaning, ("", "", 0))[:2] != note[:2]]
    return {"slots": [{"key": key, "value": value} for key, value in new]}
