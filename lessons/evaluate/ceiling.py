"""The ceiling: how much of the questions the model answers when it is handed the evidence and nothing else.

What it gets wrong there a better search alone does not put right, so a stage is judged by how near it comes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lessons.evaluate.evaluate import measure
from lessons.evaluate.evaluation import CEILING, Record
from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.judge.judge import is_unanswerable
from lessons.evaluate.quotes import holds
from lessons.ingest.index import Index
from lessons.rag.stages import Stage
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.transforms import Compress
from lessons.workspace import Workspace


@dataclass(frozen=True)
class Given:
    """Instead of searching, takes the chunks that hold the evidence, in its order: of each piece its first place.

    Where none holds a quote whole, all chunks of its page are taken.
    """

    evidence: tuple[Evidence, ...]

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        found = [chunk for each in self.evidence for chunk in _chunks(each, query, resources)]
        return list({chunk.id: chunk for chunk in found}.values())


def oracle(question: Golden, index: Index, place: Workspace) -> Stage:
    """A stage that answers this one question from the chunks of its evidence; a follow-up is completed first."""
    return Stage(name=CEILING, index=index, retriever=Given(question.evidence), query=(Compress(),), workspace=place)


def ceiling(
    questions: Sequence[Golden],
    index: Index,
    place: Workspace,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> Iterator[Record]:
    """A record for each question whose evidence is known, and for each that has none because it cannot be answered."""
    known = [each for each in questions if is_unanswerable(each) or (each.evidence and each.answer)]
    for done, question in enumerate(known, start=1):
        stage = oracle(question, index, place)
        yield measure(question, stage.ask(question.question, user=question.owner, history=question.history))
        watch(done, len(known))


def _chunks(evidence: Evidence, query: Query, resources: Resources) -> list[RetrievedDocument]:
    nodes = resources.store.get_nodes(scope=query.scope.only([evidence.source_file]))
    source = evidence.source_file
    chunks = [RetrievedDocument(node.node_id, node.get_content(), 1.0, source, node.metadata) for node in nodes]
    holding = [chunk for chunk in chunks if holds(chunk.content, evidence.quote)]
    return holding or [chunk for chunk in chunks if chunk.page == evidence.page]
