"""A small index of two owners, embedded by the keyless model."""

from pathlib import Path

import pytest

from lessons.ingest.pipeline import ingest_each
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.stages import stages

KIOSK = (
    "# Kiosk\n\nThe kiosk opens at nine and rents umbrellas for 4 euros.\n\n# Boats\n\nBoats are rented at the pier.\n"
)
SECRET = "# Safe\n\nThe code of the safe is 4711.\n"


@pytest.fixture(scope="session")
def place(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Mina's kiosk and Joon's safe, in the indexes of the naive and of the smart stage."""
    opened, folder = Workspace.open(database), tmp_path_factory.mktemp("rag")
    for owner, name, words in (("rag-mina", "kiosk.md", KIOSK), ("rag-joon", "safe.md", SECRET)):
        (folder / name).write_text(words)
        indexes = [stages()["naive"].index, stages()["smart"].index]
        assert all(
            result.chunks for _, result in ingest_each(opened, [(Path(folder / name), name)], indexes, Scope(owner))
        )
    return opened


@pytest.fixture
def naive(place: Workspace) -> Stage:
    return stages()["naive"].but("naive", workspace=place)


@pytest.fixture
def smart(place: Workspace) -> Stage:
    return stages()["smart"].but("smart", workspace=place)
