"""The reader's own documents: upload them, watch them being ingested, see what is there, delete them and undo that."""

import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lessons.ingest.enrich import Enrichment, default_enrichment
from lessons.ingest.jobs import Jobs
from lessons.ingest.pipeline import estimate
from lessons.ingest.queue import JobResult, JobStatus
from lessons.ingest.read import READERS, too_large_message, unreadable_message
from lessons.library import indexes, shipped_documents, trash
from lessons.pages.common import choose_own_space, errors_shown, is_sample_owner, titled
from lessons.pages.document import show_document
from lessons.pages.language import N_, _
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import settings
from lessons.tables import plain, plain_line, spent

JOBS_SHOWN = 5
ESTIMATE_BYTES = 5_000_000  # are read to estimate a cost, which takes a few seconds
LEVELS: dict[Enrichment, str] = {
    "none": N_("nothing extra"),
    "keywords": N_("keywords"),
    "full": N_("keywords and summaries"),
}
OUTCOMES = {
    "added": N_("is in; ask about it on the Compare page."),
    "replaced": N_("took the place of its earlier version."),
    "unchanged": N_("is already there, unchanged."),
    "failed": N_("could not be used."),
}
STORED = "added", "replaced", "unchanged"  # the outcomes of files that are then documents
STOPPED = N_("This job was cancelled at {file}. What was in by then stays; upload this file and those after it again.")
UNBEGUN = N_("This job was cancelled before it began; upload its files again.")


@st.cache_resource
def jobs() -> Jobs:
    """Return the ingestion jobs of this app, with those that an earlier process left over."""
    running = Jobs(workspace(), {index.name: index for index in indexes()})
    running.start()
    return running


@titled(N_("Documents"), N_("What every stage searches: only the documents of the owner in the side bar."))
def page(workspace: Workspace, owner: str) -> None:
    """Upload files for the owner, follow their jobs, and list what the owner has."""
    if is_sample_owner(owner):
        st.info(plain(_("These are the sample documents of {owner}; yours would be mixed with them.", owner=owner)))
        st.button(_("Use my own documents"), icon=":material/upload_file:", on_click=choose_own_space)
    show_upload(workspace, owner)
    files = _list(workspace, owner)
    _offer_to_undo(workspace, owner)
    if files:
        show_document(workspace, owner, files)


# Upload


def show_upload(workspace: Workspace, owner: str) -> None:
    """Draw the field for files and what became of the newest ones."""
    _upload(workspace, owner)
    _follow(owner)


