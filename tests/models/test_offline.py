import asyncio
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from lessons.errors import ModelError
from lessons.keyless import TASKS
from lessons.keyless.llm import ABOUT, OfflineLLM, task
from lessons.models.embedding import embedding_model
from lessons.models.keyless import NOT_FOUND
from lessons.rag.prompts import ANSWER, answer_prompt
from lessons.settings import Settings
from tests.models.answer_cases import FAQ_EN, ORDERS, REPORTS_KO, context

QUESTION = "How long does the business plan keep cost data?"
SAID = "The free plan keeps cost data for 90 days [2]. The business plan keeps it for 25 months [2]."
VARIABLES = {"question": QUESTION, "context": FAQ_EN, "response_format": "One sentence."}


def test_streams_the_words_it_predicts() -> None:
    pieces = list(OfflineLLM().stream(ANSWER, **VARIABLES))
    assert len(pieces) > 3
    assert "".join(pieces) == SAID


def test_the_asynchronous_twins_say_the_same() -> None:
    async def both() -> tuple[str, str]:
        llm = OfflineLLM()
        pieces = [piece async for piece in await llm.astream(ANSWER, **VARIABLES)]
        return await llm.apredict(ANSWER, **VARIABLES), "".join(pieces)

    assert asyncio.run(both()) == (SAID, SAID)


def test_chat_reads_the_sections_of_the_system_message() -> None:
    messages = ANSWER.format_messages(**VARIABLES)
    assert OfflineLLM().chat(messages).message.content == SAID
    assert [*OfflineLLM().stream_chat(messages)][-1].message.content == SAID


def test_it_calls_the_tools_of_an_agent_of_llama_index() -> None:
    searched: list[str] = []

    def search_documents(query: str) -> str:
        """Find passages."""
        searched.append(query)
        return "Nothing was found."

    agent = FunctionAgent(tools=[FunctionTool.from_defaults(search_documents)], llm=OfflineLLM())

    async def ask() -> None:
        await agent.run("When does the kiosk open?")

    asyncio.run(ask())
    assert searched[0] == "When does the kiosk open?"


def test_complete_reads_the_same_sections_from_one_text() -> None:
    assert OfflineLLM().complete(ANSWER.format(**VARIABLES)).text == SAID
    assert [*OfflineLLM().stream_complete(ANSWER.format(**VARIABLES))][-1].text == SAID


def test_any_other_text_is_told_what_this_model_is() -> None:
    assert OfflineLLM().complete("Write a poem about rain.").text == ABOUT
    assert OfflineLLM().predict(PromptTemplate("Write a {what}."), what="poem") == ABOUT


def test_a_variable_filled_in_beforehand_counts() -> None:
    prompt = ANSWER.partial_format(context=FAQ_EN)
    assert OfflineLLM().predict(prompt, question=QUESTION, response_format="") == SAID


def test_an_unknown_task_is_one_clear_error() -> None:
    prompt = PromptTemplate("{text}", metadata={"task": "compose music"})
    with pytest.raises(ModelError, match="'compose music'"):
        OfflineLLM().predict(prompt, text="x")


class Length(BaseModel):
    characters: int


def test_a_registered_task_predicts_structures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "length", None)

    @task("length")
    def length(llm: Any, text: str) -> dict[str, int]:
        return {"characters": len(text)}

    prompt = PromptTemplate("{text}", metadata={"task": "length"})
    assert OfflineLLM().structured_predict(Length, prompt, text="four") == Length(characters=4)


def test_the_prompt_has_a_section_for_the_memory_only_where_there_is_one() -> None:
    def system(memory: bool) -> str:
        return str(answer_prompt(memory).format_messages(**VARIABLES, memory="Mina has a cat.")[0].content)

    for memory in (False, True):
        assert "\n[Retrieved Context]\n[Source: 1 | faq.md]" in system(memory)
        assert "\n[Response Format]\nOne sentence." in system(memory)
        assert ("\n[Conversation Memory]\n" in system(memory)) is memory


def test_braces_in_documents_are_only_text() -> None:
    documents = context(("config.md", "The template {name} is filled with {value} by the printer."))
    messages = ANSWER.format_messages(question="x", context=documents, response_format="")
    assert "{name}" in str(messages[0].content)


@pytest.fixture(scope="module")
def with_embedding() -> OfflineLLM:
    return OfflineLLM(embedding=embedding_model(Settings()))


def test_answers_a_question_about_documents_in_the_other_language(with_embedding: OfflineLLM) -> None:
    said = with_embedding.predict(
        ANSWER, question="ORD-2024-002의 결제 상태는 어떤가요?", context=ORDERS, response_format=""
    )
    assert "ORD-2024-002 is waiting for payment [1]." in said


def test_a_question_of_one_word_finds_nothing_in_the_other_language(with_embedding: OfflineLLM) -> None:
    said = with_embedding.predict(ANSWER, question="And in the year before?", context=REPORTS_KO, response_format="")
    assert said.startswith(NOT_FOUND["en"])


def test_a_year_that_is_missing_in_the_other_language_is_not_there(with_embedding: OfflineLLM) -> None:
    question = "What was the operating profit of Garam Foods in Q3 2027?"
    said = with_embedding.predict(ANSWER, question=question, context=REPORTS_KO, response_format="")
    assert said.startswith(NOT_FOUND["en"])


def test_a_name_is_not_translated(with_embedding: OfflineLLM) -> None:
    question = "What was the operating profit of Garam Foods in Q2 2024?"
    said = with_embedding.predict(ANSWER, question=question, context=REPORTS_KO, response_format="")
    assert said == f"{NOT_FOUND['en']} The passages found do not mention “Garam”, “Foods”."
