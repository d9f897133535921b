"""The reader's own documents: upload them, watch them being ingested, see what is there, delete them and undo that."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import streamlit as st
from llama_index.core.schema import MetadataMode

from lessons.ingest.enrich import ENRICHED_KEYS, Enrichment, default_enrichment
from lessons.ingest.pipeline import Estimate, estimate
from lessons.ingest.queue import JobResult, JobStatus
from lessons.ingest.read import READERS
from lessons.ingest.split import header
from lessons.library import indexes, shipped_documents, trash
from lessons.pages.common import errors_shown, jobs, offer_own_space, page_of, titled
from lessons.pages.language import N_, _
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.materials import chunk_range
from lessons.settings import settings
from lessons.tables import plain, plain_line, spent
from lessons.text.sources import by_page

JOBS_SHOWN = 5
METADATA = "doc_type", "has_steps", "date"  # shown of a chunk beside what enriching has added
TEXT_WIDTH, ROW_HEIGHT = 640, 120  # pixels of a chunk in its table
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
READ = "added", "replaced"  # the outcomes of files that were read
STORED = *READ, "unchanged"  # of those that are then documents
STOPPED = N_("This job was cancelled at {file}. What was in by then stays; upload this file and those after it again.")
UNBEGUN = N_("This job was cancelled before it began; upload its files again.")


@titled(N_("Documents"), N_("What every stage searches: only the documents of the owner in the side bar."))
def page(workspace: Workspace, owner: str) -> None:
    """Upload files for the owner, follow their jobs, and list what the owner has."""
    if offer_own_space(owner):
        st.info(plain(_("These are the sample documents of {owner}; yours would be mixed with them.", owner=owner)))
    show_upload(workspace, owner)
    files = _list(owner)
    _offer_to_undo(owner)
    if files:
        _show_document(workspace, owner, files)


# Upload


def show_upload(workspace: Workspace, owner: str) -> None:
    """Draw the field for files, with what enriching them costs, and what became of the newest ones."""
    label = _("Add your own documents, up to {megabytes} MB each", megabytes=settings().max_file_bytes // 1_000_000)
    batch = st.session_state.setdefault("batch", 0)  # another key empties the list of files
    formats = ", ".join(READERS)
    uploads = st.file_uploader(f"{label}: {formats}", accept_multiple_files=True, key=f"uploads-{batch}")
    files = list(dict.fromkeys((upload.getvalue(), file_name(upload.name)) for upload in uploads))
    size, limit = sum(upload.size for upload in uploads), settings().upload_bytes
    if size > limit:
        st.error(_("At most {megabytes} MB go in at once; take some files out.", megabytes=limit // 1_000_000))
        files = []
    begin = list(LEVELS).index(default_enrichment(workspace.llm))
    level = st.radio(
        _("Added to each chunk"), LEVELS, begin, format_func=lambda level: _(LEVELS[level]), horizontal=True
    )
    if files and size > ESTIMATE_BYTES:
        words = N_("The files are too large to tell what enriching them costs before they are read ({size:.0f} MB).")
        st.caption(_(words, size=size / 1e6))
    elif files:
        with st.spinner(_("Estimating the cost …")):
            cost = _cost(workspace, owner, files, level, tuple(upload.file_id for upload in uploads))
        st.caption(plain(str(cost)))
    if st.button(_("Ingest"), type="primary", disabled=not files):
        with st.spinner(_("Handing over the files. If the queue is full, they are ingested before the page goes on …")):
            jobs().submit(files, Scope(owner), enrichment=level)
        st.session_state.batch += 1
        st.rerun()
    _follow(owner)


def file_name(name: str) -> str:
    """Return the last part of an uploaded name, so that it cannot lead out of a folder."""
    return PurePath(name.replace("\\", "/")).name


@st.cache_data(max_entries=100, show_spinner=False)
def _cost(
    _workspace: Workspace, owner: str, _files: list[tuple[bytes, str]], level: Enrichment, ids: object
) -> Estimate:
    """Estimate what enriching the files with these ids costs. That reads them."""
    index = max(indexes(), key=lambda index: index.can_enrich)
    hashes = {document.sha256 for document in _workspace.store(index).documents(Scope(owner))}
    with tempfile.TemporaryDirectory() as folder:
        paths = [(Path(folder) / f"{at}{PurePath(name).suffix}", name) for at, (_content, name) in enumerate(_files)]
        for (path, _name), (content, _name) in zip(paths, _files, strict=True):
            path.write_bytes(content)
        return estimate(paths, index, level, _workspace.llm, Scope(owner), hashes)


# Jobs


def _follow(owner: str) -> None:
    """Show the newest jobs, every second while one is open; the page is drawn anew with each file that has come in."""
    is_open = any(job.is_open for job in jobs().all(Scope(owner), JOBS_SHOWN))

    @st.fragment(run_every=1 if is_open else None)
    def draw() -> None:
        recent = jobs().all(Scope(owner))
        newest = recent[:JOBS_SHOWN]
        progress = [(job.id, job.is_open, {result.source_file for result in job.results}) for job in newest]
        if st.session_state.setdefault("followed", progress) != progress:
            st.session_state.followed = progress
            st.rerun()
        stored = {(row.source_file, name) for name, rows in _stored(owner).items() for row in rows}
        notes = _notes(recent)
        for job in newest:
            _show_job(job, owner, stored, notes)

    draw()


def _stored(owner: str) -> dict[str, list[DocumentRow]]:
    return {index.name: workspace().store(index).documents(Scope(owner)) for index in indexes()}


def _notes(recent: Sequence[JobStatus]) -> dict[str, str]:
    """Return what was noted of each file when it was last read, such as pages that have no text; newest jobs first."""
    results = [result for job in reversed(recent) for result in job.results]
    return {result.source_file: result.reason or "" for result in results if result.status in READ}


def _show_job(job: JobStatus, owner: str, stored: set[tuple[str, str]], notes: Mapping[str, str]) -> None:
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
        st.markdown(_file_line(name, results, notes.get(name, "")))
    if job.status == "CANCELLED":
        st.warning(plain(_(STOPPED if job.source_file else UNBEGUN, file=job.source_file)))
    elif job.reason and not job.is_open and not any(row.reason and row.reason in job.reason for row in job.results):
        st.error(plain(_(job.reason)))


def _progress(job: JobStatus) -> tuple[float, str]:
    """Return the share of a job that is done, and the step that is being done."""
    part = _(" ({done} of {total} chunks)", done=job.step_done, total=job.step_total) if job.step_total else ""
    number = _("{done} of 1 file") if job.files == 1 else _("{done} of {total:,} files")
    files = number.format(done=job.done % job.files, total=job.files)
    share = (job.done + (job.step_done / job.step_total if job.step_total else 0)) / max(job.total, 1)
    step = _(job.step or N_("waiting"))
    return min(share, 1.0), plain(f"{files}, {step} {job.source_file or ''}{part}")


def _file_line(name: str, results: Sequence[JobResult], note: str) -> str:
    """Say what became of a file in all indexes: a mark, its name, the reason, and what was spent on it."""
    failures = [result for result in results if result.status not in STORED]
    news = failures or [result for result in results if result.status != "unchanged"] or results
    reasons = [result.reason or note for result in news]
    mark = ":red[✗]" if failures else ":orange[⚠]" if any(reasons) else ":green[✓]"
    lines = [_(OUTCOMES.get(result.status, result.status)) for result in news] + [_(reason) for reason in reasons]
    used = [sum(getattr(row, name) for row in results) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")]
    enriched = _("enriched with {spent}", spent=_(spent(*used)))
    lines += [f"({enriched})"] if used[0] else []
    return f"{mark} **{plain_line(name)}** {plain_line(' '.join(filter(None, dict.fromkeys(lines))))}"


# The list


def _list(owner: str) -> list[str]:
    rows = _rows(owner)
    st.header(plain(_("Documents of {owner}: {number}", owner=owner, number=len(rows))), anchor=False)
    if not rows:
        return []
    columns: dict[str, Any] = {
        "file": _("file"),
        "pages": _("pages"),
        "note": _("note"),
        "ingested": st.column_config.DateColumn(_("ingested"), format="YYYY-MM-DD"),
    } | {f"chunks, {index.name}": _("chunks, {index}", index=index.name) for index in indexes()}
    alt = _("Documents with their pages, chunks in each index, and day of ingestion")
    st.dataframe(rows, hide_index=True, column_config=columns, alt=alt)
    files = [row["file"] for row in rows]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choosing: dict[str, Any] = {"placeholder": _("Choose options"), "filter_mode": "contains", "select_all": False}
        names = st.multiselect(_("Documents to delete"), files, key="delete", width=600, **choosing)
        st.button(_("Delete"), icon=":material/delete:", disabled=not names, on_click=_delete, args=(owner,))
    return files


def _rows(owner: str) -> list[dict[str, Any]]:
    """Return a row for each document with its chunks in each index: by name, shipped ones after the owner's own."""
    rows, notes = dict[str, dict[str, Any]](), _notes(jobs().all(Scope(owner)))
    for name, documents in _stored(owner).items():
        for document in documents:
            row = {"file": document.source_file, "pages": document.pages, "ingested": document.ingested_at}
            row |= {"note": f"⚠ {_(note)}"} if (note := notes.get(document.source_file)) else {}
            rows.setdefault(document.source_file, row)[f"chunks, {name}"] = document.chunks
    shipped = {document["path"] for document in shipped_documents() if document["owner"] == owner}
    return [rows[name] for name in sorted(rows, key=lambda name: (name in shipped, name))]


