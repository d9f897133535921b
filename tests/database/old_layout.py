"""The tables of a version whose keys did not hold the owner, with documents of two owners in two indexes."""

from sqlalchemy import Connection, text

from lessons.database.row_security import protect

_TABLES = """
CREATE TABLE documents (
    id bigserial PRIMARY KEY, index_table varchar NOT NULL, user_id varchar NOT NULL, source_file varchar NOT NULL,
    sha256 varchar NOT NULL, pages integer NOT NULL, chunks integer NOT NULL,
    ingested_at timestamp DEFAULT now() NOT NULL, UNIQUE (index_table, user_id, source_file));
CREATE TABLE trashed_documents (
    id bigint PRIMARY KEY, index_table varchar NOT NULL, user_id varchar NOT NULL, source_file varchar NOT NULL,
    sha256 varchar NOT NULL, pages integer NOT NULL, chunks integer NOT NULL, ingested_at timestamp NOT NULL,
    deleted_at timestamptz DEFAULT now() NOT NULL, UNIQUE (index_table, user_id, source_file));
CREATE TABLE trashed_chunks (
    id bigserial PRIMARY KEY, document_id bigint NOT NULL REFERENCES trashed_documents (id) ON DELETE CASCADE,
    user_id varchar NOT NULL, chunk jsonb NOT NULL, terms jsonb NOT NULL);
CREATE INDEX ix_trashed_chunks_document_id ON trashed_chunks (document_id);
CREATE TABLE plans (
    id uuid PRIMARY KEY, user_id varchar NOT NULL, ref_ids text[] NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL);
CREATE INDEX ix_plans_user_id ON plans (user_id);
CREATE TABLE cached_answers (
    id bigserial PRIMARY KEY, user_id varchar NOT NULL, index_table varchar NOT NULL, corpus_version varchar NOT NULL,
    way varchar NOT NULL, question varchar NOT NULL, question_hash varchar NOT NULL, embedding vector NOT NULL,
    answer jsonb NOT NULL, hits integer NOT NULL, created_at timestamptz DEFAULT now() NOT NULL,
    used_at timestamptz DEFAULT now() NOT NULL, UNIQUE (user_id, way, question_hash));
CREATE TABLE conversation_messages (
    id bigserial PRIMARY KEY, user_id varchar NOT NULL, session_id varchar NOT NULL, role varchar NOT NULL,
    content varchar NOT NULL, timestamp timestamptz NOT NULL, created_at timestamptz DEFAULT now() NOT NULL);
CREATE INDEX conversation_messages_session ON conversation_messages (user_id, session_id, id);
"""

_INDEX = """
CREATE TABLE chunks_{0}_toy (
    id bigserial PRIMARY KEY, node_id varchar NOT NULL UNIQUE,
    document_id bigint NOT NULL REFERENCES documents (id) ON DELETE CASCADE, user_id varchar NOT NULL,
    chunk_index integer NOT NULL, text text NOT NULL, length integer NOT NULL, metadata_ jsonb NOT NULL,
    embedding vector(3) NOT NULL);
ALTER TABLE chunks_{0}_toy ALTER embedding SET STORAGE MAIN;
CREATE INDEX chunks_{0}_toy_place ON chunks_{0}_toy (document_id, chunk_index);
CREATE INDEX chunks_{0}_toy_owner ON chunks_{0}_toy (user_id) INCLUDE (length);
CREATE INDEX chunks_{0}_toy_hnsw ON chunks_{0}_toy USING hnsw (embedding vector_cosine_ops);
CREATE TABLE terms_{0}_toy (
    user_id varchar NOT NULL, term varchar COLLATE "C" NOT NULL,
    chunk_id bigint NOT NULL REFERENCES chunks_{0}_toy (id) ON DELETE CASCADE, frequency integer NOT NULL,
    length integer NOT NULL, PRIMARY KEY (user_id, term, chunk_id) INCLUDE (frequency, length));
CREATE INDEX ix_terms_{0}_toy_chunk_id ON terms_{0}_toy (chunk_id);
WITH document AS (
    INSERT INTO documents (index_table, user_id, source_file, sha256, pages, chunks)
    SELECT 'chunks_{0}_toy', owner, 'a.txt', 'old', 1, 1 FROM unnest(ARRAY['mina', 'joon']) owner RETURNING *
), chunk AS (
    INSERT INTO chunks_{0}_toy (node_id, document_id, user_id, chunk_index, text, length, metadata_, embedding)
    SELECT 'chunk of ' || user_id, id, user_id, 0, 'refund', 1,
        jsonb_build_object('source_file', 'a.txt', 'user_id', user_id, 'chunk_index', 0), '[1, 0, 0]' FROM document
    RETURNING *
) INSERT INTO terms_{0}_toy SELECT user_id, text, id, 1, 1 FROM chunk;
"""

_OTHERS = """
INSERT INTO plans VALUES ('{plan}', 'mina', ARRAY['a.txt']);
INSERT INTO conversation_messages (user_id, session_id, role, content, timestamp)
VALUES ('mina', 's', 'user', 'hello', now());
INSERT INTO trashed_documents VALUES (99, 'chunks_one_toy', 'mina', 'gone.txt', 'old', 1, 1, now());
INSERT INTO trashed_chunks (document_id, user_id, chunk, terms) VALUES (99, 'mina', '{{"id": 99, "node_id": "gone",
    "document_id": 99, "user_id": "mina", "chunk_index": 0, "text": "deadline", "length": 1, "embedding": "[0,1,0]",
    "metadata_": {{"source_file": "gone.txt", "user_id": "mina", "chunk_index": 0}}}}',
    '[{{"user_id": "mina", "term": "deadlin", "chunk_id": 99, "frequency": 1, "length": 1}}]');
"""

PLAN = "12345678-1234-5678-1234-567812345678"
LOOSE = ("trashed_documents", "trashed_chunks", "conversation_messages")


def make_old_layout(connection: Connection) -> None:
    """Create the tables, protected as they were, and fill them."""
    indexes = [_INDEX.format(name) for name in ("one", "two")]
    for part in (_TABLES, *indexes, _OTHERS.format(plan=PLAN)):
        for statement in part.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    tables = connection.scalars(text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname !~ '^(pg|sql)_'"))
    for table in tables.all():
        protect(connection, table, force=table not in LOOSE)
