"""Every default of the workbook in one place, read from the environment or a `.env` file.

`DATABASE_URL`, `OPENAI_API_KEY` and `OPENAI_BASE_URL` keep the names that other tools use; everything else
carries the prefix `LESSONS_`, so `LESSONS_TOP_K=8` changes `Settings().top_k`.
"""

from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from lessons.errors import LessonsError

_PACKAGED = Path(__file__).with_name("files")
ROOT = _PACKAGED if _PACKAGED.exists() else Path(__file__).parents[1]
"""The folder with the data: the checkout, with notebooks and app as well, or what is installed with the package."""

HOME = ("127.0.0.1", "localhost", "::1")  # addresses on which the app listens to its own machine only


class Settings(BaseSettings):
    """What can be set, with the default of every setting."""

    model_config = SettingsConfigDict(
        env_prefix="LESSONS_",
        env_file=(ROOT / ".env", ".env"),  # the latter, of the folder one is in, wins
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
    )

    # Where things live
    data_dir: Path = Path(platformdirs.user_data_dir("rag-workbook", appauthor=False))
    database_url: SecretStr | None = Field(None, validation_alias=AliasChoices("database_url", "DATABASE_URL"))
    failover_seconds: float = 30.0  # that a new primary is waited for when DATABASE_URL names several servers
    user: str = "reader"

    # Which models answer. Without a key and without a server, the keyless pair does.
    openai_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("openai_api_key", "OPENAI_API_KEY"))
    openai_base_url: str | None = Field(None, validation_alias=AliasChoices("openai_base_url", "OPENAI_BASE_URL"))
    llm_model: str = "gpt-4o-mini"
    embedding_model: str | None = None  # None: keyless; text-embedding-3-small with a key and no base URL
    embedding_dimension: int | None = None  # None: what the model gives; a number is asked from the server
    context_window: int = 128_000  # tokens; of a served model what the server says, unless it is set here
    max_output_tokens: int = 1_024  # that a reply may have
    reserved_output_tokens: int = 4_096  # of the window that are kept free for the reply, at most a quarter of it
    request_timeout: float = 120.0  # seconds without a word from the server
    reply_seconds: float = 300.0  # that one reply may take, whatever the server sends
    answer_seconds: float = 900.0  # after which the keyless model does what is left of an answer
    reply_chars: int = 50_000  # of the text of one reply
    reply_bytes: int = 20_000_000  # of one reply, with all that the server wraps around it
    max_retries: int = 3
    recorded: str | None = None  # a model whose recorded replies are given while none is served; None: keyless only
    recorded_dir: Path = ROOT / "data" / "recorded"
    own_stages: Path = ROOT / "my_stages.py"  # stages of the reader's own
    recording: bool = False  # whether the replies of the served model are kept, as `lessons record` does
    embedding_batch_size: int = Field(32, ge=1, le=2048)
    embedding_threads: int = 2
    price_per_million_input_tokens: float = 0.15  # US dollars
    price_per_million_output_tokens: float = 0.60

    # Reading and splitting
    naive_chunk_tokens: int = Field(800, ge=1)
    naive_chunk_overlap: int = 0
    chunk_tokens: int = Field(500, ge=1)
    chunk_overlap: int = 100  # tokens
    shortest_chunk: int = 100  # characters
    keywords_per_chunk: int = 5
    enrichment_workers: int = 4  # calls to the model at a time, for each file
    enrichment: Literal["none", "keywords", "full"] | None = None  # None: full if it costs nothing, otherwise none
    document_type: str = "document"  # of what is ingested without a type
    max_file_bytes: int = 50_000_000
    max_read_seconds: float = 120.0  # for one file
    max_pages: int = 5_000  # of one PDF
    max_unpacked_bytes: int = 200_000_000  # of one Word or PowerPoint file
    max_xml_bytes: int = 30_000_000  # of one part of such a file; its tree takes ten times as much memory
    max_xml_tags: int = 2_000_000  # of all parts of such a file
    max_archive_entries: int = 10_000
    max_html_tags: int = 500_000
    max_pieces: int = 1_000_000  # lines, paragraphs and cells of one file
    own_questions: int = 500  # of a question set of the reader's own
    max_document_chars: int = 1_000_000  # of one document in a question set
    trash_days: float = 7.0  # for which a deleted document can be brought back

    # Ingestion jobs
    ingestion_workers: int = Field(2, ge=2, le=4)  # threads of this process
    most_ingestion_workers: int = Field(4, ge=2, le=4)  # once the queue is full, until nothing is open
    ingestion_queue: int = 10  # jobs that may wait; whoever submits one more works on it
    ingestion_attempts: int = 3  # how often work on one file may break off before the job goes on without it
    cluster_requests: int = Field(16, ge=1)  # to the models that a whole cluster has under way at a time, at most

    # The app, as far as others can reach it
    app_host: str = "127.0.0.1"  # this machine only
    app_port: int = Field(8501, ge=1, le=65_535)
    upload_bytes: int = 200_000_000  # of all files that are uploaded at once

    # Retrieval
    naive_top_k: int = 5
    fusion_candidates: int = 100  # from either search
    smart_threshold: float = 0.3  # of the root of a fused score
    rank_fusion_k: int = 60
    top_k: int = 10
    exact_search_chunks: int = 20_000  # compared one by one; among more, an HNSW index is searched
    exact_filtered_chunks: int = 2_000  # that filters may leave of more chunks to be compared one by one all the same
    hnsw_ef_search: int = 200  # candidates that a search of the index keeps; more find more and take longer
    max_question_chars: int = 4_000
    chat_top_k: int = 5  # chunks for an answer in a chat
    plan_top_k: int = 10  # for making a learning plan
    session_top_k: int = 3  # for one session of a plan

    # Reranking
    keyword_weight: float = 0.3
    mmr_lambda: float = 0.5  # 1: only how relevant a document is; 0: only how little it repeats the others
    rerank_candidates: int = 15
    rerank_threshold: float = 0.2  # of the root of a fused score
    rerank_best: int = 5  # candidates that the model names
    rerank_chars: int = 600  # of a candidate that the model is shown, around what matches the question best
    cross_encoder: str = "BAAI/bge-reranker-v2-m3-int8"  # knows Korean and English

    # Agent
    agent_tool_calls: int = Field(5, ge=1)  # in all, for one question
    agent_result_tokens: int = 600  # of one search that the model is shown: a whole chunk with its header
    tool_timeout: float = 30.0  # seconds for one search, beside what its model calls may take

    # Filters
    keyword_filter_chars: int = 50  # of a keyword, kept of a chunk or named by a filter

    # Query transforms
    query_variants: int = 3  # other phrasings of a question, besides itself
    max_queries: int = 8  # searched for one question
    max_query_chars: int = 500  # of a query that a transform wrote

    # Conversations
    message_store: Literal["postgres", "memory"] | None = None  # None: PostgreSQL if a database answers, else memory
    session_messages: int = Field(100, ge=2, multiple_of=2)  # kept of a session in PostgreSQL, the newest ones
    session_ttl_days: float = 90.0  # after its last message a session is forgotten
    conversation_messages: int = Field(50, ge=2, multiple_of=2)  # kept of a session in memory, the newest ones
    sessions_in_memory: int = 1_000  # the least recently used goes first
    history_turns: int = 5  # handed to a stage: a question and its answer are one turn
    turn_chars: int = 1_000  # of a question or an answer in these turns that a model is shown

    # Long-term memory
    memory_window: int = Field(5, ge=1)  # turns word for word; with one more, the oldest are summarised together
    memory_ttl_hours: float = 24.0  # after its last turn a session's long-term memory is dropped
    memory_turns: int = 1_000  # kept of a session to be searched, the newest ones
    summary_sentences: int = 20
    summary_tokens: int = 500
    entities_kept: int = 25
    profile_slots: int = 25  # kept of a user, the latest ones
    tiers_summarised: int = 15  # turns before those word for word
    tiers_summary_share: float = 0.5  # of the tokens of these turns that their summary may have
    tiers_summary_tokens: int = 200
    tiers_older_tokens: int = 100  # of still older turns, those nearest to the question

    # Context
    context_tokens: int = 4_000

    # Context manager: exact tokens of each part; the rest is a buffer
    managed_tokens: int = 4_000
    managed_prompt_tokens: int = 500  # of these, for the instructions to the model
    share_question: int = 200
    share_documents: int = 900
    share_history: int = 300
    share_profile: int = 200
    share_long_term: int = 100
    managed_documents: int = 5
    managed_document_chars: int = 500  # of each

    # Intent: how many chunks are fetched for a question
    simple_top_k: int = 3
    moderate_top_k: int = 8
    complex_top_k: int = 15

    # Self-refine
    refine_answers: int = 3  # to one question, the first included

    # Response cache
    response_cache: bool = False  # whether `lessons ask` and the app begin with the cache switched on
    cache_similarity: float = 0.85  # of two questions; below it they are not even compared
    cache_hours: float = 24.0  # that an answer is kept
    cache_answers: int = 1_000  # kept of an owner; the least recently used goes first
    cache_restyle: bool = True  # let the model word a kept answer for the question as it is put now

    # Evaluation
    evaluation_questions: int | None = Field(None, ge=1)  # that are drawn of those there are; None: all of them
    evaluation_timed: bool = True  # False: shipped vectors of questions are used; latencies lack their embedding
    stored_runs: int = Field(100, ge=1)  # kept of an owner, and as many that are everybody's, the newest ones
    gate_questions: int = 10  # fewer decide nothing: each would weigh more than the tenth that a gate asks for
    choice_margin: float = 0.05  # of the metric, that a cheaper stage may lose at most

    # Copilot
    copilot_calls: int = Field(3, ge=1)  # of its tools, for one question
    copilot_faq_chunks: int = 3  # of a search of everything
    copilot_guide_chunks: int = 7
    copilot_confidence: float = 0.5  # below it nothing relevant was found
    copilot_system_tokens: int = 1_500
    copilot_summary_tokens: int = 500
    copilot_entities_tokens: int = 200
    copilot_turns_tokens: int = 1_500  # of the last turns, word for word
    copilot_documents_tokens: int = 1_500
    copilot_question_tokens: int = 100  # a longer question takes its room from the documents

    @field_validator("*")
    @classmethod
    def _not_negative(cls, value: Any) -> Any:
        if isinstance(value, int | float) and not value >= 0:  # as NaN is not, either
            raise PydanticCustomError("negative", "should be 0 or more")
        return value

    @field_validator("naive_chunk_overlap", "chunk_overlap")
    @classmethod
    def _within_a_chunk(cls, value: int, info: ValidationInfo) -> int:
        size = str(info.field_name).replace("overlap", "tokens")
        if value > info.data.get(size, value):
            raise PydanticCustomError("overlap", "should be at most LESSONS_{size}", {"size": size.upper()})
        return value

    @property
    def is_served(self) -> bool:
        """Whether a model behind a server answers."""
        return bool(self.openai_api_key or self.openai_base_url)

    @property
    def counted_model(self) -> str:
        """The model in whose tokens a window is counted: the one that is served, or the one whose record answers."""
        return self.llm_model if self.is_served else self.recorded or self.llm_model

    def on_record(self, model: str | None) -> Self:
        """Return the settings without a server: replies on record answer, or without a name the keyless model."""
        return self.model_copy(update={"openai_base_url": None, "openai_api_key": None, "recorded": model})


_adopted: Settings | None = None
PATHS = {name for name, field in Settings.model_fields.items() if field.annotation is Path}
"""The settings that are places on this machine."""


@cache
def settings() -> Settings:
    """Read the settings of this process, once; LessonsError names one whose value cannot be."""
    try:
        return _adopted or Settings()
    except ValidationError as error:
        wrong = error.errors()[0]
        name, reason = str(wrong["loc"][0]).upper(), wrong["msg"].removeprefix("Input ")
        raise LessonsError(f"LESSONS_{name} {reason}; change it in the environment or in .env.") from None
    except UnicodeDecodeError as error:
        raise LessonsError("The file .env is not UTF-8; save it anew as UTF-8.") from error


def adopt(adopted: Settings) -> None:
    """Make these the settings of this process: a worker's environment differs from that of whoever sends its work."""
    global _adopted
    _adopted = adopted
    settings.cache_clear()
