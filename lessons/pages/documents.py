"""The reader's own documents: upload them, watch them being ingested, see what is there, delete and restore them."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lessons.ingest.cost import estimate
from lessons.ingest.enrich import ADDED, Enrichment, default_level
from lessons.ingest.index import Index
from lessons.ingest.jobs import Jobs
from lessons.ingest.queue import JobResult, JobStatus
from lessons.ingest.read import READERS, too_large
from lessons.ingest.split import header, same_words
from lessons.library import indexes, trash
from lessons.pages.common import allow_uploads, errors_shown, titled
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.tables import counted, plain, spent
from lessons.workspace import Workspace, workspace

SHOWN_JOBS = 5
LEVELS: dict[Enrichment, str] = {"none": "nothing", "keywords": "keywords", "full": "keywords and summaries"}
ADVICE = {
    "added": "is in; ask about it on the Compare page.",
    "replaced": "took the place of its earlier version.",
    "unchanged": "is already there, unchanged.",
    "failed": "could not be used.",
}
IS_IN = ("added", "replaced", "unchanged")
"""What became of files that are then documents."""

TOLD = ("doc_type", "has_steps", "page_number", "date")
"""What is shown of a chunk beside what enriching has added."""


@st.cache_resource
def jobs() -> Jobs:
    """The ingestion jobs of this app; what an earlier process left over goes on."""
    running = Jobs(workspace(), {index.name: index for index in indexes()})
    running.start()
    return running


@titled("Documents", "What every stage searches: only the documents of the owner in the side bar.")
def page(place: Workspace, owner: str) -> None:
    """Upload files for the chosen owner, follow their jobs, and list what the owner has."""
    _upload(place, owner)
    _follow(owner)
    _list(place, owner)
    _compare_a_chunk(place, owner)


def _upload(place: Workspace, owner: str) -> None:
    """Choose files and a level, see the cost, and start a job."""
    megabytes = settings().max_file_bytes // 1_000_000
    batch = st.session_state.setdefault("batch", 0)  # another key empties the list of files
    uploads = st.file_uploader(
        f"Add your own documents, up to {megabytes} MB each",
        type=[suffix.lstrip(".") for suffix in READERS],
        accept_multiple_files=True,
        key=f"uploads-{batch}",
    )
    kept = accepted(uploads)
    files = [(upload.getvalue(), file_name(upload.name)) for upload in kept]
    level = _level(place, owner, files, ",".join(upload.file_id for upload in kept))
    if st.button("Ingest", type="primary", disabled=not files):
        allow_uploads(owner, len(files))
        jobs().submit(files, Scope(owner), enrichment=level)
        st.session_state.batch += 1
        st.rerun()


def accepted(uploads: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Those within the limits of one file and of one upload; a sentence on the page for each of the others."""
    kept, total, most, together = [], 0, settings().max_file_bytes, settings().upload_bytes
    for upload in uploads:
        if upload.size > most:
            st.error(plain(f"{upload.name} {too_large(most)}"))
        elif total + upload.size > together:
            megabytes = together // 1_000_000
            st.error(plain(f"{upload.name} is left out: at most {megabytes} MB go in at once; add it afterwards."))
        else:
            kept.append(upload)
            total += upload.size
    return kept


def file_name(name: str) -> str:
    """The last part of an uploaded name, so that it cannot lead out of a folder."""
    return PurePath(name.replace("\\", "/")).name


def _level(place: Workspace, owner: str, files: list[tuple[bytes, str]], ids: str) -> Enrichment:
    """The level that is chosen, with its cost below, estimated once for the files with these ids: it reads them."""
    begin = list(LEVELS).index(default_level(place.llm))
    level = st.radio("Added to each chunk", LEVELS, begin, format_func=LEVELS.__getitem__, horizontal=True)
    if files:
        known, key = st.session_state.setdefault("costs", {}), (owner, level, ids)
        if key not in known:
            with st.spinner("Estimating the cost …"):
                known[key] = _cost(place, owner, files, level)
        st.caption(plain(known[key]))
    return level


