"""The guard of the response cache: decide whether an answer to one question also answers another that looks like it.

Numbers, periods, identifiers, names and negations must be the same, and so must the content words: up to inflection,
function words, polite padding, and phrases that have moved as a whole. Order counts otherwise, for an embedding places
'Who hired the manager?' beside 'Who did the manager hire?'. The guard knows no synonyms: in doubt, a model is asked.
"""

import re
from dataclasses import dataclass, field
from unicodedata import normalize as unicode_form

from lessons.text import language, normalize
from lessons.text.korean import PARTICLES, particle_pattern
from lessons.text.numbers import one_spelling
from lessons.text.periods import dates, normal_form, period_runs
from lessons.text.search_terms import IRREGULAR
from lessons.text.word_lists import words_of

CLEAR = frozenset(["language", "numbers", "names", "negation"])  # differences that no model is asked about


@dataclass
class Reading:
    """The constraints that a question states. `words` are its content words without inflection, in order."""

    language: str
    text: str  # with quantities in one spelling
    numbers: list[str]  # periods and identifiers, too
    names: list[str]
    negation: list[str] = field(default_factory=list)
    tense: set[str] = field(default_factory=set)  # and modality; empty if no verb shows them
    words: list[str] = field(default_factory=list)
    phrases: list[tuple[str, ...]] = field(default_factory=list)  # those that may stand anywhere
    roles: dict[str, str] = field(default_factory=dict)  # of Korean words whose particle may be dropped


_CODE_OR_NUMBER = re.compile(
    r"(?i)\b[a-z][a-z_-]{0,60}\d[a-z\d./_-]*(?<![./_-])|[-+]?\d+(?:[.,:]\d+)*(?:[%$£€₩]|(?:min|mo|[hdwyp])(?![a-z]))?"
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][^\W\d_]+|(?<![A-Za-z])[A-Za-z]{2,}(?=[가-힣])")
_END = "\x1f"  # of a number, which a Korean particle may follow


def _mark_quantities(text: str) -> str:
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
_NOUN = rf"(?!(?:{'|'.join([*_PREPOSITIONS, *_VERBS, *_ASKS, 'of', 'and', 'or'])})\b)[^\s,?.!]+"
_ENGLISH = [
    (re.compile(pattern), instead)
    for pattern, instead in [
        (r"(?:n['’]t|(?<=can)not)\b", " not"),
        (r"['’]s?\b", " "),
        (rf"{_REQUEST}(?:(?:if|whether)\s|(?<=me )(?=the\b)|(?=(?:{'|'.join(_ASKS)}|whom)\b))", ""),
        (r"\bwhom\b", "who"),
        # 'the date of the meeting' as 'the meeting's date'
        (rf"\b(?:the|an?) ({_NOUN}(?: {_NOUN}){{0,3}}) of (?:(?:the|an?) )?({_NOUN}(?: {_NOUN}){{0,5}})", r"the \2 \1"),
    ]
]


def _stem(word: str) -> str:
    """Strip an English word's inflection; '-ing' stays, since what frightens is not what is frightened."""
    return re.sub("(?<=..)(?:ies|ied|es|ed|e|s|y)$", "", IRREGULAR.get(word, word))


def _read_english(text: str, reading: Reading) -> None:
    for pattern, instead in _ENGLISH:
        text = pattern.sub(instead, text).strip()
    tokens = re.findall(rf"#[^{_END}]*|[^\W\d_]+(?:[-.&/_]\w+)*|\d+|,", text)
    reading.negation = sorted("no" if token == "not" else token for token in tokens if token in _NEGATIONS)
    past = [token for token in tokens if token in IRREGULAR or re.fullmatch("..+ed", token)]
    words, phrases, verb_at = _phrases(tokens)
    is_passive = verb_at is not None and words[-1:] and words[-1] in map(_stem, past) and _BE & {*tokens}
    if is_passive:  # 'by whom was it built' as 'who built it'
        agent = next((phrase[1:] for phrase in phrases if phrase[0] == "by"), [])
        phrases = [phrase for phrase in phrases if phrase[0] != "by"]
        words[verb_at:] = [*agent, words[-1], *words[verb_at:-1]]
    tenses = {_VERBS[token] for token in tokens if token in _VERBS} | {"past" for _ in past if not is_passive}
    if {"how", "where"} & {*tokens}:  # 'how can I' asks what 'how do I' asks
        tenses = tenses - {"can", "must"} | {"present"}
    reading.tense = tenses - {"present"} or tenses
    persons = [_PERSONS[token] for token in tokens if token in _PERSONS]
    reading.words = " ".join([*words, *(persons if len({*persons}) > 1 else [])]).strip(" ,").split()
    reading.phrases = sorted(map(tuple, phrases))


def _phrases(tokens: list[str]) -> tuple[list[str], list[list[str]], int | None]:
    """Split off the prepositional phrases; return the other words, the phrases, and the place of the verb in words."""
    words: list[str] = []
    phrases: list[list[str]] = []
    current, verb_at = words, None
    for token in tokens:
        if token in _PREPOSITIONS:
            phrases.append(current := [token])
        elif token == ",":
            words += [","] if current is words and words else []
            current = words
        elif token in _VERBS:
            current, verb_at = words, len(words) if verb_at is None else verb_at
        elif token not in _LIGHT and token not in _NEGATIONS:
            current.append(token if token[0] == "#" else _stem(token))
    return words, phrases, verb_at


