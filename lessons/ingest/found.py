"""Hits of several searches at once as rows: which search, which chunk, how good, and each chunk's words once."""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal

from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQueryResult
from sqlalchemy import Row, Select, Table, and_, func, select

from lessons.ingest.nearest import Way


class FoundChunks(VectorStoreQueryResult):
    """What LlamaIndex expects of a search, and the way in which it was done."""

    def __init__(self, chunks: Sequence[Row], similarities: list[float], way: Way | Literal["keyword"]) -> None:
        """`chunks` are rows with `node_id`, `text` and `metadata_`, best first."""
        self.chunks, self.similarities, self.way = chunks, similarities, way
        self.ids = [chunk.node_id for chunk in chunks]

    @cached_property
    def nodes(self) -> list[TextNode]:  # type: ignore[override]
        """The chunks as LlamaIndex has them, made when asked for: a fusion drops most of what its searches find."""
        return [TextNode(id_=chunk.node_id, text=chunk.text, metadata=chunk.metadata_) for chunk in self.chunks]


def with_words(hits: Select, chunks: Table, user_id: str) -> Select:
    """Hits among an owner's chunks as they are read, best first: `number` of the search from 1, `chunk_id`, `score`.

    A chunk that several searches found comes with its text and metadata the first time only.
    """
    hit = hits.cte("hit")
    first = func.row_number().over(partition_by=hit.c.chunk_id, order_by=hit.c.number)
    told = select(hit, first.label("mention")).cte("told")
    mentioned = and_(chunks.c.user_id == user_id, chunks.c.id == told.c.chunk_id, told.c.mention == 1)
    columns = told.c.number, told.c.chunk_id, told.c.score, chunks.c.node_id, chunks.c.text, chunks.c.metadata_
    read = select(*columns).select_from(told.outerjoin(chunks, mentioned))
    return read.order_by(told.c.number, told.c.score.desc(), told.c.chunk_id)


def found_chunks(rows: Sequence[Row], searches: int, way: Way | Literal["keyword"]) -> list[FoundChunks]:
    """What each of so many searches found."""
    chunks = {row.chunk_id: row for row in rows if row.node_id}
    hits = {number: list(of_one) for number, of_one in groupby(rows, lambda row: row.number)}
    return [
        FoundChunks([chunks[hit.chunk_id] for hit in its], [hit.score for hit in its], way)
        for its in (hits.get(number, []) for number in range(1, searches + 1))
    ]