def _cost(place: Workspace, owner: str, files: list[tuple[bytes, str]], level: Enrichment) -> str:
    index = max(indexes(), key=lambda each: each.can_enrich)
    known = {document.sha256 for document in place.store(index).documents(Scope(owner))}
    with tempfile.TemporaryDirectory() as folder:
        named = [(Path(folder) / f"{at}{PurePath(name).suffix}", name) for at, (_, name) in enumerate(files)]
        for (path, _), (content, _) in zip(named, files, strict=True):
            path.write_bytes(content)
        return str(estimate(named, index, level, place.llm, Scope(owner), known))


def _follow(owner: str) -> None:
    """The newest jobs; while one is open, they are drawn again every second, and the page once it has ended."""
    waiting = any(job.is_open for job in jobs().all(Scope(owner), SHOWN_JOBS))

    @st.fragment(run_every=1 if waiting else None)
    def draw() -> None:
        found = jobs().all(Scope(owner), SHOWN_JOBS)
        there = {(row.source_file, name) for name, rows in _stored(owner).items() for row in rows}
        for job in found:
            _show_job(job, owner, there)
        if waiting and not any(job.is_open for job in found):
            st.rerun()

    draw()


def _stored(owner: str) -> dict[str, list[DocumentRow]]:
    """The owner's documents in each index."""
    return {index.name: workspace().store(index).documents(Scope(owner)) for index in indexes()}


def _show_job(job: JobStatus, owner: str, there: set[tuple[str, str]]) -> None:
    """How far it is and what became of its files; nothing is said to be in that has been deleted since."""
    if job.is_open:
        part = f" ({job.step_done} of {job.step_total} chunks)" if job.step_total else ""
        step = f"{job.step or 'waiting'} {job.source_file or ''}{part}"
        doing = f"{job.status}: {job.done} of {counted(job.total, 'file')}, {step}"
        st.progress(job.done / max(job.total, 1), plain(doing))
        if st.button("Cancel", key=f"cancel-{job.id}"):
            jobs().cancel(job.id, Scope(owner))
    for result in job.results:
        if result.status not in IS_IN or (result.source_file, result.index) in there:
            _show_result(result)
    told = any(result.reason and result.reason in (job.reason or "") for result in job.results)
    if job.reason and not job.is_open and not told:
        st.error(plain(f"{job.status}: {job.reason}"))


def _show_result(result: JobResult) -> None:
    """What became of a file, its chunks, and what enriching them has cost."""
    line = f"{result.source_file} [{result.index}] {ADVICE.get(result.status, '')} {result.reason or ''}"
    if result.chunks and result.status in IS_IN:
        used = (result.llm_calls, result.tokens_in, result.tokens_out, result.cost)
        line += f" {counted(result.chunks, 'chunk')}{f', enriched with {spent(*used)}' if result.llm_calls else ''}."
    {"failed": st.error, "duplicate": st.warning}.get(result.status, st.success)(plain(line))


def _list(place: Workspace, owner: str) -> None:
    """The documents in every index. Those chosen are deleted from all of them, which can be undone for some days."""
    rows = _listed(owner)
    st.header(plain(f"Documents of {owner}: {len(rows)}"))
    _offer_undo(place, owner)
    if not rows:
        st.info("There are none yet. Add some above; they are searched as soon as their job is done.")
        return
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            "file": st.column_config.Column(pinned=True),
            "ingested": st.column_config.DateColumn("ingested", format="YYYY-MM-DD"),
        },
        alt="Documents with their pages, chunks in each index, and day of ingestion",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect("Documents to delete", [row["file"] for row in rows], key="delete", width=600)
        st.button("Delete", icon=":material/delete:", disabled=not chosen, on_click=_delete, args=(place, owner))


def _delete(place: Workspace, owner: str) -> None:
    """In a callback, because what is chosen may be emptied only before the page is drawn."""
    names, st.session_state["delete"] = st.session_state["delete"], []
    with errors_shown():
        for name in names:
            trash(place).delete(Scope(owner), name)
        st.session_state.undo = owner, names


