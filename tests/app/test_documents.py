"""The page of the reader's documents: upload, cost, jobs, deletion with undo, and a chunk before and after."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.ingest.pipeline import ingest
from lessons.ingest.queue import JobStatus
from lessons.library import indexes
from lessons.pages import documents
from lessons.pages.documents import file_name, jobs
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.rag.workspace import workspace
from lessons.settings import Settings, settings
from lessons.tables import plain
from tests.support.app import press
from tests.support.files import write_pdf

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


OWNER = "reader"
EVIL = "<img src=x onerror=alert(1)>[a](javascript:b).md"


@pytest.fixture
def page(notes: None) -> AppTest:
    return AppTest.from_function(script, default_timeout=120)


def upload_to(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    page.file_uploader[0].set_value([(name, content, "text/markdown") for name, content in files])
    return page.run()


def listed(page: AppTest) -> set[str]:
    return {name for table in [*page.dataframe][:1] for name in table.value["file"]}


def told(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.success, *page.markdown])


def headed(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.markdown, *page.caption, *page.header])


def test_the_page_offers_the_levels_and_ingests_nothing_by_itself(notes: None) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    assert not page.exception
    assert plain("yours would be mixed with them") in page.info[0].value
    assert [button.label for button in page.button if not button.disabled] == ["Use my own documents"]
    assert [radio.value for radio in page.radio] == ["full"]


def test_a_chunk_is_shown_with_what_is_embedded_and_searched_with_it(notes: None) -> None:
    page = AppTest.from_function(script, default_timeout=120).run()
    chunk = page.selectbox(key="open").set_value("notes.md").run().dataframe[-1].value.loc[0]
    assert chunk["title"] == "Release notes: Cirrus 2.1"
    assert "CCX-4030" in chunk["keywords"]
    assert chunk["doc_type"] == "release_notes"
    assert "reads buckets that were <b>renamed</b> by hand." in chunk["text"]


def job_ids() -> set[str]:
    """The owner's jobs, those of earlier tests among them."""
    return {job.id for job in jobs().all(Scope(OWNER))}


def test_an_uploaded_name_cannot_lead_out_of_a_folder() -> None:
    assert file_name("..\\..\\a/b.md") == "b.md"


def test_the_cost_of_every_level_is_told_before_anything_is_ingested(page: AppTest) -> None:
    before = job_ids()
    found = upload_to(
        page.run(), ("a.md", b"# A\n\nA note about the harbour.\n"), ("b.md", b"# B\n\nAnother note about the pier.\n")
    )
    assert plain("Enriching 2 files at the level full") in headed(found)
    assert plain("tokens in and") in headed(found)
    found = found.radio[0].set_value("none").run()
    assert plain("at the level none asks no model") in headed(found)
    assert job_ids() == before


def test_files_become_a_job_that_is_followed_to_its_end(page: AppTest) -> None:
    before = job_ids()
    press(upload_to(page.run(), (EVIL, b"The pier closes at eight."), ("c.md", b"Cats sleep.")), "Ingest")
    (job_id,) = job_ids() - before
    assert jobs().wait(job_id, Scope(OWNER), 120).status == "COMPLETED"
    page.run()
    assert not page.exception
    assert plain("<img src=x onerror=alert(1)>[a](javascript:b).md") in told(page)
    assert f":green[✓] **{plain('c.md')}** is in; ask about it on the Compare page" in told(page)
    assert {EVIL, "c.md"} <= listed(page)


