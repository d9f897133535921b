"""What one process works with: settings, one database engine, one embedding, one language model, and the stores."""

import gc
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Self

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from sqlalchemy import Engine

from lessons.database import engine
from lessons.ingest.index import Index
from lessons.ingest.pipeline import FileResult, ingest
from lessons.models.embedding import embedding_model, identity
from lessons.models.llm import language_model
from lessons.rag.store import ChunkStore
from lessons.rag.types import Resources, Scope
from lessons.settings import Settings, settings


@dataclass
class Workspace:
    """The resources of a process. Stores are opened once; opening is safe from several threads."""

    settings: Settings
    engine: Engine
    embedding: BaseEmbedding
    llm: LLM
    _stores: dict[str, ChunkStore] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def open(cls, chosen: Settings) -> "Workspace":
        """Start or reach the database and choose the models; DatabaseError or ModelError says what is wrong."""
        database = engine(chosen)
        embedding = embedding_model(chosen, database)
        return cls(chosen, database, embedding, language_model(chosen, embedding))

    def store(self, index: Index) -> ChunkStore:
        """The chunks of an index. Another embedding model means another table, never a mixed one."""
        with self._lock:
            if index.name not in self._stores:
                name, dimension = identity(self.embedding)
                self._stores[index.name] = ChunkStore(self.engine, index.name, name, dimension)
            return self._stores[index.name]

    def ingest(
        self, files: Sequence[tuple[Path, str]], indexes: Sequence[Index], scope: Scope
    ) -> Iterator[tuple[Index, FileResult]]:
        """Ingest (path, source_file) pairs into each of the indexes, file by file, so that each is read only once."""
        runs = [ingest(files, each, self.store(each), self.embedding, scope) for each in indexes]
        for results in zip(*runs, strict=True):
            yield from zip(indexes, results, strict=True)

    def for_one_answer(self) -> Self:
        """The same resources for one answer; after its time, or without a server, the keyless model does the rest."""
        limited = getattr(self.llm, "for_one_answer", None)
        return replace(self, llm=limited(settings().answer_seconds)) if limited else self

    def resources(self, index: Index) -> Resources:
        return Resources(self.store(index), self.embedding, self.llm)


@cache
def workspace() -> Workspace:
    """The workspace of this process, opened on first use.

    To look through what is loaded by then takes the garbage collector a tenth of a second, so it passes it by.
    """
    opened = Workspace.open(settings())
    gc.freeze()
    return opened
