"""The inverted index as a table: one row for each term of each chunk, with how often it occurs there.

Its primary key begins with owner and term and carries everything a ranking needs, so a search reads the index alone
and meets no other owner's rows.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from llama_index.core.schema import BaseNode, MetadataMode
from sqlalchemy import (
    ARRAY,
    TEXT,
    Column,
    Connection,
    ForeignKey,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.sql.selectable import TableValuedAlias

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
    return Table(
        postings_name(chunks.name),
        Base.metadata,
        Column("user_id", String, nullable=False),
        Column("term", String(collation="C"), nullable=False),
        Column("chunk_id", ForeignKey(chunks.c.id, ondelete="CASCADE"), nullable=False, index=True),
        Column("frequency", Integer, nullable=False),
        Column("length", Integer, nullable=False),
        PrimaryKeyConstraint("user_id", "term", "chunk_id", postgresql_include=["frequency", "length"]),
    )


def write_postings(connection: Connection, chunks: Table, nodes: Sequence[BaseNode]) -> None:
    """Write the postings of chunks that have just been written and have none yet."""
    postings = postings_table(chunks)
    counts = {node.node_id: Counter(indexed_terms(node)) for node in nodes}
    found = _unnested([(node_id, term, number) for node_id, count in counts.items() for term, number in count.items()])
    rows = select(chunks.c.user_id, found.c.term, chunks.c.id, found.c.frequency, chunks.c.length)
    rows = rows.join_from(found, chunks, chunks.c.node_id == found.c.node_id)
    connection.execute(insert(postings).from_select(list(postings.c), rows))


def _unnested(rows: list[tuple[str, str, int]]) -> TableValuedAlias:
    """Rows of a chunk's id, a term and its frequency, sent as three arrays."""
    node_ids, terms_, frequencies = ([row[place] for row in rows] for place in range(3))
    arrays = literal(node_ids, ARRAY(TEXT)), literal(terms_, ARRAY(TEXT)), literal(frequencies, ARRAY(Integer))
    return func.unnest(*arrays).table_valued("node_id", "term", "frequency").render_derived()
