"""The page of the reader's documents: levels, cost, and a chunk before and after."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from lessons.ingest.index import enhanced_index, naive_index
from lessons.ingest.pipeline import ingest
from lessons.ingest.scope import Scope
from lessons.pages import documents, upload
from lessons.pages.common import plain
from lessons.settings import Settings
from lessons.workspace import workspace

NOTES = (
    "# Release notes: Cirrus 2.1\n\n## Fixed\n\nConnector CCX-4030 reads buckets that were <b>renamed</b> by hand.\n"
)


def script() -> None:
    from lessons.pages import documents

    documents.page()


@pytest.fixture(scope="module")
def notes(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give the reader a document in both indexes, so that the shipped ones need not be loaded."""
    path = tmp_path_factory.mktemp("notes") / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    place = workspace()
    for index in (naive_index(), enhanced_index()):
        results = list(ingest([(path, "notes.md")], index, place.store(index), place.embedding, Scope("reader")))
        assert results[0].status in ("added", "unchanged")


@pytest.fixture(params=[True, False], ids=["enhanced", "naive only"])
def with_enhanced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Whether a stage has the enhanced index."""
    chosen = [naive_index(), enhanced_index()] if request.param else [naive_index()]
    monkeypatch.setattr(documents, "indexes", lambda: chosen)
    documents.jobs.clear()
    yield request.param
    documents.jobs.clear()


def shown(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.markdown, *page.caption, *page.subheader])


def test_the_page_offers_levels_and_before_and_after_as_soon_as_an_index_enriches(
    notes: None, with_enhanced: bool
) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    assert not page.exception
    assert [button.label for button in page.button] == ["Ingest"]
    assert [radio.value for radio in page.radio] == (["full"] if with_enhanced else [])
    assert ("One chunk, before and after" in shown(page)) == with_enhanced


@pytest.mark.parametrize("with_enhanced", [True], indirect=True)
def test_a_chunk_is_shown_as_embedded_as_displayed_and_as_the_naive_index_has_it(
    notes: None, with_enhanced: bool
) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    text = shown(page)
    assert f":blue-badge[title] {plain('Release notes: Cirrus 2.1')}" in text
    assert f":gray-badge[keywords] {plain('CCX-4030')}" in text
    assert f":gray-badge[{plain('doc_type')}] {plain('release_notes')}" in text
    assert text.count(plain("reads buckets that were <b>renamed</b> by hand.")) >= 3


def test_an_uploaded_name_cannot_lead_out_of_a_folder() -> None:
    assert upload.file_name("..\\..\\a/b.md") == "b.md"
