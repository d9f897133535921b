"""The exercises by their ids: data in `data/exercises`, and three that are measured against ours on dev questions."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from statistics import fmean
from typing import Any

from lessons.copilot.decision import Decision
from lessons.errors import LessonsError
from lessons.evaluate.dialogues import dialogues
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import retrieval_metrics
from lessons.exercises.cases import ACCEPTS, USES, Accept, Case, Exercise, Submission, call, case, right_letters
from lessons.exercises.comparing import REFUSED, Nearly, Text, Wrong, kind
from lessons.language import _, language
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.search.hybrid import HybridRetriever, reciprocal_rank_fusion
from lessons.settings import ROOT, settings
from lessons.stages import stage_named

FOLDER = ROOT / "data" / "exercises"
NOTEBOOKS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "set": set,
    "bytes": str.encode,
    "sha256": lambda text: sha256(text.encode()).hexdigest(),
    "decision": Decision.model_validate,
    "raises": {"ValueError": REFUSED}.get,
}
QUESTION_STEP = 3  # every third question is asked
SEARCH_LIMIT, CANDIDATES = 100, 30
TURN_LIMIT = 5  # turns that a memory rule may hand over


def exercises(notebook: str | None = None) -> list[Exercise]:
    """Return the exercises of a notebook such as '04', or of all, in their order."""
    if notebook is None:
        return [exercise for number in NOTEBOOKS for exercise in exercises(number)]
    if notebook not in NOTEBOOKS:
        raise LessonsError(f"There are no exercises for {notebook!r}; the notebooks are {', '.join(NOTEBOOKS)}.")
    return _read(notebook, language())


def exercise_named(id_: str) -> Exercise:
    """Return the exercise of an id such as '04.2'; raise LessonsError with the ids there are if it does not exist."""
    by_id = {exercise.id: exercise for exercise in exercises(str(id_).split(".")[0])}
    if id_ not in by_id:
        raise LessonsError(f"There is no exercise {id_!r}; this notebook has {', '.join(by_id)}.")
    return by_id[id_]


@cache
def _read(notebook: str, language: str) -> list[Exercise]:
    convert = partial(_convert, language)
    items = json.loads((FOLDER / f"{notebook}.json").read_text(encoding="utf-8"), object_hook=convert)
    return [_exercise(id_, items[id_], language) for id_ in sorted(items)]


def _convert(language: str, item: dict[str, Any]) -> Any:
    """Take of an object in both languages the text in one, and of one with a key of `CONVERTERS` its value."""
    if item.keys() == {"en", "ko"}:
        return item[language]
    key = next(iter(item), "")
    return CONVERTERS[key](item[key]) if len(item) == 1 and key in CONVERTERS else item


def _exercise(id_: str, item: dict[str, Any], language: str) -> Exercise:
    if id_ in MEASURED:
        return replace(MEASURED[id_], title=item["title"], expects=item["expects"], hints=item["hints"])
    if "right" in item:
        expects = item.get("expects", Text("one of the letters 'a', 'b' and 'c'"))
        decisive = Case("", accept=right_letters(item["right"], item["why_not"]))
        return Exercise(id_, item["title"], expects, [decisive], hints=item["hints"])
    cases = [_case(row, ACCEPTS.get(id_), "rows" in item) for row in item["cases"]]
    slips = [(slip[language], slip["result"]) for slip in item.get("slips", ())]
    options = {key: item[key] for key in ("seconds", "of", "hints") if key in item}
    return Exercise(id_, item["title"], item["expects"], cases, slips, USES.get(id_, call), **options)


def _case(item: dict[str, Any], accept: Accept | None, rows: bool) -> Case:
    """Make a case; with `rows`, the lists within a given list become tuples, as they come out of a database."""
    if "given" not in item:
        return Case("", None, item["expected"], accept)
    arguments = [[*map(tuple, value)] if rows and isinstance(value, list) else value for value in item["given"]]
    decide = (lambda result: accept(result, *arguments)) if accept else None
    return Case(item["when"], tuple(arguments), item.get("expected"), decide)


# Fusion by score, and a reranker

Lists = list[dict[str, float]]  # scores by id, best first


@dataclass(frozen=True)
class SearchedQuestion:
    """A question of dev with its documents, whose `legs` are the scores of vector and keyword search."""

    golden: Golden
    documents: list[RetrievedDocument]

    def lists(self) -> Lists:
        """Return the scores of each search by the documents' ids, best first."""
        return [{document.id: document.legs[leg] for document in self._ranked(leg)} for leg in ("meaning", "words")]

    def nearest(self) -> list[RetrievedDocument]:
        """Return the first `CANDIDATES` of the vector search, with its scores."""
        return [document.with_score(document.legs["meaning"]) for document in self._ranked("meaning")[:CANDIDATES]]

    def _ranked(self, leg: str) -> list[RetrievedDocument]:
        found_by_leg = [document for document in self.documents if leg in document.legs]
        return sorted(found_by_leg, key=lambda document: -document.legs[leg])

    def ndcg(self, order: Sequence[str]) -> float:
        """Return the nDCG@10 of an order of ids."""
        by_id = {document.id: document for document in self.documents}
        return retrieval_metrics(self.golden, [by_id[id_] for id_ in order[:10]])["ndcg@10"]