def test_the_page_says_that_files_are_handed_over_while_it_lasts(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    saying: list[str] = []
    said: list[str] = []

    @contextmanager
    def spinner(words: str) -> Iterator[None]:
        saying.append(words)
        yield
        saying.remove(words)

    monkeypatch.setattr(documents.st, "spinner", spinner)
    monkeypatch.setattr(type(documents.jobs()), "submit", lambda *_, **__: said.extend(saying))
    press(upload_to(page.run(), ("d.md", b"Dogs bark.")), "Ingest")
    assert said == ["Handing over the files. If the queue is full, they are ingested before the page goes on …"]


def test_a_file_of_a_format_without_a_reader_is_named_and_left_out(page: AppTest) -> None:
    found = upload_to(page.run(), ("setup.exe", b"MZ"), ("note.md", b"# A\n\nA note.\n"))
    assert any(plain("Enriching 1 file") in each.value for each in found.caption)
    press(found, "Ingest")
    (newest, *_) = jobs().all(Scope(OWNER), 1)
    jobs().wait(newest.id, Scope(OWNER), 120)
    lines = told(page.run()).splitlines()
    assert any(line.startswith(f":green[✓] **{plain('note.md')}**") for line in lines)
    (line,) = [line for line in lines if "setup" in line]
    assert plain("is not one of the formats that can be read") in line


def test_a_file_over_the_limit_never_becomes_a_job(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "max_file_bytes", 1_000)
    before = job_ids()
    found = press(upload_to(page.run(), ("large.md", b"x" * 1_001)), "Ingest")
    assert plain("larger than 0 MB") in found.error[0].value
    assert job_ids() == before


def test_more_than_goes_in_at_once_is_not_ingested(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "upload_bytes", 1_000)
    found = upload_to(page.run(), ("one.md", b"x" * 600), ("two.md", b"y" * 600))
    assert "take some files out" in found.error[0].value
    assert next(button for button in found.button if button.label == "Ingest").disabled


def test_a_deleted_document_is_gone_and_undo_brings_it_back(page: AppTest) -> None:
    page.run()
    before = listed(page)
    page.multiselect(key="delete").set_value(["notes.md"])
    press(page.run(), "Delete")
    assert plain("Deleted: notes.md.") in [success.value for success in page.success]
    assert listed(page) == before - {"notes.md"}
    press(page, "Undo")
    assert listed(page) == before


def test_a_document_that_was_deleted_is_no_longer_said_to_be_in(page: AppTest) -> None:
    press(upload_to(page.run(), ("gone.md", b"Geese fly south in autumn.")), "Ingest")
    (newest, *_) = jobs().all(Scope(OWNER), 1)
    jobs().wait(newest.id, Scope(OWNER), 120)
    assert "gone\\.md" in told(page.run())
    page.multiselect(key="delete").set_value(["gone.md"])
    press(page.run(), "Delete")
    assert [line for line in told(page).splitlines() if "gone" in line] == [plain("Deleted: gone.md.")]


def test_a_partly_read_file_says_so_when_it_comes_in_and_when_it_comes_again_and_in_the_list(
    page: AppTest, tmp_path: Path
) -> None:
    half = write_pdf(
        tmp_path / "half.pdf", "The canteen opens at 11:30 on every working day of the week.", ""
    ).read_bytes()
    for outcome in ("is in", "is already there, unchanged"):
        page = press(upload_to(page.run(), ("half.pdf", half)), "Ingest")
        (newest, *_) = jobs().all(Scope(OWNER), 1)
        jobs().wait(newest.id, Scope(OWNER), 120)
        line = next(line for line in told(page.run()).splitlines() if "half" in line)
        assert line.startswith(f":orange[⚠] **{plain('half.pdf')}** {outcome}")
        assert plain("Without text, and so not searched: page 2.") in line
    notes = dict(zip(page.dataframe[0].value["file"], page.dataframe[0].value["note"], strict=True))
    assert {name: note for name, note in notes.items() if note} == {
        "half.pdf": "⚠ Without text, and so not searched: page 2."
    }


def test_a_file_that_comes_in_while_the_page_is_drawn_is_on_it(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    show, newcomer = documents.show_upload, Scope("newcomer")

    def arrive(*arguments: Any) -> None:
        monkeypatch.setattr(documents, "show_upload", show)
        job = jobs().submit([(b"# Ferry\n\nThe ferry leaves at 6:45.", "ferry.md")], newcomer)
        assert jobs().wait(job, newcomer, 120).status == "COMPLETED"
        show(*arguments)

    page.query_params["owner"] = newcomer.user_id
    assert plain("has no documents yet") in page.run().info[0].value
    monkeypatch.setattr(documents, "show_upload", arrive)
    assert not page.run().info
    assert listed(page) == {"ferry.md"}


def test_a_file_that_failed_is_told_once_though_no_document_came_of_it(page: AppTest) -> None:
    press(upload_to(page.run(), ("bytes.md", b"\x00\x01\x02\xff\xfe\x00" * 50)), "Ingest")
    (newest, *_) = jobs().all(Scope(OWNER), 1)
    assert jobs().wait(newest.id, Scope(OWNER), 120).status == "FAILED"
    (line,) = [line for line in told(page.run()).splitlines() if "bytes" in line]
    assert line.startswith(f":red[✗] **{plain('bytes.md')}** could not be used")
    assert line.count("bytes") == 1


def test_another_owner_sees_and_restores_nothing_of_it(page: AppTest) -> None:
    page.run()
    page.multiselect(key="delete").set_value(["notes.md"])
    press(page.run(), "Delete")
    page.sidebar.selectbox[0].set_value("mina").run()
    assert not page.exception
    assert "notes.md" not in listed(page)
    assert "notes.md" not in [option for box in [*page.selectbox, *page.multiselect] for option in box.options]
    assert plain("notes.md") not in told(page)
    page.sidebar.selectbox[0].set_value(OWNER).run()
    press(page, "Undo")


def test_a_document_is_opened_whole_with_its_chunks(page: AppTest) -> None:
    page.run().selectbox(key="open").set_value("notes.md").run()
    assert "1 chunk in the index enhanced." in headed(page)
    assert [*page.dataframe[-1].value["text"]] == [NOTES.strip()]


def job(**state: object) -> JobStatus:
    return JobStatus(files=1, indexes=["naive", "enriched"], status="PROCESSING", result_rows=[], **state)


def test_a_job_counts_files_and_not_what_goes_into_each_index() -> None:
    at = job(step_done=0, step_total=0)
    at.files, at.status, at.step, at.result_rows = 2, "ENRICHING", "enriching", [{}, {}, {}]
    assert documents._progress(at)[1].strip() == plain("1 of 2 files, enriching")


def test_what_the_reader_added_is_listed_before_what_is_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"pages": 1, "chunks": 1, "ingested_at": datetime.now(UTC)}
    rows = [DocumentRow(source_file=name, **known) for name in ("a-shipped.md", "z-mine.md")]
    monkeypatch.setattr(documents, "_stored", lambda owner: {"naive": rows})
    monkeypatch.setattr(documents, "shipped_documents", lambda: [{"path": "a-shipped.md", "owner": OWNER}])
    assert [each["file"] for each in documents._rows(OWNER)] == ["z-mine.md", "a-shipped.md"]


def test_a_cancelled_job_says_so(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = job(id="1", step_done=0, step_total=0, finished_at=datetime.now(UTC))
    ended.status = "CANCELLED"
    monkeypatch.setattr(documents.jobs(), "all", lambda *_: [ended])
    ended.source_file = None
    assert "cancelled before it began" in page.run().warning[0].value
    ended.source_file = "b.md"
    assert plain("cancelled at b.md") in page.run().warning[0].value


def test_files_that_are_too_large_to_estimate_are_not_read(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "ESTIMATE_BYTES", 100)
    assert "too large to tell" in headed(upload_to(page.run(), ("l.md", b"word " * 400)))
