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
    def open(cls, settings: Settings) -> "Workspace":
        """Start or reach the database and choose the models; DatabaseError or ModelError says what is wrong."""
        database = engine(settings)
        embedding = embedding_model(settings, database)
        return cls(settings, database, embedding, language_model(settings, embedding))

    def store(self, index: "Index") -> ChunkStore:
        """Return the store of an index. Another embedding model means another table, never a mixed one."""
        with self._lock:
            if index.name not in self._stores:
                name, dimension = identity(self.embedding)
                self._stores[index.name] = ChunkStore(self.engine, index.name, name, dimension)
            return self._stores[index.name]

    def for_one_answer(self) -> Self:
        """Limit the model to the time of one answer; the keyless model does the rest."""
        limited = getattr(self.llm, "for_one_answer", None)
        return replace(self, llm=limited(settings().answer_seconds)) if limited else self

    def resources(self, index: "Index") -> Resources:
        return Resources(self.store(index), self.embedding, self.llm)


@cache
def workspace() -> Workspace:
    """Open the workspace of this process on first use.

    Freeze the garbage collector afterwards, because scanning the loaded modules would take 0.1 s.
    """
    opened = Workspace.open(settings())
    gc.freeze()
    return opened
