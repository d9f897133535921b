"""The exercises of notebook 11: decisions, fallbacks, sections, and what a month costs."""

from collections.abc import Mapping
from random import Random

from lessons.copilot.decision import Decision
from lessons.exercises.cases import Case, Cases, exercise, value

DAYS = 30  # of a month
WINDOW = 5  # turns of a session that are summarised at a time
Tokens = Mapping[str, int]

UPDATES = {
    "which turn brings the first update, and which the next one?": 3,
    "the last turns stay word for word until there is a turn behind them": 5,
    "an update comes or it does not": 4.2,
    "five turns are summarised together": 16,
}
value("11.1", "How often is the memory updated? Expects a number of updates.", 4, UPDATES)


def _decision(ranked: list[int], confidence: float = 0.8, sufficient: bool = True, query: str = "") -> Decision:
    if query:
        again = {"is_sufficient": False, "next_action": "search_again", "refined_query": query}
        return Decision.model_validate({"ranked_indices": ranked, "confidence": confidence, **again})
    return Decision(ranked_indices=ranked, confidence=confidence, is_sufficient=sufficient, next_action="none")


@exercise("11.2")
def outcome(random: Random) -> Cases:
    """From a decision to an outcome. Expects a function of a decision and a least confidence."""
    least = round(random.uniform(0.3, 0.7), 2)
    high, low = round(random.uniform(least + 0.05, 0.99), 2), round(random.uniform(0, least - 0.05), 2)
    ranked = random.sample(range(1, 11), 3)
    for when, decision, expected in [
        ("the passages suffice", _decision(ranked, high), "answered"),
        ("the passages do not suffice", _decision(ranked, high, False), "best_effort"),
        ("the confidence is low", _decision(ranked, low, False), "nothing_relevant"),
        ("nothing is ranked and the confidence is low", _decision([], low, False), "not_documented"),
        ("nothing is ranked and the confidence is high", _decision([], high, False), "not_documented"),
        ("it calls itself sufficient with a low confidence", _decision(ranked, low), "nothing_relevant"),
        ("the confidence is exactly the least", _decision(ranked, least), "answered"),
    ]:
        yield Case(when, (decision, least), expected)


@exercise("11.3")
def usable(random: Random) -> Cases:
    """Decisions that must be refused. Expects a function of a decision and a number of passages."""
    passages = random.randint(4, 9)
    one, two = random.sample(range(2, passages), 2)
    for when, decision, expected in [
        ("two passages are ranked and suffice", _decision([two, one]), True),
        ("a passage is ranked that does not exist", _decision([one, passages + random.randint(1, 90)]), False),
        ("the last passage is ranked", _decision([one, passages]), True),
        ("a passage is called 0", _decision([0, one]), False),
        ("a passage is ranked twice", _decision([one, two, one]), False),
        ("nothing is ranked, and it is called sufficient", _decision([]), False),
        ("nothing is ranked, and another search is wanted", _decision([], query="annual price"), True),
        ("another search is wanted for nothing", _decision([one], query="  "), False),
        ("a search is named", _decision([one], query="연간 요금"), True),
    ]:
        yield Case(when, (decision, passages), expected)


@exercise("11.4")
def section(random: Random) -> Cases:
    """A section, whole and in order. Expects a function of chunks, a source and the path of a section."""
    guide, other = random.sample(["guide_en.pdf", "guide_ko.docx", "faq_en.md"], 2)
    paths = ["Part A", "Part B", "Part B > B1. Role", "Part B > B2. Export", "Part B2", "Part C"]
    own = [{"source": guide, "chunk_index": place, "sections": [path]} for place, path in enumerate(paths)]
    own.append({"source": guide, "chunk_index": 6, "sections": ["Part C", "Part D"]})
    mixed = [*own, *({**chunk, "source": other} for chunk in own)]
    random.shuffle(mixed)
    yield Case("a section has one chunk", (own[:2], guide, "Part A"), own[:1])
    yield Case("other files have a section of that name", (mixed, guide, "Part A"), own[:1])
    yield Case("there are sections inside the section", (own[:4], guide, "Part B"), own[1:4])
    yield Case("another section's name begins with the same letters", (own, guide, "Part B"), own[1:4])
    yield Case("a chunk holds the end of one section and the beginning of the next", (own, guide, "Part D"), own[6:])
    yield Case("the chunks come in the order of their scores", (mixed, guide, "Part B"), own[1:4])
    yield Case("the section is '', the whole file", (mixed, guide, ""), own)
    yield Case("there is no such section", (mixed, guide, "Part Z"), [])


def _dollars(used: Tokens, prices: Mapping[str, float]) -> float:
    return sum(used[way] * price for way, price in prices.items()) / 1e6


def _month(sessions: int, turns: int, tokens: Mapping[str, Tokens], prices: Mapping[str, float]) -> float:
    questions, updates = turns * _dollars(tokens["question"], prices), max(0, turns - 1) // WINDOW
    return DAYS * sessions * (questions + updates * _dollars(tokens["update"], prices))


MONTHS = {
    "this is a day, and a month has 30": lambda *given: _month(*given) / DAYS,
    "a month has 30 days here": lambda *given: _month(*given) * 31 / DAYS,
    "this is a year": lambda *given: _month(*given) * 365 / DAYS,
    "each side takes the price of the other": lambda sessions, turns, tokens, prices: _month(
        sessions, turns, tokens, {"in": prices["out"], "out": prices["in"]}
    ),
    "the model's own tokens have a price of their own": lambda sessions, turns, tokens, prices: _month(
        sessions, turns, tokens, {"in": prices["in"], "out": prices["in"]}
    ),
}


@exercise("11.5", _month, MONTHS)
def monthly(random: Random) -> Cases:
    """What a month costs. Expects a function of sessions a day, turns, tokens and prices."""
    question, update = ({"in": random.randint(500, 6_000), "out": random.randint(20, 300)} for _ in range(2))
    prices = {"in": round(random.uniform(0.05, 3), 2), "out": round(random.uniform(4, 15), 2)}
    sessions, used = random.randint(10, 900), {"question": question, "update": update}
    for when, turns in {
        "a session has one turn": 1,
        "the memory is updated once": WINDOW + 1,
        "the window is just full": WINDOW,
        "a session is long": random.randint(12, 60),
        "a session ends with a full window": 4 * WINDOW,
        "nothing was asked": 0,
    }.items():
        yield when, sessions, turns, used, prices
    yield "nobody comes", 0, 12, used, prices
