"""A pipeline over a few documents in memory, and an agent whose model is a server that says what the test wants."""

from dataclasses import dataclass
from typing import Any, cast

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import LLM

from lessons.agent import Agent
from lessons.database import engine
from lessons.ingest.index import naive_index
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Pipeline, Stage
from lessons.rag.types import Context, Query, Resources, RetrievedDocument, Retriever, Scope
from lessons.rag.workspace import Workspace
from lessons.search.jaccard import JaccardRetriever
from lessons.settings import Settings
from lessons.trace import Step, Trace

TEXTS = {
    "refunds.md": "Refunds are paid within 14 days.",
    "seats.md": "A further seat costs 6 dollars a month.",
    "환불.md": "환불은 14일 안에 지급합니다.",
    "좌석.md": "좌석 하나를 더하면 한 달에 8천 원입니다.",
}
DOCUMENTS = tuple(RetrievedDocument(name, text, 0.0, name, {}) for name, text in TEXTS.items())


@dataclass
class Gathered:
    """What an agent found, and the steps that were announced while it worked."""

    context: Context
    trace: Trace
    announced: list[Step]

    @property
    def searches(self) -> list[Step]:
        return [step for step in self.trace if step.name not in ("decide", "context", "Condense")]

    @property
    def sources(self) -> set[str]:
        return {document.source for document in self.context.documents}


def gather(
    llm: LLM, question: str, retriever: Retriever | None = None, agent: Agent | None = None, trace: Trace | None = None
) -> Gathered:
    """Run an agent to its end."""
    trace = trace or Trace()
    pipeline = Pipeline(retriever=retriever or JaccardRetriever(DOCUMENTS, threshold=0.05))
    resources = Resources(store=cast(Any, None), embedding=cast(Any, None), llm=llm)
    work = (agent or Agent()).run(Query(question, Scope("reader")), pipeline, resources, trace)
    announced = []
    try:
        while True:
            announced.append(next(work))
    except StopIteration as end:
        return Gathered(end.value, trace, announced)


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    return Workspace(database, engine(database), MockEmbedding(embed_dim=3), OfflineLLM())


@pytest.fixture
def stage(place: Workspace) -> Stage:
    """A stage with an agent over the documents in memory."""
    retriever = JaccardRetriever(DOCUMENTS, threshold=0.05)
    return Stage(name="shelf", index=naive_index(), retriever=retriever, agent=Agent(), workspace=place)
