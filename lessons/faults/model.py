"""A workspace whose language model is broken for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

from lessons.faults.model_server import Fault, FaultyServer, faulty_server
from lessons.models.llm import language_model
from lessons.workspace import Workspace

SHORT = {"request_timeout": 1.0, "max_retries": 1}
"""Nobody wants to wait a minute for a model that hangs on purpose. Seconds."""


@contextmanager
def broken_model(place: Workspace, fault: Fault, command: str = "") -> Iterator[FaultyServer]:
    """While the block runs, a server with this fault answers instead of the workspace's model.

    `command` is a sentence that the model says whenever a prompt holds it, as one does that obeys a document.
    """
    with faulty_server(fault, command) as server:
        settings = place.settings.model_copy(update=SHORT | {"openai_base_url": server.url, "llm_model": "broken"})
        sound, place.llm = place.llm, language_model(settings, place.embedding)
        try:
            yield server
        finally:
            place.llm = sound
