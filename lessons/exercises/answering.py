"""The exercises of notebooks 05, 07 and 11: an agent's loop, scopes that cannot leak, a copilot's decisions."""

import unicodedata
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from lessons.copilot.decision import Decision
from lessons.exercises.cases import case, exercise, or_refused, value, worked_out
from lessons.exercises.comparing import kind
from lessons.search.filter_text import parse_filter

Chunk = dict[str, Any]


def _staged(learner: Callable[..., Any], script: list[list[str]], failing: list[str], limit: int) -> Any:
    """The loop of a learner with a model that follows a script and a search that may fail; what was run comes, too.

    RuntimeError, which the verdict shows, if the model is asked more often than a loop asks it that counts every call.
    """
    steps, run, decisions = iter(script), list[str](), count(1)

    def choose(found: Any) -> list[str]:
        if (asked := next(decisions)) > limit + 1:
            raise RuntimeError(f"the model is asked {asked} times, and the limit is {limit} calls")
        return list(next(steps, []))

    def search(query: str) -> str:
        run.append(query)
        if query in failing:
            raise RuntimeError(f"{query} cannot be searched")
        return f"documents on {query}"

    made = learner(choose, search, limit)
    return ([tuple(each) if kind(each) == "a list" else each for each in made], run) if kind(made) == "a list" else made


def _ran(queries: Iterable[str], failed: str = "") -> Any:
    """What the loop has found for these queries, and that it has run them."""
    said = {query: f"{query} cannot be searched" if query == failed else f"documents on {query}" for query in queries}
    return list(said.items()), list(queries)


def _messages(*tokens: tuple[int, int]) -> list[dict[str, Any]]:
    """An exchange for each pair: the tokens of a call and those of its result."""
    return [
        message
        for number, (call, result) in enumerate(tokens, start=1)
        for message in (
            {"role": "assistant", "calls": [number], "tokens": call},
            {"role": "tool", "call": number, "tokens": result},
        )
    ]


# fmt: off
value("05.1", "Who counts the calls", "a pair of numbers: searches that are run, and decisions", (5, 2), {
    "the limit is five": (6, 2),
    "the second decision is cut to what is left": (3, 1),
    "with no call left, is the model asked again?": (5, 3),
    "who asks for the fourth search?": (5, 1),
    "the first decision leaves two calls": (3, 2),
})

QUERY = "Thornquay turnover 2021"

exercise("05.2", "A search that was made before", "a function of two queries, texts", [
    case("the two are equal", True, QUERY, QUERY),
    case("the year is another", False, QUERY, "Thornquay turnover 2020"),
    case("they differ in capitals, spaces and a question mark", True, QUERY, f"  {QUERY.upper()} ?"),
    case("the words stand in another order", True, QUERY, "2021 turnover Thornquay"),
    case("one has a word more", False, QUERY, f"{QUERY} dividend backlog forecast"),
    case("one has a word less", False, f"{QUERY} forecast", QUERY),
    case("one is a sentence, the other its key words", True, "What was the turnover of Thornquay in 2021?", QUERY),
    case("a word has another ending", True, "late fees of the Team plan", "late fee Team plan"),
    case("a version is another", False, "version 4.3", "version 4.2"),
])

exercise("05.3", "A loop that ends", "a function of choose(found), search(query) and a limit", [
    case("the model stops by itself", _ran("ab"), [["a"], ["b"], []], [], 5),
    case("the model asks for several searches at once", _ran("abc"), [["a", "b"], ["c"], []], [], 5),
    case("the model wants nothing at all", _ran(""), [[]], [], 5),
    case("a search fails", _ran("ab", failed="a"), [["a"], ["b"], []], ["a"], 5),
    case("a search is asked for again", _ran("ab"), [["a"], ["a", "b"], []], [], 5),
    case("the model never stops", _ran("abcd"), [[query] for query in "abcdefghi"], [], 4),
    case("it asks for more at once than are left", _ran("abcd"), [["a", "b"], ["c", "d", "e", "f"]], [], 4),
    case("it asks for the same search for ever", _ran("a"), [["a"]] * 30, [], 4),
], use=_staged)

