"""Our hybrid search beside that of other frameworks: same chunks, same vectors, same PostgreSQL, as many candidates.

    uv run python data/rivals/compare.py PYTHON [--json FILE]

PYTHON is the interpreter of an environment with `requirements.txt` beside this file, for example made by
`uv venv /tmp/rivals && uv pip install --python /tmp/rivals/bin/python -r data/rivals/requirements.txt`.
The questions are those of the golden test split that stand alone and have evidence; they are searched as they are
asked, without rewriting. Vectors are known beforehand, so times are those of the search and of storing alone.
"""

import argparse
import inspect
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.evaluate.compare import interval
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.ranking import retrieval_metrics
from lessons.faults.database import SpareDatabase
from lessons.ingest.read import read
from lessons.ingest.scope import Scope
from lessons.library import CORPUS, shipped_documents
from lessons.retrieve.hybrid import HybridRetriever
from lessons.retrieve.search import VectorRetriever
from lessons.retrieve.types import Query, RetrievedDocument, Retriever
from lessons.stages import stages
from lessons.workspace import Workspace, workspace

HERE = Path(__file__).parent
OWNER = Scope("reader")
METRIC = "ndcg@10"
OURS = "this workbook, hybrid"

Build = Callable[[Sequence[BaseNode], Retriever, Workspace], Callable[[str], list[str]]]


@dataclass(frozen=True)
class Ranked:
    """What one search found for each question, and what it took. `lines` are those of the code that a reader writes."""

    rankings: dict[str, list[str]]
    ms: list[float]
    store_seconds: float
    lines: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path, help="interpreter with the requirements of the other frameworks")
    parser.add_argument("--json", type=Path, default=HERE / "result.json", help="where the result is written")
    chosen = parser.parse_args()
    chunks, questions = made_chunks(workspace()), asked()
    spare = SpareDatabase()
    try:
        place = Workspace.open(spare.settings)
        found = {
            OURS: timed(workbook, HybridRetriever(top_k=10), chunks, questions, place),
            "this workbook, vectors only": timed(workbook, VectorRetriever(top_k=10), chunks, questions, place),
            **others(chosen.python, chunks, questions, place, spare.url),
        }
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


def workbook(chunks: Sequence[BaseNode], retriever: Retriever, place: Workspace) -> Callable[[str], list[str]]:
    resources = place.resources(stages()["enhanced"].index)
    resources.store.add(chunks)
    resources.store.settle(len(chunks))
    return lambda question: [each.id for each in retriever.retrieve([question], Query(question, OWNER), resources)]


def timed(
    build: Build, retriever: Retriever, chunks: Sequence[BaseNode], questions: Sequence[Golden], place: Workspace
) -> Ranked:
    """Store, then search each question twice: the second time its vector is known."""
    began = perf_counter()
    search = build(chunks, retriever, place)
    stored = perf_counter() - began
    rankings, times = {}, []
    for question in questions:
        search(question.question)
        began = perf_counter()
        rankings[question.id] = search(question.question)
        times.append(1_000 * (perf_counter() - began))
    lines = sum(1 for line in inspect.getsource(build).splitlines() if line.strip())
    return Ranked(rankings, times, stored, lines)


def others(
    python: Path, chunks: Sequence[BaseNode], questions: Sequence[Golden], place: Workspace, url: str
) -> dict[str, Ranked]:
    """What the other frameworks find, each in the process of its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [(chunk.node_id, chunk.get_content(MetadataMode.EMBED), chunk.embedding) for chunk in chunks]
        queries = [(each.id, each.question, place.embedding.get_query_embedding(each.question)) for each in questions]
        for name, rows in {"chunks": texts, "questions": queries}.items():
            lines = (json.dumps({"id": id_, "text": text, "vector": vector}) for id_, text, vector in rows)
            (Path(folder) / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        quiet = os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"}
        subprocess.run([str(python), str(HERE / "frameworks.py"), folder, url], check=True, env=quiet)
        found = json.loads((Path(folder) / "rankings.json").read_text(encoding="utf-8"))
    return {name: Ranked(**each) for name, each in found.items()}


def compared(found: dict[str, Ranked], chunks: dict[str, BaseNode], questions: Sequence[Golden]) -> dict[str, object]:
    """Means with intervals, and each search against ours, question by question."""
    values = {
        name: [measured(each, ranked.rankings[each.id], chunks) for each in questions] for name, ranked in found.items()
    }
    rows = []
    for name, ranked in found.items():
        better = np.subtract(values[OURS], values[name])
        rows.append({
            "name": name, METRIC: float(np.mean(values[name])), "interval": interval(values[name]),
            "ours_is_better_by": float(np.mean(better)), "gain_interval": interval(better),
            "p50_ms": float(np.percentile(ranked.ms, 50)), "p95_ms": float(np.percentile(ranked.ms, 95)),
            "chunks_stored_per_second": len(chunks) / ranked.store_seconds, "lines": ranked.lines,
        })  # fmt: skip
    return {"questions": len(questions), "chunks": len(chunks), "searches": rows}


def measured(question: Golden, ranking: Sequence[str], chunks: dict[str, BaseNode]) -> float:
    """The metric of one ranking of chunk ids."""
    documents = [
        RetrievedDocument(id_, chunks[id_].get_content(MetadataMode.NONE), 0.0, chunks[id_].metadata["source_file"])
        for id_ in ranking
    ]
    return retrieval_metrics(question, documents)[METRIC]


if __name__ == "__main__":
    main()
