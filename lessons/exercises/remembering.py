"""The exercises of notebooks 08 to 10: windows and sessions; entities, summaries, profiles; cache keys and budgets."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from lessons.evaluate.dialogues import dialogues
from lessons.exercises.cases import Case, case, exercise, or_refused, value
from lessons.exercises.comparing import kind

Script = Sequence[tuple[str, ...]]  # (session, message): said in it; (session,): asked for

ROOM = 5  # turns that a memory rule may hand over
SHARES = {"question": 200, "documents": 900, "history": 300, "profile": 200, "long-term": 100}
"""The most that each part of a prompt may take, in the order of what matters."""

SAME, OTHER = "the same key", "another key"


def _with_length(learner: Callable[..., Any], messages: list[tuple[str, str]], tokens: int) -> Any:
    """Every character is a token here, so that the budget can be followed by eye."""
    return learner(messages, tokens, len)


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


# fmt: off
value("08.1", "How wide must the window be?", "a number of turns", 11, {
    "how many turns lie behind when the eleventh question comes?": 10,
    "the allergy comes along, and a narrower window would do": 12,
    "a turn is a question and its answer, two messages": 22,
})

SAID = [(role, "x" * length) for role, length in zip(["user", "assistant"] * 4, [3, 9, 4, 8, 5, 7, 6, 4], strict=True)]
LONG = ("user", "y" * 40)

exercise("08.2", "The newest messages that fit", "a function of messages, a limit and a counter", [
    case("three messages fit and a fourth does not", SAID[-3:], SAID, 18),
    case("the last message that fits takes all that is left", SAID[-4:], SAID, 22),
    case("everything fits", SAID, SAID, 51),
    case("there is room for no message", [], SAID, 0),
    case("nothing was said", [], [], 20),
    case("the newest message alone is too long", [], [*SAID, LONG], 30),
    case("a long message has short ones before it", SAID[-2:], [*SAID[:-2], LONG, *SAID[-2:]], 40),
], use=_with_length)

exercise("08.3", "Tokens by script", "a function of a text", [
    case("the text is English", 2, "hello"),
    case("the text holds only Latin letters", 3, "abcdefXYZ"),
    case("the text holds only digits", 3, "0123456789"),
    case("the text holds only Korean syllables", 4, "안녕하세요"),
    case("the text holds only Chinese characters", 4, "東西南北中"),
    case("the text holds only Japanese kana", 6, "ひらがなカタカナ"),
    case("the text holds only emoji", 5, "🌀🎉🚀☀✂"),
    case("the text holds only spaces and punctuation", 3, " .,!?-\n"),
    case("the text holds only Russian letters", 3, "приветы"),
    case("the scripts are mixed, and the sum is rounded once", 3, "a가🚀."),
    case("thirds add up to a whole number, exactly", 9, "가나다라마바사아자차🚀🚀."),
    case("there is no text", 0, ""),
], {"the sum is rounded down": 1, "the sum is not rounded": 1.25})

THREE = [("mon", "a"), ("tue", "b"), ("wed", "c")]

exercise("08.4", "The session that nobody used", "a class with add(session, message) and get(session)", [
    case("one session is used", [["hello", "again"]], 3, 5, [("mon", "hello"), ("mon", "again"), ("mon",)]),
    case("one session more is begun than there is room for", [None, ["b"], ["c"]],
         2, 5, [*THREE, ("mon",), ("tue",), ("wed",)]),
    case("exactly as many are begun as there is room for", [["a"]], 3, 5, [*THREE, ("mon",)]),
    case("the oldest session was read just now", [["a"], ["a"], None],
         3, 5, [*THREE, ("mon",), ("thu", "d"), ("mon",), ("tue",)]),
    case("something was just said in the oldest session", [["a", "e"], None],
         3, 5, [*THREE, ("mon", "e"), ("thu", "d"), ("mon",), ("tue",)]),
    case("an unknown session is asked for", [None, ["a"], None], 3, 5, [*THREE, ("thu",), ("mon",), ("thu",)]),
    case("more is said in a session than is kept", [list("45678")],
         3, 5, [*(("mon", each) for each in "012345678"), ("mon",)]),
    case("there are 101 sessions and room for 100", [None, ["hello"]],
         100, 100, [*((str(number), "hello") for number in range(101)), ("0",), ("1",)]),
], use=_heard)

PASSED = [("user", "z" * 5), ("assistant", "z" * 4), ("user", "z" * 3), ("assistant", "z" * 7)]

exercise("08.5", "Which history counts?", "a function of a passed history, the stored messages and a number of turns", [
    case("no history is passed (None)", SAID[-4:], None, SAID, 2),
    case("a history is passed", PASSED, PASSED, SAID, 2),
    case("the passed history is longer than the turns", PASSED, PASSED, SAID, 1),
    case("an empty history is passed on purpose", [], [], SAID, 2),
    case("no turn is wanted", [], None, SAID, 0),
    case("fewer turns are stored than wanted", SAID[:2], None, SAID[:2], 5),
], {"a turn is two messages": SAID[-2:], "the oldest turns come": SAID[:4]})

KNOWN = [("budget", "30", 1), ("cloud", "Altis", 2), ("users", "12", 3), ("계약", "1년", 4)]
NEW, AGAIN = ("team", "Seoul", 5), ("cloud", "Borea", 6)
MANY = [(f"key {number}", "value", number) for number in range(30)]

exercise("09.1", "A known key moves to the end", "a function of known entities, new ones and a limit", [
    case("a new key comes", [*KNOWN, NEW], KNOWN, [NEW], 25),
    case("a known key gets another value", [KNOWN[0], *KNOWN[2:], AGAIN], KNOWN, [AGAIN], 25),
    case("there is one more than the limit", [*KNOWN[1:], NEW], KNOWN, [NEW], 4),
    case("the limit is reached and a known key comes", [KNOWN[0], *KNOWN[2:], AGAIN], KNOWN, [AGAIN], 4),
    case("a key comes twice at once", [*KNOWN, NEW], KNOWN, [("team", "Busan", 5), NEW], 25),
    case("nothing is known yet", [NEW], [], [NEW], 25),
    case("nothing new comes", KNOWN, KNOWN, [], 25),
    case("thirty keys come, and 25 are kept", MANY[5:], [], MANY, 25),
])

exercise("09.2", "Which turns are summarised next?", "a function of two turn numbers and a window", [
    case("one turn more than the window is open", [6, 7, 8, 9], 10, 5, 4),
    case("the window is just full", [], 9, 5, 4),
    case("few turns are open", [], 6, 5, 4),
    case("several windows are open after a crash", [6, 7, 8, 9], 17, 5, 4),
    case("no turn was taken yet", [], 0, 0, 4),
], {
    "one window is due at a time, not all that is open": [6, 7, 8, 9, 10],
    "a whole window is due, and not only what is too much for it": [6],
    "the oldest of the open turns are due": [7, 8, 9, 10],
})

exercise("09.3", "What users say of themselves", "a function of a role and a text", [
    case("a user says it", "Altis", "user", "I use Altis."),
    case("the name has two words", "Altis Cloud", "user", "I use Altis Cloud."),
    case("a user says it in Korean", "서울 클라우드", "user", "저는 서울 클라우드를 씁니다."),
    case("the Korean name ends in a particle's syllable", "가을", "user", "저는 가을을 씁니다."),
    case("another sentence stands before it", "Altis", "user", "Hello. I use Altis. Thanks!"),
    case("the assistant says it", "", "assistant", "I use Altis."),
    case("a document says it", "", "document", "저는 가을을 씁니다."),
    case("it is a question", "", "user", "Can I use Altis?"),
    case("it is a question without a helping verb", "", "user", "I use Altis?"),
    case("it is denied", "", "user", "I do not use Altis."),
    case("it is denied in Korean", "", "user", "저는 가을을 쓰지 않습니다."),
    case("it is said of others", "", "user", "They use Altis."),
    case("nothing is said", "", "user", ""),
], {"the full stop is no part of the name": "Altis."})


def _tables(sessions: Mapping[int, str], messages: Mapping[str, int], *facts: str) -> dict[str, list[dict[str, Any]]]:
    """Three tables: sessions with their users, messages with their sessions, and facts with their users."""
    return {
        "sessions": [{"id": number, "user_id": user} for number, user in sessions.items()],
        "messages": [{"session_id": session, "text": text} for text, session in messages.items()],
        "facts": [{"user_id": user, "key": f"key {number}"} for number, user in enumerate(facts)],
    }


OWNERS, OTHERS = {0: "mina", 1: "joon", 2: "mina", 3: "joon"}, {1: "joon", 3: "joon"}
TOLD, KEPT = {"a secret": 0, "hello": 1, "another secret": 2, "again": 0}, {"hello": 1}
SPOKEN = _tables(OWNERS, TOLD, "joon", "mina", "mina")

exercise("09.4", "Forget me", "a function of tables and a user", [
    case("a user has sessions and facts", _tables(OTHERS, {}, "joon"), _tables(OWNERS, {}, "joon", "mina"), "mina"),
    case("a user has said something", _tables(OTHERS, KEPT, "joon"), SPOKEN, "mina"),
    case("another user's name begins with the same letters", _tables(OTHERS, KEPT, "mina2"),
         _tables(OWNERS, TOLD, "mina2", "mina"), "mina"),
    case("nobody of that name is known", SPOKEN, SPOKEN, "nobody"),
])
# fmt: on


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


def _rules() -> Iterator[Case]:
    asked, floor = follow_ups(), _share_found(_last_turns, follow_ups())
    near = FollowUps(each for each in asked if len(each[0]) <= ROOM)
    all_fit = "all can be handed over, and the turn that is needed comes in {:.0%} of the questions"
    yield case("everything that was said fits", lambda share: share == 1 or all_fit.format(share), near)
    when = f"it is compared with the window, which finds {floor:.2f}"
    yield case(when, lambda share: share > floor or f"yours finds {share:.2f}", asked)


RULE = "a function of what was said and a question"
exercise("09.5", "A memory rule that beats the window", RULE, _rules, use=_share_found)


def _shared(learner: Callable[..., Any], one: str, other: str) -> str | None:
    """Whether two questions have the same key, in words; None if there is no key at all."""
    key = learner(one)
    hash(key)  # unhashable keys are of no use
    return None if key is None else SAME if key == learner(other) else OTHER


def _parts(question: int, documents: int, history: int, profile: int, long_term: int) -> dict[str, int]:
    return dict(zip(SHARES, (question, documents, history, profile, long_term), strict=True))


# fmt: off
value("10.1", "What is left for the history?", "a number of tokens", 150, {
    "this is its share; is that still there after the documents?": 300,
    "the instructions take their part of the tokens, too": 650,
    "the question takes its part, too": 350,
    "the documents come before the history": 1_050,
})

PROFIT, SALES = "What was the profit of Altis in Q2 2021?", "세담의 2021년 매출은 얼마인가요?"
CODE = "CCX-4711 오류는 무슨 뜻인가요?"

exercise("10.2", "A key that tells look-alikes apart", "a function of a question that gives its key", [
    case("two questions are about other things", OTHER, PROFIT, "How do I set a budget alert?"),
    case("the same question comes again", SAME, PROFIT, PROFIT),
    case("only the quarter differs", OTHER, PROFIT, PROFIT.replace("Q2", "Q3")),
    case("only the year differs", OTHER, PROFIT, PROFIT.replace("2021", "2022")),
    case("only the company differs", OTHER, PROFIT, PROFIT.replace("Altis", "Sedam")),
    case("one of them says 'not'", OTHER, "Is Altis covered?", "Is Altis not covered?"),
    case("the two sides change places", OTHER, "Is Altis cheaper than Sedam?", "Is Sedam cheaper than Altis?"),
    case("only an error code differs", OTHER, CODE, CODE.replace("4711", "4712")),
    case("only a Korean word differs", OTHER, "세담의 매출이 늘었나요?", "세담의 매출이 줄었나요?"),
    case("upper and lower case differ", SAME, PROFIT, PROFIT.upper()),
    case("there is more space", SAME, PROFIT, f"  {PROFIT.replace(' ', '  ')} "),
    case("the question mark is missing", SAME, PROFIT, PROFIT.rstrip("?")),
    case("Korean comes in decomposed letters (NFD)", SAME, SALES, unicodedata.normalize("NFD", SALES)),
], use=_shared)

SMALL, LARGE, WORDY = _parts(90, 700, 120, 60, 30), _parts(150, 1_100, 500, 450, 380), _parts(500, 1_100, 500, 450, 380)

exercise("10.3", "Who gives way when it is short?", "a function of wishes, shares and the tokens there are", [
    case("every wish fits", SMALL, SMALL, SHARES, 3_500),
    case("every part wants more than its share", _parts(150, 900, 300, 200, 100), LARGE, SHARES, 3_500),
    case("there is not enough for the history", _parts(150, 900, 100, 0, 0), LARGE, SHARES, 1_150),
    case("there is nothing left after the documents", _parts(150, 600, 0, 0, 0), LARGE, SHARES, 750),
    case("the wishes come in another order", _parts(150, 900, 200, 0, 0), dict(reversed(LARGE.items())), SHARES, 1_250),
    case("the question is longer than its share", _parts(500, 900, 100, 0, 0), WORDY, SHARES, 1_500),
    case("the question takes all there is", _parts(500, 0, 0, 0, 0), WORDY, SHARES, 500),
    case("the question alone does not fit", "refused", WORDY, SHARES, 499),
], use=or_refused)

COMMON = [f"The report mentions {word} in the report." for word in ("turbine", "invoice", "glacier", "violin")]
BEST, ASKED = "That paper mentions zinc in some detail.", "What does the report say about zinc?"
MIXED, PAIR = [*COMMON[:2], BEST, *COMMON[2:]], ["First comes the harbour of today.", "Then comes the zinc of today."]
KOREAN = ["예산은 팀마다 다릅니다.", "환불은 7일 안에 합니다.", "예산은 소유자가 정합니다."]

exercise("10.4", "The sentences that say most", "a function of sentences, a question and a number k", [
    case("one sentence alone holds a word of the question", [BEST], ["A harbour.", BEST], "zinc", 1),
    case("a rare word stands against a frequent one that comes twice", [BEST], MIXED, ASKED, 1),
    case("the later of two sentences is the better one", PAIR, [PAIR[0], *COMMON, PAIR[1]], "zinc zinc harbour", 2),
    case("k is larger than the number of sentences", MIXED, MIXED, ASKED, 99),
    case("nothing is to be kept", [], MIXED, ASKED, 0),
    case("there is no sentence", [], [], ASKED, 3),
    case("the question is Korean, with other particles", [KOREAN[1]], KOREAN, "환불이 언제 되나요?", 1),
], {
    "the sentences are asked for, not their places": [1],
    "a list of sentences is asked for, not their text": BEST,
})

GAP = ["a term"]
FIRST, SECOND = ["chunk 7", "chunk 31", "chunk 12", "chunk 4"], ["chunk 9", "chunk 2", "chunk 55", "chunk 8"]
PARTLY = [FIRST[0], FIRST[1], SECOND[0]]

exercise("10.5", "Search once more, or stop?", "a function of searches, what is missing and the most searches", [
    case("something is missing after the first search", True, [FIRST], GAP, 3),
    case("nothing is missing", False, [FIRST], [], 3),
    case("the second search found something else", True, [FIRST, SECOND], GAP, 3),
    case("as many searches were made as there may be", False, [FIRST, PARTLY, SECOND], GAP, 3),
    case("a search repeats the one before", False, [FIRST, FIRST], GAP, 5),
    case("a search finds the same in another order", False, [FIRST, FIRST[::-1]], GAP, 5),
    case("a search repeats one that is longer ago", False, [FIRST, SECOND, FIRST], GAP, 5),
    case("a search finds a part of what is known", False, [FIRST, SECOND, [FIRST[0], SECOND[0]]], GAP, 5),
    case("one chunk of a search is new", True, [FIRST, PARTLY], GAP, 5),
    case("the last search found nothing at all", False, [FIRST, []], GAP, 5),
])
