"""Our hybrid search beside that of other frameworks: same chunks, same vectors, same PostgreSQL, as many candidates.

    uv run python data/rivals/compare.py PYTHON [--json FILE]

PYTHON is the interpreter of an environment with `requirements.txt` beside this file, for example made by
`uv venv /tmp/rivals && uv pip install --python /tmp/rivals/bin/python -r data/rivals/requirements.txt`.
The questions are those of the golden test split that stand alone and have evidence; they are searched as they are
asked, without rewriting. Vectors are known beforehand. Nothing is timed: some keep words in memory, others ask
a database.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from frameworks import CANDIDATES, WANTED, Search, lines
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.evaluate.compare import interval
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import retrieval_metrics
from lessons.faults.database import SpareDatabase
from lessons.ingest.read import read
from lessons.library import CORPUS, shipped_documents
from lessons.rag.types import RetrievedDocument, Retriever, Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.stages import stages

HERE = Path(__file__).parent
OWNER = Scope("reader")
METRIC = "ndcg@10"
OURS = "this workbook, hybrid"

Asked = tuple[str, str, list[float]]
"""Id, text and vector of a question."""


@dataclass(frozen=True)
class Ranked:
    """What one search found for each question; `lines` are those of a whole set-up."""

    rankings: dict[str, list[str]]
    lines: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path, help="interpreter with the requirements of the other frameworks")
    parser.add_argument("--json", type=Path, default=HERE / "result.json", help="where the result is written")
    chosen = parser.parse_args()
    place = workspace()
    chunks, questions = made_chunks(place), asked()
    queries = [(each.id, each.question, place.embedding.get_query_embedding(each.question)) for each in questions]
    spare = SpareDatabase()
    try:
        found = own(chunks, queries, spare.url) | others(chosen.python, chunks, queries, spare.url)
    finally:
        spare.erase()
    result = compared(found, {chunk.node_id: chunk for chunk in chunks}, questions)
    chosen.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, ensure_ascii=False, indent=1))


def made_chunks(place: Workspace) -> list[BaseNode]:
    """The chunks of the enhanced index of the reader's documents, embedded; their vectors are shipped."""
    index = stages()["enhanced"].index
    paths = [document["path"] for document in shipped_documents() if document["owner"] == OWNER.user_id]
    chunks = [chunk for path in paths for chunk in index.chunks(read(CORPUS / path, path), OWNER.user_id)]
    vectors = place.embedding.get_text_embedding_batch([chunk.get_content(MetadataMode.EMBED) for chunk in chunks])
    for chunk, vector in zip(chunks, vectors, strict=True):
        chunk.embedding = vector
    return chunks


def asked() -> list[Golden]:
    """Questions with evidence in the reader's documents that need no conversation."""
    golden = golden_questions("test")
    return [each for each in golden if each.evidence and not each.history and each.owner == OWNER.user_id]


def workbook(chunks, vectors, url, retriever, name) -> Search:
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM

    from lessons.database import engine
    from lessons.rag.store import ChunkStore
    from lessons.rag.types import Query, Resources, Scope
    from lessons.settings import Settings

    class Known(BaseEmbedding):
        def _get_query_embedding(self, query):
            return vectors[query]

        _get_text_embedding = _get_query_embedding

        async def _aget_query_embedding(self, query):
            return vectors[query]

    database = engine(Settings(database_url=url))
    store = ChunkStore(database, name, "known", len(chunks[0].embedding))
    store.add(chunks)
    store.optimize(len(chunks))
    resources, scope = Resources(store, Known(), MockLLM()), Scope("reader")
    return lambda question: [each.id for each in retriever.search([question], Query(question, scope), resources)]


def hybrid() -> Retriever:
    from lessons.search.hybrid import HybridRetriever

    return HybridRetriever(top_k=WANTED, candidates=CANDIDATES)


def by_ranks() -> Retriever:
    from lessons.rag.retrievers import VectorRetriever
    from lessons.search.hybrid import HybridRetriever

    return HybridRetriever(top_k=WANTED, candidates=CANDIDATES, meaning=VectorRetriever(), fusion="ranks")


def words_only() -> Retriever:
    from lessons.rag.retrievers import KeywordRetriever

    return KeywordRetriever(top_k=WANTED)


def vectors_only() -> Retriever:
    from lessons.rag.retrievers import VectorRetriever

    return VectorRetriever(top_k=WANTED)


OWN = {
    OURS: hybrid,
    "this workbook, fused by ranks": by_ranks,
    "this workbook, words only": words_only,
    "this workbook, vectors only": vectors_only,
}


def own(chunks: Sequence[BaseNode], queries: Sequence[Asked], url: str) -> dict[str, Ranked]:
    """What this workbook finds, in this process."""
    vectors, found = {text: vector for _, text, vector in queries}, {}
    for name, retriever in OWN.items():
        search = workbook(chunks, vectors, url, retriever(), retriever.__name__)
        found[name] = Ranked({id_: search(text) for id_, text, _ in queries}, lines(workbook, retriever))
    return found


def others(python: Path, chunks: Sequence[BaseNode], queries: Sequence[Asked], url: str) -> dict[str, Ranked]:
    """What the other frameworks find, each in the process of its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [(chunk.node_id, chunk.get_content(MetadataMode.EMBED), chunk.embedding) for chunk in chunks]
        for name, rows in {"chunks": texts, "questions": queries}.items():
            written = (json.dumps({"id": id_, "text": text, "vector": vector}) for id_, text, vector in rows)
            (Path(folder) / f"{name}.jsonl").write_text("\n".join(written), encoding="utf-8")
        quiet = os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"}
        subprocess.run([str(python), str(HERE / "frameworks.py"), folder, url], check=True, env=quiet)
        found = json.loads((Path(folder) / "rankings.json").read_text(encoding="utf-8"))
    return {name: Ranked(**each) for name, each in found.items()}


def compared(found: dict[str, Ranked], chunks: dict[str, BaseNode], questions: Sequence[Golden]) -> dict[str, object]:
    """Means with intervals, and each search against ours, question by question."""
    values = {
        name: [measured(each, ranked.rankings[each.id], chunks) for each in questions] for name, ranked in found.items()
    }
    rows, korean = [], [each.language == "ko" for each in questions]
    for name, ranked in found.items():
        better = np.subtract(values[OURS], values[name])
        rows.append({
            "name": name, METRIC: float(np.mean(values[name])), "interval": interval(values[name]),
            "korean": float(np.mean(np.array(values[name])[korean])),
            "ours_is_better_by": float(np.mean(better)), "gain_interval": interval(better),
            "lines": ranked.lines,
        })  # fmt: skip
    return {"questions": len(questions), "korean": sum(korean), "chunks": len(chunks), "searches": rows}


def measured(question: Golden, ranking: Sequence[str], chunks: dict[str, BaseNode]) -> float:
    """The metric of one ranking of chunk ids."""
    documents = [
        RetrievedDocument(id_, chunks[id_].get_content(MetadataMode.NONE), 0.0, chunks[id_].metadata["source_file"])
        for id_ in ranking
    ]
    return retrieval_metrics(question, documents)[METRIC]


if __name__ == "__main__":
    main()