USER = {"role": "user", "tokens": 20}
REST = _messages((10, 60), (8, 70), (12, 50), (9, 80))  # 299 tokens
RESULTS = [{"role": "tool", "call": call, "tokens": 70} for call in (8, 9)]
TWICE = [{"role": "assistant", "calls": [8, 9], "tokens": 9}, *RESULTS]

exercise("05.4", "Calls and results stay together", "a function of messages, dicts, and the room in tokens", [
    case("there is room for all", [USER, *REST], [USER, *REST], 328),
    case("there is room for all but a few tokens", [USER, *REST[2:]], [USER, *REST], 316),
    case("there is room to the very token", [USER, *REST[2:]], [USER, *REST], 249),
    case("half has to go", [USER, *REST[6:]], [USER, *REST], 159),
    case("a message makes two calls", [USER, *REST], [USER, *TWICE, *REST], 319),
    case("nothing but the question fits", [USER], [USER, *REST], 25),
])
# fmt: on


def _kept(filter_: str, *chunks: Chunk) -> list[bool]:
    """Which of the chunks a filter lets through."""
    return [_matches(parse_filter(filter_), chunk) for chunk in chunks]


def _matches(filters: MetadataFilters, chunk: Chunk) -> bool:
    parts = [
        _matches(part, chunk)
        if isinstance(part, MetadataFilters)
        else build_metadata_filter_fn(lambda _: chunk, MetadataFilters(filters=[part]))("")
        for part in filters.filters
    ]
    return any(parts) if filters.condition == FilterCondition.OR else all(parts)


def _slide(name: str, page: int) -> Chunk:
    return {"file_type": name.rpartition(".")[2], "source_file": f"courses/joon/{name}", "page_number": page}


# fmt: off
SLIDE = _slide("stats_power_en.pptx", 9)

exercise("07.1", "The late slides of the other courses", "the text of a filter", [
    case("a slide is wanted", [True, False], SLIDE, _slide("stats_power_en.pptx", 2)),
    case("a page is the fifth", [True, False], _slide("db_transactions_en.pptx", 5), _slide("stats_power_en.pptx", 4)),
    case("a file is no deck of slides", [False], _slide("db_indexes_en.pdf", 5)),
    case("a slide is of deck 1 of the networks course", [False], _slide("net_subnets_ko.pptx", 12)),
    case("a slide is of deck 2 of the networks course", [False], _slide("net_dns_http_ko.pptx", 12)),
], use=_kept, of="a text")

FILES = ["tcp.pdf", "서브넷.pptx", "week10.md", "week9.md"]
MINE = [{"user_id": "mina", "ref_id": FILES[at % 4], "chunk_index": at, "text": f"text {at}"} for at in range(6)]
HERS = [{**each, "user_id": "sora"} for each in MINE]
SHORT = [{**each, "user_id": "min"} for each in MINE[:2]]
NOBODYS = [{**each, "user_id": name} for each, name in zip(MINE, ("", "  "), strict=False)]

exercise("07.2", "A scope that cannot leak", "a function of chunks, an owner and ref_ids", [
    case("ref_ids is None", MINE, [*HERS, *MINE], "mina", None),
    case("some materials are named", [MINE[0], MINE[2], MINE[4]], [*MINE, *HERS], "mina", {"tcp.pdf", "week10.md"}),
    case("ref_ids is the empty set", [], [*MINE, *HERS], "mina", set()),
    case("an owner's name begins like another's", SHORT, [*MINE, *SHORT], "min", None),
    case("the owner is ''", "refused", [*MINE, *NOBODYS], "", None),
    case("the owner is '  '", "refused", [*MINE, *NOBODYS], "  ", None),
], use=or_refused)

PLAN = {"자료 1.pdf", "자료 2.pdf", "자료 3.pdf"}

