"""Models behind a server that speaks OpenAI's protocol, with our client, whose replies and retries are bounded."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from math import inf
from time import monotonic
from typing import Any

from llama_index.core.base.llms.types import ChatResponseAsyncGen, ChatResponseGen, LLMMetadata, TextBlock
from llama_index.core.llms import LLM, ChatMessage, ChatResponse
from llama_index.core.program.function_program import get_function_tool
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai_like import OpenAILike
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, Field

from lessons.errors import ModelError
from lessons.models.keyless import OfflineLLM
from lessons.models.recorded import NotRecordedError, Record, prompt_label, read_record, record_path
from lessons.models.replay import PROMPT_HEADER, RecordingClient, ReplayingClient
from lessons.models.reply import NoObjectError, Schema, ending, instance
from lessons.models.server import BoundedClient, asked_window, credentials, is_refused
from lessons.models.thoughts import has_thoughts, learn, leaves_unopened
from lessons.models.vectors import ThreadedEmbedding
from lessons.settings import Settings
from lessons.text import normalize

logger = logging.getLogger(__name__)


class Learned(BaseModel):
    """What the answers of a server have taught us about it, for all copies of its model."""

    window: int | None = None
    useless: set[str] = Field(default_factory=set)  # ways to ask for an object, where another one worked
    thinks: bool = False  # before it answers, so that a small limit would end its reply before it begins


class Patience(BaseModel):
    """How long the model is still asked for one answer: until then, its second time-out, or that it is out of reach."""

    until: float
    timeouts: int = 0
    given_up: ModelError | None = None

    model_config = {"arbitrary_types_allowed": True}


class ServedLLM(OpenAILike):
    """`LESSONS_LLM_MODEL` behind a server, or its `record`, and the keyless model that stands in when it fails."""

    keyless: OfflineLLM
    learned: Learned = Field(default_factory=Learned, exclude=True)
    patience: Patience | None = Field(None, exclude=True)  # of one answer; None asks again every time
    asks_window: bool = True
    recorded: str = ""  # when, if a record answers
    recording: bool = False
    reply_chars: int

    def __init__(self, settings: Settings, keyless: OfflineLLM, record: Record | None = None) -> None:
        access = credentials(settings)
        client = RecordingClient if settings.recording else BoundedClient
        super().__init__(
            model=settings.llm_model,
            api_key=access["api_key"],
            api_base=access["base_url"],
            is_chat_model=True,
            is_function_calling_model=True,
            should_use_structured_outputs=True,
            context_window=settings.context_window,
            asks_window="context_window" not in settings.model_fields_set,
            max_tokens=settings.max_output_tokens,
            temperature=0.0,
            timeout=settings.request_timeout,
            max_retries=0,
            additional_kwargs={"stream_options": {"include_usage": True}},
            openai_client=ReplayingClient(record) if record else client(settings),
            keyless=keyless,
            recorded=record.dates if record else "",
            recording=settings.recording,
            reply_chars=settings.reply_chars,
        )
        if record:
            texts = (reply.text for reply in record.replies.values())
            learn(self, next(filter(leaves_unopened, texts), "A reply without thoughts."))

    @property
    def metadata(self) -> LLMMetadata:
        """LlamaIndex's description of the model, with the window that the server says it has."""
        if self.asks_window and self.learned.window is None:
            self.learned.window = asked_window(str(self.api_base), str(self.api_key), self.model, self.context_window)
        return super().metadata.model_copy(update={"context_window": self.learned.window or self.context_window})

    def limited(self, tokens: int | None) -> "ServedLLM":
        """The same model with at most this many tokens for a reply, unless it thinks before it replies."""
        if tokens is None or self.learned.thinks:
            return self
        return self.model_copy(update={"max_tokens": min(tokens, self.max_tokens or tokens)})

    def for_prompt(self, prompt: BasePromptTemplate, form: Any = None) -> "ServedLLM":
        """The same model with the prompt's bound on its reply; while it is recorded, the prompt is noted with that."""
        model = self.limited(prompt.metadata.get("max_tokens"))
        if not self.recording:
            return model
        noted = {"extra_headers": {PROMPT_HEADER: prompt_label(prompt, form)}}
        return model.model_copy(update={"additional_kwargs": self.additional_kwargs | noted})

    def for_one_answer(self, seconds: float) -> "ServedLLM":
        """The same model, asked for so many seconds, and no longer once it cannot be reached."""
        until = inf if self.recording else monotonic() + seconds  # nobody waits for an answer that is recorded
        return self.model_copy(update={"patience": Patience(until=until)})

    def structured_predict(
        self, output_cls: type[Schema], prompt: PromptTemplate, llm_kwargs: dict[str, Any] | None = None, **asked: Any
    ) -> Schema:
        """An object of the class: by JSON schema where the server knows that, else by a tool call.

        A small model made to call a tool writes blanks up to its limit. NoObjectError, ValidationError or ModelError if
        the reply cannot be used.
        """
        messages = prompt.format_messages(llm=self, **asked)
        ways = [way for way in WAYS if way not in self.learned.useless] or list(WAYS)
        failures: dict[str, Exception] = {}
        for way in ways:
            try:
                reply = self.chat(messages, **WAYS[way](output_cls))
                if ending(reply) == "length":
                    raise ModelError("its output was cut off")
                found = instance(output_cls, reply)
            except Exception as error:
                if not is_refused(error) and not isinstance(error, NoObjectError | NotRecordedError):
                    raise
                failures[way] = error
            else:
                self.learned.useless |= {way for way, why in failures.items() if not isinstance(why, NotRecordedError)}
                return found
        raise failures[ways[0]]

    def _chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        reply = super()._chat(messages, **kwargs)
        self.learned.thinks |= has_thoughts(reply)
        self._bound(len(reply.message.content or ""))
        for block in reply.message.blocks:
            if isinstance(block, TextBlock):
                block.text = normalize(block.text)
        return reply

    def _stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        length = 0
        for reply in super()._stream_chat(messages, **kwargs):
            reply.delta = normalize(reply.delta or "")
            length += len(reply.delta)
            self._bound(length)
            yield reply

    def _bound(self, length: int) -> None:
        if length > self.reply_chars:
            most = self.reply_chars
            raise ModelError(f"its reply was longer than {most:,} characters; LESSONS_REPLY_CHARS allows more")

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return await asyncio.to_thread(self._chat, messages, **kwargs)

    async def _astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """With the bounds of the client that does not await, piece by piece in a thread."""

        async def replies() -> ChatResponseAsyncGen:
            stream = self._stream_chat(messages, **kwargs)
            while reply := await asyncio.to_thread(next, stream, None):
                yield reply

        return replies()


