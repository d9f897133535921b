"""One document opened whole with its chunks, those of a PDF marked on its pages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.ingest.enrich import ENRICHED_KEYS
from lessons.ingest.index import Index
from lessons.ingest.split import header
from lessons.library import indexes
from lessons.pages.common import page_of
from lessons.pages.language import N_, _
from lessons.pages.pdf_page import PdfPicture, draw_page
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.materials import chunk_range
from lessons.settings import settings
from lessons.tables import plain, plain_line
from lessons.text.pages import by_page

METADATA = "doc_type", "has_steps", "date"  # shown of a chunk beside what enriching has added
PAGE_SIZE = 20  # chunks
BADGES = "blue", "orange", "green", "violet"  # Streamlit's names for the colours of marked passages
NOT_STORED = N_(
    "The pages cannot be shown, because the file was not kept when it was ingested. To see them, delete the document "
    "and add the file again."
)
NOT_DRAWN = N_("This page cannot be drawn: it is broken, or would take too much time or memory. This is its text.")


def show_document(workspace: Workspace, owner: str, files: Sequence[str]) -> None:
    """Choose a document and read it chunk by chunk, as one of the indexes cuts it."""
    st.header(_("Open a document"), anchor=False)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    source_file = left.selectbox(_("Document"), files, key="open", filter_mode="contains")
    by_name = {index.name: index for index in sorted(indexes(), key=lambda index: index.can_enrich)}
    *_others, default = by_name
    name = right.segmented_control(_("Cut as in the index"), by_name, default=default) or default
    _show_chunks(workspace.store(by_name[name]), by_name[name], Scope(owner), source_file)


def _show_chunks(store: ChunkStore, index: Index, scope: Scope, source_file: str) -> None:
    chunks = chunk_range(store, scope, source_file, 0, settings().max_pieces)
    count = _("1 chunk") if len(chunks) == 1 else _("{number:,} chunks", number=len(chunks))
    st.caption(
        _("{chunks} in the index {index}. Grey: repeated from the chunk before.", chunks=count, index=index.name)
    )
    key = f"page of {source_file} {index.name}"
    parts = [by_page(chunk.metadata, _words(chunk)) or {1: _words(chunk)} for chunk in chunks]
    most = max(Counter(chain.from_iterable(parts)).values(), default=1)
    if source_file.lower().endswith(".pdf") and most <= PAGE_SIZE:
        _show_page(store, scope, source_file, chunks, parts, key)
        return
    pages = -(-len(chunks) // PAGE_SIZE)
    begin = PAGE_SIZE * (st.pagination(pages, key=key) - 1) if pages > 1 else 0
    for at in range(begin, min(begin + PAGE_SIZE, len(chunks))):
        _show_chunk(chunks, at)


def _show_chunk(chunks: Sequence[BaseNode], at: int, colour: str = "") -> None:
    """Show a chunk, its number in a colour if it is marked in that elsewhere, and folded away what goes with it."""
    text, previous = _words(chunks[at]), _words(chunks[at - 1]) if at else ""
    repeated = overlap(previous, text)
    with st.container(border=True, gap="xxsmall"):
        number, metadata = plain_line(f"{at + 1}."), chunks[at].metadata
        mark = f":{colour}-badge[{number}]" if colour else f"**{number}**"
        section = f"**{plain_line(metadata['section'])}**" if metadata.get("section") else ""
        origin = f"{section}{page_of(*by_page(metadata))}".removeprefix(", ")
        st.markdown(f"{mark} :small[{origin}]" if origin else mark)
        st.markdown((f":gray[{plain_line(text[:repeated])}] " if repeated else "") + plain(text[repeated:]))
        embedded, added = header(chunks[at]), {key: metadata.get(key) for key in (*ENRICHED_KEYS, *METADATA)}
        if any(value is not None for value in (embedded | added).values()):
            with st.expander(_("What goes with it: blue is embedded, too, grey is searched by")):
                _show_badges("blue", embedded)
                _show_badges("gray", added)


def _show_badges(colour: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if value is not None:
            text = " · ".join(map(str, value)) if isinstance(value, list) else str(value)
            st.markdown(f":{colour}-badge[{plain(name)}] {plain(text)}")


def overlap(previous: str, text: str) -> int:
    """Return how many characters at the beginning of a text are the end of the previous one."""
    sizes = range(min(len(previous), len(text)), 0, -1)
    return next((size for size in sizes if previous.endswith(text[:size])), 0)


def _words(chunk: BaseNode) -> str:
    return chunk.get_content(MetadataMode.NONE)


# The pages of a PDF


def _show_page(
    store: ChunkStore,
    scope: Scope,
    source_file: str,
    chunks: Sequence[BaseNode],
    parts: Sequence[Mapping[int, str]],
    key: str,
) -> None:
    """Show a page beside its chunks, in the colours in which they are marked; `parts` are their words by page."""
    number = st.session_state.get(key, 1)
    on_page = [at for at, words in enumerate(parts) if number in words]
    first = on_page[0] + 1 if on_page else 1
    picture = page_picture(store, scope, source_file, number, [parts[at][number] for at in on_page], first)
    is_drawn = isinstance(picture, PdfPicture)
    pages = picture.pages if isinstance(picture, PdfPicture) else max(chain.from_iterable(parts), default=1)
    if pages > 1:
        st.pagination(pages, key=key)
    left, right = st.columns([3, 2]) if is_drawn else (st.container(), st.container())
    with left:
        show_picture(picture, source_file, number)
    with right:
        for order, at in enumerate(on_page):
            _show_chunk(chunks, at, BADGES[order % len(BADGES)] if is_drawn else "")


def show_picture(picture: PdfPicture | str, source_file: str, number: int) -> None:
    """Show a page as `page_picture` returns it."""
    if isinstance(picture, str):
        st.info(_(picture))
        return
    with st.container(key="pdf-page"):
        st.image(picture.png, width="stretch", alt=_("Page {page} of {file}", page=number, file=source_file))


def page_picture(
    store: ChunkStore, scope: Scope, source_file: str, number: int, passages: Sequence[str], first: int
) -> PdfPicture | str:
    """Draw a page of an owner's PDF with passages marked and numbered; else return the message why it is not drawn."""
    ingested = {row.source_file: row.ingested_at for row in store.documents(scope)}
    version = store.table_name, ingested.get(source_file)
    return _picture(store, version, scope.user_id, source_file, number, passages, first)


@st.cache_data(max_entries=50, ttl="1h", show_spinner=False)
def _picture(_store: ChunkStore, version: object, owner: str, source_file: str, *page: Any) -> PdfPicture | str:
    """Draw once for a version of a document: its table of chunks, and when it was written."""
    content = _store.content(Scope(owner), source_file)
    return NOT_STORED if content is None else draw_page(content, *page) or NOT_DRAWN