exercise("07.3", "A plan is never left", "a function of two sets of names, the second may be None", [
    case("a part of the plan is asked for", {"자료 1.pdf", "자료 3.pdf"}, PLAN, {"자료 1.pdf", "자료 3.pdf"}),
    case("a material that is asked for is not in the plan", {"자료 1.pdf"}, PLAN, {"자료 1.pdf", "자료 9.pdf"}),
    case("nothing special is asked for (None)", PLAN, PLAN, None),
    case("no material at all is asked for", set(), PLAN, set()),
    case("the plan is empty", set(), set(), {"자료 1.pdf"}),
    case("a Korean name comes in decomposed letters (NFD)", {"자료 2.pdf"},
         PLAN, {unicodedata.normalize("NFD", "자료 2.pdf")}),
])

OWN, ELSE = ([{"ref_id": file, "chunk_index": at, "text": f"text {at}"} for at in range(14)] for file in FILES[:2])
MIXED = [chunk for pair in zip(OWN[::-1], ELSE[::-1], strict=True) for chunk in pair]

exercise("07.4", "A range in the order of the material", "a function of chunks, a ref_id, a start and an end", [
    case("the chunks are stored in order", OWN[2:5], OWN, "tcp.pdf", 2, 5),
    case("two materials are stored", OWN[3:8], [*OWN, *ELSE], "tcp.pdf", 3, 8),
    case("the chunks are stored in no order", OWN[7:13], MIXED, "tcp.pdf", 7, 13),
    case("a chunk in the middle is missing", OWN[3:6], [*OWN[:2], *OWN[3:]], "tcp.pdf", 2, 6),
    case("a chunk is empty", [OWN[2], OWN[4]], [*OWN[:3], {**OWN[3], "text": " \n"}, *OWN[4:]], "tcp.pdf", 2, 5),
    case("the range begins where the material ends", [], OWN, "tcp.pdf", 14, 20),
], {"the texts come, not the chunks": [chunk["text"] for chunk in OWN[2:5]]})

exercise("07.5", "Nothing found, or not good enough?", "a function of a list of scores and a bar", [
    case("every passage is above the bar", "answer", [0.61, 0.7, 0.53], 0.5),
    case("nothing was found", "nothing found", [], 0.5),
    case("every passage is below the bar", "not good enough", [0.41, 0.32, 0.48], 0.5),
    case("one good passage stands among weak ones", "answer", [0.41, 0.32, 0.48, 0.61], 0.5),
    case("one weak passage stands among good ones", "answer", [0.41, 0.61, 0.7, 0.53], 0.5),
    case("the best passage is exactly at the bar", "answer", [0.41, 0.5], 0.5),
])


def _decision(ranked: list[int], confidence: float = 0.8, sufficient: bool = True, query: str = "") -> Decision:
    again = {"is_sufficient": sufficient and not query, "next_action": "search_again" if query else "none"}
    given = {"ranked_indices": ranked, "confidence": confidence, "refined_query": query}
    return Decision.model_validate(given | again)


value("11.1", "How often is the memory updated?", "a number of updates", 4, {
    "which turn brings the first update, and which the next one?": 3,
    "the last turns stay word for word until there is a turn behind them": 5,
    "an update comes or it does not": 4.2,
    "five turns are summarised together": 16,
})

exercise("11.2", "From a decision to an outcome", "a function of a decision and a least confidence", [
    case(when, outcome, decision, 0.5) for when, decision, outcome in [
        ("the passages suffice", _decision([3, 1, 7]), "answered"),
        ("the passages do not suffice", _decision([3, 1, 7], 0.8, False), "best_effort"),
        ("the confidence is low", _decision([3, 1, 7], 0.3, False), "nothing_relevant"),
        ("nothing is ranked and the confidence is low", _decision([], 0.3, False), "not_documented"),
        ("nothing is ranked and the confidence is high", _decision([], 0.8, False), "not_documented"),
        ("it calls itself sufficient with a low confidence", _decision([3, 1, 7], 0.3), "nothing_relevant"),
        ("the confidence is exactly the least", _decision([3, 1, 7], 0.5), "answered"),
    ]
])

