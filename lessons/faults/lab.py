"""A small workspace in which anything may be broken."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lessons.context.device import Answering
from lessons.faults.database import SpareDatabase
from lessons.faults.replicated import ReplicatedDatabase
from lessons.faults.seen import Seen, logged
from lessons.ingest.pipeline import FileResult
from lessons.library import indexes
from lessons.rag.stages import Stage, stage_named
from lessons.rag.types import Scope
from lessons.workspace import Workspace

DOCUMENTS = {
    "kiosk.md": "# Kiosk\n\nThe kiosk in the lobby opens at 7:30 and closes at 18:15. Coffee costs 2 euros.\n",
    "parking.txt": "The garage below the office holds 40 cars. A permit costs 35 euros a month.\n",
    "도서관.txt": "사내 도서관은 평일 오전 9시에 문을 엽니다. 책은 한 번에 다섯 권까지 빌릴 수 있습니다.\n",
}


class Lab:
    """The stages over three short documents, in a database of their own that is gone when the lab is closed."""

    def __init__(self, database: SpareDatabase | ReplicatedDatabase | None = None) -> None:
        self.database = database or SpareDatabase()
        self.place = Workspace.open(self.database.settings)
        self.scope = Scope(self.place.settings.user)
        self.add(DOCUMENTS)

    def stage(self, name: str) -> Stage:
        """A stage of the workbook, over this lab's documents."""
        return stage_named(name).but(name, workspace=self.place)

    def ask(self, stage: Answering | str, question: str, **scope: Any) -> Seen:
        """Ask a stage and look at all that can be seen of its answer."""
        asked = self.stage(stage) if isinstance(stage, str) else stage
        with logged() as log:
            return Seen(asked.ask(question, **scope), log)

    def add(self, documents: Mapping[str, str]) -> list[FileResult]:
        """Ingest texts by file name into every index."""
        with tempfile.TemporaryDirectory() as folder:
            files = [(Path(folder) / f"{number}{Path(name).suffix}", name) for number, name in enumerate(documents)]
            for path, name in files:
                path.write_text(documents[name], encoding="utf-8")
            return [result for _, result in self.place.ingest(files, indexes(), self.scope)]

    def close(self) -> None:
        """Delete the database of the lab."""
        self.database.erase()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()
