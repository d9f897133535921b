"""What an English question pins down: its words in the order of an active statement, each with its preposition."""

# ruff: noqa: E501

import re
from dataclasses import dataclass, field

from lessons.context.reading import Reading, Word, by_word, quantities
from lessons.text.search_terms import IRREGULAR, english_stem
from lessons.text.word_lists import words_of

_BEGINNING = re.compile(
    r"^(?:(?:so|well|hi|hello|hey|please|basically|just|kindly|there|excuse me|quick question|thanks)\b[\s,:!.]*)*+"
    r"(?:(?:(?:could|can|would|will) you (?:please |kindly )*(?:tell|explain to|show|let) me"
    r"|(?:please |kindly )*(?:tell|explain to|show) (?:me|us)|do you know|does anyone know|any idea"
    r"|i(?:'m| am| was|'d| would)? (?:just )?(?:wondering|wonder|(?:like|want|need) to know|not sure|curious))\b[\s,:]*)?"
    r"(?=(?:if|whether|who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|may|must|will|the)\b)",
    re.I,
)
_REWRITTEN = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"[’`]", "'"),
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(\w)n't\b", r"\1 not"),
        (r"\b(who|what|where|when|why|how|that|there|it(?=')|he|she|here)'?s\b", r"\1 is"),
        (r"\b(?:got to|(?:have|has|had|need|needs|needed) to|needs?(?= to)|required to|supposed to|should)\b", "must"),
        (r"\bmust (?:\w+ )?not\b", "can not"),
        (r"\bused to (?=\w+ing\b)", "accustomed to "),
        (r"\ba (few|little)\b", r"some-\1"),
        (r"\b(?:able|allowed|permitted|possible) to\b|\bis it (?:ok|okay|possible|allowed) (?:to|if)\b", "can"),
        (r"\bnot (?:\w+ )?(?:can|may)\b|\b(?:forbidden|prohibited|banned)\b", "can not"),
        (r"\b(?:in|on|at|for|by)? ?(?:what|which) (?:date|day|time|moment)\b|\bwhat is the (?:date|time) (?:of|for)\b", "when"),
        (r"\b(?:in|at)? ?(?:what|which) (?:place|location)\b", "where"),
        (r"\b(?:for )?(?:what|which) (?:is the |was the )?(?:reason|cause)(?: for| that)?\b|\bhow come\b", "why"),
        (r"\b(?:(?:what|how large) (?:is |was )?)?the number of\b", "how many"),
        (r"\bhow (?:much|large|big|high|great)\b", "what"),
        (r"\bwhat (?:do|must|can) \w+ (?:must )?do to\b|\b(?:what (?:are|is) )?the (?:steps?|way|procedure|process) (?:to|for|of)\b"
         r"|\bhow to\b", "how do i"),
        (r"\b(?:takes?|took) place\b", "is held"),
        (r"\b(?:turn|switch)(?:ed|ing)? on\b", "enable"),
        (r"\b(?:turn|switch)(?:ed|ing)? off\b", "disable"),
        (r"\b(?:get|gets|got|getting) rid of\b", "remove"),
        (r"^(if|when|once|before|after|in|on|at|for|during) ([^,?]+), ([^,?]+)(?=\?|$)", r"\3 \1 \2"),
    )
]  # fmt: skip
_LIGHT = words_of("light_words")
_OPTIONAL = words_of("optional_words")
"""Words that one question may have and the other not, though not each another one."""
_DETERMINERS = frozenset(["a", "an", "the", "my", "our", "your", "i", "you", "we", "it"])
_PERSONS = by_word({"I": "i we", "me": "me us", "my": "my our", "you": "you your"})
_AUXILIARIES = by_word({
    "be": "is are am be been being was were", "do": "do does did", "modal": "can could may might must will would shall",
})  # fmt: skip
_MODALITY = by_word({"can": "can could may might", "must": "must"})
_TENSES = by_word({"past": "was were did", "present": "is are does do am", "future": "will shall", "perfect": "been"})
_NEGATIONS = frozenset(["not", "no", "never", "neither", "nor", "none", "nobody", "nothing"])
_ASKS = {each: each for each in "what who whose when where why how".split()} | {"which": "what", "whom": "who"}  # noqa: SIM905
_ASPECTS = by_word({
    "many": "many", "when": "date time", "how often": "often frequency", "how long": "long duration period length",
})  # fmt: skip
"""'How long' asks for the duration, and so does 'what is the duration'."""
_PREPOSITIONS = words_of("prepositions")
_SYNONYMS = {english_stem(word): english_stem(name) for word, name in by_word({
    "buy": "purchase", "delete": "remove erase eliminate", "change": "modify alter", "start": "begin commence",
    "big": "large", "biggest": "largest greatest", "bigger": "larger", "fall": "decline decrease drop",
    "grow": "rise increase", "lend": "lent", "employee": "staff worker", "company": "firm", "permit": "allow",
    "needed": "required necessary", "get": "receive obtain",
}).items()}  # fmt: skip
_CONVERSE = {"borrow": "lend", "buy": "sell", "learn": "teach", "get": "give"}  # borrowing from is being lent to by
_LOWER = {"smaller": "bigger", "lower": "higher", "younger": "older", "shorter": "longer", "less": "more"}
_NOT_CONTENT = _LIGHT | _NEGATIONS | set(_MODALITY) | {"'s"}
_TOKEN = re.compile(r"#[^\s,;?!]*[^\s,;?!.]\.?|'s(?!\w)|[^\W\d_]+|[,.;:?!]")