def _upload(workspace: Workspace, owner: str) -> None:
    label = _("Add your own documents, up to {megabytes} MB each", megabytes=settings().max_file_bytes // 1_000_000)
    batch = st.session_state.setdefault("batch", 0)  # another key empties the list of files
    formats = ", ".join(READERS)
    uploads = accepted(st.file_uploader(f"{label}: {formats}", accept_multiple_files=True, key=f"uploads-{batch}"))
    files = list(dict.fromkeys((upload.getvalue(), file_name(upload.name)) for upload in uploads))
    level = _choose_level(workspace, owner, files, ",".join(upload.file_id for upload in uploads))
    if st.button(_("Ingest"), type="primary", disabled=not files):
        with st.spinner(_("Handing over the files. If the queue is full, they are ingested before the page goes on …")):
            jobs().submit(files, Scope(owner), enrichment=level)
        st.session_state.batch += 1
        st.rerun()


def accepted(uploads: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Return the files that can be read, within the limits of one file and of one upload; say why others are not."""
    readable, total = [], 0
    file_limit, upload_limit = settings().max_file_bytes, settings().upload_bytes
    for upload in uploads:
        if PurePath(upload.name).suffix.lower() not in READERS:
            st.error(plain(_(f"{upload.name} {unreadable_message()}")))
        elif upload.size > file_limit:
            st.error(plain(_(f"{upload.name} {too_large_message(file_limit)}")))
        elif total + upload.size > upload_limit:
            values = {"file": upload.name, "megabytes": upload_limit // 1_000_000}
            left_out = _("{file} is left out: at most {megabytes} MB go in at once; add it afterwards.", **values)
            st.error(plain(left_out))
        else:
            readable.append(upload)
            total += upload.size
    return readable


def file_name(name: str) -> str:
    """Return the last part of an uploaded name, so that it cannot lead out of a folder."""
    return PurePath(name.replace("\\", "/")).name


def _choose_level(workspace: Workspace, owner: str, files: list[tuple[bytes, str]], ids: str) -> Enrichment:
    """Draw the levels with the cost below, estimated once for the files with these ids: that reads them."""
    begin = list(LEVELS).index(default_enrichment(workspace.llm))
    labels = {level: _(label) for level, label in LEVELS.items()}
    level = st.radio(_("Added to each chunk"), LEVELS, begin, format_func=labels.__getitem__, horizontal=True)
    if files:
        costs, key = st.session_state.setdefault("costs", {}), (owner, level, ids)
        if key not in costs:
            with st.spinner(_("Estimating the cost …")):
                costs[key] = _cost(workspace, owner, files, level)
        st.caption(plain(costs[key]))
    return level


def _cost(workspace: Workspace, owner: str, files: list[tuple[bytes, str]], level: Enrichment) -> str:
    """Estimate what enriching the files costs. That reads them, so it is not done for very large ones."""
    size = sum(len(content) for content, _name in files)
    if size > ESTIMATE_BYTES:
        return _(
            "The files are too large to tell what enriching them costs before they are read ({megabytes:.0f} MB).",
            megabytes=size / 1e6,
        )
    index = max(indexes(), key=lambda index: index.can_enrich)
    hashes = {document.sha256 for document in workspace.store(index).documents(Scope(owner))}
    with tempfile.TemporaryDirectory() as folder:
        paths = [(Path(folder) / f"{at}{PurePath(name).suffix}", name) for at, (_content, name) in enumerate(files)]
        for (path, _name), (content, _name) in zip(paths, files, strict=True):
            path.write_bytes(content)
        return _(str(estimate(paths, index, level, workspace.llm, Scope(owner), hashes)))


# Jobs


def _follow(owner: str) -> None:
    """Show the newest jobs; while one is open, they are drawn again every second, and the page once it has ended."""
    is_open = any(job.is_open for job in jobs().all(Scope(owner), JOBS_SHOWN))

    @st.fragment(run_every=1 if is_open else None)
    def draw() -> None:
        newest = jobs().all(Scope(owner), JOBS_SHOWN)
        stored = {(row.source_file, name) for name, rows in _stored(owner).items() for row in rows}
        for job in newest:
            _show_job(job, owner, stored)
        if is_open and not any(job.is_open for job in newest):
            st.rerun()

    draw()


def _stored(owner: str) -> dict[str, list[DocumentRow]]:
    return {index.name: workspace().store(index).documents(Scope(owner)) for index in indexes()}


def _show_job(job: JobStatus, owner: str, stored: set[tuple[str, str]]) -> None:
    """Show how far a job is and what became of its files; a file that has been deleted since is not said to be in."""
    if job.is_open:
        st.progress(*_progress(job))
        if st.button(_("Cancel"), key=f"cancel-{job.id}"):
            jobs().cancel(job.id, Scope(owner))
    files: dict[str, list[JobResult]] = {}
    for result in job.results:
        if result.status not in STORED or (result.source_file, result.index) in stored:
            files.setdefault(result.source_file, []).append(result)
    for name, results in files.items():
        st.markdown(_file_line(name, results))
    if job.status == "CANCELLED":
        st.warning(plain(_(STOPPED if job.source_file else UNBEGUN, file=job.source_file)))
    is_repeated = any(result.reason and result.reason in (job.reason or "") for result in job.results)
    if job.reason and not job.is_open and not is_repeated:
        st.error(plain(f"{_(job.status)}: {_(job.reason)}"))


def _progress(job: JobStatus) -> tuple[float, str]:
    """Return the share of a job that is done, and the step that is being done."""
    part = _(" ({done} of {total} chunks)", done=job.step_done, total=job.step_total) if job.step_total else ""
    number = _("{done} of 1 file") if job.files == 1 else _("{done} of {total:,} files")
    files = number.format(done=job.done % job.files, total=job.files)
    step = _(job.step or N_("waiting"))
    share = (job.done + (job.step_done / job.step_total if job.step_total else 0)) / max(job.total, 1)
    return min(share, 1.0), plain(f"{_(job.status)}: {files}, {step} {job.source_file or ''}{part}")


def _file_line(name: str, results: Sequence[JobResult]) -> str:
    """Say what became of a file in all indexes: a mark, its name, the reason or its chunks, and what was spent."""
    failures = [result for result in results if result.status not in STORED]
    is_noted = any(result.reason for result in results)
    mark = ":red[✗]" if failures else ":orange[⚠]" if is_noted else ":green[✓]"
    news = failures or [result for result in results if result.status != "unchanged"] or results
    sentences = [f"{_(OUTCOMES.get(result.status, result.status))} {_(result.reason or '')}" for result in news]
    single, several = N_("1 chunk in {index}"), N_("{number:,} chunks in {index}")
    facts = [
        _(single if result.chunks == 1 else several, number=result.chunks, index=result.index)
        for result in results
        if result.chunks and result not in failures
    ]
    used = [sum(getattr(row, name) for row in results) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")]
    if used[0]:
        facts.append(_("enriched with {spent}", spent=_(spent(*used))))
    lines = [*dict.fromkeys(sentence.strip() for sentence in sentences), ", ".join(facts)]
    return f"{mark} **{plain_line(name)}** {plain_line(' '.join(filter(None, lines)))}"


# The list


def _list(workspace: Workspace, owner: str) -> list[str]:
    rows = _rows(owner)
    st.header(plain(_("Documents of {owner}: {number}", owner=owner, number=len(rows))), anchor=False)
    if not rows:
        return []
    columns: dict[str, Any] = {
        "file": st.column_config.Column(_("file"), pinned=True),
        "pages": _("pages"),
        "ingested": st.column_config.DateColumn(_("ingested"), format="YYYY-MM-DD"),
    } | {f"chunks, {index.name}": _("chunks, {index}", index=index.name) for index in indexes()}
    alt = _("Documents with their pages, chunks in each index, and day of ingestion")
    st.dataframe(rows, hide_index=True, column_config=columns, alt=alt)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.multiselect(
            _("Documents to delete"),
            [row["file"] for row in rows],
            key="delete",
            placeholder=_("Choose options"),
            filter_mode="contains",
            select_all=False,
            width=600,
        )
        icon = ":material/delete:"
        st.button(_("Delete"), icon=icon, disabled=not names, on_click=_delete, args=(workspace, owner))
    return [row["file"] for row in rows]


def _rows(owner: str) -> list[dict[str, Any]]:
    """Return a row for each document with its chunks in each index: by name, shipped ones after the owner's own."""
    rows: dict[str, dict[str, Any]] = {}
    for name, documents in _stored(owner).items():
        for document in documents:
            row = {"file": document.source_file, "pages": document.pages, "ingested": document.ingested_at}
            rows.setdefault(document.source_file, row)[f"chunks, {name}"] = document.chunks
    shipped = {document["path"] for document in shipped_documents() if document["owner"] == owner}
    return [rows[name] for name in sorted(rows, key=lambda name: (name in shipped, name))]


def _delete(workspace: Workspace, owner: str) -> None:
    """Delete in a callback, because the selection may be emptied only before the page is drawn."""
    names, st.session_state["delete"] = st.session_state["delete"], []
    with errors_shown():
        for name in names:
            trash(workspace).delete(Scope(owner), name)
        st.session_state.undo = owner, names


def _offer_to_undo(workspace: Workspace, owner: str) -> None:
    """Offer to undo the owner's last deletion."""
    deleted_by, names = st.session_state.get("undo", ("", []))
    if deleted_by == owner:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(_("Undo"), icon=":material/undo:"):
                del st.session_state["undo"]
                for name in names:
                    trash(workspace).restore(Scope(owner), name)
                st.rerun()
            st.success(plain(_("Deleted: {files}.", files=", ".join(names))), width=400)
