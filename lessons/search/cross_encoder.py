"""A cross-encoder: a small language model that reads question and document as one text and gives the pair one number.

Nogueira & Cho (2019), *Passage Re-ranking with BERT*, arXiv 1901.04085. It runs on ONNX, without PyTorch, and is
installed with `uv sync --extra rerank`.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from llama_index.core.schema import MetadataMode
from pydantic import Field

from lessons.errors import ModelError
from lessons.models.embedding_cache import SHIPPED, key, read_vectors
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.rerankers import Postprocessor, fused_with_search
from lessons.settings import settings
from lessons.trace import Step

PAIRS = SHIPPED / "pairs"
"""The scores of the golden questions with their candidates, by model, as `models/embedding_cache.py` keeps vectors."""


def pair_key(question: str, text: str) -> bytes:
    """Return the key under which a score is stored."""
    return key("pair", f"{question}\n{text}")


def file_name(model: str) -> str:
    """Under which the scores of a model are shipped."""
    return model.replace("/", "-")


class CrossEncoder(Postprocessor):
    """The order of the search, moved as far as the scores of the cross-encoder stand out.

    `model` is one that fastembed knows (`TextCrossEncoder.list_supported_models()`). Its weights are fetched from the
    Hugging Face hub once, unless a `folder` holds them: `onnx/model.onnx` beside the files of the tokenizer. ModelError
    if the extra is not installed or the weights cannot be had.
    """

    model: str = Field(default_factory=lambda: settings().cross_encoder)
    folder: Path | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        read = [document.node.get_content(MetadataMode.EMBED) for document in documents]
        return fused_with_search(documents, self.scores(query.text, read))[: self.limit(query)]

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score each text for the question, on the model's own scale. Shipped scores are not computed again."""
        keys = [pair_key(question, text) for text in texts]
        shipped = {} if self.folder else read_vectors(file_name(self.model), PAIRS)
        by_pair = {pair: shipped[pair].item() for pair in keys if pair in shipped}
        if new := {pair: text for pair, text in zip(keys, texts, strict=True) if pair not in by_pair}:
            # One at a time: with 8 bits, what else is in a batch would move a score.
            computed = _encoder(self.model, self.folder).rerank(question, new.values(), batch_size=1)
            by_pair |= zip(new, map(float, computed), strict=True)
        return [by_pair[pair] for pair in keys]


@cache
def _encoder(model: str, folder: Path | None) -> Any:
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise ModelError("A cross-encoder needs fastembed; install it with `uv sync --extra rerank`.") from error
    try:
        return TextCrossEncoder(model, specific_model_path=str(folder) if folder else None)
    except Exception as error:  # of the hub, of the file system, of ONNX: fastembed passes all of them on
        raise ModelError(
            f"The cross-encoder {model} cannot be loaded from {folder or 'the Hugging Face hub'} ({error}); choose one"
            " of `TextCrossEncoder.list_supported_models()`, or name a folder that holds its weights."
        ) from error
