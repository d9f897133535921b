"""The response cache: what it reuses, for whom, and for how long."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import LLM
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from sqlalchemy import select, text, update

from lessons.context.cache import CACHE_STEP, AnswerRow, AnswerTable, Cached, CacheKey, is_same_question, restyle
from lessons.database.owners import owner_transaction
from lessons.errors import DatabaseError
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.models.recorded import record_path, recording_to
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings
from lessons.trace import Step
from tests.support.openai_server import Server, openai_server

Counts = Callable[[str], tuple[int, int]]
REFUND = "How many days does a refund take?"


@pytest.fixture
def owner() -> str:
    return f"reader-{uuid4()}"


@pytest.fixture
def cached(stage: Stage, owner: str) -> Iterator[Cached]:
    yield (made := Cached(stage))
    made.clear(owner)


@pytest.fixture
def stored(place: Workspace) -> Counts:
    """Count an owner's cached answers and how often they were reused."""
    return AnswerTable(place.engine).counts


@pytest.fixture
def ingest(place: Workspace, stage: Stage, owner: str) -> Callable[[str], None]:
    def ingest(name: str) -> None:
        known = {"user_id": owner, "source_file": name, "chunk_index": 0, "type": "document"}
        node = TextNode(text="A text.", embedding=[1.0, 0, 0], metadata=known)
        place.store(stage.index).replace_document(Scope(owner), name, "", [node])

    return ingest


def test_a_question_asked_again_is_answered_from_the_cache(cached: Cached, owner: str) -> None:
    first, again = cached.ask(REFUND, user=owner), cached.ask(REFUND, user=owner)
    assert not first.from_cache
    assert again.from_cache == REFUND
    assert [step.name for step in again.trace] == [CACHE_STEP]
    assert again.trace.llm_calls == 0


def test_a_reused_answer_keeps_its_words_citations_and_documents(cached: Cached, owner: str) -> None:
    first, again = cached.ask(REFUND, user=owner), cached.ask(REFUND, user=owner)
    assert (again.text, again.citations) == (first.text, first.citations)
    assert again.context == first.context
    assert again.citations


