"""How much a question needs: greetings skip retrieval, questions get as many chunks as they need."""

from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from lessons.context.intent import Intent, decide, with_top_k
from lessons.database import engine
from lessons.errors import LessonsError
from lessons.keyless.intent import utterances
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.models.llm import language_model
from lessons.rag.pipeline import Stage
from lessons.rag.types import RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.stages import stages
from lessons.trace import Step
from tests.context.conftest import Shelf
from tests.support.openai_server import Server


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    llm = OfflineLLM(embedding=embedding_model(database))
    return Workspace(database, engine(database), MockEmbedding(embed_dim=3), llm)


def intent_of(text: str, place: Workspace) -> str:
    return decide(text, place.llm, Step("intent")).intent


@pytest.mark.parametrize(
    "text", ["Hello!", "Thank you very much", "안녕하세요~", "감사합니다 ㅎㅎ", "ok thanks", "네 고마워요"]
)
def test_greetings_and_thanks_need_no_search(stage: Stage, text: str) -> None:
    answer = Intent(stage).ask(text)
    assert [step.name for step in answer.trace] == ["intent", "answer"]
    assert answer.text
    assert (answer.found, answer.citations, answer.context.empty) == (False, [], True)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Thanks!", "You are welcome."),
        ("감사합니다", "천만에요."),
        ("bye", "Goodbye."),
        ("반가워요", "안녕하세요. 문서에서 무엇을 찾아 드릴까요?"),
    ],
)
def test_the_reply_fits_and_is_in_the_language_of_the_user(stage: Stage, text: str, reply: str) -> None:
    assert Intent(stage).ask(text).text == reply


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Hi, how long does a refund take?", "simple"),
        ("안녕하세요, 환불은 며칠 걸리나요?", "simple"),
        ("Thanks. And why does it take so long?", "moderate"),
        ("환불 절차를 설명해 주세요", "moderate"),
        ("Compare the plans", "complex"),
        ("두 요금제를 비교해 주세요", "complex"),
    ],
)
def test_courtesies_do_not_hide_a_question(place: Workspace, text: str, intent: str) -> None:
    assert intent_of(text, place) == intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("당뇨병이란?", "moderate"),
        ("What is diabetes?", "moderate"),
        ("리시노프릴과 메트포르민을 같이 복용해도 되나요?", "complex"),
        ("What worries you most in the latest report?", "complex"),
        ("최근 보고서에서 가장 우려되는 점은?", "complex"),
        ("ORD-2024-001 상태", "simple"),
    ],
)
def test_definitions_need_more_than_facts_and_interactions_and_explorations_most(
    place: Workspace, text: str, intent: str
) -> None:
    assert intent_of(text, place) == intent


@pytest.mark.parametrize("text", ["👍", "🙏🙏", "?!", "…"])
def test_signs_without_words_get_a_friendly_reply_and_no_document(stage: Stage, text: str) -> None:
    answer = Intent(stage).ask(text)
    assert (answer.text, answer.context.empty) == ("All right. Ask whenever you like.", True)


def test_without_an_embedding_model_much_is_fetched() -> None:
    assert decide("How long does a refund take?", OfflineLLM(), Step("intent")).intent == "complex"


def test_another_embedding_model_embeds_the_examples_once_as_passages() -> None:
    asked: list[str] = []

    class Lengths(MockEmbedding):
        """A model of its own, whose vectors say how long a text is."""

        def _get_text_embedding(self, text: str) -> list[float]:
            asked.append(text)
            return [float(len(text)), 1.0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return [float(len(query)), 1.0]

    llm = OfflineLLM(embedding=Lengths(embed_dim=2))
    assert decide("Compare both offers with last year's, and say which is better for whom", llm, Step("intent")).top_k
    decide("Hello!", llm, Step("intent"))
    assert sorted(asked) == sorted(each.text for each in utterances())


@pytest.mark.parametrize(
    ("text", "documents"),
    [("How long does a refund take?", 3), ("Explain the refund", 8), ("Compare refunds and exports", 15)],
)
def test_the_intent_sets_how_many_chunks_are_fetched(stage_of: Callable[..., Stage], text: str, documents: int) -> None:
    shelf = stage_of(*(f"A refund number {number} is long." for number in range(20)))
    answer = Intent(shelf).ask(text)
    assert len(answer.context.documents) == documents
    assert str(documents) in answer.trace["intent"].notes[0]


def test_a_reranker_chooses_that_many_from_its_own_candidates(stage: Stage) -> None:
    narrow = with_top_k(stages()["reranked"], 3)
    assert (narrow.retriever.top_k, narrow.reranker.top_k) == (15, 3)  # type: ignore[attr-defined, union-attr]
    assert with_top_k(stage, 8).retriever.top_k == 8  # type: ignore[attr-defined]


def test_an_empty_question_is_told_as_by_the_stage(stage: Stage) -> None:
    with pytest.raises(LessonsError, match="empty"):
        Intent(stage).ask("  ")


def test_a_model_that_fails_leaves_the_decision_to_the_keyless_one(server: Server) -> None:
    server.behave("too_many")
    step = Step("intent")
    decision = decide(
        "두 요금제를 비교해 주세요", language_model(Settings(openai_base_url=server.url, max_retries=0)), step
    )
    assert decision.intent == "complex"
    assert "keyless" in step.notes[0]


@pytest.mark.parametrize(("said", "intent"), [("simple", "complex"), ("complex", "complex"), ("chat", "chat")])
def test_a_model_may_fetch_more_than_the_examples_do_or_nothing_but_not_less(
    server: Server, said: str, intent: str
) -> None:
    server.behave(f'say:{{"intent": "{said}"}}')
    llm = language_model(Settings(openai_base_url=server.url, max_retries=0))
    assert decide("두 요금제를 비교해 주세요", llm, Step("intent")).intent == intent


@pytest.mark.parametrize(
    "text", ["Great, what is it?", "감사보고서 언제 나와요?", "ok why?", "네 언제요?", "Who are the owners?"]
)
def test_a_question_in_few_words_is_no_courtesy(place: Workspace, text: str) -> None:
    assert intent_of(text, place) != "chat"


def backwards(question: str, documents: list[RetrievedDocument]) -> list[RetrievedDocument]:
    return documents[::-1]


@pytest.mark.parametrize(
    ("own", "first"),
    [
        ({"reranker": backwards}, "19"),
        ({"reranker": SimilarityPostprocessor(similarity_cutoff=0.01)}, "0"),
        ({"retriever": lambda question: [NodeWithScore(node=TextNode(text=f"{n}")) for n in range(20)]}, "0"),
    ],
    ids=["function", "postprocessor", "retriever"],
)
@pytest.mark.parametrize("top_k", [3, 15])
def test_parts_of_the_readers_own_hand_over_so_many_chunks_too(
    stage: Stage, own: dict[str, Any], first: str, top_k: int
) -> None:
    mine = with_top_k(stage.but(retriever=Shelf(tuple(map(str, range(20))), top_k=20)).but(**own), 8)
    found = with_top_k(mine, top_k).find("Which?").documents
    assert (len(found), found[0].content) == (top_k, first)
