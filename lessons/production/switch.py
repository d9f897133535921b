"""Another embedding model without a gap: a second index beside the first, and one transaction that switches over.

Vectors of two models cannot be compared, so each model has a table of its own. The new one is filled from the rows of
the old one: no file is read again, and no chunk is enriched again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.schema import BaseNode
from sqlalchemy import Connection, PrimaryKeyConstraint, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped

from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.ingest.split import Chunk, SectionSplitter
from lessons.rag.store import ChunkStore
from lessons.rag.tables import Base
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace

# What each document's chunks say and know, as a hash; their vectors are left out.
HASHES = """
SELECT source_file, md5(string_agg(md5(text || metadata_::text), '' ORDER BY chunk_index, node_id)) AS hash
FROM documents JOIN "{chunks}" AS chunk ON chunk.user_id = documents.user_id AND document_id = documents.id
WHERE index_table = '{chunks}' AND documents.user_id = :user_id GROUP BY source_file"""


class ServedRow(Base):
    """The table of chunks that is searched for an owner in an index."""

    __tablename__ = "served"
    __table_args__ = (PrimaryKeyConstraint("user_id", "index_name"),)

    user_id: Mapped[str]
    index_name: Mapped[str]
    chunks_table: Mapped[str]


@dataclass(frozen=True)
class Difference:
    """The documents of the old table that the new one lacks or has otherwise, and those that only the new one has."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]


def difference(old: ChunkStore, new: ChunkStore, scope: Scope) -> Difference:
    """Compare the tables: list what has to be done before the new one can replace the old one."""
    old.documents(scope), new.documents(scope)  # which make what is missing of the tables
    with owner_transaction(old.engine, scope.user_id) as connection:
        return _difference(connection, old, new, scope)


def _difference(connection: Connection, old: ChunkStore, new: ChunkStore, scope: Scope) -> Difference:
    hashes = (text(HASHES.format(chunks=store.table_name)).bindparams(user_id=scope.user_id) for store in (old, new))
    was, now = ({row.source_file: row.hash for row in connection.execute(query)} for query in hashes)
    changed = tuple(sorted(name for name in was if now.get(name) != was[name]))
    return Difference(changed, tuple(sorted(now.keys() - was)))


def catch_up(index: Index, old: Workspace, new: Workspace, scope: Scope) -> Difference:
    """Embed what has changed, remove what is gone, and say what was done. May be broken off and done again."""
    from_, to = old.store(index), new.store(index)
    todo = difference(from_, to, scope)
    for name in todo.gone:
        to.delete_document(scope, name)
    hashes, written = {row.source_file: row.sha256 for row in from_.documents(scope)}, 0
    for name in todo.changed:
        nodes = new.embedding(_chunks(index, from_, name, scope))
        to.replace_document(scope, name, hashes[name], nodes, from_.content(scope, name))
        written += len(nodes)
    to.optimize(written)
    return todo


def _chunks(index: Index, store: ChunkStore, source_file: str, scope: Scope) -> list[BaseNode]:
    """Read the chunks of a document from their rows, as its index embeds them."""
    embedded = next((step.embedded for step in index.transformations if isinstance(step, SectionSplitter)), ())
    return [
        Chunk(id_=node.node_id, text=node.get_content(), metadata=node.metadata, embedded=embedded)
        for node in store.get_nodes(scope=scope.only([source_file]))
    ]


def switch(index: Index, old: Workspace, new: Workspace, scope: Scope) -> None:
    """Serve the new table from now on, in one transaction in which nobody writes. LessonsError if the two differ."""
    from_, to = old.store(index), new.store(index)
    difference(from_, to, scope)
    ensure_owned(from_.engine, ServedRow.__table__)
    with owner_transaction(from_.engine, scope.user_id) as connection:
        connection.execute(text("LOCK TABLE documents IN SHARE MODE"))  # nobody writes meanwhile
        left = _difference(connection, from_, to, scope)
        if differing := len(left.changed) + len(left.gone):
            raise LessonsError(
                f"Documents in which the new index differs: {differing}. Catch up first; the old one stays."
            )
        row = {"user_id": scope.user_id, "index_name": index.name, "chunks_table": to.table_name}
        connection.execute(insert(ServedRow).values(row).on_conflict_do_update(index_elements=[*row][:2], set_=row))


def served(index: Index, workspaces: Sequence[Workspace], scope: Scope) -> Workspace:
    """Return the workspace whose table is served, by default the first; LessonsError if it is not among them."""
    ensure_owned(workspaces[0].engine, ServedRow.__table__)
    conditions = ServedRow.user_id == scope.user_id, ServedRow.index_name == index.name
    with owner_transaction(workspaces[0].engine, scope.user_id) as connection:
        table = connection.scalar(select(ServedRow.chunks_table).where(*conditions))
    table = table or workspaces[0].store(index).table_name
    for workspace in workspaces:
        if workspace.store(index).table_name == table:
            return workspace
    raise LessonsError(f"{table} is served, and its embedding model is not loaded here: start again with that model.")
