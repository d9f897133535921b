"""A question is limited to a file only if the store knows it, in any process, within the scope."""

import subprocess
import sys
from typing import Any

import pytest
from llama_index.core.vector_stores.types import FilterCondition
from sqlalchemy import event

from lessons.errors import LessonsError
from lessons.rag.catalog import catalog, only_file, registered_file
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.search.filter_text import parse_filter
from tests.retrieve.conftest import Put

ELSEWHERE = """
import sys
from lessons.database import engine
from lessons.rag.types import Scope
from lessons.rag.store import ChunkStore
from lessons.settings import Settings
store = ChunkStore(engine(Settings()), "retrieve", "toy", 3)
store.replace_document(Scope(sys.argv[1]), "elsewhere.md", "", [])
"""


def test_a_known_file_limits_the_search_together_with_other_filters(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "words")
    filters, warnings = only_file("a.md", parse_filter("year == 2024"), store, mina)
    assert warnings == []
    assert filters.condition == FilterCondition.AND
    assert len(filters.filters) == 2


def test_a_chat_ignores_an_unknown_file_with_a_warning(store: ChunkStore, mina: Scope) -> None:
    filters, warnings = only_file("missing.md", None, store, mina)
    assert filters is None
    assert "missing.md is not among the documents" in warnings[0]


def test_a_tool_is_told_that_a_file_is_not_registered(store: ChunkStore, put: Put, mina: Scope, joon: Scope) -> None:
    put(joon, "his.md", "words")
    for name in ("missing.md", "his.md"):
        with pytest.raises(LessonsError, match=f"{name} is not registered"):
            registered_file(name, None, store, mina)
    assert registered_file("his.md", None, store, joon).filters[0].value == "his.md"


def test_files_outside_the_plan_are_unknown(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "words"), put(mina, "b.md", "words")
    with pytest.raises(LessonsError, match="not registered"):
        registered_file("b.md", None, store, mina.only(["a.md"]))


def test_known_files_are_read_once_until_something_is_ingested_or_removed(
    store: ChunkStore, put: Put, mina: Scope, request: pytest.FixtureRequest
) -> None:
    statements: list[str] = []
    store.documents(mina)

    def listen(*arguments: Any) -> None:
        statements.append(arguments[2])

    event.listen(store.engine, "before_cursor_execute", listen)
    request.addfinalizer(lambda: event.remove(store.engine, "before_cursor_execute", listen))
    put(mina, "a.md", "words", title="One")
    assert catalog(store, mina)["a.md"]["title"] == "One"
    statements.clear()
    assert list(catalog(store, mina)) == ["a.md"]
    assert not any("LATERAL" in statement for statement in statements)
    put(mina, "a.md", "words", title="Two")
    assert catalog(store, mina)["a.md"]["title"] == "Two"
    store.delete_document(mina, "a.md")
    assert catalog(store, mina) == {}


def test_another_process_drops_the_cache_too(store: ChunkStore, put: Put, mina: Scope) -> None:
    put(mina, "a.md", "words")
    assert list(catalog(store, mina)) == ["a.md"]
    subprocess.run([sys.executable, "-c", ELSEWHERE, mina.user_id], check=True, timeout=60)
    assert list(catalog(store, mina)) == ["a.md", "elsewhere.md"]
