"""The page of the reader's documents: levels, cost, and a chunk before and after."""

import pytest
from streamlit.testing.v1 import AppTest

from lessons.ingest.pipeline import ingest
from lessons.ingest.scope import Scope
from lessons.library import indexes
from lessons.pages import upload
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
    """Give the reader a document in every index, so that the shipped ones need not be loaded."""
    path = tmp_path_factory.mktemp("notes") / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    place = workspace()
    for index in indexes():
        results = list(ingest([(path, "notes.md")], index, place.store(index), place.embedding, Scope("reader")))
        assert results[0].status in ("added", "unchanged")


def shown(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.markdown, *page.caption, *page.subheader])


def test_the_page_offers_the_levels_and_ingests_nothing_by_itself(notes: None) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    assert not page.exception
    assert [button.label for button in page.button] == ["Ingest"]
    assert [radio.value for radio in page.radio] == ["full"]


def test_a_chunk_is_shown_as_embedded_as_displayed_and_as_the_naive_index_has_it(notes: None) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    text = shown(page.selectbox(key="before-after-file").set_value("notes.md").run())
    assert f":blue-badge[title] {plain('Release notes: Cirrus 2.1')}" in text
    assert f":gray-badge[keywords] {plain('CCX-4030')}" in text
    assert f":gray-badge[{plain('doc_type')}] {plain('release_notes')}" in text
    assert text.count(plain("reads buckets that were <b>renamed</b> by hand.")) >= 3


def test_an_uploaded_name_cannot_lead_out_of_a_folder() -> None:
    assert upload.file_name("..\\..\\a/b.md") == "b.md"
