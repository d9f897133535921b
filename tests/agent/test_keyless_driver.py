"""How the keyless model chooses searches: one for a fact, one for each side of a comparison, a name that was found."""

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole

from lessons.keyless.agent import is_covered, tool_calls
from lessons.keyless.lines import passage
from lessons.keyless.llm import OfflineLLM
from lessons.keyless.parts import parts, query
from lessons.keyless.words import read_question
from lessons.rag.types import RetrievedDocument
from lessons.search.jaccard import JaccardRetriever
from tests.agent.conftest import gather

SHELF = {
    "en": {
        "haneul-2023.md": "Haneul had revenue of 31 million won in 2023.",
        "haneul-2024.md": "Haneul had revenue of 35 million won in 2024.",
        "solaris.md": "The film Solaris was directed by Anna Berg.",
        "berg.md": "Anna Berg was born in Tromso. She is married to a painter.",
        "sleep.md": "# Sleep\n\nGood sleep helps.\n\n## At night\n\nKeep the bedroom dark.\n\n## By day\n\nGo outside.",
    },
    "ko": {
        "하늘-2023.md": "하늘전자의 2023년 매출은 310억 원이다.",
        "하늘-2024.md": "하늘전자의 2024년 매출은 350억 원이다.",
        "공장.md": "반월 공장은 한빛제약이 운영한다.",
        "한빛.md": "한빛제약의 대표는 김서연이다.",
    },
}


def searched(question: str, language: str = "en") -> list[str]:
    documents = [RetrievedDocument(name, text, 0.0, name, {}) for name, text in SHELF[language].items()]
    found = gather(OfflineLLM(), question, JaccardRetriever(tuple(documents), threshold=0.05))
    return [step.input["query"] for step in found.searches]


@pytest.mark.parametrize(
    ("question", "language"),
    [("What was the revenue of Haneul in 2023?", "en"), ("하늘전자의 2023년 매출은 얼마인가요?", "ko")],
)
def test_a_fact_that_was_found_is_searched_once(question: str, language: str) -> None:
    assert searched(question, language) == [question]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was the revenue of Haneul larger in 2023 or in 2024?", "en"),
        ("하늘전자 매출은 2023년이 컸나요, 2024년이 컸나요?", "ko"),
    ],
)
def test_each_side_of_a_comparison_is_searched_by_itself(question: str, language: str) -> None:
    first, *sides = searched(question, language)
    assert first == question
    assert len(sides) == 2
    assert ["2023" in side for side in sides] == [True, False]
    assert ["2024" in side for side in sides] == [False, True]


@pytest.mark.parametrize(
    ("question", "language", "name"),
    [
        ("Where was the director of the film that is called Solaris born?", "en", "Anna Berg"),
        ("반월 공장을 운영하는 회사의 대표는 누구인가요?", "ko", "한빛제약"),
    ],
)
def test_a_name_that_was_found_is_searched_for(question: str, language: str, name: str) -> None:
    assert any(name in made for made in searched(question, language)[1:])


def test_an_overview_looks_in_the_directions_that_the_first_find_opens() -> None:
    _, *more = searched("Give me an overview of good sleep.")
    assert 1 <= len(more) <= 2
    assert all("sleep" in made for made in more)


@pytest.mark.parametrize("question", ["Who painted the ceiling?", "비밀번호가 뭐예요?", "a" * 500])
def test_a_subject_of_which_nothing_is_known_is_soon_given_up(question: str) -> None:
    assert len(searched(question)) <= 2


def test_a_part_takes_the_names_and_periods_that_the_others_name() -> None:
    asked = parts(read_question("What was Haneul's revenue in Q4 2024, and who is the chief executive?"))
    assert query(asked[1], asked).split() == ["Haneul", "chief", "executive", "Q4", "2024"]


def test_a_part_without_words_of_its_own_takes_those_of_all() -> None:
    asked = parts(read_question("하늘전자 건화물 매출은 2023년이 컸나요, 2024년이 컸나요?"))
    assert query(asked[1], asked).split()[:3] == ["하늘전자", "건화물", "매출"]
    assert query(asked[1], asked).endswith("2024")


def test_a_document_in_the_other_language_is_not_judged_by_its_words() -> None:
    asked = read_question("What was the revenue of Haneul in 2023?")
    assert is_covered(asked, [passage(1, "하늘.md", SHELF["ko"]["하늘-2023.md"])])
    assert not is_covered(asked, [passage(1, "berg.md", SHELF["en"]["berg.md"])])


def test_a_line_about_another_year_holds_no_question_however_many_words_they_share() -> None:
    words = "earn with ferries, tugs, cranes, barges, docks, pilots, ropes, buoys, anchors, flags, nets and sails"
    asked = read_question(f"What did Haneul {words} in 2023?")
    for year, covered in ((2023, True), (2024, False)):
        assert is_covered(asked, [passage(1, "a.md", f"In {year} Haneul did {words}.")]) is covered


def test_a_file_that_the_question_names_is_searched_after_all_documents() -> None:
    model, question = OfflineLLM(), "What does berg.md say about her marriage?"
    messages = [ChatMessage("Gather.", role=MessageRole.SYSTEM), ChatMessage(question, role=MessageRole.USER)]
    (broad,) = tool_calls(model, messages)
    messages += [
        ChatMessage(role=MessageRole.ASSISTANT, blocks=[broad]),
        ChatMessage("[Source: 1 | people/berg.md, p. 2 | Anna Berg]\nShe was born in Tromso.", role=MessageRole.TOOL),
    ]
    narrow, *_ = tool_calls(model, messages)
    assert (broad.tool_name, narrow.tool_name) == ("search_documents", "search_by_metadata")
    assert narrow.tool_kwargs["source_file"] == "people/berg.md"
    messages.append(ChatMessage(role=MessageRole.ASSISTANT, blocks=[narrow]))
    assert "search_by_metadata" not in [call.tool_name for call in tool_calls(model, messages)]
