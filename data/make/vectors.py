"""`uv run python -m data.make.vectors` writes the vectors of the shipped corpus for the keyless embedding.

Passages whose vectors are known are not embedded again; the others take about a third of a second each. What the
notebooks embed besides, and the examples of the classifiers, goes into a file of its own (`course`), which
`uv run python -m tests.notebooks --write` writes with the outputs of the notebooks.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import MetadataMode
from tqdm import tqdm

from lessons.ingest.index import ingredients
from lessons.ingest.read import read
from lessons.keyless.intent import open_questions
from lessons.library import CORPUS, indexes, shipped_documents
from lessons.models.embedding_cache import KEY_BYTES, QUESTIONS, SHIPPED, key, mean_key, read_vectors
from lessons.rag.workspace import workspace
from lessons.text import language, normalize


def passages(documents: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what is embedded of documents, for the indexes of all stages and of the ablation in notebook 02."""
    texts, targets = [], [*indexes(), *ingredients()]
    for document in documents:
        pages = read(CORPUS / document["path"], document["path"])
        for index in targets:
            texts += [chunk.get_content(MetadataMode.EMBED) for chunk in index.chunks(pages, document["owner"])]
    return texts


def main() -> None:
    """Embed what is new, a batch at a time so that an interruption loses little, and write the file."""
    embedding, texts = workspace().embedding, passages(shipped_documents())
    for start in tqdm(range(0, len(texts), 16), desc="Embedding", unit="batch"):
        embedding.get_text_embedding_batch(texts[start : start + 16])
    print(write_vectors(embedding, texts, previous=language_means(embedding, texts)))


def language_means(embedding: BaseEmbedding, passages: Iterable[str]) -> dict[bytes, np.ndarray]:
    """Return the mean vector of the passages of each language, by its key, for `lessons.search.languages`."""
    by_language = defaultdict[str, list[str]](list)
    for text in sorted(set(map(normalize, passages))):
        by_language[language(text)].append(text)
    return {
        mean_key(name): np.mean(embedding.get_text_embedding_batch(texts), axis=0)
        for name, texts in by_language.items()
    }


def course(passages: Iterable[str], questions: Iterable[str], complete: bool) -> Path:
    """Write the vectors of what the notebooks embed that the corpus does not hold, and of the classifiers' examples.

    Those that are shipped already stay unless the course that was run is `complete`.
    """
    embedding = workspace().embedding
    shipped = read_vectors(embedding.model_name)
    new = [text for text in passages if key("passage", text) not in shipped]
    examples = [example.text for example in open_questions()]
    previous = {} if complete else read_vectors(embedding.model_name, QUESTIONS)
    return write_vectors(embedding, new, QUESTIONS, [*examples, *questions], previous)


def write_vectors(
    embedding: BaseEmbedding,
    texts: Iterable[str],
    folder: Path = SHIPPED,
    questions: Iterable[str] = (),
    previous: Mapping[bytes, np.ndarray] = MappingProxyType({}),
) -> Path:
    """Embed passages and questions and write their file, with vectors that are `known`; returns its path.

    Passages are embedded in alphabetical order: the last digits of a vector may depend on its neighbours in a batch.
    """
    passages = {key("passage", text): text for text in sorted(set(map(normalize, texts)))}
    vectors: dict[bytes, Any] = dict(previous)
    vectors |= zip(passages, embedding.get_text_embedding_batch(list(passages.values())), strict=True)
    vectors |= {key("query", text): embedding.get_query_embedding(text) for text in map(normalize, questions)}
    return save_vectors(folder / f"{embedding.model_name}.npz", vectors)


def save_vectors(path: Path, vectors: Mapping[bytes, Any]) -> Path:
    """Write vectors by key; returns the path. The same vectors give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    keys = np.frombuffer(b"".join(sorted(vectors)), np.uint8).reshape(-1, KEY_BYTES)
    np.savez_compressed(path, keys=keys, vectors=np.array([vectors[key] for key in sorted(vectors)], np.float16))
    return path


if __name__ == "__main__":
    main()
