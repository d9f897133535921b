"""One document opened whole, chunk by chunk."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.ingest.enrich import ENRICHED_KEYS
from lessons.ingest.index import Index
from lessons.ingest.split import header
from lessons.library import indexes
from lessons.pages.common import page_of
from lessons.pages.language import _
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.materials import chunk_range
from lessons.settings import settings
from lessons.tables import plain, plain_line
from lessons.text.pages import by_page

METADATA = "doc_type", "has_steps", "date"  # shown of a chunk beside what enriching has added
PAGE_SIZE = 20  # chunks


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
    pages = -(-len(chunks) // PAGE_SIZE)
    begin = PAGE_SIZE * (st.pagination(pages, key=key) - 1) if pages > 1 else 0
    for at in range(begin, min(begin + PAGE_SIZE, len(chunks))):
        _show_chunk(chunks, at)


def _show_chunk(chunks: Sequence[BaseNode], at: int) -> None:
    """Show a chunk and, folded away, what goes with it."""
    text, previous = _words(chunks[at]), _words(chunks[at - 1]) if at else ""
    repeated = overlap(previous, text)
    with st.container(border=True, gap="xxsmall"):
        metadata, mark = chunks[at].metadata, f"**{plain_line(f'{at + 1}.')}**"
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
