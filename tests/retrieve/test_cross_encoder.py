"""A real cross-encoder, tiny and made here: question and document are read together, by its scores they are ordered."""

from pathlib import Path

import pytest

from lessons.search.rerankers import cross_encoder
from tests.retrieve.test_rerank import document, rerank

sentence_transformers = pytest.importorskip("sentence_transformers", reason="needs the extra: uv sync --extra rerank")

TEXTS = ["coffee is served early", "tea is served", "the kiosk opens early", "커피는 일찍 나옵니다", "tea"]
QUESTION = "when is coffee served"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of one layer with random weights, saved as one from the hub is."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("cross-encoder")
    words = sorted({word for text in [*TEXTS, QUESTION] for word in text.split()})
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *words]), encoding="utf-8")
    torch.manual_seed(7)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(SPECIAL) + len(words), num_labels=1, initializer_range=1.0, **shape)
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_documents_come_in_the_order_of_the_cross_encoders_scores(folder: Path) -> None:
    documents = [document(str(number), 1 - number / 10, text) for number, text in enumerate(TEXTS)]
    scores = sentence_transformers.CrossEncoder(str(folder)).predict([(QUESTION, text) for text in TEXTS])
    right = sorted(range(len(TEXTS)), key=lambda number: -scores[number])
    assert right != list(range(len(TEXTS)))
    assert rerank(cross_encoder(str(folder), top_k=5), documents, QUESTION) == " ".join(map(str, right))
    assert rerank(cross_encoder(str(folder), top_k=2), documents, QUESTION) == " ".join(map(str, right[:2]))
