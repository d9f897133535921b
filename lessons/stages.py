"""The five stages, each the one before it with a part replaced."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from lessons.agent import Agent
from lessons.errors import LessonsError
from lessons.ingest.index import enhanced_index, naive_index
from lessons.rag.pipeline import Stage
from lessons.rag.retrievers import VectorRetriever
from lessons.search.hybrid import HybridRetriever
from lessons.search.rerankers import ModelScored
from lessons.search.transforms import Condense, Expand, Rewrite
from lessons.settings import settings


@cache
def stages() -> dict[str, Stage]:
    """Return the five stages by name, in the order in which they are taught."""
    defaults = settings()
    naive = Stage(name="naive", index=naive_index(), retriever=VectorRetriever(top_k=defaults.naive_top_k))
    enhanced = naive.but("enhanced", index=enhanced_index())
    smart = enhanced.but(
        "smart",
        query=(Condense(), Rewrite(), Expand()),
        retriever=HybridRetriever(top_k=defaults.top_k, threshold=defaults.smart_threshold),
    )
    reranked = smart.but(
        "reranked",
        retriever=HybridRetriever(top_k=defaults.rerank_candidates, threshold=defaults.rerank_threshold),
        reranker=ModelScored(top_k=defaults.rerank_best),
    )
    agentic = reranked.but("agentic", agent=Agent())
    return {stage.name: stage for stage in (naive, enhanced, smart, reranked, agentic)}


def by_name(stages: Iterable[Any]) -> dict[str, Any]:
    """Index stages, or wrappers of stages, by name. Raise LessonsError if two have the same name."""
    indexed: dict[str, Any] = {}
    for stage in stages:
        if indexed.setdefault(stage.name, stage) is not stage:
            raise LessonsError(
                f"Two stages are named {stage.name!r}; give one another name: `stage.but('another name', …)`."
            )
    return indexed


def stage_named(name: str) -> Stage:
    """Return one of the five stages. Raise LessonsError, which lists their names, for any other."""
    if name not in stages():
        raise LessonsError(f"There is no stage {name!r}; the stages are {', '.join(stages())}.")
    return stages()[name]
