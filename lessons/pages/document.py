"""One document: opened whole with its chunks marked, or a chunk of it before and after enriching; and a bare search."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st
from llama_index.core.schema import BaseNode, MetadataMode

from lessons.ingest.enrich import ENRICHED_KEYS
from lessons.ingest.index import Index
from lessons.ingest.split import header, most_similar
from lessons.library import indexes
from lessons.pages.common import allow_questions, choose, choose_stages, page_of
from lessons.pages.language import N_, _
from lessons.pages.pdf_page import Drawn, draw_page
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.materials import chunk_range
from lessons.settings import settings
from lessons.tables import plain, plain_line
from lessons.text.pages import by_page

TOLD = "doc_type", "has_steps", "page_number", "date"  # shown of a chunk beside what enriching has added
AT_ONCE = 20  # chunks of a document on a page
Parts = Sequence[Mapping[int, str]]  # the words of each chunk by page
BADGES = "blue", "orange", "green", "violet"  # Streamlit's names for the colours of marked passages
NOT_KEPT = N_(
    "The pages cannot be shown, because the file was not kept when it was ingested. To see them, delete the document "
    "and add the file again."
)
NOT_DRAWN = N_("This page cannot be drawn: it is broken, or would take too much time or memory. This is its text.")
FOUND, EXCERPT = 5, 200  # chunks of a search that are shown for each stage; characters of each


def show_document(place: Workspace, owner: str, files: Sequence[str]) -> None:
    """Choose a document and read it whole, or one chunk of it before and after enriching."""
    st.header(_("Open a document"), anchor=False)
    chosen = st.selectbox(_("Document"), files, key="open", filter_mode="contains")
    known = sorted(indexes(), key=lambda each: each.can_enrich)
    before, enriched = known[0], known[-1]
    whole, one = st.tabs([_("The whole document"), _("One chunk, before and after")])
    with whole:
        _show_whole(place, owner, chosen, before, enriched)
    with one:
        _compare_a_chunk(place, owner, chosen, before, enriched)


def _show_whole(place: Workspace, owner: str, source_file: str, before: Index, enriched: Index) -> None:
    """The document chunk by chunk; what a chunk has in common with the one before it is grey."""
    cut = st.segmented_control(_("Cut as in the index"), [before.name, enriched.name], default=enriched.name)
    index = before if cut == before.name else enriched
    chunks = _chunks(place, index, owner, source_file)
    many = _("1 chunk") if len(chunks) == 1 else _("{number:,} chunks", number=len(chunks))
    st.caption(_("{chunks} in the index {index}. Grey: repeated from the chunk before.", chunks=many, index=index.name))
    key = f"page of {source_file} {index.name}"
    parts = [by_page(each.metadata, _words(each)) or {1: _words(each)} for each in chunks]
    most = max(Counter(chain.from_iterable(parts)).values(), default=1)
    if source_file.lower().endswith(".pdf") and most <= AT_ONCE:
        _show_page(place.store(index), Scope(owner), source_file, chunks, parts, key)
        return
    pages = -(-len(chunks) // AT_ONCE)
    begin = AT_ONCE * (st.pagination(pages, key=key) - 1) if pages > 1 else 0
    for at in range(begin, min(begin + AT_ONCE, len(chunks))):
        _show_chunk(chunks, at)


def _show_chunk(chunks: Sequence[BaseNode], at: int, colour: str = "") -> None:
    """A chunk, its number in a colour if it is marked in that elsewhere; the beginning that it repeats is grey."""
    text, earlier = _words(chunks[at]), _words(chunks[at - 1]) if at else ""
    same = shared(earlier, text)
    with st.container(border=True, gap="xxsmall"):
        number, known = plain_line(f"{at + 1}."), chunks[at].metadata
        mark = f":{colour}-badge[{number}]" if colour else f"**{number}**"
        section = f"**{plain_line(known['section'])}**" if known.get("section") else ""
        place = f"{section}{page_of(*by_page(known))}".removeprefix(", ")
        st.markdown(f"{mark} :small[{place}]" if place else mark)
        st.markdown((f":gray[{plain_line(text[:same])}] " if same else "") + plain(text[same:]))


def _show_page(
    store: ChunkStore, scope: Scope, source_file: str, chunks: Sequence[BaseNode], parts: Parts, key: str
) -> None:
    """A page of a PDF beside its chunks, in the colours in which they are marked; `parts` are their words by page."""
    number = st.session_state.get(key, 1)
    here = [at for at, its in enumerate(parts) if number in its]
    first = here[0] + 1 if here else 1
    picture = page_picture(store, scope, source_file, number, [parts[at][number] for at in here], first)
    is_drawn = isinstance(picture, Drawn)
    if (pages := picture.pages if isinstance(picture, Drawn) else max(chain.from_iterable(parts), default=1)) > 1:
        st.pagination(pages, key=key)
    left, right = st.columns([3, 2]) if is_drawn else (st.container(), st.container())
    with left:
        show_picture(picture, source_file, number)
    with right:
        for order, at in enumerate(here):
            _show_chunk(chunks, at, BADGES[order % len(BADGES)] if is_drawn else "")


def show_picture(picture: Drawn | str, source_file: str, number: int) -> None:
    """What `page_picture` gives."""
    if isinstance(picture, str):
        st.info(_(picture))
        return
    with st.container(key="pdf-page"):
        st.image(picture.picture, width="stretch", alt=_("Page {page} of {file}", page=number, file=source_file))


def page_picture(
    store: ChunkStore, scope: Scope, source_file: str, number: int, passages: Sequence[str], first: int
) -> Drawn | str:
    """A page of an owner's PDF with passages marked and numbered, or the message why there is none."""
    known = {row.source_file: row.ingested_at for row in store.documents(scope)}
    version = store.table_name, known.get(source_file)
    return _picture(store, version, scope.user_id, source_file, number, passages, first)


