"""The context manager: each part of what a model is sent has its share, and what matters most is served first."""

import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from lessons.budget import Budget
from lessons.context.wrapper import Wrapper, follow
from lessons.memory.types import split_memory
from lessons.models.tokens import ExactTokenCounter, TokenCounter
from lessons.plan import Message, Part, Plan, line
from lessons.rag.context import ContextBuilder
from lessons.rag.pipeline import AnswerStream
from lessons.rag.types import Builder, Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class TokenManager(Budget):
    """`window` tokens in exact counts, of which `reserved` are kept for the instructions to the model."""

    setting: ClassVar[str] = "LESSONS_MANAGED_TOKENS"
    window: int = field(default_factory=lambda: settings().managed_tokens)
    reserved: int | None = field(default_factory=lambda: settings().managed_prompt_tokens)
    counter: TokenCounter = field(
        default_factory=lambda: ExactTokenCounter(settings().counted_model), repr=False, compare=False
    )


@dataclass(frozen=True)
class Shares:
    """The most that each part may take, in exact tokens, in the order in which they are served."""

    question: int = field(default_factory=lambda: settings().share_question)
    documents: int = field(default_factory=lambda: settings().share_documents)
    history: int = field(default_factory=lambda: settings().share_history)
    profile: int = field(default_factory=lambda: settings().share_profile)
    long_term: int = field(default_factory=lambda: settings().share_long_term)


@dataclass(frozen=True)
class ContextManager:
    """Divides the tokens that there are. `top` documents are taken, of each the first `chars` characters."""

    tokens: TokenManager = field(default_factory=TokenManager)
    shares: Shares = field(default_factory=Shares)
    top: int = field(default_factory=lambda: settings().managed_documents)
    chars: int = field(default_factory=lambda: settings().managed_document_chars)

    def fit(
        self,
        question: str,
        documents: Sequence[str] = (),
        history: Sequence[Message] = (),
        profile: str = "",
        long_term: str = "",
    ) -> Plan:
        """What fits. Documents come best first, the history oldest first. LessonsError if the question does not fit.

        The question may be longer than its share, at the cost of all others.
        """
        most = self.shares
        parts = (
            Part("question", [question], most.question, "all"),
            Part("documents", [text[: self.chars] for text in documents[: self.top]], most.documents, "beginning"),
            Part("history", history, most.history, "last", line, joint="\n"),
            Part("profile", [profile], most.profile, "beginning"),
            Part("long-term", [long_term], most.long_term, "beginning"),
        )
        return self.tokens.plan(parts).with_original_size("documents", sum(map(self.tokens.counter.count, documents)))

    def compress(
        self, query: Query, documents: Sequence[RetrievedDocument], builder: Builder, resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        """The plainest compression of a stage: the first documents, and of each its beginning."""
        cut = [document.shortened(document.content[: self.chars]) for document in documents[: self.top]]
        return list(builder.build(cut).documents)


@dataclass(frozen=True)
class Managed(Wrapper):
    """Gives history, memory and documents their shares; `output` of the step 'manage' says what was sent of each.

    What the documents may take is kept for them, whatever was said before. Those that do not fit are cut to their
    beginnings, unless the stage has a compressor of its own.
    """

    manager: ContextManager = field(default_factory=ContextManager)

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        manager, counter = self.manager, self.manager.tokens.counter
        earlier = tuple(scope.get("history", ())), *split_memory(scope.get("memory", ""))
        with stream.answer.trace.step("manage", question) as step:
            room = min(manager.shares.documents, manager.fit(question).buffer)
            others = replace(manager.tokens, window=manager.tokens.window - room)
            step.output = said = replace(manager, tokens=others).fit(question, (), *earlier)
            if (asked := said["question"].tokens) > (share := manager.shares.question):
                step.notes.append(f"the question takes {asked:,} tokens, more than its share of {share:,}")
        memory = "\n".join(filter(None, (said["profile"].text, said["long-term"].text)))
        context = ContextBuilder(room, counter)
        narrow = self.on_stage(lambda one: one.but(one.name, context=context, compressor=one.compressor or manager))
        scope |= {"history": said["history"].items, "memory": memory}
        yield from follow(stream, narrow.inner.stream(question, **scope))
        sent = stream.answer.context.text
        found = ContextBuilder(sys.maxsize, counter).build(retrieved_documents(stream.answer.trace))
        whole = replace(manager, top=1, chars=len(sent)).fit(question, [sent])["documents"]
        pieces = tuple(whole if piece.name == "documents" else piece for piece in said.pieces)
        step.output = Plan(pieces, said.room + room).with_original_size("documents", found.total_tokens)


def retrieved_documents(trace: Trace) -> list[RetrievedDocument]:
    """The documents of a trace before any of them was shortened or left out for want of room."""
    return next((step.input for step in trace if step.name in ("compress", "context")), [])
