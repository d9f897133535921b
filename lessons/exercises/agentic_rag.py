"""The exercises of notebook 05: the calls of an agent's loop."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import kind

NAMES = ["Thornquay", "Calderwick", "Ossulane", "세담소재", "누리벌해운"]
SUBJECTS = ["turnover", "dividend", "backlog", "매출", "수주잔고"]
Message = dict[str, Any]

CALLS = {
    "the limit is five": (6, 2),
    "the second decision is cut to what is left": (3, 1),
    "with no call left, is the model asked again?": (5, 3),
    "who asks for the fourth search?": (5, 1),
    "the first decision leaves two calls": (3, 2),
}
value("05.1", "Who counts the calls. Expects a pair of numbers: searches that are run, and decisions.", (5, 2), CALLS)


@exercise("05.2")
def same_search(random: Random) -> Cases:
    """A search that was made before. Expects a function of two queries, texts."""
    name, subject, year = random.choice(NAMES), random.choice(SUBJECTS), random.randint(2015, 2024)
    query = f"{name} {subject} {year}"
    yield Case("the two are equal", (query, query), True)
    yield Case("the year is another", (query, f"{name} {subject} {year - 1}"), False)
    yield Case("they differ in capitals, spaces and a question mark", (query, f"  {query.upper()} ?"), True)
    yield Case("the words stand in another order", (query, f"{year} {subject} {name}"), True)
    yield Case("one has a word more", (query, f"{query} dividend backlog forecast"), False)
    yield Case("one has a word less", (f"{query} forecast", query), False)


def _staged(learner: Callable[..., Any], script: list[list[str]], failing: list[str], limit: int) -> Any:
    """The loop of a learner with a model that follows a script and a search that may fail; what was run comes, too."""
    steps, run = iter(script), list[str]()

    def search(query: str) -> str:
        run.append(query)
        if query in failing:
            raise RuntimeError(f"{query} cannot be searched")
        return f"documents on {query}"

    made = learner(lambda found: list(next(steps, [])), search, limit)
    return ([tuple(each) if kind(each) == "a list" else each for each in made], run) if kind(made) == "a list" else made


def _bounded(choose: Callable[..., list[str]], search: Callable[[str], str], limit: int) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    left = limit
    while left and (queries := choose(list(found.items()))[:left]):
        left -= len(queries)
        for query in queries:
            if query not in found:
                try:
                    found[query] = search(query)
                except RuntimeError as error:
                    found[query] = str(error)
    return list(found.items())


@exercise("05.3", _bounded, use=_staged)
def bounded_loop(random: Random) -> Cases:
    """A loop that ends. Expects a function of choose(found), search(query) and a limit."""
    queries = random.sample([f"{name} {subject}" for name in NAMES for subject in SUBJECTS], 9)
    a, b, c, *more = queries
    yield "the model stops by itself", [[a], [b], []], [], 5
    yield "the model asks for several searches at once", [[a, b], [c], []], [], 5
    yield "the model wants nothing at all", [[]], [], 5
    yield "a search fails", [[a], [b], []], [a], 5
    yield "a search is asked for again", [[a], [a, b], []], [], 5
    yield "the model never stops", [[query] for query in queries], [], 4
    yield "it asks for more at once than are left", [[a, b], [c, *more]], [], 4
    yield "it asks for the same search for ever", [[a]] * 30, [], 4


def _trimmed(messages: Sequence[Message], room: int) -> list[Message]:
    starts = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    cut = [[messages[0], *messages[start:]] for start in starts]
    return next((each for each in cut if sum(message["tokens"] for message in each) <= room), [messages[0]])


@exercise("05.4", _trimmed)
def trim(random: Random) -> Cases:
    """Calls and results stay together. Expects a function of messages, dicts, and the room in tokens."""
    messages: list[Message] = [{"role": "user", "tokens": 20}]
    for number in range(1, 5):
        messages += [{"role": "assistant", "calls": [number], "tokens": random.randint(5, 15)}]
        messages += [{"role": "tool", "call": number, "tokens": random.randint(50, 90)}]
    total = sum(message["tokens"] for message in messages)
    yield "there is room for all", messages, total + 9
    yield "there is room for all but a few tokens", messages, total - 3
    yield "there is room to the very token", messages, total - messages[1]["tokens"] - messages[2]["tokens"]
    yield "half has to go", messages, total // 2
    twice = {"role": "assistant", "calls": [8, 9], "tokens": 9}
    results = [{"role": "tool", "call": call, "tokens": 70} for call in (8, 9)]
    yield "a message makes two calls", [messages[0], twice, *results, *messages[1:]], total
    yield "nothing but the question fits", messages, 25
