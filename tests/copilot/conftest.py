"""A guide whose steps fill several chunks, a FAQ and minutes, of an owner of these tests; a neighbour has a FAQ."""

from pathlib import Path

import pytest

from lessons.copilot.tools import CopilotTools
from lessons.ingest.pipeline import ingest
from lessons.rag.types import Query, Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import Settings
from lessons.stages import stages

OWNER, NEIGHBOUR = "copilot-owner", "copilot-neighbour"
INDEX = "reranked"


def _slides(*names: str) -> str:
    """Sections that are too long to share a chunk."""
    filler = "Keep the left and the right part of the upper panel dry while you work, and mind the lower edge."
    return "\n\n".join(
        f"## {name}\n\n1. Open the {name.lower()} lid.\n2. Turn the {name.lower()} valve {place} times.\n"
        f"3. Close the lid and wait.\n\n{' '.join([filler] * 11)}"
        for place, name in enumerate(names, start=2)
    )


FILES = {
    "guide_pump.md": f"# Guide: servicing the Zephyr pump\n\n{_slides('Inlet', 'Filter', 'Rotor', 'Outlet')}\n",
    "faq.md": "# FAQ: the Zephyr pump\n\n## How long is the warranty?\n\nThe warranty of the pump lasts 26 months."
    "\n\n## How loud is it?\n\nThe pump makes 41 decibels.\n\n## Which oil does it take?\n\nGrade M7 only.\n\n"
    "## Can it stand outside?\n\nYes, under a roof.\n",
    "minutes.md": "# Minutes of 12 May\n\nThe tenants want a ramp. The garden party is on 9 June in the yard.\n",
    "faq_ko.md": "# 자주 묻는 질문: 제피르 펌프\n\n## 필터는 얼마나 자주 갈아야 하나요?\n\n필터는 9주마다 갑니다."
    "\n\n## 물 없이 돌려도 되나요?\n\n물 없이 3분 넘게 돌리면 안 됩니다.\n\n"
    "## 어디에서 수리하나요?\n\n대리점에서 수리합니다.\n",
}

EDITIONS = {
    "guide_seal_10.md": "# Mounting the seal – guide for Zephyr 1.0\n\nPublished on 4 March 2021.\n\n"
    "## Fitting\n\n1. Grease the seal with tallow.\n2. Press it in by hand.\n\n"
    "## Disposal\n\nOld seals are collected by the dealer in Ghent.\n",
    "guide_seal_20.md": "# Mounting the seal – guide for Zephyr 2.0\n\nPublished on 9 May 2025.\n\n"
    "## Fitting\n\n1. Grease the seal with silicone.\n2. Press it in with the ring.\n\n"
    "## Care\n\nWipe the seal every month.\n",
}


@pytest.fixture(scope="session")
def place(database: Settings, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder, opened = tmp_path_factory.mktemp("copilot"), workspace()
    index = stages()[INDEX].index
    for owner in (OWNER, NEIGHBOUR):
        files = []
        for name, text in {**FILES, **EDITIONS}.items():
            path = Path(folder / f"{owner}-{name}")
            path.write_text(text if owner == OWNER else text.replace("Zephyr", "Secret").replace("26", "99"))
            files.append((path, name))
        files = files if owner == OWNER else files[1:2]
        for result in ingest(files, index, opened.store(index), opened.embedding, Scope(owner)):
            assert result.status in ("added", "unchanged")
    return opened


@pytest.fixture
def tools(place: Workspace) -> CopilotTools:
    return CopilotTools(Query("a question", Scope(OWNER)), place.resources(stages()[INDEX].index))
