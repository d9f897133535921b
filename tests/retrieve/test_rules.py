"""What always holds, whatever is stored and asked."""

import unicodedata
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import TextNode
from pydantic import PrivateAttr
from sqlalchemy import text

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.models.embedding_cache import CachedEmbedding
from lessons.rag.retrievers import VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope, WhereClause
from lessons.search.materials import Plans, chunk_range
from lessons.settings import Settings

OWNERS = st.sampled_from(["mina", "joon", "Mina", "mina ", "민아"])
FILES = st.sampled_from(["a.md", "b.md", "강의.pdf"])
TEXTS = st.lists(st.sampled_from(["words", " ", "", "\n\t", "다른 말", "words"]), max_size=5)
LIBRARIES = st.dictionaries(st.tuples(OWNERS, FILES), TEXTS, max_size=6)
FORGET = text("DELETE FROM documents WHERE index_table = :table")
QUERIES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)

rules = hypothesis_settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Direction(MockEmbedding):
    """Every text points the same way; what was asked is remembered."""

    _asked: list[str] = PrivateAttr(default_factory=list)

    def _get_query_embedding(self, query: str) -> list[float]:
        self._asked.append(query)
        return [1.0, 0.0, 0.0]


@dataclass
class Library:
    """A store filled with generated materials of several owners."""

    store: ChunkStore
    model: Direction = field(default_factory=lambda: Direction(embed_dim=3))

    def fill(self, materials: dict[tuple[str, str], list[str]]) -> None:
        with self.store.engine.begin() as connection:
            connection.execute(
                text("DELETE FROM documents WHERE index_table = :table"), {"table": self.store.table_name}
            )
        for (owner, name), texts in materials.items():
            nodes = [_node(owner, name, position, words) for position, words in enumerate(texts)]
            self.store.replace_document(Scope(owner), name, "", nodes[::-1])

    def search(self, words: str, scope: Scope, *more: str) -> list[RetrievedDocument]:
        resources: Any = Resources(self.store, CachedEmbedding(self.model), None)  # type: ignore[arg-type]
        return VectorRetriever(top_k=50).search([words, *more], Query(words, scope), resources)


def _node(owner: str, name: str, position: int, words: str) -> TextNode:
    place = {"user_id": owner, "source_file": name, "ref_id": name, "type": "document", "chunk_index": position}
    return TextNode(id_=f"{owner}/{name}/{position}", text=words, embedding=[1, 0, 0], metadata=place)


@pytest.fixture(scope="module")
def library(database: Settings) -> Library:
    made = Library(ChunkStore(engine(database), "rules", "toy", 3))
    made.store.documents(Scope("anybody"))
    return made


@pytest.fixture(scope="module")
def plans(database: Settings) -> Plans:
    return Plans(engine(database))


@rules
@given(materials=LIBRARIES, owner=OWNERS)
def test_nothing_but_the_owners_chunks_is_found(library: Library, materials: dict, owner: str) -> None:
    library.fill(materials)
    found = library.search("question", Scope(owner))
    assert {document.metadata["user_id"] for document in found} <= {owner}
    mine = [words for (name, _), texts in materials.items() if name == owner for words in texts]
    assert len(found) == sum(bool(words.strip()) for words in mine)


@rules
@given(materials=LIBRARIES, owner=OWNERS, wanted=st.sets(FILES, min_size=1))
def test_a_search_stays_in_the_materials_that_the_plan_fixed(
    library: Library, plans: Plans, materials: dict, owner: str, wanted: set[str]
) -> None:
    library.fill(materials)
    own = {name for user, name in materials if user == owner}
    try:
        plan = plans.make_plan(Scope(owner), wanted)
    except LessonsError:
        assert not wanted <= own
        return
    found = library.search("question", plans.plan_scope(plan, Scope(owner)))
    assert {document.source for document in found} <= wanted <= own


@rules
@given(materials=LIBRARIES, owner=OWNERS)
def test_an_empty_chunk_is_never_returned(library: Library, materials: dict, owner: str) -> None:
    library.fill(materials)
    assert all(document.content.strip() for document in library.search("question", Scope(owner)))
    assert all(node.get_content().strip() for node in library.store.get_nodes(scope=Scope(owner)))


@rules
@given(materials=LIBRARIES, owner=OWNERS, name=FILES, start=st.integers(-2, 6), end=st.integers(-2, 6))
def test_a_range_is_sorted_by_chunk_index_and_within_its_bounds(
    library: Library, materials: dict, owner: str, name: str, start: int, end: int
) -> None:
    library.fill(materials)
    if (owner, name) not in materials:
        with pytest.raises(LessonsError):
            chunk_range(library.store, Scope(owner), name, start, end)
        return
    places = [node.metadata["chunk_index"] for node in chunk_range(library.store, Scope(owner), name, start, end)]
    texts = materials[owner, name]
    assert places == [place for place in range(max(start, 0), min(end, len(texts))) if texts[place].strip()]


@rules
@given(query=QUERIES, form=st.sampled_from(["NFC", "NFD"]), dirt=st.sampled_from(["", "\0", "\ufeff", "\x07"]))
def test_a_query_is_normalised_before_it_is_embedded(library: Library, query: str, form: str, dirt: str) -> None:
    library.model._asked.clear()
    library.search(unicodedata.normalize(form, query) + dirt, Scope("mina"))
    (asked,) = library.model._asked
    assert asked == unicodedata.normalize("NFC", asked)
    assert not {"\0", "\ufeff", "\x07"} & set(asked)


@rules
@given(materials=LIBRARIES, owner=OWNERS, queries=st.lists(QUERIES, min_size=1, max_size=4))
def test_no_chunk_is_found_twice(library: Library, materials: dict, owner: str, queries: list[str]) -> None:
    library.fill(materials)
    found = [document.id for document in library.search("question", Scope(owner), *queries)]
    assert len(found) == len(set(found))


@rules
@given(materials=LIBRARIES, owner=OWNERS)
def test_a_forgotten_where_finds_no_foreign_chunk(
    library: Library, monkeypatch: pytest.MonkeyPatch, materials: dict, owner: str
) -> None:
    library.fill(materials)
    all_rows = WhereClause(":user_id = :user_id", {"user_id": owner}, narrow=False)
    monkeypatch.setattr(ChunkStore, "where", lambda self, *_: all_rows)
    assert {document.metadata["user_id"] for document in library.search("question", Scope(owner))} <= {owner}