@cache
def dev_questions() -> list[SearchedQuestion]:
    """Search every third question that the reader's documents answer, once in a process."""
    resources, search = workspace().resources(stage_named("smart").index), HybridRetriever(top_k=SEARCH_LIMIT)
    answerable = [golden for golden in golden_questions("dev") if golden.evidence and not golden.history]
    readers = [golden for golden in answerable if golden.owner == settings().user][::QUESTION_STEP]
    queries = [Query(golden.question, Scope(settings().user)) for golden in readers]
    return [
        SearchedQuestion(golden, search.search([query.text], query, resources))
        for golden, query in zip(readers, queries, strict=True)
    ]


def _better_than(ours: Callable[[SearchedQuestion], Sequence[str]]) -> Accept:
    """Accept orders of ids that are better than these on the dev questions; worse ones are wrong."""
    questions = dev_questions()

    def accept(orders: Sequence[Sequence[str]]) -> bool | str:
        theirs = fmean(map(SearchedQuestion.ndcg, questions, orders))
        reference = fmean(map(SearchedQuestion.ndcg, questions, map(ours, questions)))
        message = "nDCG@10 is {0} over {1} questions; the order to beat has {2}"
        sentence = Wrong if theirs < reference else Text
        return theirs > reference or sentence(message, f"{theirs:.3f}", len(questions), f"{reference:.3f}")

    return accept


def _fuse(submission: Callable[[Lists], Any], questions: Sequence[Lists]) -> Any:
    """Return the ids as a fusion orders them, for each pair of lists; a result that is no dict comes back as it is."""
    fused = [submission(lists) for lists in questions]
    wrong = [scores for scores in fused if kind(scores) != "a dict"]
    # rounded, so that floats do not decide between equal scores
    return wrong[0] if wrong else [sorted(scores, key=lambda id_: -round(scores[id_], 9)) for scores in fused]


def _tower_first(orders: Sequence[Sequence[str]]) -> bool | str:
    if orders[0][-1] == "tower":
        return Nearly("the best hit comes last, and higher is better")
    return orders[0][0] == "tower" or Text("another hit than that one comes first")


def _fusion_cases() -> Iterator[Case]:
    flat = {f"flat {number}": 10 - number / 10 for number in range(20)}
    tower = {"tower": 30.0} | {f"low {number}": 10 - number / 10 for number in range(20)}
    yield case("one hit towers over all others", _tower_first, [[flat, tower]])
    yield case("that hit is in the other list", _tower_first, [[tower, flat]])
    scales = [[flat, tower], [{id_: 1_000 * score for id_, score in flat.items()}, tower]]
    same_order: Accept = lambda orders: orders[0] == orders[1]  # noqa: E731
    yield case("one search gives scores a thousand times larger", same_order, scales)
    yield case("a list is empty", [["first", "second"]], [[{"first": 2.0, "second": 1.0}, {}]])
    ours = _better_than(lambda question: list(reciprocal_rank_fusion(question.lists())))
    yield case("it is measured on dev questions", ours, [question.lists() for question in dev_questions()])