def _delete(owner: str) -> None:
    """Delete in a callback, because the selection may be emptied only before the page is drawn."""
    names, st.session_state["delete"] = st.session_state["delete"], []
    with errors_shown():
        for name in names:
            trash(workspace()).delete(Scope(owner), name)
        st.session_state.undo = owner, names


def _offer_to_undo(owner: str) -> None:
    """Offer to undo the owner's last deletion."""
    deleted_by, names = st.session_state.get("undo", ("", []))
    if deleted_by == owner:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(_("Undo"), icon=":material/undo:"):
                del st.session_state["undo"]
                for name in names:
                    trash(workspace()).restore(Scope(owner), name)
                st.rerun()
            st.success(plain(_("Deleted: {files}.", files=", ".join(names))), width=400)


# One of them


def _show_document(workspace: Workspace, owner: str, files: Sequence[str]) -> None:
    """Choose a document and read it chunk by chunk, as one of the indexes cuts it, with what goes with each chunk."""
    st.header(_("Open a document"), anchor=False)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    source_file = left.selectbox(_("Document"), files, key="open", filter_mode="contains")
    by_name = {index.name: index for index in sorted(indexes(), key=lambda index: index.can_enrich)}
    name = right.segmented_control(_("Cut as in the index"), by_name, default=[*by_name][-1], required=True)
    chunks = chunk_range(workspace.store(by_name[name]), Scope(owner), source_file, 0, settings().max_pieces)
    count = _("1 chunk") if len(chunks) == 1 else _("{number:,} chunks", number=len(chunks))
    st.caption(_("{chunks} in the index {index}. Click on a text to read it whole.", chunks=count, index=name))
    helps = dict.fromkeys((*ENRICHED_KEYS, *METADATA), _("searched by"))
    helps |= dict.fromkeys((key for chunk in chunks for key in header(chunk)), _("embedded with the text"))
    rows = [
        {_("text"): chunk.get_content(MetadataMode.NONE), _("page"): page_of(*by_page(chunk.metadata)).lstrip(", ")}
        | {key: chunk.metadata[key] for key in helps if chunk.metadata.get(key) is not None}
        for chunk in chunks
    ]
    config = {key: st.column_config.Column(help=text) for key, text in helps.items()}
    config[_("text")] = st.column_config.Column(width=TEXT_WIDTH)
    alt = _("The chunks of the document")
    st.dataframe(rows, row_height=ROW_HEIGHT, column_config=config, alt=alt)
