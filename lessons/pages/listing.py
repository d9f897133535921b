"""The documents of an owner: which there are, which to delete, and which deleted ones to bring back."""

from typing import Any

import streamlit as st

from lessons.library import indexes, trash
from lessons.pages.common import plain, told_plainly
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.workspace import Workspace

_DAY = st.column_config.DateColumn("ingested", format="YYYY-MM-DD")


def draw(place: Workspace, owner: str) -> None:
    """The documents in every index. Those chosen are deleted from all of them, which can be undone for some days."""
    rows = listed(place, owner)
    st.header(plain(f"Documents of {owner}: {len(rows)}"))
    _offer_undo(place, owner)
    if not rows:
        st.info("There are none yet. Add some above; they are searched as soon as their job is done.")
        return
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"file": st.column_config.Column(pinned=True), "ingested": _DAY},
        alt="Documents with their pages, chunks in each index, and day of ingestion",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect("Documents to delete", [row["file"] for row in rows], key="delete", width=600)
        st.button("Delete", icon=":material/delete:", disabled=not chosen, on_click=_delete, args=(place, owner))


def _delete(place: Workspace, owner: str) -> None:
    """In a callback, because what is chosen may be emptied only before the page is drawn."""
    names, st.session_state["delete"] = st.session_state["delete"], []
    with told_plainly():
        for name in names:
            trash(place).delete(Scope(owner), name)
        st.session_state.undo = owner, names


def listed(place: Workspace, owner: str) -> list[dict[str, Any]]:
    """A row for each document, by name, with its chunks in each index."""
    rows: dict[str, dict[str, Any]] = {}
    for index in indexes():
        for found in place.store(index).documents(Scope(owner)):
            known = {"file": found.source_file, "pages": found.pages, "ingested": found.ingested_at}
            rows.setdefault(found.source_file, known)[f"chunks, {index.name}"] = found.chunks
    return [rows[name] for name in sorted(rows)]


def _offer_undo(place: Workspace, owner: str) -> None:
    """What was just deleted, with one button; below it all that can be brought back."""
    deleted = trash(place).deleted(Scope(owner))
    of, names = st.session_state.get("undo", (owner, []))
    names = [name for name in names if of == owner and name in deleted]
    if names:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.success(plain(f"Deleted: {', '.join(names)}."))
            if st.button("Undo", icon=":material/undo:"):
                _restore(place, owner, names)
    if deleted:
        with st.expander(f"Deleted documents ({len(deleted)})"):
            st.caption(
                f"For {settings().trash_days:g} days a document comes back as it was, without embedding it again."
            )
            name = st.selectbox("Bring back", list(deleted), format_func=str, key="restore")
            st.caption(plain(f"Deleted on {deleted[name]:%Y-%m-%d at %H:%M %Z}."))
            if st.button("Bring it back"):
                _restore(place, owner, [name])


def _restore(place: Workspace, owner: str, names: list[str]) -> None:
    for name in names:
        trash(place).restore(Scope(owner), name)
    st.session_state.pop("undo", None)
    st.rerun()
