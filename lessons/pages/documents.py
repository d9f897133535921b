"""The reader's own documents: upload them, watch them being ingested, see what is there."""

import streamlit as st

from lessons.ingest.jobs.jobs import Jobs
from lessons.ingest.jobs.table import JobResult, JobStatus
from lessons.library import indexes
from lessons.pages import before_after, listing, upload
from lessons.pages.common import counted, opened, plain, told_plainly
from lessons.rag.types import Scope
from lessons.workspace import workspace

SHOWN_JOBS = 5
ADVICE = {
    "added": "is in; ask about it on the Compare page.",
    "replaced": "took the place of its earlier version.",
    "unchanged": "is already there, unchanged.",
    "failed": "could not be used.",
}

IS_IN = ("added", "replaced", "unchanged")
"""What became of files that are then documents."""


@st.cache_resource
def jobs() -> Jobs:
    """The ingestion jobs of this app; what an earlier process left over goes on."""
    running = Jobs(workspace(), {index.name: index for index in indexes()})
    running.start()
    return running


def page() -> None:
    """Upload files for the chosen owner, follow their jobs, and list what the owner has."""
    st.title("Documents")
    st.caption("What every stage searches: only the documents of the owner in the side bar.")
    place, owner = opened()
    with told_plainly():
        upload.draw(place, owner, jobs(), indexes())
        _follow(owner)
        listing.draw(place, owner)
        before_after.draw(place, owner, indexes())


def _follow(owner: str) -> None:
    """The newest jobs; while one is open, they are drawn again every second, and the page once it has ended."""
    waiting = any(job.is_open for job in jobs().all(Scope(owner), SHOWN_JOBS))

    @st.fragment(run_every=1 if waiting else None)
    def draw() -> None:
        found = jobs().all(Scope(owner), SHOWN_JOBS)
        there = _there(owner)
        for job in found:
            _show_job(job, owner, there)
        if waiting and not any(job.is_open for job in found):
            st.rerun()

    draw()


def _there(owner: str) -> set[tuple[str, str]]:
    """Each document with each index that has it."""
    found = {index.name: workspace().store(index).documents(Scope(owner)) for index in indexes()}
    return {(row.source_file, name) for name, rows in found.items() for row in rows}


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
    line = plain(f"{result.source_file} [{result.index}] {ADVICE.get(result.status, '')} {result.reason or ''}")
    if result.status == "failed":
        st.error(line)
    elif result.status == "duplicate":
        st.warning(line)
    else:
        st.success(f"{line} {plain(_size(result))}" if result.chunks else line)


def _size(result: JobResult) -> str:
    """Its chunks, and what enriching them has cost."""
    if not result.llm_calls:
        return f"{counted(result.chunks, 'chunk')}."
    money = f"${result.cost:.4f}" if result.cost else "free of charge"
    tokens = f"{result.tokens_in:,} tokens in and {result.tokens_out:,} out"
    return f"{counted(result.chunks, 'chunk')}, enriched with {counted(result.llm_calls, 'call')}, {tokens}, {money}."