@dataclass
class _Phrase:
    """Words behind one preposition ('' for none), or an auxiliary; a preposition may be bare, as in 'until when'."""

    role: str = ""
    auxiliary: str = ""
    words: list[str] = field(default_factory=list)

    @property
    def is_bare(self) -> bool:
        return bool(self.role) and not self.words


def read_english(question: str) -> Reading:
    text = quantities(_BEGINNING.sub("", question))
    for pattern, instead in _REWRITTEN:
        text = pattern.sub(instead, text)
    asks, tokens = _asks(_TOKEN.findall(text))
    if "many" in asks and {*tokens[1:2]} & _DETERMINERS:  # 'how many days a refund takes'
        tokens = [*tokens[1:], tokens[0]]
    modality = {_MODALITY[token] for token in tokens if token in _MODALITY}
    implied = set() if asks == {"whether"} else {"must", "can"} if asks == {"how"} else {"must"}
    return Reading(
        language="en",
        asks=frozenset(asks),
        words=tuple(_active(_phrases(tokens))),
        negated=sum(token in _NEGATIONS for token in tokens),
        modality=frozenset(modality - implied),
        tense=_tense(tokens),
        persons=tuple(_PERSONS[token] for token in tokens if token in _PERSONS),
    )


def _asks(tokens: list[str]) -> tuple[set[str], list[str]]:
    """What is asked, and the tokens with 'how long' read as the duration that is asked for."""
    asks, rest = set(), []
    openers = {*".,:;?!", "and", "or", *_PREPOSITIONS, *_AUXILIARIES}
    for before, token, after in zip([".", *tokens], tokens, [*tokens[1:], ""], strict=False):
        degree = _ASPECTS.get(after, "") if token == "how" else ""
        if token in _ASKS and before in openers:
            asks.add(degree or _ASKS[token])
        if not degree and not (before == "how" and token in _ASPECTS):
            rest.append(token)
    named = {_ASPECTS[token] for token in rest if token in _ASPECTS}
    if named and asks <= {"what", *named} and rest[0] not in _PREPOSITIONS:
        asks, rest = named, [token for token in rest if token not in _ASPECTS]
    first = tokens[0] if tokens else ""
    whether = first in _AUXILIARIES or first in ("if", "whether")
    return asks or {"whether" if whether else "what"}, rest[1:] if first in ("if", "whether") else rest


