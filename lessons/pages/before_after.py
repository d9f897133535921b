"""A chunk before and after: the naive index beside the one that knows where its chunks come from."""

from collections.abc import Sequence

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from lessons.ingest.before_after import header, same_words
from lessons.ingest.enrich.extractors import ADDED
from lessons.ingest.index import Index
from lessons.pages.common import plain
from lessons.rag.types import Scope
from lessons.workspace import Workspace

TOLD = ("doc_type", "has_steps", "page_number", "date")


def draw(place: Workspace, owner: str, indexes: Sequence[Index]) -> None:
    """Choose a document and a chunk of it; nothing while no index enriches its chunks or the owner has no documents."""
    enriched = next((index for index in indexes if index.can_enrich), None)
    before = next((index for index in indexes if not index.can_enrich), None)
    files = [row.source_file for row in place.store(enriched).documents(Scope(owner))] if enriched else []
    if not enriched or not before or not files:
        return
    st.header("One chunk, before and after")
    chosen = st.selectbox("Document", files, key="before-after-file")
    chunks = _chunks(place, enriched, owner, chosen)
    number = st.selectbox(
        "Chunk", range(len(chunks)), format_func=lambda i: _title(chunks[i]), key=f"before-after-chunk of {chosen}"
    )
    chunk = chunks[number]
    left, right = st.columns(2, gap="large")
    with left:
        _show_before(before, same_words(chunk, _chunks(place, before, owner, chosen)))
    with right:
        _show_after(enriched, chunk)


def _chunks(place: Workspace, index: Index, owner: str, source_file: str) -> list[BaseNode]:
    only = MetadataFilters(filters=[MetadataFilter(key="source_file", value=source_file)])
    return place.store(index).get_nodes(filters=only, scope=Scope(owner))


def _title(chunk: BaseNode) -> str:
    words = " ".join(chunk.get_content(MetadataMode.NONE).split())
    return f"{chunk.metadata['chunk_index'] + 1}. {chunk.metadata.get('section') or words[:60]}"


def _show_before(index: Index, chunk: BaseNode | None) -> None:
    st.markdown(f"**{index.name.capitalize()}**: these words are embedded and displayed")
    if chunk is None:
        st.info("No chunk of this index has these words; ingest the file again to fill it.")
    else:
        _box(chunk.get_content(MetadataMode.NONE))


def _show_after(index: Index, chunk: BaseNode) -> None:
    st.markdown(f"**{index.name.capitalize()}**: embedded like this")
    with st.container(border=True):
        for name, value in header(chunk).items():
            st.markdown(f":blue-badge[{plain(name)}] {plain(value)}")
        st.markdown(plain(chunk.get_content(MetadataMode.NONE)))
    st.markdown("displayed like this")
    _box(chunk.get_content(MetadataMode.NONE))
    st.markdown("and found by this, too")
    with st.container(border=True):
        for name in [key for key in (*ADDED, *TOLD) if chunk.metadata.get(key) is not None]:
            st.markdown(f":gray-badge[{plain(name)}] {plain(_said(chunk.metadata[name]))}")


def _said(value: object) -> str:
    return " · ".join(map(str, value)) if isinstance(value, list) else str(value)


def _box(text: str) -> None:
    with st.container(border=True):
        st.markdown(plain(text))