def test_a_paraphrase_hits_and_says_which_question_was_answered(cached: Cached, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    again = cached.ask("Please tell me how many days a refund takes.", user=owner)
    assert again.from_cache == REFUND
    assert REFUND in again.answered_by
    assert again.as_dict()["from_cache"] == REFUND


def test_a_look_alike_is_answered_anew_and_the_trace_says_why(cached: Cached, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    other = cached.ask("How many weeks does a refund take?", user=owner)
    assert not other.from_cache
    assert "differs in words" in other.trace[CACHE_STEP].notes[0]


@pytest.mark.parametrize(("similarity", "hit"), [(0.84, ""), (0.86, REFUND)])
def test_a_paraphrase_hits_from_a_similarity_of_85_hundredths(
    cached: Cached, owner: str, monkeypatch: pytest.MonkeyPatch, similarity: float, hit: str
) -> None:
    vectors = {REFUND: [1.0, 0.0]}
    other = [similarity, sqrt(1 - similarity**2)]
    monkeypatch.setattr(MockEmbedding, "_get_query_embedding", lambda _, question: vectors.get(question, other))
    cached.ask(REFUND, user=owner)
    assert cached.ask("Please tell me how many days a refund takes.", user=owner).from_cache == hit


def test_hits_are_counted(cached: Cached, owner: str, stored: Counts) -> None:
    for _ in range(3):
        cached.ask(REFUND, user=owner)
    assert stored(owner) == (1, 2)


def test_the_answer_streams_the_same_from_the_cache(cached: Cached, owner: str) -> None:
    first = cached.ask(REFUND, user=owner)
    assert "".join(cached.stream(REFUND, user=owner)) == first.text


def test_nobody_gets_an_answer_of_another_owner(cached: Cached, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    assert not cached.ask(REFUND, user=f"{owner}-2").from_cache
    cached.clear(f"{owner}-2")


@pytest.mark.parametrize(
    "other",
    [
        {"user": lambda owner: Scope(owner, frozenset(["a.md"]))},
        {"user": lambda owner: Scope(owner, type="faq")},
        {"filters": lambda _: MetadataFilters(filters=[MetadataFilter(key="page_number", value=1)])},
    ],
    ids=["materials", "type", "filters"],
)
def test_another_scope_is_another_question(cached: Cached, owner: str, other: dict[str, Callable]) -> None:
    cached.ask(REFUND, user=owner)
    assert not cached.ask(REFUND, **{"user": owner, **{key: made(owner) for key, made in other.items()}}).from_cache


def test_another_stage_has_answers_of_its_own(cached: Cached, stage: Stage, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    other = Cached(stage.but("other", retriever=type(stage.retriever)(top_k=1)))
    assert not other.ask(REFUND, user=owner).from_cache


def test_whatever_is_ingested_makes_kept_answers_void(
    cached: Cached, owner: str, ingest: Callable[[str], None], stored: Counts
) -> None:
    ingest("a.md")
    cached.ask(REFUND, user=owner)
    ingest("b.md")
    assert not cached.ask(REFUND, user=owner).from_cache
    assert stored(owner) == (1, 0)


def test_a_removed_document_makes_kept_answers_void(
    cached: Cached, owner: str, ingest: Callable[[str], None], place: Workspace
) -> None:
    ingest("a.md")
    ingest("b.md")
    cached.ask(REFUND, user=owner)
    place.store(cached.index).delete_document(Scope(owner), "a.md")
    assert not cached.ask(REFUND, user=owner).from_cache


@dataclass(frozen=True)
class Meanwhile:
    """A retriever while whose work the documents change."""

    happens: Callable[[], None] = field(repr=False)

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        self.happens()
        return [RetrievedDocument("0", "A refund takes 14 days.", 1.0, "0.md")]


def test_an_answer_during_which_the_documents_changed_is_not_kept(
    stage: Stage, owner: str, ingest: Callable[[str], None], stored: Counts
) -> None:
    cached = Cached(stage.but("busy", retriever=Meanwhile(lambda: ingest("new.md"))))
    assert cached.ask(REFUND, user=owner).found
    assert stored(owner) == (0, 0)


def test_a_refusal_is_not_kept(cached: Cached, owner: str, stored: Counts) -> None:
    assert not cached.ask("Who paints the harbour of Zanzibar?", user=owner).found
    assert stored(owner) == (0, 0)


def test_an_answer_after_a_failure_is_not_kept(stage: Stage, owner: str, stored: Counts) -> None:
    def fails() -> None:
        raise DatabaseError("It is down.")

    cached = Cached(stage.but("failing", retriever=Meanwhile(fails)))
    assert cached.ask(REFUND, user=owner).warnings
    assert stored(owner) == (0, 0)


def test_an_answer_that_nobody_read_to_its_end_is_not_kept(cached: Cached, owner: str, stored: Counts) -> None:
    stream = cached.stream(REFUND, user=owner)
    next(iter(stream))
    stream.close()
    assert stored(owner) == (0, 0)


def test_an_expired_answer_is_dropped(cached: Cached, owner: str, place: Workspace) -> None:
    cached.ask(REFUND, user=owner)
    with owner_transaction(place.engine, owner) as connection:
        connection.execute(update(AnswerRow).values(created_at=text("now() - interval '2 days'")))
    assert not cached.ask(REFUND, user=owner).from_cache


def test_the_least_recently_used_answer_goes_when_there_are_too_many(
    cached: Cached, owner: str, monkeypatch: pytest.MonkeyPatch, stored: Counts
) -> None:
    monkeypatch.setattr(settings(), "cache_answers", 2)
    reports = "For how many days are reports kept?"
    for question in (REFUND, reports, REFUND, "What is the budget of the city?"):
        cached.ask(question, user=owner)
    assert stored(owner)[0] == 2
    assert cached.ask(REFUND, user=owner).from_cache
    assert not cached.ask(reports, user=owner).from_cache


def test_a_question_that_stands_alone_hits_in_a_conversation_too(cached: Cached, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    assert cached.ask(REFUND, user=owner, history=(("user", "Hello"), ("assistant", "Hello."))).from_cache == REFUND


def test_a_fragment_in_a_conversation_is_not_looked_up(cached: Cached, owner: str) -> None:
    answer = cached.ask("And why?", user=owner, history=(("user", "Hello"), ("assistant", "Hello.")))
    assert "does not stand alone" in answer.trace[CACHE_STEP].notes[0]


def test_an_answer_in_a_conversation_is_not_kept_for_others(cached: Cached, owner: str, stored: Counts) -> None:
    history = (("user", "Hello"), ("assistant", "Hello."))
    answer = cached.ask(REFUND, user=owner, history=history)
    assert answer.found
    assert answer.trace[CACHE_STEP].notes == ["not kept: the question was asked in a conversation"]
    assert stored(owner) == (0, 0)


def test_nothing_is_looked_up_where_the_conversation_remembers_the_reader(cached: Cached, owner: str) -> None:
    cached.ask(REFUND, user=owner)
    again = cached.ask(REFUND, user=owner, memory="profile: a reseller")
    assert not again.from_cache
    assert "remembers" in again.trace[CACHE_STEP].notes[0]


def test_a_cache_that_fails_costs_no_answer(cached: Cached, owner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise DatabaseError("The disk is full.")

    monkeypatch.setattr(AnswerTable, "nearest", fails)
    answer = cached.ask(REFUND, user=owner)
    assert answer.found
    assert "The disk is full." in answer.trace[CACHE_STEP].notes[0]


def test_writers_at_the_same_time_leave_one_answer_a_question(place: Workspace, owner: str) -> None:
    table, cache_key = AnswerTable(place.engine), CacheKey(owner, "way", "index", "1")
    with ThreadPoolExecutor(8) as pool:
        for work in [pool.submit(table.put, cache_key, f"Question {n % 5}?", [1.0, n], {}) for n in range(40)]:
            work.result()
    assert table.counts(owner) == (5, 0)
    assert table.clear(owner) == 5


def test_a_statement_without_a_where_sees_the_answers_of_one_owner(
    cached: Cached, owner: str, place: Workspace
) -> None:
    cached.ask(REFUND, user=owner)
    with owner_transaction(place.engine, f"{owner}-2") as connection:
        assert connection.execute(select(AnswerRow)).all() == []


KEPT = "A refund takes 14 days [1]."


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("You get it back within 14 days [1].", True),
        ("You get it back within 15 days [1].", False),
        ("You get it back within 14 days.", False),
        ("14일 안에 돌려받습니다 [1].", False),
        (f"{KEPT} Refunds are a right of every customer, and we are glad to help.", False),
    ],
    ids=["faithful", "another number", "no citation", "another language", "longer"],
)
def test_a_rewording_is_used_only_if_it_says_the_same(said: str, used: bool) -> None:
    with openai_server() as server:
        server.behave(f"say:{said}")
        model = language_model(Settings(openai_base_url=server.url, max_retries=0))
        assert restyle(KEPT, REFUND, model, Step("cache")) == (said if used else KEPT)


def test_a_change_of_the_readers_own_stages_makes_kept_answers_void(
    cached: Cached, owner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_stages.py"
    file.write_text("LONGEST = 1", encoding="utf-8")
    monkeypatch.setattr(settings(), "own_stages", file)
    cached.ask(REFUND, user=owner)
    assert cached.ask(REFUND, user=owner).from_cache
    file.write_text("LONGEST = 2", encoding="utf-8")
    os.utime(file, (1, 1))
    assert not cached.ask(REFUND, user=owner).from_cache


def test_a_stage_with_a_function_is_not_taken_for_another_one(stage: Stage, owner: str) -> None:
    node = NodeWithScore(node=TextNode(text="A refund takes 14 days.", id_="1"), score=1.0)
    mine = Cached(stage.but("mine", retriever=lambda question: [node]))
    mine.ask(REFUND, user=owner)
    again = mine.ask(REFUND, user=owner)
    assert not again.from_cache
    assert "holds a function" in again.trace[CACHE_STEP].notes[0]


IN_DOUBT = [(REFUND, "When do I get my money back?"), ("환불은 14일 걸리나요?", "환불금은 14일 안에 들어오나요?")]
YES, NO = 'say:{"same": true}', 'say:{"same": false}'


@pytest.fixture
def judged(stage: Stage, owner: str, served: Callable[..., LLM], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cached]:
    monkeypatch.setattr(settings(), "cache_restyle", False)
    place = replace(stage.workspace, llm=served("answer"))
    yield (made := Cached(replace(stage, workspace=place)))
    made.clear(owner)


def judgements(server: Server) -> list[str]:
    """What the server was asked about two questions."""
    texts = [" ".join(str(message["content"]) for message in body["messages"]) for body in server.requests]
    return [text for text in texts if "Second question:" in text]


@pytest.mark.parametrize(("asked", "again"), IN_DOUBT, ids=["en", "ko"])
def test_where_the_guard_doubts_a_served_model_decides(
    judged: Cached, owner: str, server: Server, asked: str, again: str
) -> None:
    first = judged.ask(asked, user=owner)
    server.requests.clear()
    server.behave(YES)
    second = judged.ask(again, user=owner)
    assert (second.from_cache, second.text) == (asked, first.text)
    assert second.trace.llm_calls == len(server.requests) == 1
    assert asked in judgements(server)[0]
    assert again in judgements(server)[0]
    assert second.trace[CACHE_STEP].notes[-1] == f"hit, as the model decided: “{asked}”"


@pytest.mark.parametrize("reply", [NO, "say:yes", 'say:{"same": "true"}', "say:{}", "empty", "html", "error"])
@pytest.mark.parametrize(("asked", "again"), IN_DOUBT, ids=["en", "ko"])
def test_anything_but_a_clear_yes_is_no_hit(
    judged: Cached, owner: str, server: Server, asked: str, again: str, reply: str
) -> None:
    assert judged.ask(asked, user=owner).found
    server.behave(reply)
    assert not judged.ask(again, user=owner).from_cache


@pytest.mark.parametrize(
    ("asked", "again"),
    [
        ("Does a refund take 14 days?", "Does a refund take 15 days?"),
        ("환불은 14일 걸리나요?", "환불은 14일 안 걸리나요?"),
    ],
    ids=["en", "ko"],
)
def test_no_model_is_asked_where_a_number_or_a_negation_differs(
    judged: Cached, owner: str, server: Server, asked: str, again: str
) -> None:
    assert judged.ask(asked, user=owner).found
    server.behave(YES)
    assert not judged.ask(again, user=owner).from_cache
    assert not judgements(server)


def test_a_model_is_asked_about_one_question_at_most(judged: Cached, owner: str, server: Server) -> None:
    for asked in (REFUND, "Who pays the refund?"):
        judged.ask(asked, user=owner)
    server.requests.clear()
    server.behave(NO)
    judged.ask("When do I get my money back?", user=owner)
    assert len(judgements(server)) == 1


def test_the_keyless_model_is_never_asked() -> None:
    step = Step("cache")
    assert not is_same_question(REFUND, REFUND, OfflineLLM(), step)
    assert step.llm_calls == 0


def test_a_model_that_refuses_the_key_is_no_yes(server: Server, served: Callable[..., LLM]) -> None:
    llm = served(YES, openai_api_key="wrong")
    server.key = "right"
    try:
        assert not is_same_question(*IN_DOUBT[0], llm, Step("cache"))
    finally:
        server.key = None
    assert is_same_question(*IN_DOUBT[0], llm, Step("cache"))


def test_a_reply_that_is_not_on_record_is_no_yes(tmp_path: Path) -> None:
    with recording_to(record_path("any", tmp_path), "any", 8_192):
        pass
    llm, step = language_model(Settings(recorded="any", recorded_dir=tmp_path)), Step("cache")
    assert not is_same_question(*IN_DOUBT[0], llm, step)
    assert step.llm_calls == 0
