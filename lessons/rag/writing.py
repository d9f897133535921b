"""Writing: a document and its chunks become rows, in one transaction or not at all.

The chunks arrive by COPY, each with its embedding and the terms that find it. A second writer of the same file waits
for the first; a file that is ingested again takes the place of its earlier version.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from llama_index.core.schema import BaseNode, MetadataMode
from sqlalchemy import Connection, Engine, Table, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_or

from lessons.database import explained
from lessons.database.owners import owner_transaction, retry_on_disconnect, set_owner
from lessons.database.remote import remember_write
from lessons.errors import LessonsError
from lessons.rag.hnsw import index_when_large, vacuum_after
from lessons.rag.tables import DocumentRow, term_table_name
from lessons.rag.types import Filters, Scope, WhereClause
from lessons.text import terms
from lessons.text.sources import by_page

INCOMING_CHUNKS = """
CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS
SELECT node_id, document_id, user_id, chunk_index, text, length, metadata_, embedding FROM {chunks} WITH NO DATA"""

INSERT_CHUNKS = """
INSERT INTO {chunks} (node_id, document_id, user_id, chunk_index, text, length, metadata_, embedding)
SELECT * FROM incoming
ON CONFLICT (user_id, node_id) DO UPDATE SET
    document_id = excluded.document_id, chunk_index = excluded.chunk_index, text = excluded.text,
    length = excluded.length, metadata_ = excluded.metadata_, embedding = excluded.embedding"""

INCOMING_TERMS = "CREATE TEMPORARY TABLE incoming (node_id text, term text, frequency int) ON COMMIT DROP"

INSERT_TERMS = """
INSERT INTO {terms} (user_id, term, chunk_id, frequency, length)
SELECT user_id, incoming.term, id, incoming.frequency, length
FROM incoming JOIN {chunks} USING (node_id) WHERE user_id = ANY (cast(:owners AS text[]))"""


Nodes = Sequence[BaseNode]


class Writer:
    """The writing half of a store: documents of one index with their chunks."""

    engine: Engine
    table_name: str
    chunks: Table

    def _make_tables(self) -> None:
        raise NotImplementedError

    @contextmanager
    def _writing(self, scope: Scope) -> Iterator[Connection]:
        """Open a transaction of the owner whose writes later searches see."""
        self._make_tables()
        with owner_transaction(self.engine, scope.user_id) as connection:
            yield connection
        remember_write(self.engine)

    @retry_on_disconnect
    def replace_document(
        self, scope: Scope, source_file: str, sha256: str, nodes: Nodes, content: bytes | None = None
    ) -> None:
        """Put a document, its chunks and the bytes of a file to be shown in the place of an earlier version."""
        nodes = with_text(nodes)
        with self._writing(scope) as connection:
            document_id = self._claim(connection, scope.user_id, source_file, sha256, nodes, content)
            earlier = self.chunks.c.user_id == scope.user_id, self.chunks.c.document_id == document_id
            connection.execute(delete(self.chunks).where(*earlier))
            self._write(connection, document_id, nodes)

    def add(self, nodes: Nodes) -> list[str]:
        """Upsert chunks by id. Their metadata must name `user_id`, `source_file` and `chunk_index`."""
        self._make_tables()

        def owner_and_file(node: BaseNode) -> tuple[str, str]:
            return node.metadata["user_id"], node.metadata["source_file"]

        added = sorted(with_text(nodes), key=owner_and_file)
        with explained(), self.engine.begin() as connection:
            for (user_id, source_file), group in groupby(added, owner_and_file):
                members = list(group)
                set_owner(connection, user_id)
                document_id = self._claim(connection, user_id, source_file, None, members, None)
                earlier = self.chunks.c.node_id.in_([node.node_id for node in members])
                connection.execute(delete(self.chunks).where(self.chunks.c.user_id == user_id, earlier))
                self._write(connection, document_id, members)
                self._count_chunks(connection, user_id)
        remember_write(self.engine)
        return [node.node_id for node in added]

    def _claim(
        self,
        connection: Connection,
        user_id: str,
        source_file: str,
        sha256: str | None,
        nodes: Nodes,
        content: bytes | None,
    ) -> int:
        """Insert or update the document's row. Its lock makes a second writer of the same file wait for the first.

        Without a hash the nodes join a document, of which pages and bytes stay.
        """
        key = {"index_table": self.table_name, "user_id": user_id, "source_file": source_file}
        pages = len({page for node in nodes for page in by_page(node.metadata) or [None]})
        stored = DocumentRow.__table__.c
        values = {"sha256": sha256 or "", "pages": pages, "chunks": len(nodes), "ingested_at": func.now()}
        statement = insert_or(DocumentRow).values(**key, **values, content=content)
        on_join = {"pages": func.greatest(stored.pages, pages), "content": stored.content}
        updates = values | (on_join if sha256 is None else {"content": content})
        statement = statement.on_conflict_do_update(index_elements=list(key), set_=updates)
        return connection.execute(statement.returning(DocumentRow.id)).scalar_one()

    def _write(self, connection: Connection, document_id: int, nodes: Nodes) -> None:
        """Write embedded chunks and the terms that find them: those of the embedded text, so its headings count."""
        names = {"chunks": f'"{self.table_name}"', "terms": f'"{term_table_name(self.table_name)}"'}
        counts = {node.node_id: Counter(terms(node.get_content(MetadataMode.EMBED))) for node in nodes}

        def row(node: BaseNode) -> tuple:
            """Return the columns of INCOMING_CHUNKS."""
            its, words, length = node.metadata, node.get_content(MetadataMode.NONE), counts[node.node_id].total()
            position = document_id, its["user_id"], its["chunk_index"]
            return node.node_id, *position, words, length, its, node.get_embedding()

        with copy_to_temp_table(connection, INCOMING_CHUNKS.format(**names), map(row, nodes)):
            connection.execute(text(INSERT_CHUNKS.format(**names)))
        postings = ((node_id, term, number) for node_id, count in counts.items() for term, number in count.items())
        with copy_to_temp_table(connection, INCOMING_TERMS, postings):
            owners = list({node.metadata["user_id"] for node in nodes})
            connection.execute(text(INSERT_TERMS.format(**names)), {"owners": owners})

    def optimize(self, written: int) -> None:
        """Make searches fast after a load of so many chunks: fresh statistics, and a vector index for a large table."""
        self._make_tables()
        vacuum_after(self.engine, self.chunks, written)
        index_when_large(self.engine, self.chunks)
        remember_write(self.engine)

    def delete_document(self, scope: Scope, source_file: str) -> bool:
        """Remove an owner's document with its chunks; False if there was none."""
        is_file = DocumentRow.source_file == source_file
        with self._writing(scope) as connection:
            return connection.execute(delete(DocumentRow).where(*self.owned_by(scope.user_id), is_file)).rowcount > 0

    def delete_chunks(self, scope: Scope, node_ids: Sequence[str] | None = None, filters: Filters = None) -> None:
        """Remove the owner's chunks with these ids, those that the filters leave, or those that meet both."""
        deletion = delete(self.chunks).where(WhereClause.of(self.table_name, scope, filters).clause)
        if node_ids is not None:
            deletion = deletion.where(self.chunks.c.node_id.in_(node_ids))
        elif filters is None:
            raise LessonsError("Name the nodes to delete, or filters; `clear` deletes everything.")
        with self._writing(scope) as connection:
            connection.execute(deletion)
            self._count_chunks(connection, scope.user_id)

    def _count_chunks(self, connection: Connection, user_id: str) -> None:
        """Let the documents of an owner say how many chunks they have now."""
        chunks = self.chunks.c
        of_document = chunks.user_id == DocumentRow.user_id, chunks.document_id == DocumentRow.id
        number = select(func.count()).select_from(self.chunks).where(*of_document).scalar_subquery()
        recount = update(DocumentRow).where(*self.owned_by(user_id), DocumentRow.chunks != number)
        connection.execute(recount.values(chunks=number, ingested_at=func.now()))

    def owned_by(self, user_id: str) -> tuple:
        """Return the conditions on the documents of an owner in this index."""
        return DocumentRow.index_table == self.table_name, DocumentRow.user_id == user_id


def with_text(nodes: Nodes) -> list[BaseNode]:
    """Drop empty chunks."""
    return [node for node in nodes if node.get_content(MetadataMode.NONE).strip()]


@contextmanager
def copy_to_temp_table(connection: Connection, create: str, rows: Iterable[Sequence]) -> Iterator[None]:
    """Make the temporary table `incoming` and fill it by COPY, the fastest way in.

    COPY does not write into tables with row-level security, so an INSERT that the policies check takes the rows over.
    The table ends with the block or the transaction, so a pooler may stand in between.
    """
    connection.exec_driver_sql(create)
    cursor = connection.connection.cursor()
    with cursor.copy("COPY incoming FROM STDIN") as copy:
        for row in rows:  # vectors and metadata as JSON, which PostgreSQL reads as either
            copy.write_row(
                [json.dumps(value, default=float) if isinstance(value, list | dict) else value for value in row]
            )
    yield
    connection.exec_driver_sql("DROP TABLE incoming")
