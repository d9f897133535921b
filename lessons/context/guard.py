"""The guard of the response cache: decide whether an answer to one question also answers another that looks like it.

Numbers, periods, identifiers, names and negations must be the same, and so must the content words: up to inflection,
function words, polite padding, and phrases that have moved as a whole. Order counts otherwise, for an embedding places
'Who hired the manager?' beside 'Who did the manager hire?'. The guard knows no synonyms: in doubt, a model is asked.
"""

import re
from dataclasses import dataclass, field
from unicodedata import normalize as form

from lessons.text import language, normalize
from lessons.text.korean import PARTICLES, particle_pattern
from lessons.text.numbers import one_spelling
from lessons.text.periods import dates, normal_form, period_runs
from lessons.text.search_terms import IRREGULAR
from lessons.text.word_lists import words_of

CLEAR = frozenset(["language", "numbers", "names", "negation"])  # differences that no model is asked about


@dataclass
class Reading:
    """What a question pins down; `words` are its content words without inflection, in an order that counts."""

    language: str
    text: str  # with quantities in one spelling
    numbers: list[str]  # with their units; periods and identifiers
    names: list[str]
    negation: list[str] = field(default_factory=list)
    frame: set[str] = field(default_factory=set)  # tense and modality; empty if no verb shows them
    words: list[str] = field(default_factory=list)
    moved: list[tuple[str, ...]] = field(default_factory=list)  # phrases that may stand anywhere
    roles: dict[str, str] = field(default_factory=dict)  # of Korean words whose particle may be dropped


_CODE_OR_NUMBER = re.compile(
    r"(?i)\b[a-z][a-z_-]{0,60}\d[a-z\d./_-]*(?<![./_-])|[-+]?\d+(?:[.,:]\d+)*(?:[%$£€₩]|(?:min|mo|[hdwyp])(?![a-z]))?"
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][^\W\d_]+|(?<![A-Za-z])[A-Za-z]{2,}(?=[가-힣])")
_END = "\x1f"  # of a number, which a Korean particle may follow


def _quantities(text: str) -> str:
    """Write every period, code and number of a text in one spelling, between '#' and `_END`."""
    for start, end, day in sorted(dates(text), reverse=True):
        text = f"{text[:start]}{day.year}년 {day.month}월 {day.day}일{text[end:]}"
    text = one_spelling(normal_form(text))
    spans = [
        (run[0].start, run[-1].end, " ".join(sorted(f"{period.unit} {period.number}" for period in run)))
        for run in period_runs(text)
    ]
    for start, end, _ in spans:
        text = text[:start] + "\0" * (end - start) + text[end:]  # a year is no number besides
    spans += [(*match.span(), match[0].lower()) for match in _CODE_OR_NUMBER.finditer(text)]
    for start, end, written in sorted(spans, reverse=True):
        text = f"{text[:start]} #{written}{_END}{text[end:]}"
    return text


_VERBS = dict(entry.split(":") for entry in words_of("verb_frames"))
_PERSONS = dict.fromkeys(["i", "we", "me", "us", "my", "our"], "1") | dict.fromkeys(["you", "your"], "2")
_ASKS, _BE, _LIGHT = (words_of(name) for name in ("question_words", "forms_of_be", "light_words"))
_PREPOSITIONS, _NEGATIONS = words_of("prepositions"), words_of("negations")
_REQUEST = rf"^(?:(?:{'|'.join(words_of('request_words'))})\b[\s,;:.!?]*)+"
_INNER = rf"(?!(?:{'|'.join([*_PREPOSITIONS, *_VERBS, *_ASKS, 'of', 'and', 'or'])})\b)[^\s,?.!]+"
_REWORDED = [
    (r"(?:n['’]t|(?<=can)not)\b", " not"),
    (r"\b(what|who|where|when|why|how)['’]s\b", r"\1 is"),
    (r"['’]s?\b", " "),
    (rf"{_REQUEST}(?:(?:if|whether)\s|(?<=me )(?=the\b)|(?=(?:{'|'.join(_ASKS)}|whom)\b))", ""),
    (r"\bwhom\b", "who"),
    (r"\bwhich\b", "what"),
    (r"\b(?:is|are|am) (?:it )?(?:(\w+) )?(?:allowed|able|permitted|possible) to\b", r"can \1"),
    (r"\b(?:how|what (?:is|are) the (?:steps?|ways?)|what do (?:i|we) (?:have|need) to do) to\b", "how"),
    (r"(?:\b(?:on|at) )?\bwhat (?:(is |was )the )?(?:date|time)(?: of)?\b", r"when \1"),
    (r"\bwhat does (.+?) mean\b", r"what is the meaning of \1"),
    (r"\b(?:what is )?the number of ([^?]+?) (?:at|in|on|of)\b", r"how many \1 in"),
    (r"\b(?:how many|what number of) ([^?]+?) do(?:es)? (.+?) have\b", r"how many \1 in \2"),
    (rf"\b(?:the|an?) ({_INNER}(?: {_INNER}){{0,3}}) of (?:(?:the|an?) )?({_INNER}(?: {_INNER}){{0,5}})", r"the \2 \1"),
    (r"^what (?=(?:is|are|was|were)\b|.*\b(?:is|are|was|were)\W*$)", ""),
]
_ENGLISH = [(re.compile(pattern), instead) for pattern, instead in _REWORDED]


