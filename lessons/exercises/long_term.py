"""The exercises of notebook 09: entities, summaries, profiles, and a memory rule of one's own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from lessons.evaluate.dialogues import dialogues
from lessons.exercises.registry import Case, exercise
from lessons.exercises.same import kind

Entity = tuple[str, str, int]  # key, value, turn
Tables = dict[str, list[dict[str, Any]]]
ROOM = 5  # turns that a memory rule may hand over


@exercise("09.1", "A known key moves to the end", "a function of known entities, new ones and a limit", rounds=5)
def merged(random: Random) -> Iterator[Case]:
    keys = random.sample(["budget", "cloud", "users", "계약", "기간", "team", "plan"], 6)
    known = [(key, f"value {number}", number) for number, key in enumerate(keys[:4], start=1)]
    fresh, again = (keys[4], "new", 5), (keys[1], "changed", 6)
    yield Case("a new key comes", (known, [fresh], 25), [*known, fresh])
    yield Case("a known key gets another value", (known, [again], 25), [known[0], *known[2:], again])
    yield Case("there is one more than the limit", (known, [fresh], 4), [*known[1:], fresh])
    yield Case("the limit is reached and a known key comes", (known, [again], 4), [known[0], *known[2:], again])
    twice = [(keys[4], "first", 5), fresh]
    yield Case("a key comes twice at once", (known, twice, 25), [*known, fresh])
    yield Case("nothing is known yet", ([], [fresh], 25), [fresh])
    yield Case("nothing new comes", (known, [], 25), known)
    many = [(f"key {number}", "value", number) for number in range(30)]
    yield Case("thirty keys come, and 25 are kept", ([], many, 25), many[5:])


DUE = {
    "one window is due at a time, not all that is open": lambda last, upto, window: range(upto + 1, last + 1),
    "a whole window is due, and not only what is too much for it": lambda last, upto, window: range(
        upto + 1, last - window + 1
    ),
    "the oldest of the open turns are due": lambda last, upto, window: range(last - window + 1, last + 1),
}


@exercise(
    "09.2", "Which turns are summarised next?", "a function of two turn numbers and a window", rounds=5, slips=DUE
)
def due(random: Random) -> Iterator[Case]:
    window, upto = random.randint(3, 6), random.choice([0, 5, 10])

    def turns(count: int) -> list[int]:
        return list(range(upto + 1, upto + 1 + count))

    yield Case("one turn more than the window is open", (upto + window + 1, upto, window), turns(window))
    yield Case("the window is just full", (upto + window, upto, window), [])
    yield Case("few turns are open", (upto + 1, upto, window), [])
    yield Case("several windows are open after a crash", (upto + 3 * window, upto, window), turns(window))
    yield Case("no turn was taken yet", (0, 0, window), [])


USED = {"the full stop is no part of the name": lambda role, text: text.removeprefix("I use ")}


@exercise("09.3", "What users say of themselves", "a function of a role and a text", rounds=5, slips=USED)
def uses(random: Random) -> Iterator[Case]:
    thing, cloud = (
        random.choice(["Altis", "Borea", "EC2", "K8s"]),
        random.choice(["Altis Cloud", "Plan Gold", "Haneul 2"]),
    )
    korean = random.choice(["가을", "마을", "서울 클라우드", "하늘", "나라"])
    particle = "을" if (ord(korean[-1]) - 0xAC00) % 28 else "를"
    cases = {
        "a user says it": ("user", f"I use {thing}.", thing),
        "the name has two words": ("user", f"I use {cloud}.", cloud),
        "a user says it in Korean": ("user", f"저는 {korean}{particle} 씁니다.", korean),
        "another sentence stands before it": ("user", f"Hello. I use {thing}. Thanks!", thing),
        "the assistant says it": ("assistant", f"I use {thing}.", ""),
        "a document says it": ("document", f"저는 {korean}{particle} 씁니다.", ""),
        "it is a question": ("user", f"Can I use {thing}?", ""),
        "it is a question without a helping verb": ("user", f"I use {thing}?", ""),
        "it is denied": ("user", f"I do not use {thing}.", ""),
        "it is denied in Korean": ("user", f"저는 {korean}{particle} 쓰지 않습니다.", ""),
        "it is said of others": ("user", f"They use {thing}.", ""),
        "nothing is said": ("user", "", ""),
    }
    for when, (role, text, expected) in cases.items():
        yield Case(when, (role, text), expected)


def _without(tables: Tables, user: str) -> Tables:
    own = {row["id"] for row in tables["sessions"] if row["user_id"] == user}
    kept = {name: [row for row in tables[name] if row["user_id"] != user] for name in ("sessions", "facts")}
    return {**kept, "messages": [row for row in tables["messages"] if row["session_id"] not in own]}


@exercise("09.4", "Forget me", "a function of tables and a user", rounds=5)
def forgotten(random: Random) -> Iterator[Case]:
    user, other = random.sample(["mina", "joon", "sora"], 2)
    owners = [random.choice([user, other]) for _ in range(4)] + [user, other]
    names = [*owners, user, other]
    sessions = [{"id": number, "user_id": owner} for number, owner in enumerate(owners)]
    facts = [{"user_id": owner, "key": f"key {number}"} for number, owner in enumerate(names)]
    messages = [{"session_id": random.randrange(len(owners)), "text": f"text {number}"} for number in range(9)]
    silent: Tables = {"sessions": sessions, "messages": [], "facts": facts}
    spoken = {**silent, "messages": [*messages, {"session_id": 4, "text": "a secret"}]}
    yield Case("a user has sessions and facts", (silent, user), _without(silent, user))
    yield Case("a user has said something", (spoken, user), _without(spoken, user))
    namesake = {**spoken, "facts": [*facts, {"user_id": f"{user}2", "key": "a fact"}]}
    yield Case("another user's name begins with the same letters", (namesake, user), _without(namesake, user))
    yield Case("nobody of that name is known", (spoken, "nobody"), spoken)


class FollowUps(tuple[tuple[tuple[str, ...], str, int], ...]):
    """Questions of dialogues: what was said before, the question, and the number of the turn that it needs."""

    def __repr__(self) -> str:
        return f"{len(self)} follow-ups of dev"


@cache
def follow_ups() -> FollowUps:
    """Every question of the split dev that needs an earlier turn."""
    found = []
    for dialogue in dialogues("dev"):
        said = tuple(turn.question for turn in dialogue.turns)
        placed = enumerate(dialogue.turns)
        found += [(said[:place], turn.question, place - turn.distance) for place, turn in placed if turn.distance]
    return FollowUps(found)


def share_found(rule: Callable[..., Sequence[int]], asked: FollowUps) -> float:
    """For how many of the questions the turn that they need is among the five turns of a rule."""
    hits = 0
    for said, question, needed in asked:
        made = rule(list(said), question)
        if not isinstance(made, Iterable):
            raise TypeError(f"places in the list are asked for, and {kind(made)} comes")
        chosen = list(made)
        if odd := [each for each in chosen if kind(each) != "a number"]:
            raise TypeError(f"a place in the list is a number, and {odd[0]!r} is {kind(odd[0])}")
        if len(set(chosen)) > ROOM:
            raise ValueError(f"{len(set(chosen))} turns are handed over, and {ROOM} fit")
        hits += needed in chosen
    return hits / len(asked)


def _all_found(share: float) -> bool | str:
    return share == 1 or f"all can be handed over, and the turn that is needed comes in {share:.0%} of the questions"


def window(said: Sequence[str], question: str) -> Sequence[int]:
    """The rule to beat: the last five turns."""
    return range(max(0, len(said) - ROOM), len(said))


@exercise(
    "09.5",
    "A memory rule that beats the window",
    "a function of what was said and a question",
    rounds=1,
    use=share_found,
)
def memory_rule(random: Random) -> Iterator[Case]:
    asked, floor = follow_ups(), share_found(window, follow_ups())
    near = FollowUps(each for each in asked if len(each[0]) <= ROOM)
    yield Case("everything that was said fits", (near,), accept=_all_found)
    yield Case(
        f"it is compared with the window, which finds {floor:.2f}",
        (asked,),
        accept=lambda share: share > floor or f"yours finds {share:.2f}",
    )
