"""The reader's own documents: upload them, watch them being ingested, see what is there, delete and restore them."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from itertools import accumulate
from math import ceil
from pathlib import Path, PurePath
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lessons.ingest.enrich import Enrichment, default_enrichment
from lessons.ingest.jobs import Jobs
from lessons.ingest.pipeline import Estimate, estimate
from lessons.ingest.queue import JobResult, JobStatus
from lessons.ingest.read import READERS, too_large_message, unreadable_message
from lessons.library import indexes, shipped_documents, trash
from lessons.models.keyless import OfflineLLM
from lessons.pages.common import allow_uploads, errors_shown, titled
from lessons.pages.document import show_document, try_search
from lessons.pages.language import N_, _
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import settings
from lessons.tables import plain, plain_line, spent
from lessons.text import normalize

SHOWN_JOBS = 5
MOST_READ = 2_000_000  # bytes that are read to estimate a cost, which takes a few seconds
FEW_PAGES = 20
TEXTS = ".txt", ".md", ".html", ".htm"
LEAST_DONE = 0.05  # share of a job from which the time that is left can be told
LEVELS: dict[Enrichment, str] = {
    "none": N_("nothing extra"),
    "keywords": N_("keywords"),
    "full": N_("keywords and summaries"),
}
ADVICE = {
    "added": N_("is in; ask about it on the Compare page."),
    "replaced": N_("took the place of its earlier version."),
    "unchanged": N_("is already there, unchanged."),
    "failed": N_("could not be used."),
}
STOPPED = N_("This job was cancelled at {file}. What was in by then stays; upload this file and those after it again.")
UNBEGUN = N_("This job was cancelled before it began; upload its files again.")
IS_IN = "added", "replaced", "unchanged"  # what became of files that are then documents


@st.cache_resource
def jobs() -> Jobs:
    """The ingestion jobs of this app; what an earlier process left over goes on."""
    running = Jobs(workspace(), {index.name: index for index in indexes()})
    running.start()
    return running


@titled(N_("Documents"), N_("What every stage searches: only the documents of the owner in the side bar."))
def page(place: Workspace, owner: str) -> None:
    """Upload files for the chosen owner, follow their jobs, and list what the owner has."""
    _upload(place, owner)
    _follow(owner)
    files = _list(place, owner)
    _offer_to_bring_back(place, owner)
    if files:
        show_document(place, owner, files)
        try_search(place, owner)


def _upload(place: Workspace, owner: str) -> None:
    label = _("Add your own documents, up to {megabytes} MB each", megabytes=settings().max_file_bytes // 1_000_000)
    batch = st.session_state.setdefault("batch", 0)  # another key empties the list of files
    formats = ", ".join(READERS)
    kept = accepted(st.file_uploader(f"{label}: {formats}", accept_multiple_files=True, key=f"uploads-{batch}"))
    files = list(dict.fromkeys((upload.getvalue(), file_name(upload.name)) for upload in kept))
    level = _level(place, owner, files, ",".join(upload.file_id for upload in kept))
    if st.button(_("Ingest"), type="primary", disabled=not files):
        allow_uploads(owner, len(files))
        with st.spinner(_("Handing over the files. If the queue is full, they are ingested before the page goes on …")):
            jobs().submit(files, Scope(owner), enrichment=level)
        st.session_state.batch += 1
        st.rerun()


def accepted(uploads: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Those that can be read, within the limits of one file and of one upload; a sentence for each of the others."""
    kept, total, most, together = [], 0, settings().max_file_bytes, settings().upload_bytes
    for upload in uploads:
        suffix = PurePath(upload.name).suffix.lower()
        if suffix not in READERS:
            st.error(plain(_(f"{upload.name} {unreadable_message(suffix)}")))
        elif upload.size > most:
            st.error(plain(_(f"{upload.name} {too_large_message(most)}")))
        elif total + upload.size > together:
            limit = {"file": upload.name, "megabytes": together // 1_000_000}
            left_out = _("{file} is left out: at most {megabytes} MB go in at once; add it afterwards.", **limit)
            st.error(plain(left_out))
        else:
            kept.append(upload)
            total += upload.size
    return kept


def file_name(name: str) -> str:
    """The last part of an uploaded name, so that it cannot lead out of a folder."""
    return PurePath(name.replace("\\", "/")).name


def _level(place: Workspace, owner: str, files: list[tuple[bytes, str]], ids: str) -> Enrichment:
    """The level that is chosen, with its cost below, estimated once for the files with these ids: it reads them."""
    begin = list(LEVELS).index(default_enrichment(place.llm))
    labels = {each: _(label) for each, label in LEVELS.items()}
    level = st.radio(_("Added to each chunk"), LEVELS, begin, format_func=labels.__getitem__, horizontal=True)
    if files:
        known, key = st.session_state.setdefault("costs", {}), (owner, level, ids)
        if key not in known:
            with st.spinner(_("Estimating the cost …")):
                known[key] = _cost(place, owner, files, level)
        st.caption(plain(known[key]))
    return level


def _cost(place: Workspace, owner: str, files: list[tuple[bytes, str]], level: Enrichment) -> str:
    """The estimate of all files from those that are read within seconds, or the beginning of one, scaled by size."""
    ordered = sorted(files, key=lambda file: len(file[0]))
    sizes = list(accumulate(len(content) for content, _ in ordered))
    few = [file for file, read in zip(ordered, sizes, strict=True) if read <= MOST_READ]
    if len(few) == len(files):
        return _(str(_estimate(place, owner, few, level)))
    few = few or _beginning(*ordered[0])
    if not few:
        return _(
            "The files are too large to tell what enriching them costs before they are read ({megabytes:.0f} MB).",
            megabytes=sizes[-1] / 1e6,
        )
    found = _estimate(place, owner, few, level)
    share = sizes[-1] / (sum(len(content) for content, _ in few) or 1)
    counts = {name: round(getattr(found, name) * share) for name in ("chunks", "calls", "tokens_in", "tokens_out")}
    scaled = replace(found, files=len(files), cost=found.cost * share, **counts)
    return _("{estimate} Estimated from the size.", estimate=_(str(scaled)))


def _beginning(content: bytes, name: str) -> list[tuple[bytes, str]]:
    """The first lines of a large text or the first pages of a large PDF; empty for formats that cannot be cut."""
    kind = PurePath(name).suffix.lower()
    if kind in TEXTS:
        begin = content[:MOST_READ]
        return [(begin.rpartition(b"\n")[0] or begin, name)]
    if kind != ".pdf":
        return []
    from pypdf import PageRange, PdfWriter

    pages = BytesIO()
    with suppress(Exception), PdfWriter() as writer:  # a damaged file costs nothing: it will be refused
        writer.append(BytesIO(content), pages=PageRange(f":{FEW_PAGES}"), import_outline=False)
        writer.write(pages)
    return [(pages.getvalue(), name)]


def _estimate(place: Workspace, owner: str, files: list[tuple[bytes, str]], level: Enrichment) -> Estimate:
    index = max(indexes(), key=lambda each: each.can_enrich)
    known = {document.sha256 for document in place.store(index).documents(Scope(owner))}
    with tempfile.TemporaryDirectory() as folder:
        named = [(Path(folder) / f"{at}{PurePath(name).suffix}", name) for at, (_, name) in enumerate(files)]
        for (path, _), (content, _) in zip(named, files, strict=True):
            path.write_bytes(content)
        return estimate(named, index, level, place.llm, Scope(owner), known)


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
    return {index.name: workspace().store(index).documents(Scope(owner)) for index in indexes()}


def _show_job(job: JobStatus, owner: str, there: set[tuple[str, str]]) -> None:
    """How far it is and what became of its files; nothing is said to be in that has been deleted since."""
    if job.is_open:
        st.progress(*_progress(job, st.session_state.setdefault("advances", {})))
        if st.button(_("Cancel"), key=f"cancel-{job.id}"):
            jobs().cancel(job.id, Scope(owner))
    files: dict[str, list[JobResult]] = {}
    for result in job.results:
        if result.status not in IS_IN or (result.source_file, result.index) in there:
            files.setdefault(result.source_file, []).append(result)
    for name, results in files.items():
        st.markdown(_line(name, results))
    if job.status == "CANCELLED":
        st.warning(plain(_(STOPPED if job.source_file else UNBEGUN, file=job.source_file)))
    told = any(result.reason and result.reason in (job.reason or "") for result in job.results)
    if job.reason and not job.is_open and not told:
        st.error(plain(f"{_(job.status)}: {_(job.reason)}"))


def _progress(job: JobStatus, advances: dict[str, tuple[float, float]]) -> tuple[float, str]:
    """The share that is done, and what is being done, with the time that is left as far as it can be told.

    `advances` keeps the share of each job and the seconds after which it was seen first: chunks are done by the dozen,
    and until the next are, the time that is left becomes less. The keyless model is so quick with keywords and
    summaries that they say nothing of that time.
    """
    part = _(" ({done} of {total} chunks)", done=job.step_done, total=job.step_total) if job.step_total else ""
    number = _("{done} of 1 file") if job.files == 1 else _("{done} of {total:,} files")
    files = number.format(done=job.done % job.files, total=job.files)
    step = _(job.step or N_("waiting"))
    doing = f"{_(job.status)}: {files}, {step} {job.source_file or ''}"
    share = (job.done + (job.step_done / job.step_total if job.step_total else 0)) / max(job.total, 1)
    is_telling = job.step not in ("keywords", "summaries") or not isinstance(workspace().llm, OfflineLLM)
    taken = (datetime.now(UTC) - job.started_at).total_seconds() if job.started_at else 0
    if advances.get(job.id, (None,))[0] != share:
        advances[job.id] = share, taken
    seconds = advances[job.id][1] / share - taken if share > LEAST_DONE and is_telling else 0
    left = _(", about {seconds:,} s left", seconds=ceil(seconds)) if seconds > 0 else ""
    return min(share, 1.0), plain(f"{doing}{part}{left}")


def _line(name: str, results: Sequence[JobResult]) -> str:
    """What became of a file in all indexes: a mark, its name, the reason or its chunks, and what enriching has cost."""
    bad = [result for result in results if result.status not in IS_IN]
    noted = any(result.reason for result in results)
    mark = ":red[✗]" if bad else ":orange[⚠]" if noted else ":green[✓]"
    news = bad or [result for result in results if result.status != "unchanged"] or results
    said = [f"{_(ADVICE.get(result.status, result.status))} {_(result.reason or '')}" for result in news]
    one, many = N_("1 chunk in {index}"), N_("{number:,} chunks in {index}")
    there = (each for each in results if each.chunks and each not in bad)
    made = [_(one if each.chunks == 1 else many, number=each.chunks, index=each.index) for each in there]
    used = [sum(getattr(each, name) for each in results) for name in ("llm_calls", "tokens_in", "tokens_out", "cost")]
    if used[0]:
        made.append(_("enriched with {spent}", spent=_(spent(*used))))
    lines = [*dict.fromkeys(line.strip() for line in said), ", ".join(made)]
    return f"{mark} **{plain_line(name)}** {plain_line(' '.join(filter(None, lines)))}"


def _list(place: Workspace, owner: str) -> list[str]:
    rows = _listed(owner)
    st.header(plain(_("Documents of {owner}: {number}", owner=owner, number=len(rows))), anchor=False)
    if not rows:
        _offer_undo(place, owner)
        return []
    typed = st.text_input(_("Find a document"), key="find", placeholder=_("A part of its name"))
    shown = [row for row in rows if normalize(typed).casefold() in row["file"].casefold()]
    if not shown:
        st.info(_("No document has this in its name. Try a shorter part."))
    columns: dict[str, Any] = {
        "file": st.column_config.Column(_("file"), pinned=True),
        "pages": _("pages"),
        "ingested": st.column_config.DateColumn(_("ingested"), format="YYYY-MM-DD"),
    } | {f"chunks, {index.name}": _("chunks, {index}", index=index.name) for index in indexes()}
    alt = _("Documents with their pages, chunks in each index, and day of ingestion")
    st.dataframe(shown, hide_index=True, column_config=columns, alt=alt)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            _("Documents to delete"),
            [row["file"] for row in rows],
            key="delete",
            placeholder=_("Choose options"),
            filter_mode="contains",
            select_all=False,
            width=600,
        )
        st.button(_("Delete"), icon=":material/delete:", disabled=not chosen, on_click=_delete, args=(place, owner))
        _offer_undo(place, owner)
    return [row["file"] for row in shown or rows]


