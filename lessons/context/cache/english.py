"""What an English question pins down: its words in the order of an active statement, each with its preposition."""

import re
from dataclasses import dataclass, field

from lessons.context.cache import english_words as known
from lessons.context.cache.quantities import UNITS, quantities
from lessons.context.cache.reading import Reading, Word
from lessons.text.stems import IRREGULAR, english_stem

_TOKEN = re.compile(r"#[^\s,;?!]*[^\s,;?!.]\.?|'s(?!\w)|[^\W\d_]+|[,.;:?!]")
_ASKED = "?"  # takes the place of who or what
_SYNONYMS = {english_stem(word): english_stem(usual) for word, usual in known.SYNONYMS.items()}
_ADJECTIVES = {*known.OPPOSITES, *known.OPPOSITES.values()}
_NOT_CONTENT = known.LIGHT | known.NEGATIONS | set(known.MODALITY)


@dataclass
class _Phrase:
    """Words behind one preposition ('' for none), or an auxiliary. `heads` are the last words before an 'of'."""

    role: str = ""
    auxiliary: str = ""
    words: list[str] = field(default_factory=list)
    heads: frozenset[str] = frozenset()


def read_english(question: str) -> Reading:
    """The constraints of an English question."""
    text = quantities(_begun(question.lower()))
    for pattern, instead in known.REWRITTEN:
        text = pattern.sub(instead, text)
    asks, tokens = _asks(_TOKEN.findall(text))
    if "many" in asks and tokens[1:2] and tokens[1] in known.DETERMINERS:  # 'how many days a refund takes'
        tokens = [*tokens[1:], tokens[0]]
    persons = tuple(known.PERSONS[token] for token in tokens if token in known.PERSONS)
    modality = {known.MODALITY[token] for token in tokens if token in known.MODALITY}
    implied = set() if asks == {"whether"} else {"must", "can"} if asks == {"how"} else {"must"}
    return Reading(
        language="en",
        asks=frozenset(asks),
        words=tuple(_active(_phrases(tokens), "who" in asks)),
        negated=sum(token in known.NEGATIONS for token in tokens),
        modality=frozenset(modality - implied),
        tense=_tense(tokens),
        persons=persons if len(set(persons)) > 1 else (),
    )


def _begun(text: str) -> str:
    """The question without what is said before it begins: 'could you please tell me', 'I was wondering if'."""
    found = list(re.finditer(r"\w+(?:'\w+)?", text))
    words = [word[0].split("'")[0] for word in found]
    for end in range(len(words) - 1, 0, -1):
        begins = words[end] in known.ASKS or words[end] in known.AUXILIARIES or words[end] in ("if", "whether")
        if begins and known.POLITE.issuperset(words[:end]) and known.SPEAKS.intersection(words[:end]):
            return text[found[end].start() :]
    return text


def _asks(tokens: list[str]) -> tuple[set[str], list[str]]:
    """What is asked, and the tokens with 'how deep' read as the depth that is asked for."""
    asks, rest = set(), []
    for before, token, after in zip([".", *tokens], tokens, [*tokens[1:], ""], strict=False):
        opens = (
            before in ".,:;?!" or before in known.PREPOSITIONS or before in known.AUXILIARIES or before in ("and", "or")
        )
        degree = known.ASPECTS.get(after, "") if token == "how" else ""
        if token in known.ASKS and opens:
            asks.add(degree or known.ASKS[token])
        if not degree and not (before == "how" and token in known.ASPECTS):
            rest.append(token)
    named = {known.ASPECTS[token] for token in rest if token in known.ASPECTS}
    if named and asks <= {"what", *named} and not any(token in known.PREPOSITIONS for token in rest[:1]):
        asks, rest = named, [token for token in rest if token not in known.ASPECTS]
    whether = tokens[:1] and (tokens[0] in known.AUXILIARIES or tokens[0] in ("if", "whether"))
    return asks or {"whether" if whether else "what"}, rest[1:] if tokens[:1] in (["if"], ["whether"]) else rest


def _phrases(tokens: list[str]) -> list[_Phrase]:
    phrases = [_Phrase()]
    for number, token in enumerate(tokens):
        if token in known.AUXILIARIES:
            phrases += [_Phrase(auxiliary=known.AUXILIARIES[token]), _Phrase()]
        elif token in ("who", "whom", "what", "which"):
            noun = token in ("what", "which") and tokens[number + 1 :] and tokens[number + 1] not in known.AUXILIARIES
            phrases[-1].words += [] if noun else [_ASKED]
        elif token in known.ASKS and (number == 0 or tokens[number - 1] in known.PREPOSITIONS):
            phrases[-1].words += [_ASKED] if phrases[-1].role else []
        elif token in known.PREPOSITIONS:
            heads = [stem for word in phrases[-1].words if (stem := _stem(word))][-2:] if token == "of" else ()
            phrases.append(_Phrase(known.SAME_PREPOSITION.get(token, token), heads=frozenset(heads)))
        elif token in ",.;:?!":
            phrases.append(_Phrase())
        else:
            phrases[-1].words.append(token)
    return phrases


