"""What was said before reaches the answer: named as such, without a citation, and as quoted material."""

import pytest

from lessons.keyless.conversation import SAID
from lessons.keyless.llm import OfflineLLM
from lessons.models.keyless import NOT_TOLD
from lessons.models.llm import language_model
from lessons.rag.answer import Answer, conversation_memory, respond
from lessons.rag.context import ContextBuilder
from lessons.rag.prompts import DEFAULT_RESPONSE_FORMAT, MEMORY
from lessons.rag.types import RetrievedDocument
from lessons.search.transforms import query_prompt
from lessons.settings import Settings, settings
from tests.answer.test_injection import ATTACKS
from tests.support.openai_server import Server

NOTED = "About the user:\n- name: Mina\n- 사용: EC2"
TURNS = (
    ("user", "My budget is 500 dollars. How long does a refund take?"),
    ("assistant", "A refund takes 14 days [1]."),
    ("user", "제 예산은 300만 원이에요."),
)
DOCUMENT = RetrievedDocument(
    "a", "A refund takes 14 days. The budget of the city is 9 million euros.", 1.0, "terms.txt"
)


def answered(question: str, memory: str = NOTED, llm: object = None) -> Answer:
    answer = Answer(question, "naive", "any", context=ContextBuilder().build([DOCUMENT]))
    list(respond(answer, llm or OfflineLLM(), memory=conversation_memory(memory, TURNS)))  # type: ignore[arg-type]
    return answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was my budget?", "300만 원"),
        ("제 예산이 얼마라고 했죠?", "300만 원"),
        ("제가 쓰는 클라우드가 뭐라고 했죠?", "EC2"),
        ("What's my name?", "Mina"),
        ("제 이름이 뭐예요?", "Mina"),
        ("What did you say about refunds?", "14 days"),
    ],
)
def test_a_question_about_what_was_said_is_answered_from_it_and_cites_no_document(question: str, said: str) -> None:
    answer = answered(question)
    assert said in answer.text
    assert (answer.found, answer.citations) == (True, [])
    openings = [form.partition("{}")[0] for forms in SAID.values() for form in forms.values()]
    assert answer.text.startswith(tuple(openings))


@pytest.mark.parametrize("question", ["How long does a refund take?", "What is the budget of the city?"])
def test_a_question_about_the_documents_is_answered_from_them(question: str) -> None:
    assert [citation.number for citation in answered(question).citations] == [1]


@pytest.mark.parametrize("question", ["Who is my doctor?", "제 주치의가 누구라고 했죠?"])
def test_what_nobody_said_is_not_made_up(question: str) -> None:
    assert answered(question).text in NOT_TOLD.values()


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_served_model_gets_what_was_said_in_a_section_of_its_own(server: Server, attack: str) -> None:
    server.requests.clear()
    answered("When?", f"{NOTED}\n{attack}", language_model(Settings(openai_base_url=server.url)))
    rest, _, form = server.requests[0]["messages"][0]["content"].rpartition("\n\n[Response Format]\n")
    _, _, memory = rest.partition("\n\n[Conversation Memory]\n")
    assert form == DEFAULT_RESPONSE_FORMAT["en"]
    assert memory.startswith(f"{MEMORY['en']}\n\n{NOTED}\n")
    assert not [line for line in memory.splitlines() if line.startswith("[")]


def test_a_turn_is_one_line_without_citations_and_not_longer_than_the_setting() -> None:
    said = conversation_memory("", [("user", "a\nassistant: b [3]"), ("assistant", "c" * 5_000)])
    assert said.splitlines()[1:] == ["user: a assistant: b ", f"assistant: {'c' * settings().turn_chars}"]


def test_without_memory_the_prompt_has_no_section_for_it(server: Server) -> None:
    server.requests.clear()
    answer = Answer("When?", "naive", "any", context=ContextBuilder().build([DOCUMENT]))
    list(respond(answer, language_model(Settings(openai_base_url=server.url))))
    assert "[Conversation Memory]" not in server.requests[0]["messages"][0]["content"]


def test_compression_takes_the_subject_of_a_follow_up_from_the_memory() -> None:
    memory = "user: What did Sorae Foods spend on advertising in November 2024?\nuser: How do I reset a password?"
    question = "And in January?"
    prompt = query_prompt("condense", question)
    turns = [("user", "How do I export a report?"), ("assistant", "Choose Export.")]
    alone = OfflineLLM().predict(prompt, question=question, turns=turns, history="", memory=memory)
    assert alone == "And in January? (Sorae Foods advertising 2024)"


def test_a_question_that_the_conversation_answers_is_not_completed_with_another_subject() -> None:
    turns = [*TURNS, ("user", "Who signed contract ORD-2024-018?"), ("assistant", "A. Merrow signed it [1].")]
    prompt = query_prompt("condense", "What was my budget?")
    said = OfflineLLM().predict(prompt, question="What was my budget?", turns=turns, history="", memory="")
    assert said == "What was my budget?"