def _listed(owner: str) -> list[dict[str, Any]]:
    """A row for each document, by name, with its chunks in each index."""
    rows: dict[str, dict[str, Any]] = {}
    for name, stored in _stored(owner).items():
        for found in stored:
            known = {"file": found.source_file, "pages": found.pages, "ingested": found.ingested_at}
            rows.setdefault(found.source_file, known)[f"chunks, {name}"] = found.chunks
    return [row for _, row in sorted(rows.items())]


def _offer_undo(place: Workspace, owner: str) -> None:
    """What was just deleted, with one button; below it all that can be brought back."""
    deleted = trash(place).deleted(Scope(owner))
    of, names = st.session_state.get("undo", (owner, []))
    names = [name for name in names if of == owner and name in deleted]
    if names:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.success(plain(f"Deleted: {', '.join(names)}."))
            if st.button("Undo", icon=":material/undo:"):
                _restore(place, owner, names)
    if deleted:
        with st.expander(f"Deleted documents ({len(deleted)})"):
            days = f"{settings().trash_days:g} days"
            st.caption(f"For {days} a document comes back as it was, without embedding it again.")
            name = st.selectbox("Bring back", list(deleted), format_func=str, key="restore")
            st.caption(plain(f"Deleted on {deleted[name]:%Y-%m-%d at %H:%M %Z}."))
            if st.button("Bring it back"):
                _restore(place, owner, [name])


def _restore(place: Workspace, owner: str, names: list[str]) -> None:
    for name in names:
        trash(place).restore(Scope(owner), name)
    st.session_state.pop("undo", None)
    st.rerun()


def _compare_a_chunk(place: Workspace, owner: str) -> None:
    """Choose a document and a chunk of it; nothing while the owner has no documents."""
    before, *_, enriched = sorted(indexes(), key=lambda each: each.can_enrich)
    files = [row.source_file for row in place.store(enriched).documents(Scope(owner))]
    if not files:
        return
    st.header("One chunk, before and after")
    chosen = st.selectbox("Document", files, key="before-after-file")
    chunks = _chunks(place, enriched, owner, chosen)
    titles = [_title(chunk) for chunk in chunks]
    key = f"before-after-chunk of {chosen}"
    chunk = chunks[st.selectbox("Chunk", range(len(chunks)), format_func=titles.__getitem__, key=key)]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{before.name.capitalize()}**: these words are embedded and displayed")
        if same := same_words(chunk, _chunks(place, before, owner, chosen)):
            _box(plain(same.get_content(MetadataMode.NONE)))
        else:
            st.info("No chunk of this index has these words; ingest the file again to fill it.")
    with right:
        words = plain(chunk.get_content(MetadataMode.NONE))
        st.markdown(f"**{enriched.name.capitalize()}**: embedded like this")
        _box(*_badges("blue", header(chunk)), words)
        st.markdown("displayed like this")
        _box(words)
        st.markdown("and found by this, too")
        _box(*_badges("gray", {key: chunk.metadata.get(key) for key in (*ADDED, *TOLD)}))


def _chunks(place: Workspace, index: Index, owner: str, source_file: str) -> list[BaseNode]:
    only = MetadataFilters(filters=[MetadataFilter(key="source_file", value=source_file)])
    return place.store(index).get_nodes(filters=only, scope=Scope(owner))


def _title(chunk: BaseNode) -> str:
    words = " ".join(chunk.get_content(MetadataMode.NONE).split())
    return f"{chunk.metadata['chunk_index'] + 1}. {chunk.metadata.get('section') or words[:60]}"


def _box(*lines: str) -> None:
    with st.container(border=True):
        for line in lines:
            st.markdown(line)


def _badges(colour: str, values: Mapping[str, Any]) -> Iterator[str]:
    """A line for each value there is, behind its name."""
    for name, value in values.items():
        if value is not None:
            said = " · ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f":{colour}-badge[{plain(name)}] {plain(said)}"
