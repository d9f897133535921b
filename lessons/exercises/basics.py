"""The exercises of notebooks 00 to 02: citations and costs; cosines and windows; sentences, headings, keywords."""

import unicodedata

from lessons.exercises.cases import case, choice, exercise

PAGE = "It is checked hourly. Raise the budget first, then ask an owner."
QUOTE = "Raise the budget first"

# fmt: off
choice("00.1", "What a citation shows", "b", {
    "a": "who wrote the document may be wrong, or was right only then",
    "c": "another file may say something else",
})

exercise("00.2", "The numbers of the cited documents", "a function of an answer, a text", [
    case("each sentence cites a document of its own", [3, 7, 1], "It is hourly [3]. Ask Mina [7]. 비용은 없다 [1]."),
    case("a document is cited twice", [3, 7], "It is hourly [3]. Ask an owner [7]. It is hourly [3]."),
    case("a sentence cites two documents", [3, 7, 1], "It is hourly [3][7]. 비용은 없습니다 [1]."),
    case("there are more than nine documents", [12, 3], "It is hourly [12]. Ask an owner [3]."),
    case("brackets hold a word or a sum", [3], "It is hourly [draft] and costs 20 won [3]."),
    case("nothing is cited", [], "It is checked 4 times a day."),
])

exercise("00.3", "A quote on its page", "a function of a quote and the text of a page", [
    case("it stands there word for word", True, QUOTE, PAGE),
    case("only its first half stands there", False, QUOTE, PAGE.replace("budget first", "alarm")),
    case("its words stand there in another order", False, QUOTE, PAGE.replace(QUOTE, "first budget the Raise")),
    case("the page breaks the line within it", True, QUOTE, PAGE.replace("the budget", "the\nbudget ")),
    case("the quote itself has a line break", True, QUOTE.replace(" ", "\n"), PAGE),
    case("the page stores Hangul as single letters", True,
         "예산 상향", unicodedata.normalize("NFD", f"월간 예산 상향 {PAGE}")),
])

exercise("00.4", "What a thousand questions cost", "a function of steps as (tokens in, tokens out) and two prices", [
    case("one step calls the model", 1.3, [(1_000, 100)], 0.5, 8.0),
    case("several steps call the model", 5.3, [(1_000, 100), (4_000, 250)], 0.5, 8.0),
    case("no step calls the model", 0.0, [], 0.5, 8.0),
], {
    "each side takes the price of the other": 8.05,
    "what the model writes costs, too": 0.5,
    "what the model reads costs, too": 0.8,
})

choice("01.1", "What more chunks cannot spoil", "a", {
    "b": "count the tokens of both stages",
    "c": "a look-alike may come in with the new chunks",
})

exercise("01.2", "Cosine by hand", "a function of two vectors, lists of numbers of the same length", [
    case("both vectors have length 1", 0.6, [0.6, 0.8], [1.0, 0.0]),
    case("the vectors are longer than 1", 11 / (5 * 5**0.5), [1.0, 2.0], [3.0, 4.0]),
    case("they point in opposite directions", -1.0, [1.0, 2.0], [-2.0, -4.0]),
    case("a vector is nothing but zeros", 0.0, [1.0, 2.0], [0.0, 0.0]),
], {"this is a distance, small for what is alike": 0.4})

AXIS = [1.0, 0.0]
VECTORS = [[3.0, 4.0], [0.5, 0.1], [9.0, 3.0], [1.0, 1.0], [-1.0, 1.0], [0.2, -0.1]]

exercise("01.3", "The nearest passages", "a function of a vector, a list of vectors, and how many are wanted", [
    case("three of six passages are wanted", [1, 2, 5], AXIS, VECTORS, 3),
    case("one passage has a very long vector", [1, 2, 5, 3, 0, 4], AXIS, [[300.0, 400.0], *VECTORS[1:]], 6),
    case("more are wanted than there are", [1, 2, 5, 3, 0, 4], AXIS, VECTORS, 10),
    case("two passages are the same", [2, 3, 6, 4, 0, 1, 7, 5], AXIS, [VECTORS[0], *VECTORS, VECTORS[0]], 8),
], {
    "the farthest come first": [4, 0, 3],
    "the passages come, not their places": [VECTORS[1], VECTORS[2], VECTORS[5]],
    "they are the nearest by distance, and asked is the angle": [1, 5, 3],
    "long vectors win, as if the product were the cosine": [2, 0, 3],
})

# fmt: on


def _letters(text: str) -> list[list[str]]:
    """Lists of single letters, one for each word of the text."""
    return [list(word) for word in text.split()]


# fmt: off
exercise("01.4", "Windows with an overlap", "a function of tokens, a size, and an overlap smaller than the size", [
    case("there are many tokens", _letters("abcde defgh ghijk jklmn mnop"), list("abcdefghijklmnop"), 5, 2),
    case("nothing overlaps", _letters("abcde fghij klmno p"), list("abcdefghijklmnop"), 5, 0),
    case("the last window is exactly full", _letters("abcde defgh ghijk"), list("abcdefghijk"), 5, 2),
    case("everything fits into one window", _letters("abcd"), list("abcd"), 5, 2),
    case("there are fewer tokens than overlap", _letters("a"), list("a"), 5, 2),
    case("there are no tokens", [], [], 5, 2),
], {
    "nothing overlaps": _letters("abcde fghij klmno p"),
    "each begins `overlap` tokens after the one before, not with its last `overlap`":
        _letters("abcde cdefg efghi ghijk ijklm klmno mnop op"),
    "the last ones hold nothing but tokens that came before": _letters("abcde defgh ghijk jklmn mnop p"),
})

