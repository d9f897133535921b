"""A stage over a handful of documents that always finds them in the same order."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from llama_index.core.embeddings import MockEmbedding

from lessons.database import engine
from lessons.ingest.index import naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.rag.workspace import Workspace
from lessons.settings import Settings

TEXTS = (
    "A refund takes 14 days. It is paid to the card that was charged.",
    "환불은 14일 걸립니다. 결제한 카드로 돌려드립니다.",
    "The budget of the city is 9 million euros.",
    "Choose Export to save a report. Reports are kept for 90 days.",
)


@dataclass(frozen=True)
class Shelf:
    """A retriever that finds its documents from the first on."""

    texts: tuple[str, ...] = TEXTS
    top_k: int | None = None

    def search(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        found = [
            RetrievedDocument(str(number), text, 1 / (number + 1), f"{number}.md")
            for number, text in enumerate(self.texts)
        ]
        return found[: self.top_k or query.top_k]


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    return Workspace(database, engine(database), MockEmbedding(embed_dim=3), OfflineLLM())


@pytest.fixture
def stage(place: Workspace) -> Stage:
    return Stage(name="shelf", index=naive_index(), retriever=Shelf(), workspace=place)


@pytest.fixture
def stage_of(stage: Stage) -> Callable[..., Stage]:
    """The stage with these texts on its shelf."""
    return lambda *texts: stage.but("shelf", retriever=Shelf(texts))
