"""The inverted index as a table: one row for each term of each chunk, with how often it occurs there.

Its primary key begins with owner and term and carries everything a ranking needs, so a search reads the index alone
and meets no other owner's rows.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from llama_index.core.schema import BaseNode, MetadataMode
from sqlalchemy import (
    BIGINT,
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    select,
)

from lessons.ingest.copying import copied
from lessons.ingest.documents import Base
from lessons.text import terms


def indexed_terms(node: BaseNode) -> list[str]:
    """The terms that find a chunk: those of the text that is embedded, so its title and headings count."""
    return terms(node.get_content(MetadataMode.EMBED))


def postings_name(chunks: str) -> str:
    """The name of the table of postings that belongs to a table of chunks."""
    return chunks.replace("chunks", "terms", 1)


@cache
def postings_table(chunks: Table) -> Table:
    """The postings of a table of chunks. They go when their chunk goes."""
    chunk = "user_id", "chunk_id"
    return Table(
        postings_name(chunks.name),
        Base.metadata,
        Column("user_id", String, nullable=False),
        Column("term", String(collation="C"), nullable=False),
        Column("chunk_id", BIGINT, nullable=False),
        Column("frequency", Integer, nullable=False),
        Column("length", Integer, nullable=False),
        PrimaryKeyConstraint("user_id", "term", "chunk_id", postgresql_include=["frequency", "length"]),
        ForeignKeyConstraint(chunk, [chunks.c.user_id, chunks.c.id], ondelete="CASCADE"),
        Index(f"{postings_name(chunks.name)}_chunk", *chunk),
    )


def write_postings(connection: Connection, chunks: Table, nodes: Sequence[BaseNode]) -> None:
    """Write the postings of an owner's chunks that have just been written and have none yet."""
    postings = postings_table(chunks)
    columns = [Column("node_id", String), postings.c.term, postings.c.frequency]
    counts = {node.node_id: Counter(indexed_terms(node)) for node in nodes}
    rows = ((node_id, term, number) for node_id, count in counts.items() for term, number in count.items())
    with copied(connection, columns, rows) as found:
        written = select(chunks.c.user_id, found.c.term, chunks.c.id, found.c.frequency, chunks.c.length)
        written = written.join_from(found, chunks, chunks.c.node_id == found.c.node_id)
        written = written.where(chunks.c.user_id.in_({node.metadata["user_id"] for node in nodes}))
        connection.execute(insert(postings).from_select(list(postings.c), written))
