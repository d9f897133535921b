"""Self-refine: what is missing is searched for, and the loop ends."""

import json
from dataclasses import dataclass, field, replace
from uuid import uuid4

import pytest
from llama_index.core.llms import LLM

from lessons.context.cache import Cached
from lessons.context.compress import Managed
from lessons.context.intent import Intent
from lessons.context.refine import JUDGE_STEP, SEARCH_AGAIN_STEP, Refined, iterations, judge_answer
from lessons.models.llm import language_model
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.answer import Answer
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import openai_server

TEXTS = {
    "refund": "A refund takes 14 days.",
    "warranty": "The warranty of the lamp lasts 24 months.",
    "환불": "환불 처리는 14일 걸립니다.",
    "보증": "램프의 보증 기간은 24개월입니다.",
}
BOTH = "How many days does a refund take, and how long is the warranty of the lamp?"


@dataclass(frozen=True)
class OneAtATime:
    """A retriever that finds one document only: of the first word that it knows in the query."""

    top_k: int | None = None

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        word = next((word for word in TEXTS if word in queries[0]), None)
        return [RetrievedDocument(word, TEXTS[word], 1.0, f"{word}.md")] if word else []


@pytest.fixture
def one(stage: Stage) -> Stage:
    return stage.but("one", retriever=OneAtATime())


def test_one_pass_leaves_a_part_open_and_the_loop_finds_it(one: Stage) -> None:
    assert "24 months" not in one.ask(BOTH).text
    answer = Refined(one).ask(BOTH)
    assert "14 days" in answer.text
    assert "24 months" in answer.text


def test_a_korean_question_is_refined_as_well(one: Stage) -> None:
    answer = Refined(one).ask("환불 처리는 며칠 걸리나요? 램프 보증은 몇 개월인가요?")
    assert "14일" in answer.text
    assert "24개월" in answer.text


def test_every_iteration_is_in_the_trace_with_its_quality(one: Stage) -> None:
    first, second = iterations(Refined(one).ask(BOTH).trace)
    assert first.quality < second.quality
    assert first.missing
    assert second.queries
    assert not second.missing


def test_a_sufficient_answer_is_judged_once_and_stays(one: Stage) -> None:
    answer = Refined(one).ask("How many days does a refund take?")
    assert [step.name for step in answer.trace].count(JUDGE_STEP) == 1
    assert answer.text == one.ask("How many days does a refund take?").text


def test_a_search_that_finds_nothing_new_ends_the_loop(one: Stage) -> None:
    answer = Refined(one, max_answers=10).ask("How many days does a refund take on the moon of Saturn?")
    assert [step.name for step in answer.trace].count(SEARCH_AGAIN_STEP) == 1
    assert "nothing new" in answer.trace[SEARCH_AGAIN_STEP].notes[-1]


def test_without_this_safeguard_the_loop_goes_in_circles_up_to_the_maximum(one: Stage) -> None:
    endless = Refined(one, max_answers=4, stop_when_nothing_new=False)
    answer = endless.ask("How many days does a refund take on the moon of Saturn?")
    searches = [step for step in answer.trace if step.name == SEARCH_AGAIN_STEP]
    assert len(searches) == 3
    assert all("nothing new" in step.notes[-1] for step in searches)
    assert len({iteration.answer for iteration in iterations(answer.trace)}) == 1


@dataclass(frozen=True)
class AlwaysAnother:
    """A retriever that finds a new document each time, which never answers."""

    found: list[int]

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        self.found.append(len(self.found))
        return [RetrievedDocument(f"{len(self.found)}", f"Text {len(self.found)} of nothing.", 1.0, "a.md")]


@pytest.mark.parametrize("max_answers", [1, 2, 4])
def test_there_are_never_more_answers_than_the_maximum(stage: Stage, max_answers: int) -> None:
    endless = stage.but("endless", retriever=AlwaysAnother([]))
    trace = Refined(endless, max_answers=max_answers).ask("How many days does a refund take?").trace
    assert [step.name for step in trace].count("answer") == max_answers
    assert len(iterations(trace)) == max_answers


def test_only_the_words_of_the_last_iteration_are_the_answer(one: Stage) -> None:
    stream = Refined(one).stream(BOTH)
    said = [""]
    for piece in stream.events():
        said = [*said, ""] if isinstance(piece, Step) else [*said[:-1], said[-1] + piece]
    first, last = filter(None, said)
    assert last.strip() == stream.answer.text
    assert first.strip() != stream.answer.text


