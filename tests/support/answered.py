"""A comparison of notebooks asks a stage a question once: what one notebook was answered, the others are told again.

Half of the notebooks' time went into answers that another notebook, or the other edition, had been given. What
makes an answer is its key: the stage's parts, the question, the settings, the models, and the documents of the owner in
the stage's index. A stage with a part that is not the package's own is asked each time. Nothing is kept from one
comparison to the next, and `--write` asks everything.
"""

import os
import pickle
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from types import ModuleType
from typing import Any

from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import TransformComponent

PLACE = {"data_dir", "database_url"}
"""Settings that say where something is, and not what."""


class NotOursError(Exception):
    """A part is not the package's own, so its name does not say what it does."""


def answer_once(module: ModuleType) -> None:
    """Let `lessons.evaluate.run` look up an answer before it asks for it."""
    ask, workspace = module._ask, module.default_workspace
    with opened() as kept:
        kept.execute("PRAGMA journal_mode = wal")
        kept.execute("CREATE TABLE IF NOT EXISTS answered (key TEXT PRIMARY KEY, record BLOB)")

    def asked(stage: Any, question: Any) -> Any:
        place = stage.workspace or workspace()
        try:
            key = key_of(stage, question, place, module)
        except NotOursError:
            return ask(stage, question)
        with opened() as kept:
            found = kept.execute("SELECT record FROM answered WHERE key = ?", [key]).fetchone()
        if found:
            return pickle.loads(found[0])
        record = ask(stage, question)
        with opened() as kept, kept:
            kept.execute("INSERT OR IGNORE INTO answered VALUES (?, ?)", [key, pickle.dumps(record)])
        return record

    module._ask = asked


def opened() -> Any:
    return closing(sqlite3.connect(os.environ["LESSONS_TEST_ANSWERED"], timeout=60))


def key_of(stage: Any, question: Any, place: Any, module: ModuleType) -> str:
    if type(stage) is not module.Stage:
        raise NotOursError(stage)
    asked = described(stage), described(question)
    stored = place.store(stage.index).documents(module.Scope(question.owner))
    documents = [(document.source_file, document.sha256, document.chunks) for document in stored]
    models = module.describe(place.llm), module.identity(place.embedding)
    chosen = place.settings.model_dump_json(exclude=PLACE)
    return sha256(repr([asked, documents, models, chosen]).encode()).hexdigest()


def described(part: Any) -> Any:
    """All that a part consists of; NotOursError if anything in it is not a value and not of the package."""
    if part is None or isinstance(part, str | int | float):
        return part
    if isinstance(part, CallbackManager):
        return None
    if isinstance(part, TransformComponent):
        return kind(part, "lessons", "llama_index"), part.to_json()
    if isinstance(part, dict):
        return described(sorted(part.items()))
    if isinstance(part, Iterable):
        return [described(each) for each in (sorted(part) if isinstance(part, set | frozenset) else part)]
    return kind(part, "lessons"), described({name: each for name, each in vars(part).items() if name != "workspace"})


def kind(part: Any, *packages: str) -> str:
    """The full name of a part's class; NotOursError if it is of none of these packages."""
    its = type(part)
    if its.__module__.partition(".")[0] not in packages:
        raise NotOursError(part)
    return f"{its.__module__}.{its.__qualname__}"
