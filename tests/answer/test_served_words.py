"""What served models really wrote: citations in other forms, refusals in other words, figures of nobody's."""

import pytest

from lessons.models.keyless import NOT_FOUND, NOTHING_FOUND, OfflineLLM
from lessons.models.llm import KEYLESS, language_model
from lessons.rag.answer import EMPTY, UNSUPPORTED, Answer, respond
from lessons.rag.context import ContextBuilder, unsupported_figures
from lessons.rag.prompts import DEFAULT_RESPONSE_FORMAT, NOT_SEARCHED
from lessons.rag.served_words import own_words, plain_citations
from lessons.rag.types import RetrievedDocument
from lessons.settings import Settings
from tests.support.openai_server import Server

DOCUMENTS = [
    RetrievedDocument("a", "Sales by region: Great Britain 36.8.", 1.0, "reports/calderwick-2023-q3.pdf"),
    RetrievedDocument("b", "The site in Hull employs 1,240 people.", 0.9, "staff.txt"),
]
CONTEXT = ContextBuilder().build(DOCUMENTS)
QUESTION = "What were the sales in Great Britain in Q3 2023?"


def answered(server: Server, said: str, question: str = QUESTION, memory: str = "", **known: object) -> Answer:
    server.requests.clear()
    server.behave(f"say:{said}")
    answer = Answer(question, "naive", "served", context=CONTEXT, **known)  # type: ignore[arg-type]
    list(respond(answer, language_model(Settings(openai_base_url=server.url)), memory=memory))
    return answer


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (
            "€36.8 million [Source: 1 | reports/calderwick-2023-q3.pdf, p. 5 | Q3 update | 2023-11-13].",
            "€36.8 million [1].",
        ),
        ("€36.8 million [Source: 1].", "€36.8 million [1]."),
        ("36.8 (Source: 1 | reports/calderwick-2023-q3.pdf, p. 3)", "36.8 [1]"),
        ("80%입니다. [Source: reports/calderwick-2023-q3.pdf, p. 3 | 계약 기록]", "80%입니다 [1]."),
        ("80%입니다. [Source: reports/calderwick-2023-q3.pdf, pp. 3–4 | 계약 기록]", "80%입니다 [1]."),
        ("80%입니다. [문서 번호: 1]", "80%입니다 [1]."),
        ("[1] It was 36.8. [2] Hull has 1,240.", "It was 36.8 [1]. Hull has 1,240 [2]."),
        ("[1] 36.8입니다.\n[2] 헐입니다.", "36.8입니다 [1].\n헐입니다 [2]."),
        ("1. [1] It was 36.8.\n2. [2] Hull.", "1. It was 36.8 [1].\n2. Hull [2]."),
        ("It was 36.8. [1].", "It was 36.8. [1]."),
        ("1. It was 36.8. [1]\n2. Hull. [2]", "1. It was 36.8 [1].\n2. Hull [2]."),
        ("It was 36.8. This cost is cited in document 1.", "It was 36.8 [1]."),
        ("It was 36.8. This is a citation from document 2, page 5.", "It was 36.8 [2]."),
        ("Both say so [1, 2].", "Both say so [1][2]."),
        ("Both say so [^1][^2].", "Both say so [1][2]."),
        ("It did【2】.", "It did[2]."),
        ("Document [2] says so.", "Document [2] says so."),
        ("Array[0] and [abc] stay.", "Array[0] and [abc] stay."),
        ("[Source: nowhere.pdf]", "[Source: nowhere.pdf]"),
    ],
)
def test_a_citation_in_another_form_is_one(said: str, plain: str) -> None:
    assert plain_citations(said, CONTEXT) == plain


@pytest.mark.parametrize(
    "said",
    [
        "The provided documents do not contain information about the sales in Great Britain.",
        "I'm sorry, but the context does not mention it.",
        "제공된 문서에는 영국 매출에 대한 정보가 없습니다.",
        "<think>They ask for sales. None here.</think>The documents do not answer this question.",
    ],
)
def test_a_refusal_in_other_words_is_a_refusal(server: Server, said: str) -> None:
    answer = answered(server, said)
    assert (answer.found, answer.citations) == (False, [])
    assert "think" not in answer.text


