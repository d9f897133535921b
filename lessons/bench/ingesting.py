"""Ingestion against its floors: the embedding model alone for all of it, COPY alone for the writing."""

import secrets
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import TextNode
from pydantic import PrivateAttr
from sqlalchemy import Engine, text

from lessons.bench.corpus import OWNER, empty_store, unwalled
from lessons.bench.pairs import WARM_UP, Pair, in_pairs, summarised
from lessons.bench.synthetic import mean_vector, vectors
from lessons.bench.words import WORDS_PER_CHUNK, drawn, texts
from lessons.evaluate.run import Watcher
from lessons.ingest.index import enhanced_index
from lessons.ingest.pipeline import ingest
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.threaded_embedding import ThreadedEmbedding
from lessons.workspace import Workspace

WORDS_PER_FILE = 200  # about one chunk
WRITTEN = 100  # chunks of a document that is stored
BEYOND = 10**9  # ids that the table does not give itself
_FORGET = text("DELETE FROM embedding_cache WHERE model LIKE 'bench %'")


@dataclass(frozen=True)
class Ingestion:
    """Reading to storing against the model alone, per file; and how long each step took per chunk, in milliseconds."""

    whole: Pair
    steps: dict[str, float]


class _Timed(ThreadedEmbedding):
    """A model that counts the seconds it is asked for. Its name is no other's, so nothing is found in the cache."""

    model: BaseEmbedding
    _seconds: float = PrivateAttr(0.0)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.model.get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        began = perf_counter()
        found = self.model.get_text_embedding_batch(texts)
        self._seconds += perf_counter() - began
        return found

    def taken(self) -> float:
        """Seconds since this was last asked."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


def ingestion(place: Workspace, files: int, watch: Watcher) -> Ingestion:
    """Ingest made-up files one by one as the enhanced stage would, into an index that is dropped afterwards."""
    times, chunks = [], 0
    steps: dict[str, float] = defaultdict(float)
    with (
        tempfile.TemporaryDirectory() as folder,
        _embedding(place) as (model, cached),
        empty_store(place.engine, cached.dimension) as store,
    ):
        index = enhanced_index()
        for number in range(files + 1):
            path = Path(folder, f"{number}.md")
            path.write_text(_document(number), encoding="utf-8")
            clock = _Clock()
            watch("Files, really embedded", number, files)
            began = perf_counter()
            (done,) = ingest([(path, path.name)], index, store, cached, OWNER, clock)
            whole, alone = perf_counter() - began, model.taken()
            if number:  # the first one loads the model
                times.append((whole, alone))
                chunks += done.chunks
                for step, seconds in clock.finished().items():
                    steps[step] += seconds
    ours, floor = 1000 * np.array(times).T
    return Ingestion(
        summarised("ingestion", ours, floor), {step: round(1000 * s / chunks, 3) for step, s in steps.items()}
    )


def storing(engine: Engine, rounds: int) -> Pair:
    """Write a document of so many chunks with their postings, against COPY of as many into the same tables."""
    nodes = {number: made_up_nodes(number) for number in range(-WARM_UP, rounds)}
    with empty_store(engine, len(mean_vector())) as store, unwalled(store) as copying:
        return in_pairs(
            "storing",
            lambda n: store.replace_document(OWNER, str(n), "", nodes[n]),
            lambda n: copying(BEYOND + np.arange(WRITTEN) + (n + WARM_UP) * WRITTEN),
            rounds,
        )


def made_up_nodes(number: int) -> list[TextNode]:
    """The chunks of a document, `WRITTEN` of them; another number from -WARM_UP on gives others."""
    places = zip(texts(drawn(WRITTEN, number + WARM_UP)), vectors(WRITTEN, number + WARM_UP), strict=True)
    return [
        TextNode(
            id_=f"{number} {place}",
            text=words.decode(),
            embedding=vector.tolist(),
            metadata={"source_file": str(number), "user_id": OWNER.user_id, "chunk_index": place, "language": "en"},
            excluded_embed_metadata_keys=["source_file", "user_id", "chunk_index", "language"],
        )
        for place, (words, vector) in enumerate(places)
    ]


def _document(number: int) -> str:
    words = texts(drawn(WORDS_PER_FILE // WORDS_PER_CHUNK, number))
    return "# Made up\n\n" + "\n".join(line.decode().strip().capitalize() + "." for line in words)


class _Clock:
    """Watches an ingestion: seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._step, self._since = "reading", perf_counter()

    def __call__(self, source_file: str, step: str, done: int = 0, total: int = 0) -> None:
        now = perf_counter()
        self.seconds[self._step] += now - self._since
        self._step, self._since = step, now

    def finished(self) -> dict[str, float]:
        self("", "")
        return self.seconds


@contextmanager
def _embedding(place: Workspace) -> Iterator[tuple[_Timed, CachedEmbedding]]:
    """The model of the workspace behind a cache of its own, which is emptied before and after."""
    inner = place.embedding.model if isinstance(place.embedding, CachedEmbedding) else place.embedding
    timed = _Timed(model=inner, model_name=f"bench {secrets.token_hex(3)}", embed_batch_size=inner.embed_batch_size)
    cached = CachedEmbedding(timed, place.engine)
    _forget(place.engine)
    try:
        yield timed, cached
    finally:
        _forget(place.engine)


def _forget(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(_FORGET)