@st.cache_data(max_entries=50, ttl="1h", show_spinner=False)
def _picture(_store: ChunkStore, version: object, owner: str, source_file: str, *page: Any) -> Drawn | str:
    """Drawn once for a version of a document: its table of chunks, and when it was written."""
    content = _store.content(Scope(owner), source_file)
    return NOT_KEPT if content is None else draw_page(content, *page) or NOT_DRAWN


def shared(before: str, text: str) -> int:
    """How many characters at the beginning of a text are the end of the one before it."""
    return next((size for size in range(min(len(before), len(text)), 0, -1) if before.endswith(text[:size])), 0)


def _compare_a_chunk(place: Workspace, owner: str, chosen: str, before: Index, enriched: Index) -> None:
    chunks = _chunks(place, enriched, owner, chosen)
    begins = (chunk.metadata.get("section") or " ".join(_words(chunk).split())[:60] for chunk in chunks)
    titles = {at: f"{chunks[at].metadata['chunk_index'] + 1}. {begin}" for at, begin in enumerate(begins)}
    chunk = chunks[choose(_("Chunk"), titles, key=f"before-after-chunk of {chosen}")]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(_("**{index}**: these words are embedded and displayed", index=before.name.capitalize()))
        if same := most_similar(chunk, _chunks(place, before, owner, chosen)):
            _box(plain(_words(same)))
        else:
            st.info(_("No chunk of this index has these words; ingest the file again to fill it."))
    with right:
        words = plain(_words(chunk))
        st.markdown(_("**{index}**: embedded like this", index=enriched.name.capitalize()))
        _box(*_badges("blue", header(chunk)), words)
        st.markdown(_("displayed like this"))
        _box(words)
        st.markdown(_("and found by this, too"))
        _box(*_badges("gray", {key: chunk.metadata.get(key) for key in (*ENRICHED_KEYS, *TOLD)}))


def _chunks(place: Workspace, index: Index, owner: str, source_file: str) -> list[BaseNode]:
    return chunk_range(place.store(index), Scope(owner), source_file, 0, settings().max_pieces)


def _words(chunk: BaseNode) -> str:
    return chunk.get_content(MetadataMode.NONE)


def _box(*lines: str) -> None:
    with st.container(border=True):
        for line in lines:
            st.markdown(line)


def _badges(colour: str, values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is not None:
            said = " · ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f":{colour}-badge[{plain(name)}] {plain(said)}"


def try_search(place: Workspace, owner: str) -> None:
    """What a search finds, stage by stage, without asking for an answer."""
    st.header(_("Try the search"), anchor=False)
    with st.form("search", border=False):
        asked = st.text_input(_("Search for"), key="search-for", placeholder=_("In English or Korean"))
        chosen = choose_stages("search-stages")
        if not st.form_submit_button(_("Search")) or not asked.strip():
            return
    allow_questions(owner, len(chosen))
    grid = st.grid(max(1, len(chosen)), min_column_width=220, gap="small")
    for stage in chosen:
        with grid.cell(), st.container(border=True, gap="xxsmall"):
            st.subheader(stage.name.capitalize(), anchor=False)
            found = stage.but(stage.name, workspace=place).find(asked, owner).documents
            for rank, each in enumerate(found[:FOUND], start=1):
                st.caption(f"**{rank}. {plain_line(each.source)}{page_of(*each.pages())}** · {each.score:.3f}")
                st.caption(plain_line(each.content[:EXCERPT]) + (" …" if len(each.content) > EXCERPT else ""))
            if not found:
                st.caption(_("Nothing was found."))
