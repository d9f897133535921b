"""Data folders of each kind of user."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lessons.database.programs import am_root
from tests.database.places import NOBODY, Place, ordinary_prefix, wait_for


def new_place(owner: str) -> Place:
    folder = Path(tempfile.mkdtemp(prefix="data-"))
    if owner == "root":
        return Place(folder, [])
    if am_root():
        os.chown(folder, NOBODY, NOBODY)
    return Place(folder, ordinary_prefix() if am_root() else [])


@pytest.fixture(scope="session")
def ready_clusters() -> Iterator[Callable[[str], Path]]:
    """A stopped cluster of each kind of user, made when first asked for."""
    made: dict[str, Place] = {}

    def ready(owner: str) -> Path:
        if owner not in made:
            made[owner] = new_place(owner)
            assert made[owner].answer() == "ok"
            assert wait_for(lambda: not made[owner].server())
        return made[owner].cluster

    yield ready
    for place in made.values():
        place.close()


@pytest.fixture
def ordinary_place() -> Iterator[Place]:
    """An empty data folder of an ordinary user: the present one, or nobody when the tests run as root."""
    with closing(new_place("ordinary")) as place:
        yield place


@pytest.fixture
def root_place() -> Iterator[Place]:
    """An empty data folder of root."""
    if not am_root():
        pytest.skip("only root can show what root meets")
    with closing(new_place("root")) as place:
        yield place


@pytest.fixture(params=["ordinary", "root"])
def place(request: pytest.FixtureRequest) -> Place:
    """An empty data folder of each kind of user in turn."""
    return request.getfixturevalue(f"{request.param}_place")


@pytest.fixture
def ready_place(ordinary_place: Place, ready_clusters: Callable[[str], Path]) -> Place:
    """An ordinary user's data folder with a stopped cluster."""
    return ordinary_place.fill(ready_clusters("ordinary"))


@pytest.fixture(params=["ordinary", "root"])
def each_ready_place(request: pytest.FixtureRequest, ready_clusters: Callable[[str], Path]) -> Place:
    """A data folder with a stopped cluster of each kind of user in turn."""
    return request.getfixturevalue(f"{request.param}_place").fill(ready_clusters(request.param))
