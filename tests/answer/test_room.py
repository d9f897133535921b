"""An answer's prompt fits the model's window."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from lessons.context.compress import Extractive
from lessons.database import engine
from lessons.errors import LessonsError
from lessons.models.llm import language_model
from lessons.models.tokens import ExactTokenCounter, TokenEstimator
from lessons.rag.answer import allocate_context
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import CUT, Stage
from lessons.rag.prompts import INSTRUCTIONS
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace
from lessons.search.jaccard import JaccardRetriever
from lessons.settings import Settings, settings
from lessons.stages import stages
from tests.support.openai_server import Server

COUNT = TokenEstimator().count
QUESTION = "How long does a refund take?"
HISTORY = [(role, f"What about number {number}? " * 5) for number in range(200) for role in ("user", "assistant")]
DOCUMENTS = tuple(
    RetrievedDocument(str(number), "A refund takes 14 days. " * 60, 1.0, f"{number}.md") for number in range(8)
)


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model that reads 4,000 tokens, of which it keeps 1,000."""
    monkeypatch.setattr(settings(), "context_window", 4_000)
    return


def test_at_ordinary_sizes_everything_is_sent() -> None:
    room = allocate_context(QUESTION, "Mina has a cat.", HISTORY, 4_000)
    assert (room.memory, room.history, room.documents) == ("Mina has a cat.", tuple(HISTORY), 4_000)


@pytest.mark.usefixtures("window")
def test_the_conversation_goes_before_the_documents() -> None:
    room = allocate_context(QUESTION, "", HISTORY, 1_500)
    assert room.documents == 1_500
    assert 0 < len(room.history) < len(HISTORY)
    assert room.history[-1] == HISTORY[-1]


@pytest.mark.usefixtures("window")
def test_documents_that_would_take_everything_leave_a_quarter_to_the_conversation() -> None:
    crowded = allocate_context(QUESTION, "Mina has a cat.", HISTORY, 4_000)
    assert crowded.memory == "Mina has a cat."
    assert crowded.history[-1] == HISTORY[-1]
    alone = allocate_context(QUESTION, "", [], 4_000).documents
    assert 0.7 * alone < crowded.documents < alone < 3_000
    brief = allocate_context(QUESTION, "", HISTORY[-2:], 4_000)
    assert brief.history == tuple(HISTORY[-2:])
    assert crowded.documents < brief.documents < alone


@pytest.mark.usefixtures("window")
def test_instructions_and_question_that_do_not_fit_are_said_in_a_sentence() -> None:
    with pytest.raises(LessonsError, match=r"does not fit: the model may be sent 4,000 tokens, of which 1,000"):
        stages()["naive"].stream("왜" * 4_000)


@pytest.mark.parametrize("compressor", [None, Extractive()])
def test_of_a_passage_that_does_not_fit_the_beginning_is_used(
    database: Settings, compressor: Extractive | None
) -> None:
    one_sentence = replace(DOCUMENTS[0], content="A refund takes 14 days and " * 60)
    retriever, place = JaccardRetriever([one_sentence]), Workspace.open(database)
    plain = stages()["naive"].but("plain", retriever=retriever, workspace=place, compressor=compressor)
    narrow = plain.but("narrow", context=ContextBuilder(60)).ask(QUESTION)
    assert narrow.found
    assert narrow.context.total_tokens <= 60
    assert narrow.context.text.startswith("[Source: 1 | 0.md]\nA refund takes 14 days")
    assert narrow.trace["context"].notes == [CUT.format(60)]
    assert not plain.ask(QUESTION).trace["context"].notes


class Strict:
    def count(self, text: str) -> int:
        return 10 * COUNT(text)


def test_a_stage_counts_as_its_own_context_builder_does(database: Settings) -> None:
    plain = stages()["naive"].but("plain", retriever=JaccardRetriever(DOCUMENTS), workspace=Workspace.open(database))
    strict = plain.but("strict", context=ContextBuilder(counter=Strict()))
    assert len(strict.ask(QUESTION).context.documents) < len(plain.ask(QUESTION).context.documents)


@pytest.mark.parametrize("window", [16_384, 128_000])
def test_a_window_of_ordinary_size_changes_nothing_of_what_a_stage_sends(server: Server, window: int) -> None:
    model = language_model(Settings(openai_base_url=server.url, context_window=window))
    asked = Query(QUESTION, Scope("mina"), history=tuple(HISTORY[-10:]), memory="Mina has a cat.")
    stage, query = stages()["naive"].within(asked, model)
    assert query == asked
    assert stage.context.max_tokens == 4_000


@pytest.mark.usefixtures("window")
def test_what_a_stage_sends_fits_the_window(server: Server, database: Settings) -> None:
    chosen = Settings(openai_base_url=server.url, context_window=4_000)
    opened = Workspace.open(database)
    place = Workspace(database, engine(database), opened.embedding, language_model(chosen))
    stage = Stage(name="crowded", index=stages()["naive"].index, retriever=JaccardRetriever(DOCUMENTS), workspace=place)
    answer = stage.ask(QUESTION, history=HISTORY, memory="Mina has a cat.")
    sent = server.requests[-1]["messages"]
    assert 1.3 * sum(ExactTokenCounter().count(message["content"]) for message in sent) + 1_000 <= 4_000
    assert sent[-1]["content"].startswith(QUESTION)
    assert not answer.context.empty
    assert COUNT(INSTRUCTIONS["en"]) > 300
