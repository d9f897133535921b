"""What a notebook opens: `book = lessons.start()`."""

from pathlib import Path
from typing import cast

from psycopg import Connection
from tqdm.auto import tqdm

from lessons.doctor import Report, examine
from lessons.ingest.pipeline import FileResult, ingest_each
from lessons.ingest.read import list_files
from lessons.language import _, show_in_korean
from lessons.library import indexes, load_corpus
from lessons.models.embedding import identity
from lessons.models.llm import describe
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.stages import stages


class Workbook:
    """The stages by name (`book.naive`), the workspace they run in, and what a notebook shows of it."""

    def __init__(self, opened: Workspace) -> None:
        self.workspace = opened
        self.stages = stages()

    def __getattr__(self, name: str) -> Stage:
        if name in stages():
            return stages()[name]
        raise AttributeError(f"The workbook has no {name!r}; its stages are {', '.join(stages())}.")

    def doctor(self) -> Report:
        """Check what runs here; each line says ok or what to do."""
        return examine(self.workspace.settings)

    def connect(self) -> Connection:
        """Connect to the workbook's database by psycopg, for SQL of your own; each statement commits itself."""
        pooled = self.workspace.engine.raw_connection()
        connection = cast(Connection, pooled.driver_connection)
        pooled.detach()
        connection.rollback()
        connection.autocommit = True
        return connection

    def ingest(self, folder: Path, user: str) -> list[FileResult]:
        """Read the files of a folder into the index of every stage, for this owner; known ones are skipped.

        The results, index by index, say why a file cannot be read. ReadError if there is no such folder.
        """
        files, targets = list_files([folder]), indexes()
        results = ingest_each(self.workspace, files, targets, Scope(user))
        rows = list(tqdm(results, _("Reading"), total=len(files) * len(targets), unit="file", leave=False))
        return [result for index in targets for filled, result in rows if filled is index]

    def __repr__(self) -> str:
        embedding, dimension = identity(self.workspace.embedding)
        lines = [f"answers: {describe(self.workspace.llm)}", f"embeddings: {embedding}, {dimension} dimensions"]
        for name, stage in self.stages.items():
            documents = self.workspace.store(stage.index).documents(Scope(self.workspace.settings.user))
            lines.append(f"{name}: {sum(document.chunks for document in documents)} chunks")
        return "\n".join(map(_, lines))


def start() -> Workbook:
    """Open the workspace, load the shipped documents where they are missing, and return the workbook."""
    show_in_korean()
    opened, bars = workspace(), list[tqdm]()

    def show(count: int, total: int) -> None:
        if not bars:
            bars.append(tqdm(desc=_("Loading the shipped documents"), unit="file", leave=False, total=total))
        bars[0].update(count - bars[0].n)

    load_corpus(opened, show)
    for bar in bars:
        bar.close()
    return Workbook(opened)