def _delete(place: Workspace, owner: str) -> None:
    """In a callback, because what is chosen may be emptied only before the page is drawn."""
    names, st.session_state["delete"] = st.session_state["delete"], []
    with errors_shown():
        for name in names:
            trash(place).delete(Scope(owner), name)
        st.session_state.undo = owner, names


def _listed(owner: str) -> list[dict[str, Any]]:
    """A row for each document with its chunks in each index: by name, the owner's own before those that are shipped."""
    rows: dict[str, dict[str, Any]] = {}
    for name, stored in _stored(owner).items():
        for found in stored:
            known = {"file": found.source_file, "pages": found.pages, "ingested": found.ingested_at}
            rows.setdefault(found.source_file, known)[f"chunks, {name}"] = found.chunks
    shipped = {each["path"] for each in shipped_documents() if each["owner"] == owner}
    return [rows[name] for name in sorted(rows, key=lambda name: (name in shipped, name))]


def _offer_undo(place: Workspace, owner: str) -> None:
    of, names = st.session_state.get("undo", (owner, []))
    if names := [name for name in names if of == owner and name in trash(place).deleted(Scope(owner))]:
        if st.button(_("Undo"), icon=":material/undo:"):
            _restore(place, owner, names)
        st.success(plain(_("Deleted: {files}.", files=", ".join(names))), width=400)


def _offer_to_bring_back(place: Workspace, owner: str) -> None:
    if deleted := trash(place).deleted(Scope(owner)):
        with st.expander(_("Deleted documents ({number})", number=len(deleted))):
            days = settings().trash_days
            st.caption(_("For {days:g} days a document comes back as it was, without embedding it again.", days=days))
            name = st.selectbox(_("Bring back"), list(deleted), key="restore")
            day = time = deleted[name]
            st.caption(plain(_("Deleted on {day:%Y-%m-%d} at {time:%H:%M %Z}.", day=day, time=time)))
            if st.button(_("Bring it back")):
                _restore(place, owner, [name])


def _restore(place: Workspace, owner: str, names: list[str]) -> None:
    for name in names:
        trash(place).restore(Scope(owner), name)
    st.session_state.pop("undo", None)
    st.rerun()
