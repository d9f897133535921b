"""The steps from a file to its stored chunks."""

from collections.abc import Iterator
from functools import cache

import pytest
from llama_index.core.schema import Document, TextNode

from data.make.bench import empty_store, words
from data.make.graphs import OWNER, mean_vector, vectors
from lessons.database import engine
from lessons.ingest.index import Index, enhanced_index, naive_index
from lessons.ingest.read import read
from lessons.library import CORPUS
from lessons.models.embedding import embedding_model
from lessons.models.embedding_cache import CachedEmbedding
from lessons.rag.store import ChunkStore
from lessons.settings import Settings
from lessons.text import terms
from tests.benchmarks.conftest import Timed

FILES = {"en": CORPUS / "product" / "guide_budgets_43_en.pdf", "ko": CORPUS / "product" / "guide_admin_year_ko.pdf"}
BATCH = 8  # passages
WRITTEN = 100  # chunks of a document that is stored


def made_up_nodes(number: int) -> list[TextNode]:
    """The chunks of a document, `WRITTEN` of them; another number gives others."""
    known = {"source_file": str(number), "user_id": OWNER.user_id, "language": "en"}
    return [
        TextNode(
            id_=f"{number} {place}",
            text=" ".join(said),
            embedding=vector.tolist(),
            metadata={**known, "chunk_index": place},
            excluded_embed_metadata_keys=[*known, "chunk_index"],
        )
        for place, (said, vector) in enumerate(zip(words(WRITTEN, number), vectors(WRITTEN, number), strict=True))
    ]


@pytest.fixture(params=FILES)
def pages(request: pytest.FixtureRequest) -> list[Document]:
    """The pages of a shipped PDF in English, and of one in Korean."""
    return read(FILES[request.param])


@pytest.fixture
def store(database: Settings) -> Iterator[ChunkStore]:
    with empty_store(engine(database), len(mean_vector())) as empty:
        yield empty


@pytest.mark.parametrize("language", FILES)
def test_reading_a_pdf(timed: Timed, language: str) -> None:
    assert timed(lambda number: read(FILES[language]), rounds=10)


@pytest.mark.parametrize(
    "index", [naive_index(), enhanced_index("none"), enhanced_index()], ids=["naive", "enhanced", "enriched"]
)
def test_splitting(timed: Timed, index: Index, pages: list[Document]) -> None:
    assert timed(lambda number: index.chunks(pages, OWNER.user_id), rounds=10)


def test_terms(timed: Timed, pages: list[Document]) -> None:
    assert timed(lambda number: [terms(page.text) for page in pages])


def test_embedding_a_batch(timed: Timed, database: Settings) -> None:
    cached = embedding_model(database)
    assert isinstance(cached, CachedEmbedding)
    passages = [" ".join(row) for row in words(BATCH, seed=1)]
    assert timed(lambda number: cached.model.get_text_embedding_batch(passages), rounds=5)


def test_storing_a_document(timed: Timed, store: ChunkStore) -> None:
    made_up = cache(made_up_nodes)
    timed(lambda number: store.replace_document(OWNER, str(number), "", made_up(number)), prepare=made_up)
    assert store.documents(OWNER)[0].chunks == WRITTEN
