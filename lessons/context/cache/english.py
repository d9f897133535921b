"""What an English question pins down."""

import re

from lessons.context.cache import english_words as known
from lessons.context.cache.reading import Reading
from lessons.retrieve.periods import quarters
from lessons.text import ENGLISH_STOP_WORDS, terms

_TOKEN = re.compile(r"\w+(?:[-./]\w+)*")
_NOT_CONTENT = ENGLISH_STOP_WORDS | known.NEGATIONS | set(known.DIRECTIONS) | {"must", "list", "may"}


def read_english(question: str) -> Reading:
    """The constraints of an English question."""
    question = known.POLITE.sub(" ", question)
    text = question.lower()
    for pattern, instead in known.REWRITTEN:
        text = pattern.sub(instead, text)
    text = " ".join(text.split()).strip(" ,.!?-:")
    tokens = _TOKEN.findall(text)
    numbers = [read for token in tokens if (read := _number(token))]
    asks, words = _aspects(
        {known.ASKS[found] for found in known.ASK.findall(text)}
        or {"whether" if known.WHETHER.search(text) else "what"},
        [read for token in _TOKEN.findall(known.MEASURE.sub("", text)) if (read := _word(token))],
    )
    return Reading(
        language="en",
        asks=frozenset(asks),
        periods=frozenset(quarters(question)),
        numbers=tuple(sorted(numbers)),
        negated=frozenset(known.NEGATIONS.intersection(tokens)),
        directions=tuple(sorted(known.DIRECTIONS[token] for token in tokens if token in known.DIRECTIONS)),
        words=tuple(words),
        order=tuple(words) if asks == {"whether"} else _order(question),
        roles=_roles(text),
        duty="must" in tokens and "how" not in asks,
        tense="" if numbers else _tense(tokens),
    )


def _number(token: str) -> str:
    """A number, a period or an identifier; empty for a word."""
    if token in known.NUMBERS or token in known.CALENDAR:
        return known.NUMBERS.get(token) or known.CALENDAR[token]
    return token if any(map(str.isdigit, token)) else ""


def _word(token: str) -> str:
    """The stem of a content word with its synonyms made equal; empty for every other token."""
    stem = "" if _number(token) or token in _NOT_CONTENT else "".join(terms(token)[:1])
    return "" if stem in known.VAGUE or stem.startswith("summar") else known.SYNONYMS.get(stem, stem)


def _aspects(asks: set[str], words: list[str]) -> tuple[set[str], list[str]]:
    """'What is the date of the exam' asks when the exam is."""
    named = {known.ASPECTS[word] for word in words if word in known.ASPECTS}
    if not named or not asks <= {"what", *named}:
        return asks, words
    return named, [word for word in words if word not in known.ASPECTS]


def _order(question: str) -> tuple[str, ...]:
    """Names in their order; with several years the numbers, too."""
    names = [name.lower() for name in re.findall(r"\b[A-Z]\w*", question) if _word(name.lower())]
    several = len(re.findall(r"\b(?:19|20)\d\d\b", question)) > 1
    numbers = [token for token in _TOKEN.findall(question.lower()) if _number(token)] if several else []
    return (*names, *numbers)


def _roles(text: str) -> tuple[tuple[str, str], ...]:
    found = [(_word(word), "subject") for word in known.SUBJECT.findall(text)]
    found += [(_word(word), "asked") for word in known.HEAD.findall(text)]
    found += [(_word(word), marker) for marker, word in known.PLAYED.findall(text)]
    return tuple((word, part) for word, part in found if word)


def _tense(tokens: list[str]) -> str:
    """The tense of the helping verbs; empty where there is none or more than one."""
    found = {known.TENSES[token] for token in tokens if token in known.TENSES}
    return found.pop() if len(found) == 1 else ""
