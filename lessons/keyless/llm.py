"""The keyless model: a LlamaIndex LLM that extracts and never invents, with no key, no server and no weights."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.generic_utils import messages_to_prompt
from llama_index.core.base.llms.types import ChatResponseGen, CompletionResponseGen, ToolCallBlock
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, LLMMetadata, MessageRole
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.tools import BaseTool
from llama_index.core.types import TokenGen

from lessons.keyless import agent, answer, condense, conversation, enrich, intent, queries, relevance, run, task
from lessons.settings import settings

ABOUT = (
    "This is the keyless model: it extracts answers from the documents in its prompt and does not write freely. "
    "Set OPENAI_API_KEY or OPENAI_BASE_URL to use a generative model."
)
_CONTEXT = re.compile(r"^\[Retrieved Context\]\n", re.MULTILINE)
_MEMORY = "\n\n[Conversation Memory]\n"
_FORMAT = "\n\n[Response Format]\n"
_RULE = "\n\n[Citations]\n"
_PIECE = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


class OfflineLLM(CustomLLM, FunctionCallingLLM):
    """Does the task named in `prompt.metadata["task"]`; with an embedding model it also answers across languages."""

    model: str = "keyless-extractive"
    embedding: BaseEmbedding | None = None

    @cached_property
    def classifier(self) -> intent.Classifier:
        """Tells intents apart; fitted to the labelled examples, so that it takes an embedding model."""
        return intent.Classifier(cast(BaseEmbedding, self.embedding), intent.utterances())

    @cached_property
    def openness(self) -> intent.Classifier:
        """Tells open questions from others."""
        return intent.Classifier(cast(BaseEmbedding, self.embedding), intent.open_questions(), intent.OPEN)

    @classmethod
    def class_name(cls) -> str:
        return "OfflineLLM"

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=settings().context_window,
            num_output=settings().max_output_tokens,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name=self.model,
        )

    def predict(self, prompt: BasePromptTemplate, **prompt_args: Any) -> str:
        """Do the prompt's task. A prompt without a task is read as plain text; ModelError for an unknown task."""
        if name := prompt.metadata.get("task"):
            return str(run(name, self, {**prompt.kwargs, **prompt_args}))
        return self.chat(prompt.format_messages(**prompt_args)).message.content or ""

    def stream(self, prompt: BasePromptTemplate, **prompt_args: Any) -> TokenGen:
        """Stream the same answer, word by word."""
        yield from _PIECE.findall(self.predict(prompt, **prompt_args))

    def structured_predict(
        self, output_cls: Any, prompt: BasePromptTemplate, llm_kwargs: dict[str, Any] | None = None, **prompt_args: Any
    ) -> Any:
        """Do the prompt's task and validate what it gives as `output_cls`."""
        result = run(prompt.metadata.get("task", "?"), self, {**prompt.kwargs, **prompt_args})
        return output_cls.model_validate(result, from_attributes=True)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answer a prompt in our own layout given as one text; say what this model is for any other text."""
        return CompletionResponse(text=self._reply(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        text = self.complete(prompt).text
        yield CompletionResponse(text=text, delta=text)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer the last user message when the system message carries `[Retrieved Context]`; with tools, call them."""
        if kwargs.get("tools"):
            calls = run("tool_calls", self, {"messages": messages})
            return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, blocks=calls))
        reply = self._reply(messages_to_prompt(messages))
        return ChatResponse(message=ChatMessage(reply, role=MessageRole.ASSISTANT))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        response = self.chat(messages, **kwargs)
        yield ChatResponse(message=response.message, delta=response.message.content or "")

    def get_tool_calls_from_response(self, response: ChatResponse, *_: Any, **kwargs: Any) -> list[ToolSelection]:
        """List the calls of a response."""
        return [
            ToolSelection(tool_id=block.tool_call_id or "", tool_name=block.tool_name, tool_kwargs=block.tool_kwargs)
            for block in response.message.blocks
            if isinstance(block, ToolCallBlock)
        ]

    def _prepare_chat_with_tools(
        self, tools: Sequence[BaseTool], user_msg: Any = None, chat_history: Any = None, *_: Any, **kwargs: Any
    ) -> dict[str, Any]:
        new = [ChatMessage(user_msg) if isinstance(user_msg, str) else user_msg] if user_msg else []
        return {"messages": [*(chat_history or []), *new], "tools": [tool.metadata.name for tool in tools]}

    def _reply(self, prompt: str) -> str:
        """Answer from the sections of a prompt written as one text; say what this model is if it has none."""
        system, _, question = prompt.rpartition("\nuser: ")
        question = question.removesuffix("assistant: ").removesuffix("assistant:").partition(_RULE)[0].strip()
        section = _CONTEXT.search(system)
        if section is None or not question:
            return ABOUT
        body = system[section.end() :]
        context, _, memory = (body.rpartition(_FORMAT)[0] or body).partition(_MEMORY)
        return str(run("answer", self, {"question": question, "context": context, "memory": memory}))
