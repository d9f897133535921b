"""The exercises of notebook 10: a cache key, a budget, compression, and when to stop."""

import unicodedata
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from lessons.exercises.cases import Case, Cases, exercise, value

SHARES = {"question": 200, "documents": 900, "history": 300, "profile": 200, "long-term": 100}
"""The most that each part may take, in the order of what matters."""

SAME, OTHER = "the same key", "another key"

LEFT = {
    "this is its share; is that still there after the documents?": 300,
    "the instructions take their part of the tokens, too": 650,
    "the question takes its part, too": 350,
    "the documents come before the history": 1_050,
}
value("10.1", "What is left for the history? Expects a number of tokens.", 150, LEFT)


def _shared(learner: Callable[..., Any], one: str, other: str) -> str | None:
    """Whether two questions have the same key, in words; None if there is no key at all."""
    key = learner(one)
    hash(key)  # unhashable keys are of no use
    return None if key is None else SAME if key == learner(other) else OTHER


@exercise("10.2", use=_shared)
def cache_key(random: Random) -> Cases:
    """A key that tells look-alikes apart. Expects a function of a question that gives its key."""
    quarter, year = random.randint(1, 3), random.randint(2019, 2023)
    one, other = random.sample(["Thornquay", "Sedam", "Nuribeol", "Altis"], 2)
    asked = f"What was the profit of {one} in Q{quarter} {year}?"
    code, error = random.randint(1000, 9000), "CCX-{} 오류는 무슨 뜻인가요?"
    korean = f"{one}의 {year}년 매출은 얼마인가요?"
    yield Case("two questions are about other things", (asked, "How do I set a budget alert?"), OTHER)
    yield Case("the same question comes again", (asked, asked), SAME)
    for when, pair in {
        "only the quarter differs": (asked, asked.replace(f"Q{quarter}", f"Q{quarter + 1}")),
        "only the year differs": (asked, asked.replace(str(year), str(year + 1))),
        "only the company differs": (asked, asked.replace(one, other)),
        "one of them says 'not'": (f"Is {one} covered?", f"Is {one} not covered?"),
        "the two sides change places": (f"Is {one} cheaper than {other}?", f"Is {other} cheaper than {one}?"),
        "only an error code differs": (error.format(code), error.format(code + 1)),
        "only a Korean word differs": (f"{one}의 매출이 늘었나요?", f"{one}의 매출이 줄었나요?"),
    }.items():
        yield Case(when, pair, OTHER)
    yield Case("upper and lower case differ", (asked, asked.upper()), SAME)
    yield Case("there is more space", (asked, f"  {asked.replace(' ', '  ')} "), SAME)
    yield Case("the question mark is missing", (asked, asked.rstrip("?")), SAME)
    yield Case("Korean comes in decomposed letters (NFD)", (korean, unicodedata.normalize("NFD", korean)), SAME)


def _or_refused(learner: Callable[..., Any], wanted: Mapping[str, int], available: int) -> Any:
    """What each part gets, or the word 'refused' if ValueError is raised."""
    try:
        return learner(wanted, SHARES, available)
    except ValueError:
        return "refused"


def _trimmed(wanted: Mapping[str, int], shares: Mapping[str, int], left: int) -> dict[str, int]:
    given = {}
    for name, share in shares.items():
        given[name] = wanted[name] if name == "question" else min(wanted[name], share, left)
        left -= given[name]
    return given


@exercise("10.3", _trimmed, use=_or_refused)
def trimmed(random: Random) -> Cases:
    """Who gives way when it is short? Expects a function of wishes, shares and the tokens there are."""
    small = {name: random.randint(10, share) for name, share in SHARES.items()}
    large = {name: share + random.randint(1, 500) for name, share in SHARES.items()} | {"question": 150}
    shuffled = dict(random.sample(sorted(large.items()), len(large)))
    long = large | {"question": random.randint(400, 600)}
    yield "every wish fits", small, 3_500
    yield "every part wants more than its share", large, 3_500
    yield "there is not enough for the history", large, 1_150
    yield "there is nothing left after the documents", large, 150 + random.randint(1, 900)
    yield "the wishes come in another order", shuffled, 1_250
    yield "the question is longer than its share", long, 1_500
    yield "the question takes all there is", long, long["question"]
    too_long = (long, long["question"] - 1)
    yield Case("the question alone does not fit", too_long, accept=lambda came: came == "refused")


EXTRACTS = {
    "the sentences are asked for, not their places": lambda sentences, question, k: [1],
    "a list of sentences is asked for, not their text": lambda sentences, question, k: sentences[1],
}


@exercise("10.4", slips=EXTRACTS)
def extracted(random: Random) -> Cases:
    """The sentences that say most. Expects a function of sentences, a question and a number k."""
    rare, second, *fillers = random.sample(["zinc", "harbour", "turbine", "invoice", "glacier", "violin", "orchid"], 7)
    question = f"What does the report say about {rare}?"
    common = [f"The report mentions {word} in the report." for word in fillers]
    best = f"That paper mentions {rare} in some detail."
    place = random.randint(1, len(common))
    mixed = [*common[:place], best, *common[place:]]
    yield Case("one sentence alone holds a word of the question", ([f"A {second}.", best], rare, 1), [best])
    yield Case("a rare word stands against a frequent one that comes twice", (mixed, question, 1), [best])
    pair = [f"First comes the {second} of today.", *common, f"Then comes the {rare} of today."]
    wanted = [pair[0], pair[-1]]
    yield Case("the later of two sentences is the better one", (pair, f"{rare} {rare} {second}", 2), wanted)
    yield Case("k is larger than the number of sentences", (mixed, question, 99), mixed)
    yield Case("nothing is to be kept", (mixed, question, 0), [])
    yield Case("there is no sentence", ([], question, 3), [])
    korean = ["예산은 팀마다 다릅니다.", "환불은 7일 안에 합니다.", "예산은 소유자가 정합니다."]
    yield Case("the question is Korean, with other particles", (korean, "환불이 언제 되나요?", 1), [korean[1]])


@exercise("10.5")
def goes_on(random: Random) -> Cases:
    """Search once more, or stop? Expects a function of searches, what is missing and the most searches."""
    ids = [f"chunk {number}" for number in random.sample(range(100), 8)]
    first, new, gap = ids[:4], ids[4:], ["the term"]
    overlap = [*first[:2], new[0]]
    yield Case("something is missing after the first search", ([first], gap, 3), True)
    yield Case("nothing is missing", ([first], [], 3), False)
    yield Case("the second search found something else", ([first, new], gap, 3), True)
    yield Case("as many searches were made as there may be", ([first, overlap, new], gap, 3), False)
    yield Case("a search repeats the one before", ([first, first], gap, 5), False)
    yield Case("a search finds the same in another order", ([first, first[::-1]], gap, 5), False)
    yield Case("a search repeats one that is longer ago", ([first, new, first], gap, 5), False)
    yield Case("a search finds a part of what is known", ([first, new, [first[0], new[0]]], gap, 5), False)
    yield Case("one chunk of a search is new", ([first, overlap], gap, 5), True)
    yield Case("the last search found nothing at all", ([first, []], gap, 5), False)
