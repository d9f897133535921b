"""The exercises of notebook 11: decisions, fallbacks, sections, and what a month costs."""

from collections.abc import Callable, Iterator
from random import Random

from lessons.copilot.decision import Decision
from lessons.exercises.registry import Case, exercise

DAYS = 30  # of a month
WINDOW = 5  # turns of a session that are summarised at a time


UPDATES = {
    "which turn brings the first update, and which the next one?": 3,
    "the last turns stay word for word until there is a turn behind them": 5,
    "an update comes or it does not": 4.2,
    "five turns are summarised together": 16,
}


@exercise("11.1", "How often is the memory updated?", "a number of updates", rounds=1, slips=UPDATES)
def updates(random: Random) -> Iterator[Case]:
    yield Case("the updates are counted", expected=4)


@exercise("11.2", "From a decision to an outcome", "a function of a decision and a least confidence", rounds=5)
def outcome(random: Random) -> Iterator[Case]:
    least = round(random.uniform(0.3, 0.7), 2)
    high, low = round(random.uniform(least + 0.05, 0.99), 2), round(random.uniform(0, least - 0.05), 2)
    ranked = random.sample(range(1, 11), 3)

    def case(when: str, ranked: list[int], confidence: float, sufficient: bool, expected: str) -> Case:
        decision = Decision(ranked_indices=ranked, confidence=confidence, is_sufficient=sufficient, next_action="none")
        return Case(when, (decision, least), expected)

    yield case("the passages suffice", ranked, high, True, "answered")
    yield case("the passages do not suffice", ranked, high, False, "best_effort")
    yield case("the confidence is low", ranked, low, False, "nothing_relevant")
    yield case("nothing is ranked and the confidence is low", [], low, False, "not_documented")
    yield case("nothing is ranked and the confidence is high", [], high, False, "not_documented")
    yield case("it calls itself sufficient with a low confidence", ranked, low, True, "nothing_relevant")
    yield case("the confidence is exactly the least", ranked, least, True, "answered")


@exercise("11.3", "Decisions that must be refused", "a function of a decision and a number of passages", rounds=5)
def usable(random: Random) -> Iterator[Case]:
    passages = random.randint(4, 9)
    one, two = random.sample(range(2, passages), 2)

    def case(when: str, ranked: list[int], expected: bool, sufficient: bool = True, query: str = "") -> Case:
        action = "none" if sufficient else "search_again"
        fields = {"is_sufficient": sufficient, "next_action": action, "refined_query": query, "confidence": 0.8}
        return Case(when, (Decision(ranked_indices=ranked, **fields), passages), expected)

    yield case("two passages are ranked and suffice", [two, one], True)
    yield case("a passage is ranked that does not exist", [one, passages + random.randint(1, 90)], False)
    yield case("the last passage is ranked", [one, passages], True)
    yield case("a passage is called 0", [0, one], False)
    yield case("a passage is ranked twice", [one, two, one], False)
    yield case("nothing is ranked, and it is called sufficient", [], False)
    yield case("nothing is ranked, and another search is wanted", [], True, False, "annual price")
    yield case("another search is wanted for nothing", [one], False, False, "  ")
    yield case("a search is named", [one], True, False, "연간 요금")


@exercise("11.4", "A section, whole and in order", "a function of chunks, a source and the path of a section", rounds=5)
def section(random: Random) -> Iterator[Case]:
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


def _priced(days: float, way_in: str, way_out: str) -> Callable[..., float]:
    """A month of sessions with one question each, of so many days, at the prices that stand under these names."""
    return lambda sessions, turns, tokens, prices: (
        days
        * sessions
        * (tokens["question"]["in"] * prices[way_in] + tokens["question"]["out"] * prices[way_out])
        / 1e6
    )


MONTHS = {
    "this is a day, and a month has 30": _priced(1, "in", "out"),
    "a month has 30 days here": _priced(31, "in", "out"),
    "this is a year": _priced(365, "in", "out"),
    "each side takes the price of the other": _priced(DAYS, "out", "in"),
    "the model's own tokens have a price of their own": _priced(DAYS, "in", "in"),
}


@exercise(
    "11.5", "What a month costs", "a function of sessions a day, turns, tokens and prices", rounds=5, slips=MONTHS
)
def monthly(random: Random) -> Iterator[Case]:
    question, update = ({"in": random.randint(500, 6_000), "out": random.randint(20, 300)} for _ in range(2))
    prices = {"in": round(random.uniform(0.05, 3), 2), "out": round(random.uniform(4, 15), 2)}

    def dollars(tokens: dict[str, int]) -> float:
        return sum(tokens[way] * prices[way] for way in prices) / 1e6

    def case(when: str, sessions: int, turns: int, tokens: dict[str, dict[str, int]]) -> Case:
        session = turns * dollars(tokens["question"]) + max(0, turns - 1) // WINDOW * dollars(tokens["update"])
        return Case(when, (sessions, turns, tokens, prices), DAYS * sessions * session)

    sessions, used = random.randint(10, 900), {"question": question, "update": update}
    yield case("a session has one turn", sessions, 1, used)
    yield case("the memory is updated once", sessions, WINDOW + 1, used)
    yield case("the window is just full", sessions, WINDOW, used)
    yield case("a session is long", sessions, random.randint(12, 60), used)
    yield case("a session ends with a full window", sessions, 4 * WINDOW, used)
    yield case("nobody comes", 0, 12, used)
    yield case("nothing was asked", sessions, 0, used)