def test_what_the_first_answer_rests_on_is_kept_beside_what_was_found(one: Stage) -> None:
    answer = Refined(one).ask(BOTH)
    assert {document.id for document in answer.context.documents} == {"refund", "warranty"}
    assert {citation.source_file for citation in answer.citations} == {"refund.md", "warranty.md"}


def test_without_documents_nothing_is_judged(stage: Stage) -> None:
    answer = Refined(stage.but("empty", retriever=OneAtATime())).ask("Who painted it?")
    assert JUDGE_STEP not in [step.name for step in answer.trace]


def test_wrappers_stand_around_each_other(one: Stage) -> None:
    answer = Refined(Intent(one)).ask("Thank you!")
    assert [step.name for step in answer.trace] == ["intent", "answer"]


def judged_by(says: str) -> tuple[Step, bool]:
    with openai_server() as server:
        server.behave(says)
        model: LLM = language_model(Settings(openai_base_url=server.url, max_retries=0))
        step = Step(JUDGE_STEP)
        answer = Answer("How many days does a refund take?", "naive", "a model", "It takes a while.")
        return step, judge_answer(answer.question, answer, model, step).sufficient


def test_an_answer_that_cannot_be_judged_is_taken_as_it_is() -> None:
    step, sufficient = judged_by("error")
    assert sufficient
    assert "went on without it" in step.notes[0]


def test_wrappers_around_a_loop_tell_its_last_answer_and_every_step_once(one: Stage) -> None:
    answer = Cached(Intent(Managed(Refined(one)))).ask(BOTH, user=f"reader-{uuid4()}")
    names = [step.name for step in answer.trace]
    assert "24 months" in answer.text
    assert [names.count(name) for name in ("cache", "intent", "manage", SEARCH_AGAIN_STEP)] == [1, 1, 1, 1]
    assert names[:3] == ["cache", "intent", "manage"]
    assert names.count("answer") == names.count(JUDGE_STEP) == 2


@dataclass(frozen=True)
class Long:
    """A retriever that finds eight long documents for each query."""

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        names = [f"{queries[0]} {number}" for number in range(8)]
        return [RetrievedDocument(name, f"{name}: 14 days. " * 60, 1.0, "a.md") for name in names]


@pytest.mark.parametrize("window", [4_096, 16_384])
def test_every_answer_of_the_loop_fits_the_window(stage: Stage, place: Workspace, window: int) -> None:
    memory = "Mina has a cat. " * 600
    judged = {"sufficient": False, "quality": 0.5, "missing": ["the lamp"], "queries": ["the warranty of the lamp"]}
    with openai_server() as server:
        server.behave("answer", f"say:{json.dumps(judged)}", "answer")
        model = language_model(Settings(openai_base_url=server.url, context_window=window))
        long = stage.but("long", retriever=Long(), workspace=replace(place, llm=model))
        answer = Refined(long, max_answers=2).ask(BOTH, memory=memory)
        sent = [[each["content"] for each in request["messages"]] for request in server.requests]
    count = ExactTokenCounter().count
    assert SEARCH_AGAIN_STEP in [step.name for step in answer.trace]
    assert all(1.3 * sum(map(count, sent[position])) + 1_000 <= window for position in (0, 2))
    assert (memory.strip() in sent[2][0]) == (window == 16_384)


@dataclass(frozen=True)
class Once(OneAtATime):
    """A retriever that finds something the first time only, and then fails."""

    asked: list[str] = field(default_factory=list)

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        self.asked.append(queries[0])
        if len(self.asked) > 1:
            raise TimeoutError
        return super().search(queries, query, resources)


def test_a_second_search_that_fails_leaves_the_first_answer(stage: Stage) -> None:
    answer = Refined(stage.but("once", retriever=Once())).ask(BOTH)
    assert "14 days" in answer.text
    assert any("failed" in note for note in answer.trace[SEARCH_AGAIN_STEP].notes)


def test_what_is_told_of_the_question_is_told_of_the_refined_answer_too(one: Stage) -> None:
    answer = Refined(one).ask(BOTH, source_file="nowhere.md")
    assert "24 months" in answer.text
    assert any("nowhere.md is not among the documents" in warning for warning in answer.warnings)
