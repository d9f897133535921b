"""The exercises that are measured on questions of dev: a fusion, a reranker, and a memory rule, against ours."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

from lessons.evaluate.dialogues import dialogues
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import retrieval_metrics
from lessons.exercises.cases import Accept, Case, Exercise, case
from lessons.exercises.comparing import Nearly, kind
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.search.hybrid import HybridRetriever, reciprocal_rank_fusion
from lessons.settings import settings
from lessons.stages import stage_named

EVERY = 3  # of so many questions, one is asked
FOUND, CANDIDATES = 100, 30
ROOM = 5  # turns that a memory rule may hand over
Lists = list[dict[str, float]]  # scores by id, best first


@dataclass(frozen=True)
class Asked:
    """A question of dev with the documents found for it; their `legs` are the scores of the two searches."""

    golden: Golden
    documents: list[RetrievedDocument]

    def lists(self) -> Lists:
        """The scores of each search by the documents' ids, best first."""
        return [{each.id: each.legs[leg] for each in self._of(leg)} for leg in ("meaning", "words")]

    def nearest(self) -> list[RetrievedDocument]:
        """The first `CANDIDATES` of the search by meaning, with its scores."""
        return [each.with_score(each.legs["meaning"]) for each in self._of("meaning")[:CANDIDATES]]

    def _of(self, leg: str) -> list[RetrievedDocument]:
        found = [each for each in self.documents if leg in each.legs]
        return sorted(found, key=lambda each: -each.legs[leg])

    def ndcg(self, order: Sequence[str]) -> float:
        by_id = {document.id: document for document in self.documents}
        return retrieval_metrics(self.golden, [by_id[id_] for id_ in order[:10]])["ndcg@10"]


@cache
def dev_questions() -> list[Asked]:
    """Every third question whose evidence stands in the reader's documents, searched once in a process."""
    resources, search = workspace().resources(stage_named("smart").index), HybridRetriever(top_k=FOUND)
    answerable = [each for each in golden_questions("dev") if each.evidence and not each.history]
    shared = [each for each in answerable if each.owner == settings().user][::EVERY]
    queries = [Query(each.question, Scope(settings().user)) for each in shared]
    return [
        Asked(each, search.search([query.text], query, resources)) for each, query in zip(shared, queries, strict=True)
    ]


def _better(ours: Callable[[Asked], Sequence[str]]) -> Accept:
    """Accepts orders of ids that are better than ours; else it says both numbers in half a sentence."""
    asked = dev_questions()

    def accept(orders: Sequence[Sequence[str]]) -> bool | str:
        theirs, others = (fmean(map(Asked.ndcg, asked, each)) for each in (orders, map(ours, asked)))
        return theirs > others or f"nDCG@10 is {theirs:.3f} over {len(asked)} questions, and ours is {others:.3f}"

    return accept


# Fusion by score


def _orders(learner: Callable[[Lists], Any], questions: Sequence[Lists]) -> Any:
    """The ids as a learner's fusion orders them, for each pair of lists; what is no dict comes back as it is."""
    fused = [learner(lists) for lists in questions]
    wrong = [each for each in fused if kind(each) != "a dict"]
    # rounded, so that floats do not decide between equal scores
    return wrong[0] if wrong else [sorted(each, key=lambda id_: -round(each[id_], 9)) for each in fused]


def _tower_first(made: Sequence[Sequence[str]]) -> bool | str:
    if made[0][-1] == "tower":
        return Nearly("the best hit comes last, and higher is better")
    return made[0][0] == "tower" or "another hit than that one comes first"


def _fusions() -> Iterator[Case]:
    flat = {f"flat {number}": 10 - number / 10 for number in range(20)}
    tower = {"tower": 30.0} | {f"low {number}": 10 - number / 10 for number in range(20)}
    yield case("one hit towers over all others", _tower_first, [[flat, tower]])
    yield case("that hit is in the other list", _tower_first, [[tower, flat]])
    scales = [[flat, tower], [{id_: 1_000 * score for id_, score in flat.items()}, tower]]
    yield case("one search gives scores a thousand times larger", lambda made: made[0] == made[1], scales)
    yield case("a list is empty", [["first", "second"]], [[{"first": 2.0, "second": 1.0}, {}]])
    ours = _better(lambda each: list(reciprocal_rank_fusion(each.lists())))
    yield case("it is measured on dev questions", ours, [each.lists() for each in dev_questions()])


