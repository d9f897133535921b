"""`uv run python -m data.make.vectors` writes the vectors of the shipped corpus for the keyless embedding.

Passages whose vectors are known are not embedded again; the others take about a third of a second each. What the
notebooks embed besides, and the examples of the classifiers, goes into a file of its own (`course`), which
`uv run python -m tests.notebooks --write` writes with the outputs of the notebooks.
"""

from collections.abc import Iterable
from pathlib import Path

from llama_index.core.schema import MetadataMode
from tqdm import tqdm

from lessons.ingest.index import ingredients
from lessons.ingest.read import read
from lessons.keyless.intent import open_questions
from lessons.library import CORPUS, indexes, shipped_documents
from lessons.models.vectors import QUESTIONS, key, read_vectors, write_vectors
from lessons.workspace import workspace


def passages() -> list[str]:
    """What is embedded of every shipped document, for the indexes of all stages and of the ablation in notebook 02."""
    found, wanted = [], [*indexes(), *ingredients()]
    for document in shipped_documents():
        pages = read(CORPUS / document["path"], document["path"])
        for index in wanted:
            found += [chunk.get_content(MetadataMode.EMBED) for chunk in index.chunks(pages, document["owner"])]
    return found


def main() -> None:
    """Embed what is new, a batch at a time so that an interruption loses little, and write the file."""
    embedding, texts = workspace().embedding, passages()
    for start in tqdm(range(0, len(texts), 16), desc="Embedding", unit="batch"):
        embedding.get_text_embedding_batch(texts[start : start + 16])
    print(write_vectors(embedding, texts))


def course(passages: Iterable[str], questions: Iterable[str], whole: bool) -> Path:
    """Write the vectors of what the notebooks embed that the corpus does not hold, and of the classifiers' examples.

    Those that are shipped already stay unless it is the `whole` course that was run.
    """
    embedding = workspace().embedding
    known = read_vectors(embedding.model_name)
    others = [text for text in passages if key("passage", text) not in known]
    examples = [example.text for example in open_questions()]
    kept = {} if whole else read_vectors(embedding.model_name, QUESTIONS)
    return write_vectors(embedding, others, QUESTIONS, [*examples, *questions], kept)


if __name__ == "__main__":
    main()