choice("02.1", "Half the chunk", "b", {
    "a": "whether it finds more, only a measurement tells",
    "c": "every word is embedded, wherever a chunk ends",
})

SENTENCES = [
    "Budgets start anew. ", "Ask an owner.  ", "예산은 매월 새로 시작합니다.\n", "Yes. ", "Nothing is billed. ", "No.\n"
]
ONE, TWO, THREE = ("".join(SENTENCES[start : start + 2]) for start in (0, 2, 4))
LONG = "a very long sentence " * 4

exercise("02.2", "Whole sentences in a chunk", "a function of sentences (each with what follows it) and a size", [
    case("chunks hold several sentences", [ONE, TWO, THREE], SENTENCES, 40),
    case("a chunk is exactly full", [ONE], SENTENCES[:2], len(ONE)),
    case("a sentence is longer than a chunk", [ONE, LONG, TWO, THREE], [*SENTENCES[:2], LONG, *SENTENCES[2:]], 40),
    case("the first sentence is longer than a chunk", [LONG, ONE, TWO, THREE], [LONG, *SENTENCES], 40),
    case("there are no sentences", [], [], 40),
], {
    "what follows a sentence is lost": [
        "Budgets start anew.Ask an owner.", "예산은 매월 새로 시작합니다.Yes.", "Nothing is billed.No."
    ],
    "the sentences of a chunk are not joined": [SENTENCES[:2], SENTENCES[2:4], SENTENCES[4:]],
})

CHUNKS = [["One. ", "Two two. ", "Three. "], ["Four. ", "Five five. "], ["Six. "]]
LATE = [["Yes. ", "No. ", "a long sentence " * 5], ["Ask. "]]

exercise("02.3", "Overlap", "a function of chunks, lists of sentences, and how many characters may be repeated", [
    case("there is room for a sentence or two",
         [CHUNKS[0], [*CHUNKS[0][1:], *CHUNKS[1]], [*CHUNKS[1], *CHUNKS[2]]], CHUNKS, 20),
    case("the repeated sentences fill the room exactly", [CHUNKS[0], [*CHUNKS[0][1:], *CHUNKS[1]]], CHUNKS[:2], 16),
    case("nothing may be repeated", CHUNKS, CHUNKS, 0),
    case("there is room for more than the chunk before",
         [CHUNKS[0], [*CHUNKS[0], *CHUNKS[1]], [*CHUNKS[1], *CHUNKS[2]]], CHUNKS, 1_000),
    case("the last sentence is too long to be repeated", LATE, LATE, 30),
    case("there are no chunks", [], [], 30),
], {
    "one sentence is repeated, however many fit":
        [CHUNKS[0], [CHUNKS[0][2], *CHUNKS[1]], [CHUNKS[1][1], *CHUNKS[2]]]
})

TEXT = "It is text."
HEADED = ["# Costs", "## Budgets", TEXT, "## Alerts", TEXT]

exercise("02.4", "Where a line belongs", "a function of the lines of a Markdown file", [
    case("headings have two levels", [("Costs > Budgets", TEXT), ("Costs > Alerts", TEXT)], HEADED),
    case("a chapter follows a section", [("A > B", TEXT), ("C", TEXT), ("C > D", TEXT)],
         ["# A", "## B", TEXT, "# C", TEXT, "## D", TEXT]),
    case("a level is left out", [("A > B", TEXT), ("A > C", TEXT), ("A > D", TEXT)],
         ["# A", "#### B", TEXT, "### C", TEXT, "## D", TEXT]),
    case("text stands before the first heading", [("", TEXT), ("A", TEXT)], [TEXT, "# A", TEXT]),
    case("a line begins with # and is no heading", [("A", "#3 is late"), ("A", TEXT)], ["# A", "#3 is late", TEXT]),
    case("there are no lines", [], []),
], {
    "the path is only the last heading": [("Budgets", TEXT), ("Alerts", TEXT)],
    "the headings of a path are not joined": [(["Costs", "Budgets"], TEXT), (["Costs", "Alerts"], TEXT)],
    "a pair is the path first, then the line": [(TEXT, "Costs > Budgets"), (TEXT, "Costs > Alerts")],
})

KEYWORDS = ["budget", "alert", "예산"]
CHUNK = "budget alert 예산 region 분기"
RARE = [CHUNK, "cost", "team", "비용 team", "cost team", "비용 cost"]
OFTEN, HALF = [CHUNK, "alert", "alert", "alert", "cost"], [CHUNK, "예산", "cost", "team"]

exercise("02.5", "Keywords worth keeping", "a function of keywords, the chunk's text, and the texts of all chunks", [
    case("all are in the text and rare", KEYWORDS, KEYWORDS, CHUNK, RARE),
    case("a model has invented one", ["budget", "alert"], ["invoice", "budget", "alert"], CHUNK, RARE),
    case("one is given twice, once in capitals", ["budget", "alert"], ["budget", "BUDGET", "alert"] * 2, CHUNK, RARE),
    case("one stands in more than half of all chunks", ["budget", "예산"], KEYWORDS, CHUNK, OFTEN),
    case("one stands in exactly half of all chunks", KEYWORDS, KEYWORDS, CHUNK, HALF),
    case("there are no keywords", [], [], CHUNK, RARE),
])
