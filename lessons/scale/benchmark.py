"""The whole benchmark: searches at each size, ingestion, stages, memory, each beside the least it could take."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import psutil
from llama_index.core.schema import MetadataMode, TextNode
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from sqlalchemy import Engine

from lessons.evaluate.run import Watcher
from lessons.ingest.index import enhanced_index
from lessons.ingest.pipeline import ingest
from lessons.ingest.read import read
from lessons.models.embedding import identity
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.keyless import OfflineLLM
from lessons.rag.stages import stages
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources
from lessons.scale.made_up import OWNER, copying, empty_store, made_up_store, mean_vector, vectors, words
from lessons.scale.searches import WARM_UP, Filtered, MadeUpEmbedding, Pair, asked, filtered, in_pairs, search_pairs
from lessons.search.hybrid import HybridRetriever
from lessons.settings import settings
from lessons.workspace import Workspace

HEADLINE = "hybrid, all phrasings"
"""The search that every stage from smart search on makes."""

BASE = 10_000  # chunks, from which on growth is counted: below, most of a search is not the database's
ROUNDS = 20  # of a search
FILES = 4  # that are ingested, of about one chunk each
QUESTIONS = 1_000  # over which memory is watched
SETTLING = 100  # questions before, for what is loaded and remembered first
ANSWERS = 3  # of a stage
SEARCHES = 6  # kinds of them
WRITTEN = 100  # chunks of a document that is stored
BEYOND = 10**9  # ids that the table does not give itself


@dataclass(frozen=True)
class Size:
    """Over so many chunks: the searches, answers, memory, and searches under filters where there is an index to walk.

    `stages` is the median of an answer in milliseconds; `memory_mb` is by how many MB this process grew.
    """

    chunks: int
    searches: tuple[Pair, ...]
    stages: dict[str, float]
    memory_mb: float
    filtered: tuple[Filtered, ...] = ()

    def __getitem__(self, name: str) -> Pair:
        return next(pair for pair in self.searches if pair.name == name)


@dataclass(frozen=True)
class Ingestion:
    """Reading to storing against the model alone, per file; and how long each step took per chunk, in milliseconds."""

    whole: Pair
    steps: dict[str, float]


@dataclass(frozen=True)
class Benchmark:
    """What was measured. Times are milliseconds."""

    sizes: tuple[Size, ...]
    ingestion: Ingestion
    storing: Pair

    def as_dict(self) -> dict[str, Any]:
        """All of it, headed by the ratios of smart search, ingestion and storing to their floors.

        `growth`: how much longer smart search takes in the largest index than in the first of at least `BASE` chunks.
        """
        last = self.sizes[-1]
        base = next((size for size in self.sizes if size.chunks >= BASE), last)
        ratios = {"search_ratio": last[HEADLINE].ratio, "ingest_ratio": self.ingestion.whole.ratio}
        growth = last[HEADLINE].ms / base[HEADLINE].ms
        return ratios | {"growth": growth, "store_ratio": self.storing.ratio} | asdict(self)


def benchmark(place: Workspace, chunks: Sequence[int], watch: Watcher) -> Benchmark:
    """Measure on made-up chunks, and a few texts that are really embedded; nothing stays in the database.

    `watch(what, done, total)` hears what is going on.
    """
    sizes = tuple(_size(place, number, watch) for number in sorted(set(chunks)))
    return Benchmark(sizes, ingestion(place, FILES, watch), storing(place.engine, ROUNDS))


def _size(place: Workspace, number: int, watch: Watcher) -> Size:
    with made_up_store(place.engine, number, partial(watch, f"{number:,} chunks")) as store:
        walked = tuple(filtered(store, ROUNDS)) if number > settings().exact_search_chunks else ()
        pairs = []
        for done, pair in enumerate(search_pairs(store, ROUNDS), start=1):
            watch(f"Searching {number:,} chunks", done, SEARCHES)
            pairs.append(pair)
        return Size(number, tuple(pairs), _answers(store, place), _memory(store, watch), walked)


def _answers(store: ChunkStore, place: Workspace) -> dict[str, float]:
    """The median milliseconds of an answer of each stage, keyless, over the made-up chunks."""
    made_up = Workspace(place.settings, place.engine, MadeUpEmbedding(), OfflineLLM())
    name = store.table_name.split("_made_up")[0].removeprefix("chunks_")
    times = {}
    for stage in stages().values():
        here = stage.but(stage.name, index=replace(stage.index, name=name), workspace=made_up)
        times[stage.name] = median(here.ask(asked(n)[0], user=OWNER).trace.ms for n in range(ANSWERS))
    return times


def _memory(store: ChunkStore, watch: Watcher) -> float:
    """By how many MB this process grows over `QUESTIONS` searches, after `SETTLING` others."""
    resources, process = Resources(store, MadeUpEmbedding(), OfflineLLM()), psutil.Process()
    before = 0
    for number in range(SETTLING + QUESTIONS):
        if number == SETTLING:
            before = process.memory_info().rss
        phrasings = asked(number)[:1]
        HybridRetriever().search(phrasings, Query(phrasings[0], OWNER), resources)
        watch("Questions, for memory", number + 1, SETTLING + QUESTIONS)
    return (process.memory_info().rss - before) / 1e6


def ingestion(place: Workspace, files: int, watch: Watcher) -> Ingestion:
    """Ingest made-up files one by one as the enhanced stage would, past the cache of vectors, into a throw-away."""
    model = place.embedding.model if isinstance(place.embedding, CachedEmbedding) else place.embedding
    index, clock = enhanced_index(), _Clock()
    with TemporaryDirectory() as folder, empty_store(place.engine, identity(place.embedding)[1]) as store:
        paths = {number: _written_file(Path(folder), number) for number in range(-WARM_UP, files)}
        chunks = {number: index.chunks(read(path), OWNER.user_id) for number, path in paths.items()}

        def whole(number: int) -> None:
            watch("Files, really embedded", WARM_UP + number, WARM_UP + files)
            if number == 0:
                clock.seconds.clear()
            list(ingest([(paths[number], paths[number].name)], index, store, model, OWNER, clock))
            clock("", "")

        def alone(number: int) -> None:
            model.get_text_embedding_batch([node.get_content(MetadataMode.EMBED) for node in chunks[number]])

        pair = in_pairs("ingestion", whole, alone, files)
    counted = sum(len(chunks[number]) for number in range(files))
    return Ingestion(pair, {step: round(1000 * seconds / counted, 3) for step, seconds in clock.seconds.items()})


class _Clock:
    """Watches an ingestion: seconds by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._step, self._since = "", 0.0

    def __call__(self, source_file: str, step: str, done: int = 0, total: int = 0) -> None:
        now = perf_counter()
        if self._step:
            self.seconds[self._step] += now - self._since
        self._step, self._since = step, now


