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
from lessons.models.keyless_embedding import ThreadedEmbedding
from lessons.models.recorded import NotRecordedError, Record, prompt_label, read_record, record_path
from lessons.models.replay import PROMPT_HEADER, RecordingClient, ReplayingClient
from lessons.models.replies import (
    NoObjectError,
    Schema,
    finish_reason,
    has_reasoning_field,
    parse_object,
    strip_reasoning,
)
from lessons.models.served_call import Deadline, ServerCapabilities
from lessons.models.server import BoundedClient, credentials, explain, is_refused, query_window
from lessons.settings import Settings
from lessons.text import normalize

logger = logging.getLogger(__name__)


class ServedLLM(OpenAILike):
    """`LESSONS_LLM_MODEL` behind a server, or its `record`, and the keyless model that stands in when it fails."""

    keyless: OfflineLLM
    capabilities: ServerCapabilities = Field(default_factory=ServerCapabilities, exclude=True)
    deadline: Deadline | None = Field(None, exclude=True)  # of one answer; None asks again every time
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

    @property
    def metadata(self) -> LLMMetadata:
        """LlamaIndex's description of the model, with the window that the server says it has."""
        if self.asks_window and self.capabilities.window is None:
            self.capabilities.window = query_window(
                str(self.api_base), str(self.api_key), self.model, self.context_window
            )
        return super().metadata.model_copy(update={"context_window": self.capabilities.window or self.context_window})

    def for_prompt(self, prompt: BasePromptTemplate, form: Any = None) -> "ServedLLM":
        """Return the model with the prompt's bound on its reply, unless it reasons before it replies.

        While it is recorded, the prompt is noted, too.
        """
        changes, tokens = dict[str, Any](), prompt.metadata.get("max_tokens")
        if tokens is not None and not self.capabilities.reasons:
            changes["max_tokens"] = min(tokens, self.max_tokens or tokens)
        if self.recording:
            label = {"extra_headers": {PROMPT_HEADER: prompt_label(prompt, form)}}
            changes["additional_kwargs"] = self.additional_kwargs | label
        return self.model_copy(update=changes) if changes else self

    def for_one_answer(self, seconds: float) -> "ServedLLM":
        """Return the model with a deadline in so many seconds; it is not asked any more once it cannot be reached."""
        until = inf if self.recording else monotonic() + seconds  # nobody waits for an answer that is recorded
        return self.model_copy(update={"deadline": Deadline(until=until)})

    def structured_predict(
        self,
        output_cls: type[Schema],
        prompt: PromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        responses: list[ChatResponse] | None = None,
        **variables: Any,
    ) -> Schema:
        """Return an object of the class, asked for by JSON schema where the server knows that, else by a tool call.

        A small model made to call a tool writes blanks up to its limit. Every reply is added to `responses`, also a
        useless one. NoObjectError, ValidationError or ModelError if the last one cannot be used.
        """
        messages = prompt.format_messages(llm=self, **variables)
        methods = [name for name in METHODS if name not in self.capabilities.failed_methods] or list(METHODS)
        failures: dict[str, Exception] = {}
        for name in methods:
            try:
                response = self.chat(messages, **METHODS[name](output_cls))
                if responses is not None:
                    responses.append(response)
                if finish_reason(response) == "length":
                    raise ModelError("its output was cut off")
                result = parse_object(output_cls, response)
            except Exception as error:
                if not is_refused(error) and not isinstance(error, NoObjectError | NotRecordedError):
                    raise
                failures[name] = error
            else:
                self.capabilities.failed_methods |= {
                    name for name, error in failures.items() if not isinstance(error, NotRecordedError)
                }
                return result
        raise failures[methods[0]]

    def _chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        reply = super()._chat(messages, **kwargs)
        text = reply.message.content or ""
        self.capabilities.reasons |= has_reasoning_field(reply) or text != strip_reasoning(text)
        self._check_length(len(text))
        for block in reply.message.blocks:
            if isinstance(block, TextBlock):
                block.text = normalize(block.text)
        return reply

    def _stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        length = 0
        for reply in super()._stream_chat(messages, **kwargs):
            reply.delta = normalize(reply.delta or "")
            length += len(reply.delta)
            self._check_length(length)
            yield reply

    def _check_length(self, length: int) -> None:
        if length > self.reply_chars:
            raise ModelError(
                f"its reply was longer than {self.reply_chars:,} characters; LESSONS_REPLY_CHARS allows more"
            )

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return await asyncio.to_thread(self._chat, messages, **kwargs)

    async def _astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """Stream piece by piece in a thread, so that the bounds of the synchronous client hold."""

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


METHODS: dict[str, Callable[[type[BaseModel]], dict[str, Any]]] = {"JSON schema": _by_schema, "tool call": _by_tool}
"""Options of a request for an object, the best first."""


def replayed(settings: Settings, keyless: OfflineLLM) -> LLM:
    """Return the model of `LESSONS_RECORDED`, answered by its record, or with a warning the keyless one."""
    try:
        record = read_record(record_path(settings.recorded or "", settings.recorded_dir))
    except ModelError as error:
        logger.warning("%s Until then the keyless model answers.", error)
        return keyless
    changes = {"llm_model": record.model, "context_window": record.window, "recording": False}
    return ServedLLM(settings.model_copy(update=changes), keyless, record)


def probe(llm: ServedLLM) -> None:
    """Ask the model for a word; ModelError says what to do when it cannot answer."""
    try:
        llm.chat([ChatMessage("Answer with the word: ready")])
    except Exception as error:
        raise explain(error, llm.model, llm.api_base) from error


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
