"""Compression of a context that does not fit."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.context.compress import Abstractive, CutOff, Extractive, Hybrid
from lessons.keyless import TASKS
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import language_model
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import Stage
from lessons.rag.types import Compressor, Query, Resources, RetrievedDocument, Scope
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import openai_server

METHODS = [CutOff(), Extractive(), Abstractive(), Hybrid()]
PADDING = "The weather was mild and nothing else of note was recorded on that day. " * 12
HAY = (
    f"# Terms\n\n{PADDING}A refund takes 14 days. {PADDING}",
    f"# 환불 안내\n\n{'그날은 날씨가 맑았고 별다른 일은 없었습니다. ' * 12}환불은 14일 걸립니다.",
)
QUESTION = "How long does a refund take?"


def documents(*texts: str) -> list[RetrievedDocument]:
    return [RetrievedDocument(str(number), text, 1.0, f"{number}.md") for number, text in enumerate(texts)]


def compressed(
    method: Compressor, texts: tuple[str, ...], tokens: int, question: str = QUESTION, llm: Any = None
) -> tuple[list[RetrievedDocument], Step]:
    step, resources = Step("compress"), Resources(None, None, llm or OfflineLLM())  # type: ignore[arg-type]
    builder = ContextBuilder(tokens)
    return method.compress(Query(question, Scope("any")), documents(*texts), builder, resources, step), step


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=30)
@given(texts=st.lists(st.text(alphabet="ab .\n|#1환불은", max_size=200), max_size=4), tokens=st.integers(0, 120))
def test_what_is_left_always_fits(method: Compressor, texts: list[str], tokens: int) -> None:
    left, _ = compressed(method, tuple(texts), tokens, "환불은 a1?")
    assert not ContextBuilder(tokens).overflows(left)


@pytest.mark.parametrize("method", [Extractive(), Abstractive(), Hybrid()])
@pytest.mark.parametrize(
    ("question", "fact"), [(QUESTION, "takes 14 days"), ("환불은 며칠 걸리나요?", "14일 걸립니다")]
)
def test_the_fact_that_answers_survives(method: Compressor, question: str, fact: str) -> None:
    left, _ = compressed(method, HAY, 60, question)
    assert fact in " ".join(document.content for document in left)


def test_cutting_off_loses_what_comes_late() -> None:
    left, _ = compressed(CutOff(), HAY, 60)
    assert left[0].content.startswith("# Terms\n\nThe weather")
    assert "14 days" not in left[0].content


def test_a_stage_compresses_only_what_does_not_fit(stage_of: Callable[..., Stage]) -> None:
    wide = stage_of(*HAY).but("wide", compressor=Extractive())
    narrow = wide.but("narrow", context=ContextBuilder(60))
    assert "compress" not in [step.name for step in wide.ask(QUESTION).trace]
    answer = narrow.ask(QUESTION)
    assert "sentences kept" in answer.trace["compress"].notes[0]
    assert "14 days" in answer.text
    assert answer.context.total_tokens <= 60


def test_a_row_of_a_table_keeps_its_column_names_and_a_sentence_its_heading() -> None:
    table = "# Prices\n\n| Plan | Price |\n|---|---|\n| Team | 39 dollars |\n| Business | 99 dollars |\n"
    left, _ = compressed(Extractive(), (f"{table}\n\n# Else\n\n{PADDING}",), 26, "What does Business cost?")
    assert left[0].content == "# Prices\n| Plan | Price |\n| Business | 99 dollars |"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the model says, one after the other; it repeats the last."""
    said: list[dict[str, Any]] = []
    asked: list[int] = []

    def shorten(llm: Any, tokens: int, **_: Any) -> dict[str, Any]:
        asked.append(tokens)
        return {"summaries": [said[min(len(asked), len(said)) - 1]]}

    monkeypatch.setitem(TASKS, "shorten", shorten)
    return said


def test_a_summary_that_is_too_long_is_asked_for_again_shorter(answers: list[dict[str, Any]]) -> None:
    answers += [{"number": 1, "text": PADDING}, {"number": 1, "text": "A refund takes 14 days."}]
    left, step = compressed(Abstractive(), HAY, 60)
    assert [document.content for document in left] == ["A refund takes 14 days."]
    assert step.llm_calls == 2


def test_after_the_last_attempt_another_way_is_taken(answers: list[dict[str, Any]]) -> None:
    answers.append({"number": 1, "text": PADDING})
    left, step = compressed(Hybrid(), HAY, 60)
    assert step.llm_calls == 3
    assert "14 days" in left[0].content
    assert "another way" in step.notes[-2]


def test_a_number_that_the_document_does_not_hold_is_not_taken(answers: list[dict[str, Any]]) -> None:
    answers.append({"number": 1, "text": "A refund takes 15 days. A refund takes 14 days."})
    left, _ = compressed(Abstractive(), HAY, 60)
    assert left[0].content == "A refund takes 14 days."


@pytest.fixture(scope="module")
def failing() -> Iterator[Any]:
    with openai_server() as server:
        server.behave("too_many")
        yield language_model(Settings(openai_base_url=server.url, max_retries=0))


def test_a_model_that_fails_leaves_the_extracted_sentences(failing: Any) -> None:
    left, step = compressed(Hybrid(), HAY, 60, llm=failing)
    assert "14 days" in left[0].content
    assert "went on without it" in " ".join(step.notes)
