"""A document and its chunks as rows, within the transaction of whoever writes them."""

from collections.abc import Sequence

from llama_index.core.schema import BaseNode, MetadataMode
from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects.postgresql import insert

from lessons.ingest.copying import copied
from lessons.ingest.documents import DocumentRow
from lessons.ingest.postings import indexed_terms, write_postings


def with_text(nodes: Sequence[BaseNode]) -> list[BaseNode]:
    """An empty chunk is never stored, so it is never found."""
    return [node for node in nodes if node.get_content(MetadataMode.NONE).strip()]


def claim_document(
    connection: Connection, index_table: str, user_id: str, source_file: str, sha256: str, nodes: Sequence[BaseNode]
) -> int:
    """Insert or update the document's row. Its lock makes a second writer of the same file wait for the first."""
    key = {"index_table": index_table, "user_id": user_id, "source_file": source_file}
    pages = len({node.metadata.get("page_number") for node in nodes})
    values = {"sha256": sha256, "pages": pages, "chunks": len(nodes), "ingested_at": func.now()}
    statement = insert(DocumentRow).values(**key, **values)
    statement = statement.on_conflict_do_update(index_elements=list(key), set_=values)
    return connection.execute(statement.returning(DocumentRow.id)).scalar_one()


def write_chunks(connection: Connection, chunks: Table, document_id: int, nodes: Sequence[BaseNode]) -> None:
    """Write the embedded chunks of a document, and the terms that find them; a chunk that is there is replaced."""
    columns = [column for column in chunks.columns if column.name != "id"]
    rows = [
        {
            "node_id": node.node_id,
            "document_id": document_id,
            "user_id": node.metadata["user_id"],
            "chunk_index": node.metadata["chunk_index"],
            "text": node.get_content(MetadataMode.NONE),
            "length": len(indexed_terms(node)),
            "metadata_": node.metadata,
            "embedding": node.get_embedding(),
        }
        for node in nodes
    ]
    with copied(connection, columns, [[row[column.name] for column in columns] for row in rows]) as incoming:
        statement = insert(chunks).from_select(columns, select(incoming))
        key = ["user_id", "node_id"]
        changed = {name: statement.excluded[name] for name, _ in incoming.columns.items() if name not in key}
        connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))
    write_postings(connection, chunks, nodes)