def _stem(word: str) -> str:
    """Strip an English word's inflection; '-ing' stays, since what frightens is not what is frightened."""
    return re.sub("(?<=..)(?:ies|ied|es|ed|e|s|y)$", "", IRREGULAR.get(word, word))


def _read_english(text: str, reading: Reading) -> None:
    for pattern, instead in _ENGLISH:
        text = pattern.sub(instead, text).strip()
    tokens = re.findall(rf"#[^{_END}]*|[^\W\d_]+(?:[-.&/_]\w+)*|\d+|,", text)
    reading.negation = sorted("no" if token == "not" else token for token in tokens if token in _NEGATIONS)
    past = [token for token in tokens if token in IRREGULAR or re.fullmatch("..+ed", token)]
    core, phrases, front = _phrases(tokens)
    passive = front is not None and core[-1:] and core[-1] in map(_stem, past) and _BE & {*tokens}
    if passive:  # 'by whom was it built' as 'who built it'
        agent = next((words for role, *words in phrases if role == "by"), [])
        phrases = [phrase for phrase in phrases if phrase[0] != "by"]
        core[front:] = [*agent, core[-1], *core[front:-1]]
    shown = {_VERBS[token] for token in tokens if token in _VERBS} | {"past" for _ in past if not passive}
    shown = shown - {"can", "must"} | {"present"} if {"how", "where"} & {*tokens} else shown  # 'how can I', 'how do I'
    reading.frame = shown - {"present"} or shown
    said = [_PERSONS[token] for token in tokens if token in _PERSONS]
    reading.words = " ".join([*core, *(said if len({*said}) > 1 else [])]).strip(" ,").split()
    reading.moved = sorted(map(tuple, phrases))


def _phrases(tokens: list[str]) -> tuple[list[str], list[list[str]], int | None]:
    """The words outside of prepositional phrases, the phrases, and where the verb began among the words."""
    core: list[str] = []
    here, front, phrases = core, None, []
    for token in tokens:
        if token in _PREPOSITIONS:
            phrases.append(here := [token])
        elif token == ",":
            core += [","] if here is core and core else []
            here = core
        elif token in _VERBS:
            here, front = core, len(core) if front is None else front
        elif token not in _LIGHT and token not in _NEGATIONS:
            here.append(token if token[0] == "#" else _stem(token))
    return core, phrases, front


