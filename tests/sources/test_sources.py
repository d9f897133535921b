"""The examples of the five systems that the workbook teaches, each run through the wrapper it is about, without a key.

`cases.jsonl` holds them ("source"), in both languages and with the model that must pass, beside others of their kinds
("fresh"), which somebody wrote who had not read the code. The fresh ones are frozen: methods are not changed for their
sake, only how many of them pass is watched.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from lessons.context.intent import decide
from lessons.errors import LessonsError
from lessons.ingest.pipeline import ingest_each
from lessons.keyless.parts import sides
from lessons.models.keyless import INTENTS
from lessons.rag.answer import Answer
from lessons.rag.prompts import NO_WORDS
from lessons.rag.types import Query, Scope
from lessons.rag.workspace import Workspace
from lessons.search.transforms import Condense, Expand
from lessons.settings import Settings
from lessons.stages import stages
from lessons.text import normalize
from lessons.trace import Step

Case = dict[str, Any]
Failures = Iterator[str]

CASES: list[Case] = [
    json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
]


class Bench:
    """The keyless model, and stages over the documents of one case at a time."""

    def __init__(self, place: Workspace, folder: Path) -> None:
        self.place, self.folder = place, folder

    def ask(self, name: str, question: str, *texts: str) -> Answer:
        """What a stage answers from these texts, each a document of its own."""
        stage, owner = stages()[name].but(name, workspace=self.place), f"sources-{uuid4()}"
        files = []
        for number, text in enumerate(texts):
            file = self.folder / f"{owner}-{number}.md"
            file.write_text(text, encoding="utf-8")
            files.append((file, f"{number}.md"))
        assert all(result.chunks for _, result in ingest_each(self.place, files, [stage.index], Scope(owner)))
        return stage.ask(question, user=owner)

    def transformed(self, transformer: Condense | Expand, question: str, history: list[dict[str, str]]) -> list[str]:
        turns = [pair for turn in history for pair in turn.items()]
        query = Query(question, Scope("sources"), history=tuple(turns))
        resources = self.place.resources(stages()["smart"].index)
        return transformer.transform([question], query, resources, Step("transform"))


@pytest.fixture(scope="module")
def bench(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(Workspace.open(database), tmp_path_factory.mktemp("sources"))


def followup(case: Case, bench: Bench) -> Failures:
    [alone] = bench.transformed(Condense(), case["question"], case["history"])
    said = alone.casefold()
    yield from (f"{part} is not in {alone}" for part in [*case["must"], *case["keep"]] if part.casefold() not in said)
    yield from (f"{part} is in {alone}" for part in case["must_not"] if part.casefold() in said)


def first_and_quoted(case: Case, bench: Bench) -> Failures:
    """Among all passages the one that answers is read first, and the answer quotes it."""
    answer, wanted = bench.ask("reranked", case["question"], *case["passages"]), f"{case['answer']}.md"
    order = [document.source for document in answer.context.documents]
    if order[:1] != [wanted]:
        yield f"read in the order {order}"
    if wanted not in [citation.source_file for citation in answer.citations]:
        yield f"answered: {answer.text}"


def comparison(case: Case, bench: Bench) -> Failures:
    queries = bench.transformed(Expand(), case["question"], [])
    one, other = case["sides"]
    for side, against in ((one, other), (other, one)):
        if not any(side in query and against not in query for query in queries):
            yield f"{side} is not searched alone in {queries}"


def not_comparison(case: Case, bench: Bench) -> Failures:
    if queries := sides(case["question"]):
        yield f"split into {queries}"


def exploration(case: Case, bench: Bench) -> Failures:
    answer = bench.ask("smart", case["question"], case["document"])
    said = answer.text.casefold()
    if not answer.found or not any(part.casefold() in said for part in case["expected"]):
        yield f"answered: {answer.text}"


def complexity(case: Case, bench: Bench) -> Failures:
    decision = decide(case["question"], bench.place.llm, Step("intent"))
    if INTENTS.index(decision.intent) < INTENTS.index(case["expect"]):
        yield str(decision)


def emoji(case: Case, bench: Bench) -> Failures:
    """A message says what to do; of a question without any visible sign, as ever, that it is empty."""
    try:
        answer = bench.ask("smart", case["question"], "# Kiosk\n\nThe kiosk opens at nine.")
    except LessonsError as error:
        if normalize(case["question"]).strip() or "type one" not in str(error):
            yield str(error)
        return
    said = answer.text in NO_WORDS.values() if not any(map(str.isalnum, case["question"])) else bool(answer.text)
    if not said or answer.found:
        yield f"answered: {answer}"


def nothing(case: Case, bench: Bench) -> Failures:
    answer = bench.ask("smart", case["question"], *case["passages"])
    if answer.found:
        yield f"answered: {answer}"


WRAPPERS: dict[str, Callable[[Case, Bench], Failures]] = {
    "followup": followup,
    "cause": first_and_quoted,
    "comparison": comparison,
    "not_comparison": not_comparison,
    "exploration": exploration,
    "complexity": complexity,
    "identifier": first_and_quoted,
    "emoji": emoji,
    "nothing": nothing,
}


SOURCE = [case for case in CASES if case["origin"] == "source"]


@pytest.mark.parametrize("kind", WRAPPERS)
def test_every_kind_of_example_is_there_in_both_languages(kind: str) -> None:
    languages = {case["language"] for case in SOURCE if case["kind"] == kind}
    assert languages == {"en", "ko"} or kind in ("emoji", "not_comparison")


@pytest.mark.parametrize(
    "case",
    [case for case in SOURCE if case["must_pass"] in ("keyless", "both")],
    ids=lambda each: f"{each['kind']}-{each['language']}",
)
def test_the_examples_of_the_five_systems_pass(case: Case, bench: Bench) -> None:
    assert list(WRAPPERS[case["kind"]](case, bench)) == []


FRESH = {
    "followup": 4,
    "cause": 1,
    "comparison": 7,
    "not_comparison": 6,
    "exploration": 4,
    "complexity": 27,
    "identifier": 4,
    "emoji": 5,
    "nothing": 6,
}
"""How many of the fresh cases of each kind passed when this was last measured."""


@pytest.mark.parametrize("kind", WRAPPERS)
def test_as_many_fresh_cases_of_each_kind_pass_as_were_measured(kind: str, bench: Bench) -> None:
    fresh = [case for case in CASES if case["origin"] == "fresh" and case["kind"] == kind]
    passed = sum(next(WRAPPERS[kind](case, bench), None) is None for case in fresh)
    assert passed >= FRESH[kind]


def test_the_decision_fetches_exactly_as_many_chunks_as_expected_for_most_questions(bench: Bench) -> None:
    asked = [case for case in CASES if case["kind"] == "complexity"]
    exact = [decide(case["question"], bench.place.llm, Step("intent")).intent == case["expect"] for case in asked]
    assert sum(exact) >= 29
