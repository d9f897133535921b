CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';
CREATE TABLE public.chunks_jobs_plain_hash8 (
    id bigint NOT NULL,
    node_id character varying NOT NULL,
    document_id bigint NOT NULL,
    user_id character varying NOT NULL,
    chunk_index integer NOT NULL,
    text text NOT NULL,
    length integer NOT NULL,
    metadata_ jsonb NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY public.chunks_jobs_plain_hash8 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY public.chunks_jobs_plain_hash8 FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE public.chunks_jobs_plain_hash8 IS 'lessons f182d55d6d79b494';
CREATE SEQUENCE public.chunks_jobs_plain_hash8_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.chunks_jobs_plain_hash8_id_seq OWNED BY public.chunks_jobs_plain_hash8.id;
CREATE TABLE public.conversation_messages (
    id bigint NOT NULL,
    user_id character varying NOT NULL,
    session_id character varying NOT NULL,
    role character varying NOT NULL,
    content character varying NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.conversation_messages IS 'lessons b5aed56ffe5d47aa';
CREATE SEQUENCE public.conversation_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.conversation_messages_id_seq OWNED BY public.conversation_messages.id;
CREATE TABLE public.documents (
    id bigint NOT NULL,
    index_table character varying NOT NULL,
    user_id character varying NOT NULL,
    source_file character varying NOT NULL,
    sha256 character varying NOT NULL,
    pages integer NOT NULL,
    chunks integer NOT NULL,
    ingested_at timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.documents FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE public.documents IS 'lessons 5bacc18a28412958';
CREATE SEQUENCE public.documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.documents_id_seq OWNED BY public.documents.id;
CREATE TABLE public.evaluation_results (
    id bigint NOT NULL,
    run_id bigint NOT NULL,
    stage character varying NOT NULL,
    question_id character varying NOT NULL,
    record jsonb NOT NULL
);
ALTER TABLE ONLY public.evaluation_results FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.evaluation_results_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.evaluation_results_id_seq OWNED BY public.evaluation_results.id;
CREATE TABLE public.evaluation_runs (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    data character varying NOT NULL,
    split character varying NOT NULL,
    stages jsonb NOT NULL,
    questions integer NOT NULL,
    settings jsonb NOT NULL,
    user_id character varying
);
ALTER TABLE ONLY public.evaluation_runs FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.evaluation_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.evaluation_runs_id_seq OWNED BY public.evaluation_runs.id;
CREATE TABLE public.ingestion_job_files (
    job integer NOT NULL,
    "position" integer NOT NULL,
    source_file character varying NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.ingestion_jobs (
    number integer NOT NULL,
    id uuid NOT NULL,
    user_id character varying NOT NULL,
    indexes text[] NOT NULL,
    embedding character varying NOT NULL,
    enrichment character varying DEFAULT 'none'::character varying NOT NULL,
    type character varying,
    files integer NOT NULL,
    status character varying DEFAULT 'PROCESSING'::character varying NOT NULL,
    source_file character varying,
    step character varying,
    step_done integer DEFAULT 0 NOT NULL,
    step_total integer DEFAULT 0 NOT NULL,
    results jsonb DEFAULT '[]'::jsonb NOT NULL,
    reason character varying,
    run integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone
);
CREATE SEQUENCE public.ingestion_jobs_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ingestion_jobs_number_seq OWNED BY public.ingestion_jobs.number;
CREATE TABLE public.memory_sessions (
    user_id character varying NOT NULL,
    session_id character varying NOT NULL,
    turns integer DEFAULT 1 NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.memory_sessions IS 'lessons 2fb6330ca5f7e8e8';
CREATE TABLE public.memory_states (
    user_id character varying NOT NULL,
    session_id character varying NOT NULL,
    memory character varying NOT NULL,
    upto integer NOT NULL,
    summary character varying NOT NULL,
    entities jsonb NOT NULL
);
COMMENT ON TABLE public.memory_states IS 'lessons e441fa2857c95ffe';
CREATE TABLE public.memory_turns (
    user_id character varying NOT NULL,
    session_id character varying NOT NULL,
    number integer NOT NULL,
    question character varying NOT NULL,
    answer character varying NOT NULL,
    learned boolean DEFAULT false NOT NULL,
    embedded_by character varying,
    embedding public.vector
);
COMMENT ON TABLE public.memory_turns IS 'lessons 5333c5b9ccf29e5b';
CREATE TABLE public.plans (
    id uuid NOT NULL,
    user_id character varying NOT NULL,
    ref_ids text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.plans FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE public.plans IS 'lessons 3ce9717297acc158';
CREATE TABLE public.profile_slots (
    user_id character varying NOT NULL,
    meaning character varying NOT NULL,
    key character varying NOT NULL,
    value character varying NOT NULL,
    said character varying NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
COMMENT ON TABLE public.profile_slots IS 'lessons 3a677f1575a7f759';
CREATE TABLE public.terms_jobs_plain_hash8 (
    user_id character varying NOT NULL,
    term character varying NOT NULL COLLATE pg_catalog."C",
    chunk_id bigint NOT NULL,
    frequency integer NOT NULL,
    length integer NOT NULL
);
ALTER TABLE ONLY public.terms_jobs_plain_hash8 FORCE ROW LEVEL SECURITY;
COMMENT ON TABLE public.terms_jobs_plain_hash8 IS 'lessons c99ecdab9ab21f87';
CREATE TABLE public.trashed_chunks (
    id bigint NOT NULL,
    document_id bigint NOT NULL,
    user_id character varying NOT NULL,
    chunk jsonb NOT NULL,
    terms jsonb NOT NULL
);
COMMENT ON TABLE public.trashed_chunks IS 'lessons 1039e7dac8752935';
CREATE SEQUENCE public.trashed_chunks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trashed_chunks_id_seq OWNED BY public.trashed_chunks.id;
CREATE TABLE public.trashed_documents (
    id bigint NOT NULL,
    index_table character varying NOT NULL,
    user_id character varying NOT NULL,
    source_file character varying NOT NULL,
    sha256 character varying NOT NULL,
    pages integer NOT NULL,
    chunks integer NOT NULL,
    ingested_at timestamp without time zone NOT NULL,
    deleted_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.trashed_documents IS 'lessons e1ee95373b568b56';
ALTER TABLE ONLY public.chunks_jobs_plain_hash8 ALTER COLUMN id SET DEFAULT nextval('public.chunks_jobs_plain_hash8_id_seq'::regclass);
ALTER TABLE ONLY public.conversation_messages ALTER COLUMN id SET DEFAULT nextval('public.conversation_messages_id_seq'::regclass);
ALTER TABLE ONLY public.documents ALTER COLUMN id SET DEFAULT nextval('public.documents_id_seq'::regclass);
ALTER TABLE ONLY public.evaluation_results ALTER COLUMN id SET DEFAULT nextval('public.evaluation_results_id_seq'::regclass);
ALTER TABLE ONLY public.evaluation_runs ALTER COLUMN id SET DEFAULT nextval('public.evaluation_runs_id_seq'::regclass);
ALTER TABLE ONLY public.ingestion_jobs ALTER COLUMN number SET DEFAULT nextval('public.ingestion_jobs_number_seq'::regclass);
ALTER TABLE ONLY public.trashed_chunks ALTER COLUMN id SET DEFAULT nextval('public.trashed_chunks_id_seq'::regclass);
INSERT INTO public.chunks_jobs_plain_hash8 VALUES
	(1, '6f6a382ad271f9049f2a2fcd05c71688', 1, 'mina', 0, 'file0-0 file0-1 file0-2 file0-3 file0-4 file0-5 file0-6 file0-7 file0-8 file0-9 file0-10 file0-11 file0-12 file0-13', 32, '{"type": "document", "ref_id": "file0.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 0, "page_number": null, "source_file": "file0.txt"}', '[0.13941176,0.11196078,0.29235294,0.4609804,0.8570588,0.7943137,0.084509805,0.7198039]'),
	(2, 'a793cd0245af7abbb4b7b15f76db25b5', 1, 'mina', 1, 'file0-14 file0-15 file0-16 file0-17 file0-18 file0-19 file0-20 file0-21 file0-22 file0-23 file0-24 file0-25 file0-26 file0-27', 42, '{"type": "document", "ref_id": "file0.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 1, "page_number": null, "source_file": "file0.txt"}', '[0.8962745,0.7237255,0.4962745,0.8845098,0.48843136,0.95509803,0.82960784,0.07666667]'),
	(3, '2c9a215a8ac496866a8e25f1ff19c57c', 1, 'mina', 2, 'file0-28 file0-29', 6, '{"type": "document", "ref_id": "file0.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 2, "page_number": null, "source_file": "file0.txt"}', '[0.03745098,0.5629412,0.39039215,0.08843137,0.90411764,0.80607843,0.27666667,0.7943137]');
INSERT INTO public.conversation_messages VALUES
	(1, 'mina', 'monday', 'user', 'When does it open?', '2026-11-24 10:59:09.34343+00', '2026-11-24 10:59:09.404819+00'),
	(2, 'mina', 'monday', 'assistant', 'At nine [1].', '2026-11-24 10:59:09.34343+00', '2026-11-24 10:59:09.404819+00');
INSERT INTO public.documents VALUES
	(1, 'chunks_jobs_plain_hash8', 'mina', 'file0.txt', '89d98bb93ca76a87166fb979c71cb9ee8b09ef7a88f6f22e16999f3885a96f43', 1, 3, '2026-11-24 10:59:08.549095');
INSERT INTO public.evaluation_results VALUES
	(1, 1, 'naive', 'q0', '{"ms": 10.0, "cost": 0.001, "stage": "naive", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 0.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "fact", "language": "en", "question": "What is question 0?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q0", "right_answer_wrong_evidence": false}'),
	(2, 1, 'naive', 'q1', '{"ms": 11.0, "cost": 0.001, "stage": "naive", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "multi-part", "language": "ko", "question": "1번 질문은 무엇인가요?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q1", "right_answer_wrong_evidence": false}'),
	(3, 1, 'smart', 'q0', '{"ms": 10.0, "cost": 0.001, "stage": "smart", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "fact", "language": "en", "question": "What is question 0?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q0", "right_answer_wrong_evidence": false}'),
	(4, 1, 'smart', 'q1', '{"ms": 11.0, "cost": 0.001, "stage": "smart", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "multi-part", "language": "ko", "question": "1번 질문은 무엇인가요?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q1", "right_answer_wrong_evidence": false}'),
	(5, 2, 'naive', 'q0', '{"ms": 10.0, "cost": 0.001, "stage": "naive", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 0.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "fact", "language": "en", "question": "What is question 0?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q0", "right_answer_wrong_evidence": false}'),
	(6, 2, 'naive', 'q1', '{"ms": 11.0, "cost": 0.001, "stage": "naive", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "multi-part", "language": "ko", "question": "1번 질문은 무엇인가요?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q1", "right_answer_wrong_evidence": false}'),
	(7, 2, 'smart', 'q0', '{"ms": 10.0, "cost": 0.001, "stage": "smart", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "fact", "language": "en", "question": "What is question 0?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q0", "right_answer_wrong_evidence": false}'),
	(8, 2, 'smart', 'q1', '{"ms": 11.0, "cost": 0.001, "stage": "smart", "answer": "42 [1].", "tokens": 100, "metrics": {"strict": 1.0, "ndcg@10": 1.0, "recall@5": 1.0, "correctness": 1.0, "groundedness": 1.0}, "refused": false, "answered": {}, "category": "multi-part", "language": "ko", "question": "1번 질문은 무엇인가요?", "warnings": [], "llm_calls": 1, "retrieved": ["c1", "c2"], "answerable": true, "question_id": "q1", "right_answer_wrong_evidence": false}');
INSERT INTO public.evaluation_runs VALUES
	(1, '2026-11-24 10:59:02.936709+00', 'golden', 'dev', '["naive", "smart"]', 2, '{"top_k": 10}', NULL),
	(2, '2026-11-24 10:59:02.936709+00', 'golden', 'dev', '["naive", "smart"]', 2, '{"top_k": 10}', 'mina');
INSERT INTO public.ingestion_jobs VALUES
	(1, '872cb927-1a1b-44c6-8601-94c74d9517a5', 'mina', '{jobs_plain}', 'hash8_8', 'none', NULL, 2, 'COMPLETED', NULL, NULL, 0, 0, '[{"cost": 0.0, "index": "jobs_plain", "chunks": 3, "reason": null, "status": "added", "llm_calls": 0, "tokens_in": 0, "tokens_out": 0, "source_file": "file0.txt"}, {"cost": 0.0, "index": "jobs_plain", "chunks": 3, "reason": null, "status": "added", "llm_calls": 0, "tokens_in": 0, "tokens_out": 0, "source_file": "file1.txt"}]', NULL, 1, 1, '2026-11-24 10:59:07.655135+00', '2026-11-24 10:59:07.832361+00', '2026-11-24 10:59:09.079169+00');
INSERT INTO public.memory_sessions VALUES
	('mina', 'monday', 1, '2026-11-24 10:59:10.123522+00');
INSERT INTO public.memory_states VALUES
	('mina', 'monday', 'recursive', 1, 'The user asks about opening times.', '[{"key": "place", "turn": 1, "value": "the shop"}]');
INSERT INTO public.memory_turns VALUES
	('mina', 'monday', 1, 'When does it open?', 'At nine [1].', false, NULL, NULL);
INSERT INTO public.plans VALUES
	('d456b649-35da-4535-956a-423a15edf57b', 'mina', '{file0.txt}', '2026-11-24 10:59:09.186155+00');
INSERT INTO public.profile_slots VALUES
	('mina', 'name', 'name', 'Mina', 'I am Mina.', '2026-11-24 10:59:10.215182+00');
INSERT INTO public.terms_jobs_plain_hash8 VALUES
	('mina', 'file0-0', 1, 1, 32),
	('mina', 'file0', 1, 14, 32),
	('mina', 'file0-1', 1, 1, 32),
	('mina', 'file0-2', 1, 1, 32),
	('mina', 'file0-3', 1, 1, 32),
	('mina', 'file0-4', 1, 1, 32),
	('mina', 'file0-5', 1, 1, 32),
	('mina', 'file0-6', 1, 1, 32),
	('mina', 'file0-7', 1, 1, 32),
	('mina', 'file0-8', 1, 1, 32),
	('mina', 'file0-9', 1, 1, 32),
	('mina', 'file0-10', 1, 1, 32),
	('mina', '10', 1, 1, 32),
	('mina', 'file0-11', 1, 1, 32),
	('mina', '11', 1, 1, 32),
	('mina', 'file0-12', 1, 1, 32),
	('mina', '12', 1, 1, 32),
	('mina', 'file0-13', 1, 1, 32),
	('mina', '13', 1, 1, 32),
	('mina', 'file0-14', 2, 1, 42),
	('mina', 'file0', 2, 14, 42),
	('mina', '14', 2, 1, 42),
	('mina', 'file0-15', 2, 1, 42),
	('mina', '15', 2, 1, 42),
	('mina', 'file0-16', 2, 1, 42),
	('mina', '16', 2, 1, 42),
	('mina', 'file0-17', 2, 1, 42),
	('mina', '17', 2, 1, 42),
	('mina', 'file0-18', 2, 1, 42),
	('mina', '18', 2, 1, 42),
	('mina', 'file0-19', 2, 1, 42),
	('mina', '19', 2, 1, 42),
	('mina', 'file0-20', 2, 1, 42),
	('mina', '20', 2, 1, 42),
	('mina', 'file0-21', 2, 1, 42),
	('mina', '21', 2, 1, 42),
	('mina', 'file0-22', 2, 1, 42),
	('mina', '22', 2, 1, 42),
	('mina', 'file0-23', 2, 1, 42),
	('mina', '23', 2, 1, 42),
	('mina', 'file0-24', 2, 1, 42),
	('mina', '24', 2, 1, 42),
	('mina', 'file0-25', 2, 1, 42),
	('mina', '25', 2, 1, 42),
	('mina', 'file0-26', 2, 1, 42),
	('mina', '26', 2, 1, 42),
	('mina', 'file0-27', 2, 1, 42),
	('mina', '27', 2, 1, 42),
	('mina', 'file0-28', 3, 1, 6),
	('mina', 'file0', 3, 2, 6),
	('mina', '28', 3, 1, 6),
	('mina', 'file0-29', 3, 1, 6),
	('mina', '29', 3, 1, 6);
INSERT INTO public.trashed_chunks VALUES
	(1, 2, 'mina', '{"id": 4, "text": "file1-0 file1-1 file1-2 file1-3 file1-4 file1-5 file1-6 file1-7 file1-8 file1-9 file1-10 file1-11 file1-12 file1-13", "length": 32, "node_id": "2e80a70aa568e48aa995abd7e1cc8b69", "user_id": "mina", "embedding": "[0.31980392,0.23352942,0.21,0.5354902,0.58254904,0.15509804,0.95509803,0.88058823]", "metadata_": {"type": "document", "ref_id": "file1.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 0, "page_number": null, "source_file": "file1.txt"}, "chunk_index": 0, "document_id": 2}', '[{"term": "file1-0", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 14}, {"term": "file1-1", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-2", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-3", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-4", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-5", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-6", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-7", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-8", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-9", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-10", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "10", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-11", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "11", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-12", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "12", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "file1-13", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}, {"term": "13", "length": 32, "user_id": "mina", "chunk_id": 4, "frequency": 1}]'),
	(2, 2, 'mina', '{"id": 5, "text": "file1-14 file1-15 file1-16 file1-17 file1-18 file1-19 file1-20 file1-21 file1-22 file1-23 file1-24 file1-25 file1-26 file1-27", "length": 42, "node_id": "5cb59fc334407c06b85acbaa4c10a158", "user_id": "mina", "embedding": "[0.108039215,0.17862745,0.982549,0.47666666,1.0021569,0.40607843,0.7394118,0.664902]", "metadata_": {"type": "document", "ref_id": "file1.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 1, "page_number": null, "source_file": "file1.txt"}, "chunk_index": 1, "document_id": 2}', '[{"term": "file1-14", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 14}, {"term": "14", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-15", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "15", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-16", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "16", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-17", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "17", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-18", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "18", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-19", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "19", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-20", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "20", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-21", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "21", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-22", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "22", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-23", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "23", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-24", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "24", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-25", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "25", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-26", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "26", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "file1-27", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}, {"term": "27", "length": 42, "user_id": "mina", "chunk_id": 5, "frequency": 1}]'),
	(3, 2, 'mina', '{"id": 6, "text": "file1-28 file1-29", "length": 6, "node_id": "5c6435d87030301914f1368691399947", "user_id": "mina", "embedding": "[0.7237255,0.9747059,0.9472549,0.049215686,0.12372549,0.53156865,0.021764705,0.782549]", "metadata_": {"type": "document", "ref_id": "file1.txt", "user_id": "mina", "file_type": "txt", "chunk_index": 2, "page_number": null, "source_file": "file1.txt"}, "chunk_index": 2, "document_id": 2}', '[{"term": "file1-28", "length": 6, "user_id": "mina", "chunk_id": 6, "frequency": 1}, {"term": "file1", "length": 6, "user_id": "mina", "chunk_id": 6, "frequency": 2}, {"term": "28", "length": 6, "user_id": "mina", "chunk_id": 6, "frequency": 1}, {"term": "file1-29", "length": 6, "user_id": "mina", "chunk_id": 6, "frequency": 1}, {"term": "29", "length": 6, "user_id": "mina", "chunk_id": 6, "frequency": 1}]');
INSERT INTO public.trashed_documents VALUES
	(2, 'chunks_jobs_plain_hash8', 'mina', 'file1.txt', '730189eaf087767624f5b231f4376c08071623a22e83e26c488daebf4885c3de', 1, 3, '2026-11-24 10:59:08.840773', '2026-11-24 10:59:09.294985+00');
SELECT pg_catalog.setval('public.chunks_jobs_plain_hash8_id_seq', 6, true);
SELECT pg_catalog.setval('public.conversation_messages_id_seq', 2, true);
SELECT pg_catalog.setval('public.documents_id_seq', 2, true);
SELECT pg_catalog.setval('public.evaluation_results_id_seq', 8, true);
SELECT pg_catalog.setval('public.evaluation_runs_id_seq', 2, true);
SELECT pg_catalog.setval('public.ingestion_jobs_number_seq', 1, true);
SELECT pg_catalog.setval('public.trashed_chunks_id_seq', 3, true);
ALTER TABLE ONLY public.chunks_jobs_plain_hash8
    ADD CONSTRAINT chunks_jobs_plain_hash8_pkey PRIMARY KEY (user_id, id) INCLUDE (length);
ALTER TABLE ONLY public.chunks_jobs_plain_hash8
    ADD CONSTRAINT chunks_jobs_plain_hash8_user_id_node_id_key UNIQUE (user_id, node_id);
ALTER TABLE ONLY public.conversation_messages
    ADD CONSTRAINT conversation_messages_pkey PRIMARY KEY (user_id, id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_index_table_user_id_source_file_key UNIQUE (index_table, user_id, source_file);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (user_id, id);
ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ingestion_job_files
    ADD CONSTRAINT ingestion_job_files_pkey PRIMARY KEY (job, "position");
ALTER TABLE ONLY public.ingestion_jobs
    ADD CONSTRAINT ingestion_jobs_id_key UNIQUE (id);
ALTER TABLE ONLY public.ingestion_jobs
    ADD CONSTRAINT ingestion_jobs_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.memory_sessions
    ADD CONSTRAINT memory_sessions_pkey PRIMARY KEY (user_id, session_id);
ALTER TABLE ONLY public.memory_states
    ADD CONSTRAINT memory_states_pkey PRIMARY KEY (user_id, session_id, memory);
ALTER TABLE ONLY public.memory_turns
    ADD CONSTRAINT memory_turns_pkey PRIMARY KEY (user_id, session_id, number);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (user_id, id);
ALTER TABLE ONLY public.profile_slots
    ADD CONSTRAINT profile_slots_pkey PRIMARY KEY (user_id, meaning);
ALTER TABLE ONLY public.terms_jobs_plain_hash8
    ADD CONSTRAINT terms_jobs_plain_hash8_pkey PRIMARY KEY (user_id, term, chunk_id) INCLUDE (frequency, length);
ALTER TABLE ONLY public.trashed_chunks
    ADD CONSTRAINT trashed_chunks_pkey PRIMARY KEY (user_id, id);
ALTER TABLE ONLY public.trashed_documents
    ADD CONSTRAINT trashed_documents_index_table_user_id_source_file_key UNIQUE (index_table, user_id, source_file);
ALTER TABLE ONLY public.trashed_documents
    ADD CONSTRAINT trashed_documents_pkey PRIMARY KEY (user_id, id);
CREATE INDEX chunks_jobs_plain_hash8_place ON public.chunks_jobs_plain_hash8 USING btree (document_id, chunk_index);
CREATE INDEX conversation_messages_session ON public.conversation_messages USING btree (user_id, session_id, id);
CREATE INDEX ingestion_jobs_open ON public.ingestion_jobs USING btree (number) WHERE (finished_at IS NULL);
CREATE INDEX ix_evaluation_results_run_id ON public.evaluation_results USING btree (run_id);
CREATE INDEX ix_ingestion_jobs_user_id ON public.ingestion_jobs USING btree (user_id);
CREATE INDEX ix_memory_sessions_used_at ON public.memory_sessions USING btree (used_at);
CREATE INDEX terms_jobs_plain_hash8_chunk ON public.terms_jobs_plain_hash8 USING btree (user_id, chunk_id);
CREATE INDEX trashed_chunks_document ON public.trashed_chunks USING btree (user_id, document_id);
ALTER TABLE ONLY public.chunks_jobs_plain_hash8
    ADD CONSTRAINT chunks_jobs_plain_hash8_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.evaluation_runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ingestion_job_files
    ADD CONSTRAINT ingestion_job_files_job_fkey FOREIGN KEY (job) REFERENCES public.ingestion_jobs(number) ON DELETE CASCADE;
ALTER TABLE ONLY public.memory_states
    ADD CONSTRAINT memory_states_user_id_session_id_fkey FOREIGN KEY (user_id, session_id) REFERENCES public.memory_sessions(user_id, session_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.memory_turns
    ADD CONSTRAINT memory_turns_user_id_session_id_fkey FOREIGN KEY (user_id, session_id) REFERENCES public.memory_sessions(user_id, session_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.terms_jobs_plain_hash8
    ADD CONSTRAINT terms_jobs_plain_hash8_user_id_chunk_id_fkey FOREIGN KEY (user_id, chunk_id) REFERENCES public.chunks_jobs_plain_hash8(user_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.trashed_chunks
    ADD CONSTRAINT trashed_chunks_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.trashed_documents(user_id, id) ON DELETE CASCADE;
ALTER TABLE public.chunks_jobs_plain_hash8 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.conversation_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.evaluation_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.evaluation_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.ingestion_job_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.ingestion_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.memory_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.memory_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.memory_turns ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON public.chunks_jobs_plain_hash8 USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.conversation_messages USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.documents USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.evaluation_results USING ((run_id IN ( SELECT evaluation_runs.id
   FROM public.evaluation_runs))) WITH CHECK ((run_id IN ( SELECT evaluation_runs.id
   FROM public.evaluation_runs)));
CREATE POLICY own_rows ON public.evaluation_runs USING (((user_id IS NULL) OR ((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)))) WITH CHECK (((user_id IS NULL) OR ((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))));
CREATE POLICY own_rows ON public.ingestion_job_files USING ((job IN ( SELECT ingestion_jobs.number
   FROM public.ingestion_jobs))) WITH CHECK ((job IN ( SELECT ingestion_jobs.number
   FROM public.ingestion_jobs)));
CREATE POLICY own_rows ON public.ingestion_jobs USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.memory_sessions USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.memory_states USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.memory_turns USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.plans USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.profile_slots USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.terms_jobs_plain_hash8 USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.trashed_chunks USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
CREATE POLICY own_rows ON public.trashed_documents USING (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text))) WITH CHECK (((user_id)::text = NULLIF(current_setting('lessons.user_id'::text, true), ''::text)));
ALTER TABLE public.plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.profile_slots ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.terms_jobs_plain_hash8 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.trashed_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.trashed_documents ENABLE ROW LEVEL SECURITY;