def _phrases(tokens: list[str]) -> list[_Phrase]:
    phrases = [_Phrase()]
    for token in tokens:
        if token in _AUXILIARIES:
            phrases.append(_Phrase(auxiliary=_AUXILIARIES[token]))
        elif token in ("who", "whom", "what", "which") or (token in ("when", "where") and phrases[-1].is_bare):
            phrases[-1].words.append("?")
        elif token in _PREPOSITIONS:
            phrases.append(_Phrase(token))
        elif token not in _ASKS and token not in ",.;:?!":
            phrases[-1].words.append(token)
    return phrases


def _active(phrases: list[_Phrase]) -> list[Word]:
    """The words in the order of an active statement: 'what was eaten by the cat' as 'the cat ate what'."""
    verb = next((number for number, phrase in enumerate(phrases) if phrase.auxiliary), 0)
    front = [word for phrase in phrases[:verb] if not phrase.role for word in phrase.words]
    core = [word for phrase in phrases[verb:] if not phrase.role for word in phrase.words]
    stranded = [phrase for phrase in phrases if phrase.is_bare]
    if stranded and front:
        stranded[0].words, front = front, []
    be = any(phrase.auxiliary == "be" for phrase in phrases)
    passive = next((number for number, word in enumerate(core) if be and _is_past(word)), None)
    if {"that", "?"} & {*core[:passive]}:  # a relative clause: 'the nurse that trained her'
        passive = None
    if passive is None:
        order = [*core, *(front if not be or front != ["?"] else [])]
    else:
        order = [*_taken(phrases, "by"), core[passive], *front, *core[:passive], *core[passive + 1 :]]
    words = _words(_turned(order, phrases))
    return words + [word for phrase in phrases if phrase.role for word in _words(phrase.words, phrase.role)]


def _taken(phrases: list[_Phrase], role: str) -> list[str]:
    """The words behind a preposition, which lose it."""
    words = [word for phrase in phrases if phrase.role == role for word in phrase.words]
    phrases[:] = [phrase for phrase in phrases if phrase.role != role]
    return words


def _turned(core: list[str], phrases: list[_Phrase]) -> list[str]:
    """'Tom borrowed it from Ann' as 'Ann lent Tom it', 'Mars is smaller than Venus' as 'Venus is bigger than Mars'."""
    roles = {phrase.role: phrase for phrase in phrases}
    for number, word in enumerate(core):
        if "from" in roles and (turned := _CONVERSE.get(IRREGULAR.get(word, word))):
            return [*_taken(phrases, "from"), turned, *core[:number], *core[number + 1 :]]
        if "than" in roles and (turned := _LOWER.get(word)):
            than, roles["than"].words = roles["than"].words, core[:number]
            return [*than, turned, *core[number + 1 :]]
    return core


def _words(tokens: list[str], role: str = "") -> list[Word]:
    """The content words by their stems, with synonyms made equal."""
    kept = [
        (token, english_stem(token), "'s" if after == "'s" else role)
        for token, after in zip(tokens, [*tokens[1:], ""], strict=False)
        if token not in _NOT_CONTENT
    ]
    return [Word(frozenset([_SYNONYMS.get(stem, stem)]), part, token in _OPTIONAL) for token, stem, part in kept]


def _is_past(word: str) -> bool:
    return (word.endswith("ed") and len(word) > 4) or word in IRREGULAR or word == "lent"


def _tense(tokens: list[str]) -> str:
    """The tense of the first auxiliary, or of the verb; empty for a phrase without either."""
    if found := next((_TENSES[token] for token in tokens if token in _TENSES), ""):
        return found
    return ("past" if any(map(_is_past, tokens)) else "present") if _ASKS.keys() & set(tokens) else ""
