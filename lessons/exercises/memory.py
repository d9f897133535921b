"""The exercises of notebooks 08 and 09: windows and sessions, then entities, summaries, profiles and memory rules."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import ceil
from random import Random
from typing import Any

from lessons.evaluate.dialogues import dialogues
from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import kind

Message = tuple[str, str]  # role and content
Script = Sequence[tuple[str, ...]]  # (session, message): said in it; (session,): asked for
Tables = dict[str, list[dict[str, Any]]]

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

ROOM = 5  # turns that a memory rule may hand over

WIDTHS = {
    "how many turns lie behind when the eleventh question comes?": 10,
    "the allergy comes along, and a narrower window would do": 12,
    "a turn is a question and its answer, two messages": 22,
}
value("08.1", "How wide must the window be? Expects a number of turns.", 11, WIDTHS)


def _said(random: Random, count: int) -> list[Message]:
    words = ["x" * random.randint(3, 9) for _ in range(count)]
    return [("assistant" if number % 2 else "user", word) for number, word in enumerate(words)]


def _with_length(learner: Callable[..., Any], messages: list[Message], tokens: int) -> Any:
    """Every character is a token here, so that the budget can be followed by eye."""
    return learner(messages, tokens, len)


@exercise("08.2", use=_with_length)
def newest_that_fit(random: Random) -> Cases:
    """The newest messages that fit. Expects a function of messages, a limit and a counter."""
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


@exercise("08.3", _tokens, TOKENS)
def tokens_by_script(random: Random) -> Cases:
    """Tokens by script. Expects a function of a text."""
    yield "the text is English", "hello"
    for name, (characters, _) in SCRIPTS.items():
        yield f"the text holds only {name}", "".join(random.choices(characters, k=random.randint(5, 30)))
    mixed = "".join("".join(random.choices(each, k=random.randint(1, 3))) for each, _ in SCRIPTS.values())
    mixed += "a" * (_tokens(mixed) != _tokens(f"{mixed}a"))  # no whole sum, which only some floats would miss
    yield "the scripts are mixed, and the sum is rounded once", mixed
    yield "thirds add up to a whole number, exactly", "가나다라마바사아자차🚀🚀."
    yield "there is no text", ""


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


@exercise("08.4", use=_heard)
def least_recently_used(random: Random) -> Cases:
    """The session that nobody used. Expects a class with add(session, message) and get(session)."""
    one, two, three, four = random.sample(["mon", "tue", "wed", "thu", "fri"], 4)
    said, hello = [(one, "a"), (two, "b"), (three, "c")], str(random.random())
    yield Case("one session is used", (3, 5, [(one, hello), (one, "again"), (one,)]), [[hello, "again"]])
    all_asked = [*said, (one,), (two,), (three,)]
    yield Case("one session more is begun than there is room for", (2, 5, all_asked), [None, ["b"], ["c"]])
    yield Case("exactly as many are begun as there is room for", (3, 5, [*said, (one,)]), [["a"]])
    read = [*said, (one,), (four, "d"), (one,), (two,)]
    yield Case("the oldest session was read just now", (3, 5, read), [["a"], ["a"], None])
    again = [*said, (one, "e"), (four, "d"), (one,), (two,)]
    yield Case("something was just said in the oldest session", (3, 5, again), [["a", "e"], None])
    asked = [*said, (four,), (one,), (four,)]
    yield Case("an unknown session is asked for", (3, 5, asked), [None, ["a"], None])
    long = [(one, str(number)) for number in range(9)]
    yield Case("more is said in a session than is kept", (3, 5, [*long, (one,)]), [[*"45678"]])
    many = [*((f"session {number}", "hello") for number in range(101)), ("session 0",), ("session 1",)]
    yield Case("there are 101 sessions and room for 100", (100, 100, many), [None, ["hello"]])


HISTORIES = {
    "a turn is two messages": lambda passed, stored, turns: stored[-turns:],
    "the oldest turns come": lambda passed, stored, turns: stored[: 2 * turns],
}


@exercise("08.5", slips=HISTORIES)
def history_that_counts(random: Random) -> Cases:
    """Which history counts? Expects a function of a passed history, the stored messages and a number of turns."""
    stored, passed, turns = _said(random, 12), _said(random, 4), random.randint(1, 4)
    yield Case("no history is passed (None)", (None, stored, turns), stored[-2 * turns :])
    yield Case("a history is passed", (passed, stored, turns), passed)
    yield Case("the passed history is longer than the turns", (passed, stored, 1), passed)
    yield Case("an empty history is passed on purpose", ([], stored, turns), [])
    yield Case("no turn is wanted", (None, stored, 0), [])
    yield Case("fewer turns are stored than wanted", (None, stored[:2], 5), stored[:2])


@exercise("09.1")
def merged(random: Random) -> Cases:
    """A known key moves to the end. Expects a function of known entities, new ones and a limit."""
    keys = random.sample(["budget", "cloud", "users", "계약", "기간", "team", "plan"], 6)
    known = [(key, f"value {number}", number) for number, key in enumerate(keys[:4], start=1)]
    fresh, again = (keys[4], "new", 5), (keys[1], "changed", 6)
    yield Case("a new key comes", (known, [fresh], 25), [*known, fresh])
    yield Case("a known key gets another value", (known, [again], 25), [known[0], *known[2:], again])
    yield Case("there is one more than the limit", (known, [fresh], 4), [*known[1:], fresh])
    yield Case("the limit is reached and a known key comes", (known, [again], 4), [known[0], *known[2:], again])
    yield Case("a key comes twice at once", (known, [(keys[4], "first", 5), fresh], 25), [*known, fresh])
    yield Case("nothing is known yet", ([], [fresh], 25), [fresh])
    yield Case("nothing new comes", (known, [], 25), known)
    many = [(f"key {number}", "value", number) for number in range(30)]
    yield Case("thirty keys come, and 25 are kept", ([], many, 25), many[5:])


DUE = {
    "one window is due at a time, not all that is open": lambda last, upto, window: range(upto + 1, last + 1),
    "a whole window is due, and not only what is too much for it": (
        lambda last, upto, window: range(upto + 1, last - window + 1)
    ),
    "the oldest of the open turns are due": lambda last, upto, window: range(last - window + 1, last + 1),
}


@exercise("09.2", slips=DUE)
def due(random: Random) -> Cases:
    """Which turns are summarised next? Expects a function of two turn numbers and a window."""
    window, upto = random.randint(3, 6), random.choice([0, 5, 10])
    turns = list(range(upto + 1, upto + 1 + window))
    yield Case("one turn more than the window is open", (upto + window + 1, upto, window), turns)
    yield Case("the window is just full", (upto + window, upto, window), [])
    yield Case("few turns are open", (upto + 1, upto, window), [])
    yield Case("several windows are open after a crash", (upto + 3 * window, upto, window), turns)
    yield Case("no turn was taken yet", (0, 0, window), [])


@exercise("09.3", slips={"the full stop is no part of the name": lambda role, text: text.removeprefix("I use ")})
def uses(random: Random) -> Cases:
    """What users say of themselves. Expects a function of a role and a text."""
    thing = random.choice(["Altis", "Borea", "EC2", "K8s"])
    cloud = random.choice(["Altis Cloud", "Plan Gold", "Haneul 2"])
    korean = random.choice(["가을", "마을", "서울 클라우드", "하늘", "나라"])
    particle = "을" if (ord(korean[-1]) - 0xAC00) % 28 else "를"
    yield Case("a user says it", ("user", f"I use {thing}."), thing)
    yield Case("the name has two words", ("user", f"I use {cloud}."), cloud)
    yield Case("a user says it in Korean", ("user", f"저는 {korean}{particle} 씁니다."), korean)
    yield Case("another sentence stands before it", ("user", f"Hello. I use {thing}. Thanks!"), thing)
    yield Case("the assistant says it", ("assistant", f"I use {thing}."), "")
    yield Case("a document says it", ("document", f"저는 {korean}{particle} 씁니다."), "")
    yield Case("it is a question", ("user", f"Can I use {thing}?"), "")
    yield Case("it is a question without a helping verb", ("user", f"I use {thing}?"), "")
    yield Case("it is denied", ("user", f"I do not use {thing}."), "")
    yield Case("it is denied in Korean", ("user", f"저는 {korean}{particle} 쓰지 않습니다."), "")
    yield Case("it is said of others", ("user", f"They use {thing}."), "")
    yield Case("nothing is said", ("user", ""), "")


def _without(tables: Tables, user: str) -> Tables:
    own = {row["id"] for row in tables["sessions"] if row["user_id"] == user}
    kept = {name: [row for row in tables[name] if row["user_id"] != user] for name in ("sessions", "facts")}
    return {**kept, "messages": [row for row in tables["messages"] if row["session_id"] not in own]}


@exercise("09.4", _without)
def forgotten(random: Random) -> Cases:
    """Forget me. Expects a function of tables and a user."""
    user, other = random.sample(["mina", "joon", "sora"], 2)
    owners = [random.choice([user, other]) for _ in range(4)] + [user, other]
    sessions = [{"id": number, "user_id": owner} for number, owner in enumerate(owners)]
    facts = [{"user_id": owner, "key": f"key {number}"} for number, owner in enumerate([*owners, user, other])]
    messages = [{"session_id": random.randrange(len(owners)), "text": f"text {number}"} for number in range(9)]
    silent: Tables = {"sessions": sessions, "messages": [], "facts": facts}
    spoken = {**silent, "messages": [*messages, {"session_id": 4, "text": "a secret"}]}
    yield "a user has sessions and facts", silent, user
    yield "a user has said something", spoken, user
    namesake = {**spoken, "facts": [*facts, {"user_id": f"{user}2", "key": "a fact"}]}
    yield "another user's name begins with the same letters", namesake, user
    yield "nobody of that name is known", spoken, "nobody"


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


def _share_found(rule: Callable[..., Sequence[int]], asked: FollowUps) -> float:
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


def _last_turns(said: Sequence[str], question: str) -> Sequence[int]:
    """The rule to beat: the window."""
    return range(max(0, len(said) - ROOM), len(said))


@exercise("09.5", use=_share_found, rounds=1)
def memory_rule(random: Random) -> Cases:
    """A memory rule that beats the window. Expects a function of what was said and a question."""
    asked, floor = follow_ups(), _share_found(_last_turns, follow_ups())
    near = FollowUps(each for each in asked if len(each[0]) <= ROOM)
    all_fit = "all can be handed over, and the turn that is needed comes in {:.0%} of the questions"
    yield Case("everything that was said fits", (near,), accept=lambda share: share == 1 or all_fit.format(share))
    when = f"it is compared with the window, which finds {floor:.2f}"
    yield Case(when, (asked,), accept=lambda share: share > floor or f"yours finds {share:.2f}")
