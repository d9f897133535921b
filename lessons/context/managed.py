"""A stage whose prompt is divided by the context manager (row D5)."""

import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lessons.context.device import Device, follow
from lessons.context.manager import ContextManager
from lessons.rag.context import ContextBuilder
from lessons.rag.stages import AnswerStream, Stage
from lessons.rag.types import Builder, Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class Beginnings:
    """The plainest compression: the first documents, and of each its beginning."""

    top: int = field(default_factory=lambda: settings().managed_documents)
    chars: int = field(default_factory=lambda: settings().managed_document_chars)

    def compress(
        self, query: Query, documents: Sequence[RetrievedDocument], builder: Builder, resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        cut = [replace(document, content=document.content[: self.chars]) for document in documents[: self.top]]
        return list(builder.build(cut).documents)


@dataclass(frozen=True)
class Managed(Device):
    """Gives history, memory and documents their shares; `output` of the step 'manage' says what was sent of each.

    Documents that do not fit are cut to their beginnings, unless the stage has a compressor of its own.
    """

    manager: ContextManager = field(default_factory=ContextManager)

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        history = tuple(scope.get("history", ()))
        profile, long_term = parted(scope.get("memory", ""))
        with stream.answer.trace.step("manage", question) as step:
            step.output = said = self.manager.fit(question, (), history, profile, long_term)
        room = min(self.manager.shares.documents, self.manager.room(question))
        memory = "\n".join(filter(None, (said.profile, said.long_term)))
        within = self.on_stage(lambda stage: self._narrow(stage, room)).inner
        yield from follow(stream, within.stream(question, **scope | {"history": said.history, "memory": memory}))
        text = stream.answer.context.text
        whole = replace(self.manager, top=1, chars=len(text))
        found = ContextBuilder(sys.maxsize, self.manager.tokens.counter).build(found_documents(stream.answer.trace))
        sent = whole.fit(question, [text], history, profile, long_term)
        step.output = sent.out_of("documents", found.total_tokens)

    def _narrow(self, stage: Stage, room: int) -> Stage:
        builder = ContextBuilder(room, self.manager.tokens.counter)
        plain = Beginnings(self.manager.top, self.manager.chars)
        return stage.but(stage.name, context=builder, compressor=stage.compressor or plain)


def found_documents(trace: Trace) -> list[RetrievedDocument]:
    """The documents of a trace before any of them was shortened or left out for want of room."""
    return next((step.input for step in trace if step.name in ("compress", "context")), [])


def parted(memory: str) -> tuple[str, str]:
    """What is noted as facts, '- key: value' under its title, and the rest of what is known from before."""
    lines = memory.splitlines()
    facts = [number for number, line in enumerate(lines) if line.startswith("- ")]
    titles = [number - 1 for number in facts if number and number - 1 not in facts and lines[number - 1].endswith(":")]
    noted = {*facts, *titles}
    profile = [line for number, line in enumerate(lines) if number in noted]
    rest = [line for number, line in enumerate(lines) if number not in noted]
    return "\n".join(profile), "\n".join(rest)
