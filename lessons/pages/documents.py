"""The reader's own documents: upload, see what became of them, see what is there."""

import tempfile
from pathlib import Path

import streamlit as st

from lessons.ingest.pipeline import FileResult, ingest
from lessons.ingest.read import READERS
from lessons.ingest.store import Scope
from lessons.library import indexes
from lessons.pages.common import opened, plain, told_plainly
from lessons.settings import settings
from lessons.workspace import Workspace

ADVICE = {
    "added": "is in; ask about it on the Compare page.",
    "replaced": "took the place of its earlier version.",
    "unchanged": "is already there, unchanged.",
}


def page() -> None:
    """Upload files for the chosen owner and list what the owner has."""
    st.title("Documents")
    place, owner = opened()
    megabytes = settings().max_file_bytes // 1_000_000
    uploads = st.file_uploader(
        f"Add your own documents, up to {megabytes} MB each",
        type=[suffix.lstrip(".") for suffix in READERS],
        accept_multiple_files=True,
    )
    if uploads and st.button("Ingest", type="primary"):
        with told_plainly():
            _ingest(place, owner, uploads)
    _list(place, owner)


def _ingest(place: Workspace, owner: str, uploads: list) -> None:
    targets = indexes()
    bar = st.progress(0.0, "Reading …")
    with tempfile.TemporaryDirectory() as folder:
        files = [_saved(Path(folder), number, upload) for number, upload in enumerate(uploads)]
        done = 0
        for target in targets:
            for result in ingest(files, target, place.store(target), place.embedding, Scope(owner)):
                done += 1
                bar.progress(done / (len(files) * len(targets)), plain(result.source_file))
                _tell(result)
    bar.empty()


def _saved(folder: Path, number: int, upload) -> tuple[Path, str]:
    """The upload under a name of our own, so that its name cannot lead out of the folder."""
    path = folder / f"{number}{Path(upload.name).suffix.lower()}"
    path.write_bytes(upload.getbuffer())
    return path, Path(upload.name.replace("\\", "/")).name


def _tell(result: FileResult) -> None:
    line = plain(f"{result.source_file} {ADVICE.get(result.status, '')} {result.reason or ''}")
    if result.status == "failed":
        st.error(line)
    elif result.status == "duplicate":
        st.warning(line)
    else:
        st.success(f"{line} {result.chunks} chunks." if result.chunks else line)


def _list(place: Workspace, owner: str) -> None:
    for index in indexes():
        rows = place.store(index).documents(Scope(owner))
        st.subheader(plain(f"{len(rows)} documents of {owner} in the {index.name} index"))
        st.dataframe(
            [
                {"file": row.source_file, "pages": row.pages, "chunks": row.chunks, "ingested": row.ingested_at}
                for row in rows
            ],
            hide_index=True,
        )
