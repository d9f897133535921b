"""Files of the reader's own, how much is added to their chunks, and what that will cost."""

import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePath

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lessons.ingest.enrich.cost import estimate
from lessons.ingest.enrich.extractors import Enrichment, default_level
from lessons.ingest.index import Index
from lessons.ingest.jobs.jobs import Jobs
from lessons.ingest.read import READERS, too_large
from lessons.pages.common import plain
from lessons.pages.limits import allow_uploads
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.workspace import Workspace

LEVELS: dict[Enrichment, str] = {
    "none": "nothing",
    "keywords": "keywords",
    "full": "keywords and summaries",
}


def draw(place: Workspace, owner: str, jobs: Jobs, indexes: Sequence[Index]) -> None:
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
    level = _level(place, owner, files, indexes, ",".join(upload.file_id for upload in kept))
    if st.button("Ingest", type="primary", disabled=not files):
        allow_uploads(owner, len(files))
        jobs.submit(files, Scope(owner), enrichment=level)
        st.session_state.batch += 1
        st.rerun()


def accepted(uploads: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Those within the limits of one file and of one upload; a sentence on the page for each of the others."""
    kept, total, chosen = [], 0, settings()
    for upload in uploads:
        if upload.size > chosen.max_file_bytes:
            st.error(plain(f"{upload.name} {too_large(chosen.max_file_bytes)}"))
        elif total + upload.size > chosen.upload_bytes:
            megabytes = chosen.upload_bytes // 1_000_000
            st.error(plain(f"{upload.name} is left out: at most {megabytes} MB go in at once; add it afterwards."))
        else:
            kept.append(upload)
            total += upload.size
    return kept


def file_name(name: str) -> str:
    """The last part of an uploaded name, so that it cannot lead out of a folder."""
    return PurePath(name.replace("\\", "/")).name


def _level(
    place: Workspace, owner: str, files: list[tuple[bytes, str]], indexes: Sequence[Index], ids: str
) -> Enrichment | None:
    """The level that is chosen, with its cost below; None while no index enriches its chunks.

    The cost is reckoned once for the files with these ids: it takes reading them.
    """
    enriched = [index for index in indexes if index.can_enrich]
    if not enriched:
        return None
    names = list(LEVELS)
    level = st.radio(
        "Added to each chunk",
        names,
        index=names.index(default_level(place.llm)),
        format_func=LEVELS.__getitem__,
        horizontal=True,
    )
    if files:
        for index in enriched:
            known, key = st.session_state.setdefault("costs", {}), (owner, level, index.name, ids)
            if key not in known:
                with st.spinner("Reckoning the cost …"):
                    known[key] = _cost(place, owner, files, index, level)
            st.caption(plain(known[key]))
    return level


def _cost(place: Workspace, owner: str, files: list[tuple[bytes, str]], index: Index, level: Enrichment) -> str:
    known = {document.sha256 for document in place.store(index).documents(Scope(owner))}
    with tempfile.TemporaryDirectory() as folder:
        named = []
        for position, (content, name) in enumerate(files):
            path = Path(folder) / f"{position}{PurePath(name).suffix}"
            path.write_bytes(content)
            named.append((path, name))
        return str(estimate(named, index, level, place.llm, Scope(owner), known))