exercise("11.3", "Decisions that must be refused", "a function of a decision and a number of passages", [
    case(when, usable, decision, 6) for when, decision, usable in [
        ("two passages are ranked and suffice", _decision([4, 2]), True),
        ("a passage is ranked that does not exist", _decision([2, 7]), False),
        ("the last passage is ranked", _decision([2, 6]), True),
        ("a passage is called 0", _decision([0, 2]), False),
        ("a passage is ranked twice", _decision([2, 4, 2]), False),
        ("nothing is ranked, and it is called sufficient", _decision([]), False),
        ("nothing is ranked, and another search is wanted", _decision([], query="annual price"), True),
        ("another search is wanted for nothing", _decision([2], query="  "), False),
        ("a search is named", _decision([2], query="연간 요금"), True),
    ]
])

PATHS = ["Part A", "Part B", "Part B > B1. Role", "Part B > B2. Export", "Part B2", "Part C"]
SECTIONS = [*([path] for path in PATHS), ["Part C", "Part D"]]
GUIDE, FAQ = (
    [{"source": source, "chunk_index": place, "sections": sections} for place, sections in enumerate(SECTIONS)]
    for source in ("guide_en.pdf", "faq_en.md")
)
RANKED = [*GUIDE[3:], *FAQ[::-1], *GUIDE[2::-1]]

exercise("11.4", "A section, whole and in order", "a function of chunks, a source and the path of a section", [
    case("a section has one chunk", GUIDE[:1], GUIDE[:2], "guide_en.pdf", "Part A"),
    case("other files have a section of that name", GUIDE[:1], RANKED, "guide_en.pdf", "Part A"),
    case("there are sections inside the section", GUIDE[1:4], GUIDE[:4], "guide_en.pdf", "Part B"),
    case("another section's name begins with the same letters", GUIDE[1:4], GUIDE, "guide_en.pdf", "Part B"),
    case("a chunk holds the end of one section and the beginning of the next", GUIDE[6:],
         GUIDE, "guide_en.pdf", "Part D"),
    case("the chunks come in the order of their scores", GUIDE[1:4], RANKED, "guide_en.pdf", "Part B"),
    case("the section is '', the whole file", GUIDE, RANKED, "guide_en.pdf", ""),
    case("there is no such section", [], RANKED, "guide_en.pdf", "Part Z"),
])


def _month(sessions: int, turns: int, tokens: dict[str, dict[str, int]], prices: dict[str, float]) -> float:
    question, update = (sum(tokens[call][way] * prices[way] for way in prices) / 1e6 for call in ("question", "update"))
    return 30 * sessions * (turns * question + max(0, turns - 1) // 5 * update)


TOKENS, PRICES = {"question": {"in": 2_500, "out": 120}, "update": {"in": 900, "out": 200}}, {"in": 0.5, "out": 8.0}
MONTH = _month(200, 1, TOKENS, PRICES)

exercise("11.5", "What a month costs", "a function of sessions a day, turns, tokens and prices", worked_out(_month, {
    "a session has one turn": (200, 1, TOKENS, PRICES),
    "the memory is updated once": (200, 6, TOKENS, PRICES),
    "the window is just full": (200, 5, TOKENS, PRICES),
    "a session is long": (200, 43, TOKENS, PRICES),
    "a session ends with a full window": (200, 20, TOKENS, PRICES),
    "nothing was asked": (200, 0, TOKENS, PRICES),
    "nobody comes": (0, 12, TOKENS, PRICES),
}), {
    "this is a day, and a month has 30": MONTH / 30,
    "a month has 30 days here": MONTH * 31 / 30,
    "this is a year": MONTH * 365 / 30,
    "each side takes the price of the other": _month(200, 1, TOKENS, {"in": 8.0, "out": 0.5}),
    "the model's own tokens have a price of their own": _month(200, 1, TOKENS, {"in": 0.5, "out": 0.5}),
})
