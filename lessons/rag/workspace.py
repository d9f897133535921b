"""What one process works with: settings, one database engine, one embedding, one language model, and the stores."""

import gc
import threading
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Self

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from sqlalchemy import Engine

from lessons.database import engine
from lessons.models.embedding import embedding_model, identity
from lessons.models.llm import language_model
from lessons.rag.store import ChunkStore
from lessons.rag.types import Resources
from lessons.settings import Settings, settings

if TYPE_CHECKING:
    from lessons.ingest.index import Index


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

    def store(self, index: "Index") -> ChunkStore:
        """The chunks of an index. Another embedding model means another table, never a mixed one."""
        with self._lock:
            if index.name not in self._stores:
                name, dimension = identity(self.embedding)
                self._stores[index.name] = ChunkStore(self.engine, index.name, name, dimension)
            return self._stores[index.name]

    def for_one_answer(self) -> Self:
        """The same resources for one answer; after its time, or without a server, the keyless model does the rest."""
        limited = getattr(self.llm, "for_one_answer", None)
        return replace(self, llm=limited(settings().answer_seconds)) if limited else self

    def resources(self, index: "Index") -> Resources:
        return Resources(self.store(index), self.embedding, self.llm)


@cache
def workspace() -> Workspace:
    """The workspace of this process, opened on first use.

    To look through what is loaded by then takes the garbage collector a tenth of a second, so it passes it by.
    """
    opened = Workspace.open(settings())
    gc.freeze()
    return opened