_IS = "(?:였|이었)?(?:인가|인지|입니까|이에|예|이야|야|이죠|죠|임|일까|가|나|니까|습니까|어)?요?"
_KOREAN = [
    (re.compile(pattern), instead)
    for pattern, instead in [
        (
            r"안녕하(?:세요|십니까)|감사합니다|고맙습니다|(?<![가-힣])(?:혹시|좀|그럼|저기요?|근데|그런데)(?![가-힣])",
            " ",
        ),
        (r"(?:알려|말해|설명해) ?(?:주(?:세요|시겠어요|십시오)|줘요?)", " "),
        (rf"(?:{_END}(?:[은는이가을를의에](?![가-힣]))?|[\s.,?!~])+", " "),
        (r"(?<=[가-힣])[을를은는이가]$", ""),
        (rf"[은는이가]? (?:(?:무엇|뭐|뭔|얼마나?)(?: ?정도)?(?: ?[되돼됩])?|어떻게 ?[되돼됩]){_IS}$", ""),
    ]
]
_QUESTION_WORD = re.compile(
    rf"(누구|누(?=[가굴군])|무엇|무얼|뭐|뭘|뭔|언제|어디|얼마나?|왜|어떻게)((?!{_IS}$)[가-힣]*)?{_IS}"
)
_PARTICLE = re.compile(rf"(\S+?)({particle_pattern('is', 'named')})?(?: |$)")
_WEAK = frozenset(["topic", "subject", "object", "of", "at", ""])
_ENDING = re.compile(unicode_form("NFD", "(?:(?:어|아)?ᆻ)?(?:(?:어|아|나|는지|ᆫ가|ᆫ지|지|야)?(?:요)?|(?:습|ᆸ)니까|죠|다)$"))


def _korean_stem(text: str, is_verb: bool) -> str:
    """Strip a verb's ending, and the 어 or 아 in its vowel: 나오 for 나와요 (letters: Unicode 15, section 3.12)."""
    letters = unicode_form("NFD", text)
    stem = re.sub("(?<=ᄒ)ᅢ$", "ᅡ", _ENDING.sub("", letters, count=1) if is_verb else letters)
    stem = unicode_form("NFC", stem[:-1] + stem[-1:].translate(str.maketrans("ᅪᅯᅧᅫ", "ᅩᅮᅵᅬ")))
    return re.sub("(?<=[가-힣]{2})[하되]$", "", stem)


def _read_korean(text: str, reading: Reading) -> None:
    text = normal_form(text)
    for pattern, instead in _KOREAN:
        text = pattern.sub(instead, text).strip()
    reading.negation = sorted(re.findall("없|아니|아닌|금지|밖에|(?<![가-힣])(?:안(?= )|못)", text))
    question_words = [_QUESTION_WORD.fullmatch(word) for word in text.split()]
    reading.phrases = sorted((match[1], match[2] or "") for match in question_words if match)
    content = " ".join(word for word, match in zip(text.split(), question_words, strict=True) if not match)
    ends_in_verb = bool(question_words) and not question_words[-1]
    content = _korean_stem(content, ends_in_verb)
    pairs = _PARTICLE.findall(content)
    pairs[-1:] = [(word, "") for word in content.split()[-1:]] if ends_in_verb else pairs[-1:]
    roles = [(word, PARTICLES.get(particle, "")) for word, particle in pairs]
    reading.words = [word if role in _WEAK else f"{word} ({role})" for word, role in roles]
    reading.roles = {word: role for word, role in roles if role in _WEAK}
    reading.tense = {"past" if re.search("[^ᅵᅦ]ᆻ", unicode_form("NFD", text)) else "present"}


def read_constraints(question: str) -> Reading:
    """Read a question, in either language."""
    text = _mark_quantities(" ".join(normalize(question).replace("#", " ").split()))
    names = [name.casefold() for name in _NAME.findall(text)]
    reading = Reading(language(question), text.casefold(), sorted(re.findall(rf"#([^{_END}]*){_END}", text)), names)
    (_read_korean if reading.language == "ko" else _read_english)(reading.text, reading)
    return reading


def differences(first: str, second: str) -> list[str]:
    """List what two questions differ in; nothing if an answer to one answers the other."""
    a, b = read_constraints(first), read_constraints(second)
    roles = [{role, b.roles.get(word, "")} for word, role in a.roles.items()]
    changed = [pair for pair in roles if len(pair) > 1 and "" not in pair]  # a particle may be dropped
    same = {
        "language": a.language == b.language,
        "numbers": a.numbers == b.numbers,
        "names": all(name in b.text for name in a.names) and all(name in a.text for name in b.names),
        "negation": a.negation == b.negation,
        "tense or modality": a.tense == b.tense or not (a.tense and b.tense),
        "words": ("".join(a.words), a.phrases) == ("".join(b.words), b.phrases),
        "who does what": len(changed) < 2 and all("topic" in pair for pair in changed),
    }
    return [name for name, agree in same.items() if not agree]