def _rerank(submission: Submission, questions: Sequence[tuple[str, list[RetrievedDocument]]]) -> Any:
    """Return the ids of each question's documents in the new order; a result that is no list comes back as it is."""
    orders = [submission(question, documents) for question, documents in questions]
    if wrong := [order for order in orders if kind(order) != "a list"]:
        return wrong[0]
    ids = {document.id for _, documents in questions for document in documents}
    if any(isinstance(item, str) and item in ids for order in orders for item in order):
        raise TypeError(Text("ids come, and the documents themselves are asked for"))
    return [[getattr(document, "id", document) for document in order] for order in orders]


def _reranker_cases() -> Iterator[Case]:
    texts = ("budget alert region", "invoice backup", "예산 budget alert", "alert quarter") * CANDIDATES
    documents = [
        RetrievedDocument(f"d{number:02}", text, number / 10, "file.md")
        for number, text in enumerate(texts[:CANDIDATES])
    ]
    ids = [document.id for document in documents]

    def is_permutation(orders: list[list[Any]]) -> bool | str:
        (order,) = orders
        if all(isinstance(item, int) for item in order):
            return Nearly("places come, and the documents themselves are asked for")
        if not set(order) <= set(ids):
            return Text("what comes are no documents: {0}", str(order[:2]))
        if len(order) == len(ids):
            return sorted(order) == ids or Text("a document comes twice, and another is lost")
        return Nearly("of {0} documents, {1} come back", len(ids), len(order))

    yield case("all come back, each once", is_permutation, [("budget", documents)])
    yield case("there are no documents", [[]], [("budget", [])])
    questions = [(question.golden.question, question.nearest()) for question in dev_questions()]
    ours = _better_than(lambda question: [document.id for document in question.nearest()])
    yield case("it is measured on dev questions", ours, questions)


# A memory rule


class FollowUps(tuple[tuple[tuple[str, ...], str, int], ...]):
    """Questions of dialogues: the turns before it, the question, and the position of the turn that it needs."""

    def __repr__(self) -> str:
        return _("{0} follow-ups of dev").format(len(self))


@cache
def follow_ups() -> FollowUps:
    """Return every question of the split dev that needs an earlier turn."""
    return FollowUps(
        (tuple(turn.question for turn in dialogue.turns[:position]), turn.question, position - turn.distance)
        for dialogue in dialogues("dev")
        for position, turn in enumerate(dialogue.turns)
        if turn.distance
    )


def _recall_of_turns(rule: Submission, questions: FollowUps) -> float:
    """Return for which share of the questions the turn that they need is among the five turns of a rule."""
    hits = 0
    for history, question, needed_turn in questions:
        if not isinstance(result := rule(list(history), question), Iterable):
            raise TypeError(Text("places in the list are asked for, and {0} comes", kind(result)))
        positions = list(result)
        if wrong := [position for position in positions if kind(position) != "a number"]:
            raise TypeError(Text("a place in the list is a number, and {0} is {1}", repr(wrong[0]), kind(wrong[0])))
        if len(set(positions)) > TURN_LIMIT:
            raise ValueError(Text("{0} turns are handed over, and {1} fit", len(set(positions)), TURN_LIMIT))
        hits += needed_turn in positions
    return hits / len(questions)


def _memory_cases() -> Iterator[Case]:
    questions = follow_ups()
    window = _recall_of_turns(lambda turns, _: range(max(0, len(turns) - TURN_LIMIT), len(turns)), questions)
    short = FollowUps(question for question in questions if len(question[0]) <= TURN_LIMIT)
    missed = "all can be handed over, and the turn that is needed comes in {0} of the questions"
    all_fit: Accept = lambda share: share == 1 or Text(missed, f"{share:.0%}")  # noqa: E731
    yield case("everything that was said fits", all_fit, short)
    better: Accept = lambda share: share > window or Text("yours finds {0}", f"{share:.2f}")  # noqa: E731
    when = Text("it is compared with the window, which finds {0}", f"{window:.2f}")
    yield Case(when, (questions,), None, better)


MEASURED = {
    "03.6": Exercise("03.6", "", "", _fusion_cases, use=_fuse, seconds=90),
    "04.5": Exercise("04.5", "", "", _reranker_cases, use=_rerank, seconds=90),
    "09.5": Exercise("09.5", "", "", _memory_cases, use=_recall_of_turns),
}
"""Their texts are data, too."""