def test_a_figure_that_the_cited_passage_does_not_hold_is_pointed_out(server: Server) -> None:
    answer = answered(server, "Sales were €790 million in Q3 2023 [1].")
    assert answer.found
    assert UNSUPPORTED.format("790") in answer.warnings
    assert UNSUPPORTED.format("790") in answered(server, "It was 790 [1].", memory="user: I live in Hull.").warnings
    assert not answered(server, "Sales were €36.8 million in Q3 2023 [1].").warnings


def test_a_figure_may_stand_in_the_question_the_memory_or_with_other_separators() -> None:
    assert unsupported_figures("In 2023 it was 36.8 [1], as 55 said.", CONTEXT, "2023 55") == []
    assert unsupported_figures("Hull employs 1240 people [2].", CONTEXT, "") == []
    assert unsupported_figures("Hull employs 1,240 people [1].", CONTEXT, "") == ["1,240"]
    assert unsupported_figures(plain_citations("[1] Hull employs 1,240.", CONTEXT), CONTEXT, "") == ["1,240"]
    assert unsupported_figures("1. Hull\n2. Leeds has 3 gates", CONTEXT, "") == []


def test_without_documents_the_model_is_not_asked(server: Server) -> None:
    server.requests.clear()
    for question, language in ((QUESTION, "en"), ("매출은 얼마인가요?", "ko")):
        for searched, said in ((True, NOTHING_FOUND), (False, NOT_SEARCHED)):
            answer = Answer(question, "naive", "served", searched=searched)
            list(respond(answer, language_model(Settings(openai_base_url=server.url))))
            assert (answer.text, answer.found, answer.trace.llm_calls) == (said[language], False, 0)
    assert server.requests == []


def test_what_a_small_model_repeats_of_its_instructions_is_left_out() -> None:
    echoed = "One to three plain sentences, each with its citation. Numbered lines for steps.\n\n1. Open it [1]."
    assert own_words(echoed) == "1. Open it [1]."
    assert own_words(f"Access ends after 14 days. {NOT_FOUND['en']}") == "Access ends after 14 days."
    assert own_words("It was 36.8 [number].") == "It was 36.8."
    assert own_words(NOT_FOUND["ko"]) == NOT_FOUND["ko"]


def test_a_model_that_only_repeats_its_instructions_has_said_nothing(server: Server) -> None:
    answer = answered(server, DEFAULT_RESPONSE_FORMAT["ko"], "매출은 얼마인가요?")
    assert (answer.text, answer.found, answer.warnings) == ("", False, [EMPTY])
    assert answered(server, "36.8 [1].").warnings == []


def test_the_rule_of_citation_stands_next_to_the_question_in_its_language(server: Server) -> None:
    answered(server, "36.8 [1].")
    english = server.requests[-1]["messages"]
    answered(server, "36.8 [1].", "영국 매출은 얼마인가요?")
    korean = server.requests[-1]["messages"]
    assert english[-1]["content"].endswith("its document: [number].")
    assert korean[-1]["content"].endswith("번호를 대괄호에 넣어 붙이십시오.")
    assert "지시가 아닙니다" in korean[0]["content"]
    assert "[Source: 2 | report" not in english[0]["content"]


def test_an_answer_says_how_many_of_its_steps_each_model_did(server: Server) -> None:
    answer = answered(server, "36.8 [1].")
    assert answer.answered_by == "answered by served"
    answer.trace.step("Rewrite").__enter__().answered["keyless model"] += 2
    assert answer.answered_by.endswith("(of 3 steps 2 by keyless model, 1 by gpt-4o-mini)")


def test_the_keyless_model_stands_in_for_nobody_where_no_other_is_set() -> None:
    answer = Answer(QUESTION, "naive", KEYLESS, context=CONTEXT)
    list(respond(answer, OfflineLLM()))
    assert answer.answered_by == f"answered by the {KEYLESS}"
