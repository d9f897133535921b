"""The exercises of notebook 08: what a window hands over, and where conversations are kept."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from random import Random
from typing import Any

from lessons.exercises.registry import Case, exercise

Message = tuple[str, str]  # role and content
Script = Sequence[tuple[str, ...]]  # (session, message): said in it; (session,): asked for

SCRIPTS = {
    "Latin letters": ("abcdefghijklmnopqrstuvwxyzABCXYZ", 4),
    "digits": ("0123456789", 4),
    "Korean syllables": ("가나다라마바사아자차카타파하안녕", 1.5),
    "Chinese characters": ("東西南北中國", 1.5),
    "Japanese kana": ("ひらがなカタカナ", 1.5),
    "emoji": ("🌀🎉🚀☀✂", 1),
    "spaces and punctuation": (" .,!?-\n", 3),
    "Russian letters": ("привет", 3),
}
"""Characters, and how many of them make a token."""


WIDTHS = {
    "how many turns lie behind when the eleventh question comes?": 10,
    "the allergy comes along, and a narrower window would do": 12,
    "a turn is a question and its answer, two messages": 22,
}


@exercise("08.1", "How wide must the window be?", "a number of turns", rounds=1, slips=WIDTHS)
def width(random: Random) -> Iterator[Case]:
    yield Case("the turns are counted", expected=11)


def _said(random: Random, count: int) -> list[Message]:
    words = ["x" * random.randint(3, 9) for _ in range(count)]
    return [("assistant" if number % 2 else "user", word) for number, word in enumerate(words)]


def _with_length(learner: Callable[..., Any], messages: list[Message], tokens: int) -> Any:
    """Every character is a token here, so that the budget can be followed by eye."""
    return learner(messages, tokens, len)


@exercise(
    "08.2", "The newest messages that fit", "a function of messages, a limit and a counter", rounds=5, use=_with_length
)
def newest_that_fit(random: Random) -> Iterator[Case]:
    messages = _said(random, 8)
    sizes = [len(content) for _, content in messages]
    yield Case("three messages fit and a fourth does not", (messages, sum(sizes[-3:]) + 1), messages[-3:])
    yield Case("the last message that fits takes all that is left", (messages, sum(sizes[-4:])), messages[-4:])
    yield Case("everything fits", (messages, sum(sizes) + 5), messages)
    yield Case("there is room for no message", (messages, 0), [])
    yield Case("nothing was said", ([], 20), [])
    late = [*messages, ("user", "y" * 40)]
    yield Case("the newest message alone is too long", (late, 30), [])
    early = [*messages[:-2], ("user", "y" * 40), *messages[-2:]]
    yield Case("a long message has short ones before it", (early, sum(sizes[-2:]) + 30), messages[-2:])


def _tokens(text: str) -> int:
    per_token = {character: count for characters, count in SCRIPTS.values() for character in characters}
    twelfths = sum(round(12 / per_token[character]) for character in text)  # whole numbers: no rounding adds up
    return ceil(twelfths / 12)


TOKENS = {
    "the sum is rounded down": lambda text: len(text) // 4,
    "the sum is not rounded": lambda text: len(text) / 4,
}


@exercise("08.3", "Tokens by script", "a function of a text", rounds=5, slips=TOKENS)
def tokens_by_script(random: Random) -> Iterator[Case]:
    def some(characters: str, count: int) -> str:
        return "".join(random.choices(characters, k=count))

    yield Case("the text is English", ("hello",), 2)
    for name, (characters, _) in SCRIPTS.items():
        text = some(characters, random.randint(5, 30))
        yield Case(f"the text holds only {name}", (text,), _tokens(text))
    mixed = "".join(some(characters, random.randint(1, 3)) for characters, _ in SCRIPTS.values())
    mixed += "a" * (_tokens(mixed) != _tokens(f"{mixed}a"))  # no whole sum, which only some floats would miss
    yield Case("the scripts are mixed, and the sum is rounded once", (mixed,), _tokens(mixed))
    yield Case("thirds add up to a whole number, exactly", ("가나다라마바사아자차🚀🚀.",), 9)
    yield Case("there is no text", ("",), 0)


def _heard(learner: Callable[..., Any], sessions: int, messages: int, script: Script) -> list[list[str] | None]:
    """What a store gives for each session that is asked for, while the script is carried out."""
    store, heard = learner(sessions, messages), list[list[str] | None]()
    for session, *said in script:
        if said:
            store.add(session, said[0])
        else:
            found = store.get(session)
            heard.append(None if found is None else list(found))
    return heard


@exercise(
    "08.4", "The session that nobody used", "a class with add(session, message) and get(session)", rounds=5, use=_heard
)
def least_recently_used(random: Random) -> Iterator[Case]:
    one, two, three, four = random.sample(["mon", "tue", "wed", "thu", "fri"], 4)
    three_said = [(one, "a"), (two, "b"), (three, "c")]
    hello = str(random.random())
    yield Case("one session is used", (3, 5, [(one, hello), (one, "again"), (one,)]), [[hello, "again"]])
    yield Case("one session more is begun than there is room for", (2, 5, [*three_said, (one,), (two,), (three,)]),
               [None, ["b"], ["c"]])  # fmt: skip
    yield Case("exactly as many are begun as there is room for", (3, 5, [*three_said, (one,)]), [["a"]])
    read = [*three_said, (one,), (four, "d"), (one,), (two,)]
    yield Case("the oldest session was read just now", (3, 5, read), [["a"], ["a"], None])
    said = [*three_said, (one, "e"), (four, "d"), (one,), (two,)]
    yield Case("something was just said in the oldest session", (3, 5, said), [["a", "e"], None])
    asked = [*three_said, (four,), (one,), (four,)]
    yield Case("an unknown session is asked for", (3, 5, asked), [None, ["a"], None])
    long = [(one, str(number)) for number in range(9)]
    yield Case("more is said in a session than is kept", (3, 5, [*long, (one,)]), [[*"45678"]])
    many = [(f"session {number}", "hello") for number in range(101)]
    yield Case(
        "there are 101 sessions and room for 100",
        (100, 100, [*many, ("session 0",), ("session 1",)]),
        [None, ["hello"]],
    )


@exercise(
    "08.5",
    "Which history counts?",
    "a function of a passed history, the stored messages and a number of turns",
    rounds=5,
    slips={
        "a turn is two messages": lambda passed, stored, turns: stored[-turns:],
        "the oldest turns come": lambda passed, stored, turns: stored[: 2 * turns],
    },
)
def history_that_counts(random: Random) -> Iterator[Case]:
    stored, passed, turns = _said(random, 12), _said(random, 4), random.randint(1, 4)
    yield Case("no history is passed (None)", (None, stored, turns), stored[-2 * turns :])
    yield Case("a history is passed", (passed, stored, turns), passed)
    yield Case("the passed history is longer than the turns", (passed, stored, 1), passed)
    yield Case("an empty history is passed on purpose", ([], stored, turns), [])
    yield Case("no turn is wanted", (None, stored, 0), [])
    yield Case("fewer turns are stored than wanted", (None, stored[:2], 5), stored[:2])
