"""Loaded by every Python process with this folder in its path: no connection leaves the machine, each try is told.

A try is told even if whoever made it keeps quiet about the failure, as telemetry does. If it is wanted, what is
embedded besides the shipped corpus is told as well, and what is asked of a record, and an evaluation asks nothing
twice (`tests/support/answered.py`).
"""

import json
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

NEAR = ("127.", "::1", "localhost", "0.0.0.0", "/")


def refuse(event: str, details: tuple[Any, ...]) -> None:
    """The name of a host or an address of (host, port) has to be this machine; other kinds of sockets stay in it."""
    if event == "socket.getaddrinfo":
        host = details[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(details[1], tuple):
        host = details[1][0]
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not name.startswith(NEAR):
        with open(os.environ["LESSONS_TEST_TRIES"], "a", encoding="utf-8") as tries:
            tries.write(f"{os.path.basename(sys.argv[0] or 'python')}: {event} {name}\n")
        raise OSError(f"no network: {name}")


class Changed:
    """Finds a module of the package, and changes it once it is loaded."""

    def __init__(self, module: str, change: Callable[[ModuleType], None]) -> None:
        self.module, self.change = module, change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            self.change(module)

        spec.loader.exec_module = executed
        return spec


def write_down(module: ModuleType) -> None:
    """Let the cache of embeddings write down what it is asked for, once a process."""
    cached, clean, seen = module.CachedEmbedding, module.normalize, set[tuple[str, str]]()
    question, passages = cached._get_query_embedding, cached._get_text_embeddings

    def told(self: Any, role: str, texts: list[str]) -> None:
        corpus = module.read_vectors(self.model_name)
        for text in map(clean, texts):
            if (role, text) not in seen and module.key(role, text) not in corpus:
                seen.add((role, text))
                shipped = module.key(role, text) in module.read_vectors(self.model_name, module.QUESTIONS)
                line = json.dumps({"model": self.model_name, "role": role, "text": text, "shipped": shipped})
                with open(os.environ["LESSONS_TEST_EMBEDDED"], "a", encoding="utf-8") as file:
                    file.write(line + "\n")

    def ask_question(self: Any, query: str) -> list[float]:
        told(self, "query", [query])
        return question(self, query)

    def ask_passages(self: Any, texts: list[str]) -> list[list[float]]:
        told(self, "passage", texts)
        return passages(self, texts)

    cached._get_query_embedding, cached._get_text_embeddings = ask_question, ask_passages


def count_replayed(module: ModuleType) -> None:
    """Let the client of a record write down whether it found what it was asked for."""
    request = module.ReplayingClient.request

    def told(self: Any, cast_to: Any, options: Any, **how: Any) -> Any:
        found = module.request_key(options.json_data) in self._replies
        with open(os.environ["LESSONS_TEST_REPLAYED"], "a", encoding="utf-8") as file:
            file.write("found\n" if found else "missing\n")
        return request(self, cast_to, options, **how)

    module.ReplayingClient.request = told


def answer_once(module: ModuleType) -> None:
    from tests.support import answered

    answered.answer_once(module)


sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # whose grammar takes JSON Schema a second to compile
if "LESSONS_TEST_TRIES" in os.environ:
    sys.addaudithook(refuse)
if "LESSONS_TEST_EMBEDDED" in os.environ:
    sys.meta_path.insert(0, Changed("lessons.models.embedding_cache", write_down))
if "LESSONS_TEST_REPLAYED" in os.environ:
    sys.meta_path.insert(0, Changed("lessons.models.replay", count_replayed))
if os.environ.get("LESSONS_TEST_ANSWERED"):
    sys.meta_path.insert(0, Changed("lessons.evaluate.run", answer_once))