# A reranker


def _reranked(learner: Callable[..., Any], questions: Sequence[tuple[str, list[RetrievedDocument]]]) -> Any:
    """The ids of each question's documents in the learner's order; what is no list comes back as it is."""
    made = [learner(question, documents) for question, documents in questions]
    if wrong := [each for each in made if kind(each) != "a list"]:
        return wrong[0]
    known = {document.id for _, documents in questions for document in documents}
    if any(isinstance(each, str) and each in known for order in made for each in order):
        raise TypeError("ids come, and the documents themselves are asked for")
    return [[getattr(document, "id", document) for document in each] for each in made]


def _rerankings() -> Iterator[Case]:
    texts = ("budget alert region", "invoice backup", "예산 budget alert", "alert quarter")
    thirty = (texts * CANDIDATES)[:CANDIDATES]
    made = [RetrievedDocument(f"d{place:02}", text, place / 10, "file.md") for place, text in enumerate(thirty)]
    ids = [document.id for document in made]

    def each_once(orders: list[list[Any]]) -> bool | str:
        (came,) = orders
        if all(isinstance(each, int) for each in came):
            return Nearly("places come, and the documents themselves are asked for")
        if not set(came) <= set(ids):
            return f"what comes are no documents: {came[:2]}"
        if len(came) == len(ids):
            return sorted(came) == ids or "a document comes twice, and another is lost"
        return Nearly(f"of {len(ids)} documents, {len(came)} come back")

    yield case("all come back, each once", each_once, [("budget", made)])
    yield case("there are no documents", [[]], [("budget", [])])
    questions = [(each.golden.question, each.nearest()) for each in dev_questions()]
    ours = _better(lambda each: [document.id for document in each.nearest()])
    yield case("it is measured on dev questions", ours, questions)


# A memory rule


class FollowUps(tuple[tuple[tuple[str, ...], str, int], ...]):
    """Questions of dialogues: what was said before, the question, and the number of the turn that it needs."""

    def __repr__(self) -> str:
        return f"{len(self)} follow-ups of dev"


@cache
def follow_ups() -> FollowUps:
    """Every question of the split dev that needs an earlier turn."""
    return FollowUps(
        (tuple(turn.question for turn in dialogue.turns[:place]), turn.question, place - turn.distance)
        for dialogue in dialogues("dev")
        for place, turn in enumerate(dialogue.turns)
        if turn.distance
    )


def _share_found(rule: Callable[..., Any], asked: FollowUps) -> float:
    """For how many of the questions the turn that they need is among the five turns of a rule."""
    hits = 0
    for said, question, needed in asked:
        if not isinstance(made := rule(list(said), question), Iterable):
            raise TypeError(f"places in the list are asked for, and {kind(made)} comes")
        chosen = list(made)
        if odd := [each for each in chosen if kind(each) != "a number"]:
            raise TypeError(f"a place in the list is a number, and {odd[0]!r} is {kind(odd[0])}")
        if len(set(chosen)) > ROOM:
            raise ValueError(f"{len(set(chosen))} turns are handed over, and {ROOM} fit")
        hits += needed in chosen
    return hits / len(asked)


def _rules() -> Iterator[Case]:
    asked = follow_ups()
    window = _share_found(lambda said, question: range(max(0, len(said) - ROOM), len(said)), asked)
    near = FollowUps(each for each in asked if len(each[0]) <= ROOM)
    all_fit = "all can be handed over, and the turn that is needed comes in {0:.0%} of the questions"
    yield case("everything that was said fits", lambda share: share == 1 or all_fit.format(share), near)
    when = f"it is compared with the window, which finds {window:.2f}"
    yield case(when, lambda share: share > window or f"yours finds {share:.2f}", asked)


_SAID_AND_ASKED = "a function of what was said and a question"
MEASURED = [
    Exercise(
        "03.6", "Fusion by score", "a function of a list of two dicts, id to score", _fusions, use=_orders, seconds=90
    ),
    Exercise(
        "04.5", "Your own reranker", "a function of a question and documents", _rerankings, use=_reranked, seconds=90
    ),
    Exercise("09.5", "A memory rule that beats the window", _SAID_AND_ASKED, _rules, use=_share_found),
]
