"""What goes wrong in notebook 10."""

import re
import unicodedata
from collections import Counter
from math import inf, log

from lessons.text import terms
from tests.exercises.mistakes import mistake, mistakes

mistakes("10.1", 300)


def _words(question):
    return re.findall(r"\w+", unicodedata.normalize("NFC", question).lower())


mistakes(
    "10.2",
    forgets_the_order=lambda question: frozenset(_words(question)),
    drops_numbers=lambda question: tuple(word for word in _words(question) if not any(map(str.isdigit, word))),
    drops_short_words=lambda question: tuple(word for word in _words(question) if len(word) > 3),
    forgets_decomposed_korean=lambda question: tuple(re.findall(r"\w+", question.lower())),
    drops_punctuation=lambda question: tuple(
        re.sub(r"[^\w\s]", "", unicodedata.normalize("NFC", question)).lower().split()
    ),
    drops_signs=lambda question: tuple(_words(question)),
    keeps_latin_letters_only=lambda question: tuple(re.findall(r"[a-z0-9]+", question.lower())),
)


def _served(wanted, shares, available, order):
    given, left = {}, available - wanted["question"]
    for name in order:
        given[name] = wanted[name] if name == "question" else max(0, min(wanted[name], shares[name], left))
        left -= 0 if name == "question" else given[name]
    return given


@mistake("10.3")
def serves_in_the_order_of_the_wishes(wanted, shares, available):
    if wanted["question"] > available:
        raise ValueError
    return _served(wanted, shares, available, list(wanted))


@mistake("10.3")
def serves_the_question_in_its_turn(wanted, shares, available):
    if wanted["question"] > available:
        raise ValueError
    given = {}
    for name in shares:
        given[name] = min(wanted[name], available, inf if name == "question" else shares[name])
        available -= given[name]
    return given


mistakes(
    "10.3",
    sends_a_question_that_does_not_fit=lambda wanted, shares, available: _served(
        wanted, shares, available, list(shares)
    ),
)


def _best(sentences, score, k):
    return sorted(range(len(sentences)), key=lambda place: -score(sentences[place]))[:k]


@mistake("10.4")
def counts_words(sentences, question, k):
    asked = set(terms(question))
    chosen = _best(sentences, lambda each: sum(term in asked for term in terms(each)), k)
    return [sentences[place] for place in sorted(chosen)]


def _rarity(sentences, question):
    spread = Counter(term for each in sentences for term in set(terms(each)))
    asked = Counter(terms(question))
    return lambda each: sum(
        asked[term] * log((1 + len(sentences)) / (1 + spread[term])) ** 2 for term in set(terms(each))
    )


mistakes(
    "10.4",
    best_first=lambda sentences, question, k: (
        [sentences[place] for place in _best(sentences, _rarity(sentences, question), k)]
    ),
)


@mistake("10.4")
def reads_words_between_spaces(sentences, question, k):
    spread = Counter(word for each in sentences for word in set(each.lower().rstrip(".").split()))
    asked = Counter(question.lower().rstrip("?").split())

    def score(each):
        words = set(each.lower().rstrip(".").split())
        return sum(asked[word] * log((1 + len(sentences)) / (1 + spread[word])) ** 2 for word in words)

    return [sentences[place] for place in sorted(_best(sentences, score, k))]


mistakes(
    "10.4",
    keeps_at_least_one=lambda sentences, question, k: (
        [sentences[place] for place in sorted(_best(sentences, _rarity(sentences, question), max(1, k)))]
    ),
)


def _similar(sentences, question, k, count=lambda words: words, long=True):
    spread = Counter(term for each in sentences for term in set(terms(each)))
    rarity = {term: log((1 + len(sentences)) / number) for term, number in spread.items()}
    asked = Counter(terms(question))

    def score(each):
        vector = {term: number * rarity[term] for term, number in Counter(count(terms(each))).items()}
        length = sum(weight**2 for weight in vector.values()) ** 0.5 or 1
        return sum(asked[term] * rarity[term] * weight for term, weight in vector.items()) / (length if long else 1)

    return [sentences[place] for place in sorted(_best(sentences, score, k))]


mistakes(
    "10.4",
    forgets_how_often=lambda sentences, question, k: _similar(sentences, question, k, set),
    forgets_the_length=lambda sentences, question, k: _similar(sentences, question, k, long=False),
)


@mistake("10.5")
def compares_whole_searches(searches, missing, most):
    seen = [set(each) for each in searches]
    return bool(missing) and len(searches) < most and seen[-1] not in seen[:-1]


@mistake("10.5")
def stops_at_the_first_known_chunk(searches, missing, most):
    seen = {each for search in searches[:-1] for each in search}
    return bool(missing) and len(searches) < most and not seen & set(searches[-1])


@mistake("10.5")
def one_search_too_many(searches, missing, most):
    seen = {each for search in searches[:-1] for each in search}
    return bool(missing) and len(searches) <= most and bool(set(searches[-1]) - seen)
