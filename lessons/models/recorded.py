"""Replies of real models, kept in a file for each model, so that they can be given again where no model is served.

`MODEL.jsonl.gz` holds lines of JSON: the model and its window, then the replies in the order of their keys, so that the
same replies give the same bytes. While a model is recorded, its replies go to a journal beside that file, each on disk
before it is used. A record answers only where `LESSONS_RECORDED` names its model, and only while none is served.

The limit on a reply's length is no part of its key: it changes no word before the last, and a model that is found to
think is given more room from then on.
"""

import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from llama_index.core.prompts import BasePromptTemplate

from lessons.database.programs import FileLock
from lessons.errors import ModelError

NOT_IN_KEY = {"model", "stream", "stream_options", "max_tokens", "max_completion_tokens"}
"""Fields of a request on which its reply does not depend."""
KEY_CHARACTERS = 32


class NotRecordedError(ModelError):
    """A request that is not on record, which the keyless model answers; nothing has failed."""


@dataclass(frozen=True)
class Reply:
    """A reply of a model to one request."""

    key: str
    text: str
    calls: tuple[tuple[str, str], ...]  # (name, JSON of the arguments)
    ended: str | None  # why; None if the model was stopped because it repeated itself
    tokens_in: int | None  # None where the server counted none
    tokens_out: int | None
    seconds: float
    date: str
    prompt: str  # its `prompt_label`, "" if there was none

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: bytes) -> "Reply":
        """Read a reply; ValueError, TypeError or KeyError if the line is none."""
        fields = json.loads(line)
        return cls(**fields | {"calls": tuple((name, arguments) for name, arguments in fields["calls"])})


@dataclass(frozen=True)
class Record:
    """All replies of a model, by their keys. It was served with a `window` of so many tokens."""

    model: str
    window: int
    replies: dict[str, Reply]

    @property
    def dates(self) -> str:
        """The day of the replies, or the first and the last."""
        days = sorted({reply.date for reply in self.replies.values()})
        return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "never"

    def stale(self, labels: Iterable[str]) -> int:
        """Count the replies that no current prompt asks for any more; `labels` are those of the current prompts."""
        current = {*labels, ""}
        return sum(reply.prompt not in current for reply in self.replies.values())


def request_key(request: Mapping[str, Any]) -> str:
    """Return the key of a reply: the same on every machine, whatever the order of names in the request."""
    decisive = {name: value for name, value in request.items() if name not in NOT_IN_KEY}
    return sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:KEY_CHARACTERS]


def prompt_label(prompt: BasePromptTemplate, form: Any = None) -> str:
    """Return a prompt's task and a hash of its template and of the form of its replies: a JSON schema, or tools."""
    fixed = json.dumps([prompt.get_template(), form], sort_keys=True)
    return f"{prompt.metadata.get('task', 'prompt')}:{sha256(fixed.encode()).hexdigest()[:12]}"


def record_path(model: str, folder: Path) -> Path:
    """Return the file of a model: its name in small letters, with `-` for what a file's name had better not hold."""
    return folder / (re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.") + ".jsonl.gz")


def read_record(path: Path) -> Record:
    """Read a record. ModelError if there is none, or if it is damaged."""
    try:
        first, *lines = gzip.decompress(path.read_bytes()).splitlines()
        head, replies = json.loads(first), {reply.key: reply for reply in map(Reply.from_json, lines)}
        return Record(head["model"], head["window"], replies)
    except FileNotFoundError:
        models = ", ".join(sorted(file.name.removesuffix(".jsonl.gz") for file in path.parent.glob("*.jsonl.gz")))
        raise ModelError(
            f"No replies are on record in {path.name}; on record are {models or 'none'}. Change LESSONS_RECORDED."
        ) from None
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"The record {path.name} is damaged ({type(error).__name__}); restore the file or delete it."
        ) from error


def write_record(path: Path, record: Record) -> None:
    """Write the file of a model."""
    lines = [json.dumps({"model": record.model, "window": record.window}, ensure_ascii=False)]
    lines += [record.replies[key].to_json() for key in sorted(record.replies)]
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    replace_file(path, packed.getvalue())


def replace_file(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader meanwhile, or after a crash or on a full disk, sees the old one."""
    fresh = path.with_name(f"{path.name}.new")
    try:
        with fresh.open("wb") as written:
            written.write(content)
            os.fsync(written.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


class Journal:
    """The replies that are not in the file of a model yet; several processes may append to it."""

    def __init__(self, record: Path) -> None:
        self.path = record.with_name(record.name.replace(".jsonl.gz", ".journal"))

    def append(self, reply: Reply) -> None:
        """Write a reply to disk. A line begins with a break, so that one which was cut short spoils no other."""
        with self.path.open("ab", buffering=0) as file:
            file.write(f"\n{reply.to_json()}\n".encode())
            os.fsync(file.fileno())

    def replies(self) -> dict[str, Reply]:
        """Return the replies that are whole, by their keys."""
        replies: dict[str, Reply] = {}
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        for line in filter(None, lines):
            with suppress(ValueError, TypeError, KeyError):
                reply = Reply.from_json(line)
                replies.setdefault(reply.key, reply)
        return replies


def recorded_so_far(path: Path) -> dict[str, Reply]:
    """Return the replies in the file of a model, if there is one, and in its journal."""
    return (read_record(path).replies if path.exists() else {}) | Journal(path).replies()


@contextmanager
def recording_to(path: Path, model: str, window: int) -> Iterator[None]:
    """Record a model inside the block. ModelError if another process does, or if its window was another one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"))
    if not lock.acquire(timeout=0):
        raise ModelError(f"Another process records {model}; wait until it ends.")
    try:
        previous = read_record(path) if path.exists() else Record(model, window, {})
        changed = ""
        if previous.window != window:
            changed = f"a window of {previous.window:,} tokens (now {window:,})"
        if previous.model.lower() != model.lower():
            changed = f"the model {previous.model} (now {model})"
        if changed:
            raise ModelError(f"{path.name} was recorded with {changed}; set it so again, or move the file away.")
        _fold(path, model, window)
        try:
            yield
        finally:
            _fold(path, model, window)
    finally:
        lock.release()


def _fold(path: Path, model: str, window: int) -> None:
    """Move the journal's replies into the file; killed in between, they are in both and count once."""
    written: dict[str, Reply] | None = None
    while (so_far := recorded_so_far(path)) != written:  # others may append while the file is packed
        write_record(path, Record(model, window, so_far))
        written = so_far
    Journal(path).path.unlink(missing_ok=True)