def _by_schema(output_cls: type[BaseModel]) -> dict[str, Any]:
    schema = _without_defaults(to_strict_json_schema(output_cls))
    form = {"name": output_cls.__name__, "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _by_tool(output_cls: type[BaseModel]) -> dict[str, Any]:
    tool = get_function_tool(output_cls).metadata.to_openai_tool()
    return {"tools": [tool], "tool_choice": "required"}


def _without_defaults(schema: Any) -> Any:
    """OpenAI takes no defaults in a strict schema, in which every field is required anyway."""
    if isinstance(schema, dict):
        return {key: _without_defaults(part) for key, part in schema.items() if key != "default"}
    return [_without_defaults(part) for part in schema] if isinstance(schema, list) else schema


WAYS: dict[str, Callable[[type[BaseModel]], dict[str, Any]]] = {"JSON schema": _by_schema, "tool call": _by_tool}
"""How a server is asked for an object, the best way first."""


def replayed(settings: Settings, keyless: OfflineLLM) -> LLM:
    """The model of `LESSONS_RECORDED`, answered by its record. If it cannot be read: a warning and the keyless one."""
    try:
        record = read_record(record_path(settings.recorded or "", settings.recorded_dir))
    except ModelError as error:
        logger.warning("%s Until then the keyless model answers.", error)
        return keyless
    served = {"llm_model": record.served.model, "context_window": record.served.window, "recording": False}
    return ServedLLM(settings.model_copy(update=served), keyless, record)


class ServedEmbedding(ThreadedEmbedding, OpenAIEmbedding):
    """A named embedding model behind a server."""

    def __init__(self, name: str, settings: Settings) -> None:
        access = credentials(settings)
        super().__init__(
            model_name=name,
            api_key=access["api_key"],
            api_base=access["base_url"],
            embed_batch_size=settings.embedding_batch_size,
            dimensions=settings.embedding_dimension,
            timeout=settings.request_timeout,
            max_retries=0,
        )
        self._client = BoundedClient(settings)
