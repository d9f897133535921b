"""The exercises of notebook 05."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from lessons.exercises.registry import Case, exercise
from lessons.exercises.same import kind

NAMES = ["Thornquay", "Calderwick", "Ossulane", "세담소재", "누리벌해운"]
SUBJECTS = ["turnover", "dividend", "backlog", "매출", "수주잔고"]
Message = dict[str, Any]


def staged(learner: Callable[..., Any], script: list[list[str]], failing: list[str], limit: int) -> Any:
    """The loop of a learner with a model that follows a script and a search that may fail; what was run comes, too."""
    steps, run = iter(script), list[str]()

    def search(query: str) -> str:
        run.append(query)
        if query in failing:
            raise RuntimeError(f"{query} cannot be searched")
        return f"documents on {query}"

    made = learner(lambda found: list(next(steps, [])), search, limit)
    return ([tuple(each) if kind(each) == "a list" else each for each in made], run) if kind(made) == "a list" else made


CALLS = {
    "the limit is five": (6, 2),
    "the second decision is cut to what is left": (3, 1),
    "with no call left, is the model asked again?": (5, 3),
    "who asks for the fourth search?": (5, 1),
    "the first decision leaves two calls": (3, 2),
}


@exercise(
    "05.1", "Who counts the calls", "a pair of numbers: searches that are run, and decisions", rounds=1, slips=CALLS
)
def counted_calls(random: Random) -> Iterator[Case]:
    yield Case("both numbers are looked at", expected=(5, 2))


@exercise("05.2", "A search that was made before", "a function of two queries, texts")
def same_search(random: Random) -> Iterator[Case]:
    query = f"{random.choice(NAMES)} {random.choice(SUBJECTS)} {random.randint(2015, 2024)}"
    words = query.split()
    yield Case("the two are equal", (query, query), True)
    yield Case("the year is another", (query, f"{words[0]} {words[1]} {int(words[2]) - 1}"), False)
    yield Case("they differ in capitals, spaces and a question mark", (query, f"  {query.upper()} ?"), True)
    yield Case("the words stand in another order", (query, " ".join(words[::-1])), True)
    yield Case("one has a word more", (query, f"{query} dividend backlog forecast"), False)
    yield Case("one has a word less", (f"{query} forecast", query), False)


@exercise("05.3", "A loop that ends", "a function of choose(found), search(query) and a limit", use=staged)
def bounded_loop(random: Random) -> Iterator[Case]:
    queries = random.sample([f"{name} {subject}" for name in NAMES for subject in SUBJECTS], 9)
    a, b, c, *more = queries
    yield _loop("the model stops by itself", [[a], [b], []], [], 5)
    yield _loop("the model asks for several searches at once", [[a, b], [c], []], [], 5)
    yield _loop("the model wants nothing at all", [[]], [], 5)
    yield _loop("a search fails", [[a], [b], []], [a], 5)
    yield _loop("a search is asked for again", [[a], [a, b], []], [], 5)
    yield _loop("the model never stops", [[query] for query in queries], [], 4)
    yield _loop("it asks for more at once than are left", [[a, b], [c, *more]], [], 4)
    yield _loop("it asks for the same search for ever", [[a]] * 30, [], 4)


@exercise("05.4", "Calls and results stay together", "a function of messages, dicts, and the room in tokens")
def trim(random: Random) -> Iterator[Case]:
    messages: list[Message] = [{"role": "user", "tokens": 20}]
    for number in range(1, 5):
        messages += [{"role": "assistant", "calls": [number], "tokens": random.randint(5, 15)}]
        messages += [{"role": "tool", "call": number, "tokens": random.randint(50, 90)}]
    total = sum(message["tokens"] for message in messages)
    yield _trimmed("there is room for all", messages, total + 9)
    yield _trimmed("there is room for all but a few tokens", messages, total - 3)
    yield _trimmed("there is room to the very token", messages, total - messages[1]["tokens"] - messages[2]["tokens"])
    yield _trimmed("half has to go", messages, total // 2)
    twice = {"role": "assistant", "calls": [8, 9], "tokens": 9}
    results = [{"role": "tool", "call": call, "tokens": 70} for call in (8, 9)]
    yield _trimmed("a message makes two calls", [messages[0], twice, *results, *messages[1:]], total)
    yield _trimmed("nothing but the question fits", messages, 25)


def _loop(when: str, script: list[list[str]], failing: list[str], limit: int) -> Case:
    return Case(when, (script, failing, limit), staged(_bounded, script, failing, limit))


def _bounded(choose: Callable[..., list[str]], search: Callable[[str], str], limit: int) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    left = limit
    while left and (queries := choose(list(found.items()))[:left]):
        left -= len(queries)
        for query in queries:
            if query not in found:
                found[query] = _told(search, query)
    return list(found.items())


def _told(search: Callable[[str], str], query: str) -> str:
    try:
        return search(query)
    except Exception as error:
        return str(error)


def _trimmed(when: str, messages: Sequence[Message], room: int) -> Case:
    starts = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    tails = [list(messages[start:]) for start in starts] + [[]]
    fits = (tail for tail in tails if sum(each["tokens"] for each in [messages[0], *tail]) <= room)
    return Case(when, (messages, room), [messages[0], *next(fits, [])])
