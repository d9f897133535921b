"""A throw-away index: it holds a foreign corpus for as long as an evaluation runs, and is gone afterwards.

A killed process cannot tidy up, but PostgreSQL frees its locks: the next run drops what no advisory lock claims.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import accumulate, chain

from llama_index.core.schema import BaseNode, Document
from sqlalchemy import Connection, Engine, delete, func, inspect, select, text

from lessons.context.wrapper import Answering
from lessons.database import explained
from lessons.database.owners import set_owner
from lessons.ingest.index import Index
from lessons.library import Progress
from lessons.rag.tables import DocumentRow, drop_tables
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace

PREFIX = "tmp_"

# Comes last: the snapshot of a SELECT stays until the connection's next statement, and no VACUUM gets past a snapshot.
_KEEP = text("SET LOCAL idle_in_transaction_session_timeout = 0")


@contextmanager
def throwaway_stages(
    stages: Sequence[Answering], documents: Mapping[str, str], scope: Scope, workspace: Workspace, progress: Progress
) -> Iterator[list[Answering]]:
    """Move the stages to `documents`, texts by id, for the owner of `scope`, until the block ends."""
    drop_leftovers(workspace.engine, scope)
    trial = Workspace(workspace.settings, workspace.engine, workspace.embedding, workspace.llm)
    indexes = {stage.index.name: replace(stage.index, name=PREFIX + secrets.token_hex(3)[:5]) for stage in stages}
    with ExitStack() as block:
        for index in indexes.values():
            block.enter_context(claimed(trial.store(index).table_name, workspace.engine, scope))
        counts = chain.from_iterable(_fill(index, documents, scope, trial) for index in indexes.values())
        for done in accumulate(counts):
            progress(done, len(indexes) * len(documents))
        yield [stage.but(stage.name, index=indexes[stage.index.name], workspace=trial) for stage in stages]


def drop_leftovers(engine: Engine, scope: Scope) -> list[str]:
    """Drop the throw-away tables of killed runs with the owner's rows of their documents, and return their names."""
    with explained(), engine.begin() as connection:
        tables = [name for name in inspect(connection).get_table_names() if name.startswith(f"chunks_{PREFIX}")]
        dead = [name for name in tables if connection.scalar(select(func.pg_try_advisory_xact_lock(_key(name))))]
        _drop(connection, dead, scope)
    return dead


@contextmanager
def claimed(table: str, engine: Engine, scope: Scope) -> Iterator[None]:
    """Hold the lock of a throw-away table while the block runs, then drop the table; its name has `PREFIX` in it."""
    with explained(), engine.connect() as holder:  # in a transaction that stays open, as a pooler wants it
        holder.execute(select(func.pg_advisory_xact_lock(_key(table))))
        holder.execute(_KEEP)
        try:
            yield
        finally:
            with engine.begin() as connection:
                _drop(connection, [table], scope)


def _key(table: str) -> object:
    return func.hashtextextended(table, 0)


def _drop(connection: Connection, tables: Sequence[str], scope: Scope) -> None:
    for table in tables:
        drop_tables(connection, table)
    if inspect(connection).has_table(DocumentRow.__tablename__):
        set_owner(connection, scope.user_id)
        rows = DocumentRow.user_id == scope.user_id, DocumentRow.index_table.in_(tables)
        connection.execute(delete(DocumentRow).where(*rows))


def _fill(index: Index, documents: Mapping[str, str], scope: Scope, workspace: Workspace) -> Iterator[int]:
    """Store the documents; yield how many whenever as many chunks as the model embeds at once are stored."""
    store, written, pending = workspace.store(index), 0, dict[str, list[BaseNode]]()
    for number, name in enumerate(documents, start=1):
        pending[name] = index.chunks([_as_document(name, documents[name])], scope.user_id)
        nodes = [node for group in pending.values() for node in group]
        if len(nodes) < workspace.embedding.embed_batch_size and number < len(documents):
            continue
        workspace.embedding(nodes)
        for document, group in pending.items():
            store.replace_document(scope, document, "", group)
        written += len(nodes)
        yield len(pending)
        pending.clear()
    store.optimize(written)


def _as_document(name: str, text: str) -> Document:
    """Make a document as files are read, so that every index cuts it as it would cut a file."""
    metadata = {"source_file": name, "page_number": None, "file_type": "txt"}
    names = list(metadata)
    return Document(text=text, metadata=metadata, excluded_embed_metadata_keys=names, excluded_llm_metadata_keys=names)
