"""Another embedding model beside the first one: caught up, switched over, and never mixed."""

from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest

from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.ingest.pipeline import ingest_each
from lessons.models.embedding import embedding_model
from lessons.production import switch as production
from lessons.production.switch import Difference, catch_up, difference, served, switch
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.stages import stages
from tests.support.embedded import told_embedded
from tests.support.files import write_pdf

INDEXES = [stages()["naive"].index, stages()["enhanced"].index]
BOTH = pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name, indirect=True)


@pytest.fixture
def scope() -> Scope:
    return Scope(f"switching-{uuid4().hex[:8]}")


@pytest.fixture
def new(place: Workspace) -> Workspace:
    chosen = place.settings.model_copy(update={"embedding_model": "use"})
    return Workspace(chosen, place.engine, embedding_model(chosen, place.engine), place.llm)


@pytest.fixture
def index(request: pytest.FixtureRequest, place: Workspace, scope: Scope, tmp_path: Path) -> Index:
    """The enhanced index, or the one that is asked for, with two documents."""
    index = getattr(request, "param", INDEXES[1])
    kiosk = "# Kiosk\n\nIt opens at 7:30.\n\n# Coffee\n\nIt costs 2 euros."
    write(place, index, scope, tmp_path, "kiosk.md", kiosk)
    write(place, index, scope, tmp_path, "pool.md", "# Pool\n\nThe pool is closed on Mondays.")
    return index


def write(place: Workspace, index: Index, scope: Scope, folder: Path, name: str, words: str) -> None:
    (folder / name).write_text(words)
    assert all(done.chunks for _, done in ingest_each(place, [(folder / name, name)], [index], scope))


def chunks(place: Workspace, index: Index, scope: Scope) -> list[tuple]:
    return [(node.node_id, node.text, node.metadata) for node in place.store(index).get_nodes(scope=scope)]


@BOTH
def test_the_new_table_says_what_the_old_one_says(place: Workspace, new: Workspace, index: Index, scope: Scope) -> None:
    assert catch_up(index, place, new, scope) == Difference(("kiosk.md", "pool.md"), ())
    assert difference(place.store(index), new.store(index), scope) == Difference((), ())
    assert chunks(new, index, scope) == chunks(place, index, scope)
    assert (
        new.store(index).keyword_search(["kiosk"], 3, scope).ids
        == place.store(index).keyword_search(["kiosk"], 3, scope).ids
    )


def test_a_pdf_takes_its_bytes_along(
    place: Workspace, new: Workspace, index: Index, scope: Scope, tmp_path: Path
) -> None:
    page = write_pdf(tmp_path / "page.pdf", "A page")
    list(ingest_each(place, [(page, "page.pdf")], [index], scope))
    catch_up(index, place, new, scope)
    assert new.store(index).content(scope, "page.pdf") == page.read_bytes()


def test_the_vectors_are_those_of_a_fresh_ingestion(
    place: Workspace, new: Workspace, index: Index, scope: Scope, tmp_path: Path
) -> None:
    catch_up(index, place, new, scope)
    fresh = Scope(f"{scope.user_id}-fresh")
    write(new, index, fresh, tmp_path, "kiosk.md", (tmp_path / "kiosk.md").read_text())
    vector = new.embedding.get_query_embedding("coffee")
    once, again = (new.store(index).query_each([vector], 1, each)[0] for each in (scope, fresh))
    assert once.similarities == pytest.approx(again.similarities, abs=1e-6)


@BOTH
def test_only_what_has_changed_is_embedded(
    place: Workspace, new: Workspace, index: Index, scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up(index, place, new, scope)
    write(place, index, scope, tmp_path, "pool.md", f"# Pool\n\nThe pool is closed to {scope.user_id}.")
    place.store(index).delete_document(scope, "kiosk.md")
    embedded = told_embedded(monkeypatch)
    assert catch_up(index, place, new, scope) == Difference(("pool.md",), ("kiosk.md",))
    assert [scope.user_id in each for each in embedded] == [True]
    assert chunks(new, index, scope) == chunks(place, index, scope)


def test_the_old_one_is_served_until_the_switch(place: Workspace, new: Workspace, index: Index, scope: Scope) -> None:
    assert served(index, [place, new], scope) is place
    with pytest.raises(LessonsError, match="differs: 2"):
        switch(index, place, new, scope)
    assert served(index, [place, new], scope) is place
    catch_up(index, place, new, scope)
    switch(index, place, new, scope)
    assert served(index, [place, new], scope) is new
    switch(index, new, place, scope)
    assert served(index, [place, new], scope) is place


def test_one_owner_switches_alone(place: Workspace, new: Workspace, index: Index, scope: Scope) -> None:
    catch_up(index, place, new, scope)
    switch(index, place, new, scope)
    assert served(index, [place, new], Scope("somebody else")) is place


def test_a_process_without_the_served_model_refuses(
    place: Workspace, new: Workspace, index: Index, scope: Scope
) -> None:
    catch_up(index, place, new, scope)
    switch(index, place, new, scope)
    with pytest.raises(LessonsError, match="its embedding model is not loaded here"):
        served(index, [place], scope)


def test_a_vector_of_the_other_model_is_refused(place: Workspace, new: Workspace, index: Index, scope: Scope) -> None:
    catch_up(index, place, new, scope)
    with pytest.raises(LessonsError, match="expected 512 dimensions, not 384"):
        new.store(index).query_each([place.embedding.get_query_embedding("coffee")], 1, scope)


def test_who_writes_meanwhile_waits_for_the_switch(
    place: Workspace, new: Workspace, index: Index, scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up(index, place, new, scope)
    order: list[str] = []
    compare = production._difference

    def write_late() -> None:
        write(place, index, scope, tmp_path, "late.md", "# Late\n\nIt came too late.")
        order.append("written")

    late = Thread(target=write_late)

    def compared(*given: object) -> Difference:
        found = compare(*given)
        if not late.ident and locked(given[0]):
            late.start()
            late.join(1.0)
            order.append("compared")
        return found

    monkeypatch.setattr(production, "_difference", compared)
    switch(index, place, new, scope)
    late.join()
    assert order == ["compared", "written"]


def locked(connection: object) -> bool:
    """Whether this transaction keeps writers out."""
    asked = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ShareLock' AND relation IS NOT NULL"
    return connection.exec_driver_sql(asked).scalar() > 0  # type: ignore[attr-defined]