def _written_file(folder: Path, number: int) -> Path:
    lines = [f"{' '.join(row).capitalize()}." for row in words(10, number + WARM_UP)]
    path = folder / f"{number}.md"
    path.write_text("# Made up\n\n" + "\n".join(lines), encoding="utf-8")
    return path


def storing(engine: Engine, rounds: int) -> Pair:
    """Write a document of so many chunks with their terms, against COPY of as many into the same tables."""
    nodes = {number: made_up_nodes(number) for number in range(-WARM_UP, rounds)}
    with empty_store(engine, len(mean_vector())) as store, copying(store) as copy:

        def ours(number: int) -> None:
            store.replace_document(OWNER, str(number), "", nodes[number])

        def floor(number: int) -> None:
            first = BEYOND + (number + WARM_UP) * WRITTEN
            copy(range(first, first + WRITTEN))

        return in_pairs("storing", ours, floor, rounds)


def made_up_nodes(number: int) -> list[TextNode]:
    """The chunks of a document, `WRITTEN` of them; another number from -WARM_UP on gives others."""
    seed = number + WARM_UP
    known = {"source_file": str(number), "user_id": OWNER.user_id, "language": "en"}
    return [
        TextNode(
            id_=f"{number} {place}",
            text=" ".join(said),
            embedding=vector.tolist(),
            metadata={**known, "chunk_index": place},
            excluded_embed_metadata_keys=[*known, "chunk_index"],
        )
        for place, (said, vector) in enumerate(zip(words(WRITTEN, seed), vectors(WRITTEN, seed), strict=True))
    ]


def report(found: Benchmark) -> Group:
    """Every search at each size, ingestion, stages and memory, each beside its floor where there is one."""
    title = "Medians; the floor is the SQL alone, prepared, the model alone, or COPY alone. Quartiles in brackets."
    pairs = [_row(pair, f"{size.chunks:,}") for size in found.sizes for pair in size.searches]
    pairs += [_row(found.ingestion.whole), _row(found.storing)]
    answers = [
        {"chunks": f"{size.chunks:,}"}
        | {stage: f"{ms:.0f}" for stage, ms in size.stages.items()}
        | {"memory": f"{size.memory_mb:+.1f}"}
        for size in found.sizes
    ]
    return Group(
        table(title, pairs),
        *(table(f"{size.chunks:,} chunks", map(_filtered_row, size.filtered)) for size in found.sizes if size.filtered),
        table("Ingestion: milliseconds a chunk", [{step: f"{ms:.1f}" for step, ms in found.ingestion.steps.items()}]),
        table(f"Milliseconds of an answer, keyless, and MB added by {QUESTIONS:,} searches", answers),
    )


def table(title: str, rows: Iterator[Mapping[str, str]] | Sequence[Mapping[str, str]]) -> Table:
    """A table whose head are the names in the rows."""
    rows = list(rows)
    shown = Table(*rows[0], title=title)
    for row in rows:
        shown.add_row(*map(escape, row.values()))
    return shown


def _row(pair: Pair, chunks: str = "") -> dict[str, str]:
    ratio = f"{pair.ratio:.2f} [{pair.low:.2f}, {pair.high:.2f}]"
    return {"": pair.name, "chunks": chunks, "ms": f"{pair.ms:,.1f}", "floor": f"{pair.floor_ms:,.1f}", "ratio": ratio}


def _filtered_row(found: Filtered) -> dict[str, str]:
    times = {"ms": f"{found.ms:,.1f}", "all compared, ms": f"{found.exact_ms:,.1f}"}
    return {"left by a filter": f"{found.percent} %", "searched": found.way, "recall@10": f"{found.recall:.3f}"} | times
