"""The doctor: what runs here, each line in order or with what to do about it."""

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, cast

from lessons.errors import LessonsError
from lessons.settings import Settings, settings


@dataclass(frozen=True)
class Check:
    """One line of the doctor's report."""

    name: str
    ok: bool
    detail: str

    def __str__(self) -> str:
        return f"{'ok ' if self.ok else 'NO '} {self.name}: {self.detail}"


class Report(list[Check]):
    """The doctor's lines, as text or as a table in a notebook."""

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self)

    def as_dicts(self) -> list[dict]:
        return [asdict(check) for check in self]

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__


def examine(chosen: Settings | None = None, thorough: bool = True) -> Report:
    """All checks, one after the other."""
    return Report(checks(chosen or settings(), thorough))


def checks(chosen: Settings, thorough: bool = True) -> Iterator[Check]:
    """Check Python, database, embedding, language model and documents, each when the one before was looked at.

    A thorough examination also tries what a served model can do, with five calls, one of them of 2,000 tokens.
    """
    yield Check("python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()}")
    yield Check("llama-index", True, version("llama-index-core"))
    yield _check("database", lambda: _database(chosen))
    yield _check("owners", lambda: _owners(chosen))
    yield _check("embedding", lambda: _embedding(chosen))
    yield _check("language model", lambda: _language_model(chosen))
    if thorough:
        yield from _served(chosen)
    yield _check("documents", lambda: _documents(chosen))


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except LessonsError as error:
        return Check(name, False, str(error))


def _database(chosen: Settings) -> str:
    from lessons.database import server_info

    info = server_info(chosen)
    where = f"at {info.url}" if info.kind == "external" else info.kind
    return f"PostgreSQL {info.version} with pgvector {info.pgvector}, {where}"


def _owners(chosen: Settings) -> str:
    from lessons.database import engine, ensure_schema
    from lessons.database.row_security import make_role, wall

    database = engine(chosen)
    ensure_schema(database, make_role)
    if not wall(database).stands:
        raise LessonsError(str(wall(database)))
    return str(wall(database))


def _embedding(chosen: Settings) -> str:
    from lessons.models.embedding import embedding_model, identity

    name, dimension = identity(embedding_model(chosen))
    return f"{name}, {dimension} dimensions"


def _language_model(chosen: Settings) -> str:
    from lessons.models.llm import describe, language_model, probe

    model = language_model(chosen)
    probe(model)
    return describe(model)


def _served(chosen: Settings) -> Iterator[Check]:
    """What a served model can do; no line for the keyless one, or for one that does not answer at all."""
    from lessons.models.keyless import OfflineLLM
    from lessons.models.llm import language_model, probe

    model = language_model(chosen)
    if isinstance(model, OfflineLLM):
        return
    try:
        probe(model)
    except LessonsError:
        return
    from lessons.models.abilities import abilities, stages_answered

    found = abilities(cast(Any, model))
    yield from (Check(each.name, each.ok, each.detail) for each in found)
    yield _check("stages", lambda: stages_answered(found))


def _documents(chosen: Settings) -> str:
    from lessons.library import indexes
    from lessons.rag.types import Scope
    from lessons.workspace import Workspace

    place = Workspace.open(chosen)
    found = [(index.name, place.store(index).documents(Scope(chosen.user))) for index in indexes()]
    if not any(rows for _, rows in found):
        return f"none yet for {chosen.user!r}; the shipped ones are loaded with the first question"
    counts = [f"{len(rows)} documents, {sum(row.chunks for row in rows)} chunks in {name!r}" for name, rows in found]
    return "; ".join(counts) + f" for {chosen.user!r}"
