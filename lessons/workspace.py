"""What one process works with: settings, one database engine, one embedding, one language model, and the stores."""

import threading
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Self

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from sqlalchemy import Engine

from lessons.database import engine
from lessons.ingest.index import Index
from lessons.ingest.store import ChunkStore
from lessons.models.embedding import embedding_model, identity
from lessons.models.llm import for_one_answer, language_model
from lessons.retrieve.types import Resources
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

    def for_one_answer(self) -> Self:
        """The same resources, with a model that is not waited for again once it could not be reached."""
        return replace(self, llm=for_one_answer(self.llm))

    def resources(self, index: Index) -> Resources:
        return Resources(self.store(index), self.embedding, self.llm)


@cache
def workspace() -> Workspace:
    """The workspace of this process, opened on first use."""
    return Workspace.open(settings())