def _active(phrases: list[_Phrase], who: bool) -> list[Word]:
    """The words in the order of an active statement: 'what was eaten by the cat' as 'the cat ate what'."""
    verb = next((number for number, phrase in enumerate(phrases) if phrase.auxiliary), 0)
    front = [word for phrase in phrases[:verb] if not phrase.role for word in phrase.words]
    core = [word for phrase in phrases[verb:] if not phrase.role for word in phrase.words]
    stranded = [phrase for phrase in phrases if phrase.role and not phrase.words]
    if stranded and front:
        stranded[0].words, front = front, []
    be = any(phrase.auxiliary == "be" for phrase in phrases)
    passive = next((number for number, word in enumerate(core) if be and _is_past(word)), None)
    if passive is None:
        order = [*core, *(front if be is False or front != [_ASKED] else [])]
    else:
        order = [*_taken(phrases, "by"), core[passive], *front, *core[:passive], *core[passive + 1 :]]
    words = _words(_Phrase(words=_turned(order, phrases)), who)
    return [*words, *(word for phrase in phrases if phrase.role for word in _words(phrase, who))]


def _taken(phrases: list[_Phrase], role: str) -> list[str]:
    """The words behind a preposition, which lose it."""
    words = [word for phrase in phrases if phrase.role == role for word in phrase.words]
    phrases[:] = [phrase for phrase in phrases if phrase.role != role]
    return words


def _turned(core: list[str], phrases: list[_Phrase]) -> list[str]:
    """'Tom borrowed it from Ann' as 'Ann lent Tom it', 'Mars is smaller than Venus' as 'Venus is bigger than Mars'."""
    roles = {phrase.role: phrase for phrase in phrases}
    for number, word in enumerate(core):
        if "from" in roles and (turned := known.CONVERSE.get(IRREGULAR.get(word, word))):
            return [*_taken(phrases, "from"), turned, *core[:number], *core[number + 1 :]]
        if "than" in roles and (turned := _opposite(word)):
            than, roles["than"].words = roles["than"].words, core[:number]
            return [*than, turned, *core[number + 1 :]]
    return core


def _opposite(word: str) -> str:
    """'smaller' for 'bigger'; empty for what has no opposite, and for the smaller one."""
    found = re.fullmatch(r"(.*?)(?:(?<=(.))\2)?(i?)er", word)
    base = found and (
        found[1] + "y" if found[3] else next((each for each in (found[1], found[1] + "e") if each in _ADJECTIVES), "")
    )
    return known.OPPOSITES.get(base, "") + "er" if base in known.OPPOSITES else ""


def _words(phrase: _Phrase, who: bool) -> list[Word]:
    words: list[Word] = []
    for number, token in enumerate(phrase.words):
        if token == "'s" and words:
            heads = [stem for each in phrase.words[number + 1 :] if (stem := _stem(each)) and stem != _ASKED][:2]
            words[-1] = Word(words[-1].stems, "of", frozenset(heads))
        elif _stem(token):
            counted = [
                stem
                for each in phrase.words[number + 1 :]
                if token[0] == "#" and (stem := _stem(each)) and stem != _ASKED
            ][:1]
            words.append(
                Word(
                    frozenset(_stems(token, who)),
                    phrase.role,
                    phrase.heads or frozenset(counted),
                    light=token in known.OPTIONAL,
                )
            )
    return words


def _stems(token: str, who: bool) -> set[str]:
    """The stem of a word; in a question about who, a winner is somebody who wins."""
    agent = re.fullmatch(r"(\w{2,}?)(?:(?<=(\w))\2)?(?:er|or)", token) if who else None
    return {_stem(token), *([_stem(agent[1])] if agent else [])} - {""}


def _stem(token: str) -> str:
    """The stem of a content word, with its synonyms made equal; empty for every other token."""
    if token.startswith("#") or token == _ASKED:
        return token
    if token in UNITS:
        return "{:g}{}".format(*UNITS[token])
    stem = "" if token in _NOT_CONTENT or token == "'s" else english_stem(known.IRREGULAR.get(token, token))
    return _SYNONYMS.get(stem, stem)


def _is_past(word: str) -> bool:
    return (word.endswith("ed") and len(word) > 4) or word in IRREGULAR or word in known.IRREGULAR


def _tense(tokens: list[str]) -> str:
    """The tense of the first auxiliary, or of the verb; empty for a phrase without either."""
    found = [known.TENSES[token] for token in tokens if token in known.TENSES]
    asks = known.ASKS.keys() & set(tokens)
    return found[0] if found else ("past" if any(map(_is_past, tokens)) else "present") if asks else ""