_IS = "(?:였|이었)?(?:인가|인지|입니까|이에|예|이야|야|이죠|죠|임|일까|가|나|니까|습니까|어)?요?"
_KOREAN_REWORDED = [
    (r"안녕하(?:세요|십니까)|감사합니다|고맙습니다|(?<![가-힣])(?:혹시|좀|그럼|저기요?|근데|그런데)(?![가-힣])", " "),
    (r"(?:알려|말해|설명해) ?(?:주(?:세요|시겠어요|십시오)|줘요?)", " "),
    (r"알고 싶(?:습니다|어요?|은데요?)|궁금(?:합니다|해요?|한데요?)", " "),
    (rf"(?:{_END}(?:[은는이가을를의에](?![가-힣]))?|[\s.,?!~])+", " "),
    (r"(?<=[가-힣])[을를은는이가]$", ""),
    (rf"[은는이가]? (?:(?:무엇|뭐|뭔|얼마나?)(?: ?정도)?(?: ?[되돼됩])?|어떻게 ?[되돼됩]){_IS}$", ""),
    (r"(?: 금액|(?<=[가-힣]{2})[액금])$", ""),
    (rf"(?: (?:날짜|시기|시점|일시|일자)|(?<=[가-힣]{{2}})일)[은는이가]? 언제{_IS}$", " 언제"),
    (r"(?:는 (?:방법|법)| (?:방법|절차)|하려면 어떻게 (?:하|해).*)$", " 어떻게"),
]
_KOREAN = [(re.compile(pattern), instead) for pattern, instead in _KOREAN_REWORDED]
_ASKED = re.compile(rf"(누구|누(?=[가굴군])|무엇|무얼|뭐|뭘|뭔|언제|어디|얼마나?|왜|어떻게)((?!{_IS}$)[가-힣]*)?{_IS}")
_PARTICLE = re.compile(rf"(\S+?)({particle_pattern('is', 'named')})?(?: |$)")
_WEAK = frozenset(["topic", "subject", "object", "of", "at", ""])
_ENDING = re.compile(form("NFD", "(?:(?:어|아)?ᆻ)?(?:(?:어|아|나|는지|ᆫ가|ᆫ지|지|야)?(?:요)?|(?:습|ᆸ)니까|죠|다)$"))


def _korean_stem(text: str, is_verb: bool) -> str:
    """Strip a verb's ending, and the 어 or 아 in its vowel: 나오 for 나와요 (letters: Unicode 15, section 3.12)."""
    letters = form("NFD", text)
    stem = re.sub("(?<=ᄒ)ᅢ$", "ᅡ", _ENDING.sub("", letters, count=1) if is_verb else letters)
    stem = form("NFC", stem[:-1] + stem[-1:].translate(str.maketrans("ᅪᅯᅧᅫ", "ᅩᅮᅵᅬ")))
    return re.sub("(?<=[가-힣]{2})[하되]$", "", stem)


def _read_korean(text: str, reading: Reading) -> None:
    text = normal_form(text)
    for pattern, instead in _KOREAN:
        text = pattern.sub(instead, text).strip()
    reading.negation = sorted(re.findall("없|아니|아닌|금지|밖에|(?<![가-힣])(?:안(?= )|못)", text))
    asked = [_ASKED.fullmatch(word) for word in text.split()]
    reading.moved = sorted((found[1], found[2] or "") for found in asked if found)
    rest = " ".join(word for word, found in zip(text.split(), asked, strict=True) if not found)
    ends_in_verb = bool(asked) and not asked[-1]
    rest = _korean_stem(rest, ends_in_verb)
    pairs = _PARTICLE.findall(rest)
    pairs[-1:] = [(word, "") for word in rest.split()[-1:]] if ends_in_verb else pairs[-1:]
    roles = [(word, PARTICLES.get(particle, "")) for word, particle in pairs]
    reading.words = [word if role in _WEAK else f"{word} ({role})" for word, role in roles]
    reading.roles = {word: role for word, role in roles if role in _WEAK}
    if not text.endswith((" 언제", " 어떻게")):
        reading.frame = {"past" if re.search("[^ᅵᅦ]ᆻ", form("NFD", text)) else "present"}


def read_constraints(question: str) -> Reading:
    """Read a question, in either language."""
    text = _quantities(" ".join(normalize(question).replace("#", " ").split()))
    names = [name.casefold() for name in _NAME.findall(text)]
    reading = Reading(language(question), text.casefold(), sorted(re.findall(rf"#([^{_END}]*){_END}", text)), names)
    (_read_korean if reading.language == "ko" else _read_english)(reading.text, reading)
    return reading


def differences(asked: str, again: str) -> list[str]:
    """The names of what two questions differ in; none if an answer to one answers the other."""
    one, other = read_constraints(asked), read_constraints(again)
    roles = [{role, other.roles.get(word, "")} for word, role in one.roles.items()]
    changed = [pair for pair in roles if len(pair) > 1 and "" not in pair]  # a particle may be dropped
    same = {
        "language": one.language == other.language,
        "numbers": one.numbers == other.numbers,
        "names": all(name in other.text for name in one.names) and all(name in one.text for name in other.names),
        "negation": one.negation == other.negation,
        "tense or modality": one.frame == other.frame or not (one.frame and other.frame),
        "words": ("".join(one.words), one.moved) == ("".join(other.words), other.moved),
        "who does what": len(changed) < 2 and all("topic" in pair for pair in changed),
    }
    return [name for name, agree in same.items() if not agree]
