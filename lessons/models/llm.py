"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol."""

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, ChatMessage
from llama_index.llms.openai_like import OpenAILike
from openai import AsyncOpenAI

from lessons.models.offline import OfflineLLM
from lessons.models.server import BoundedClient, credentials, explain, host
from lessons.settings import Settings


class ServedLLM(OpenAILike):
    """A model behind a server, and the keyless one that stands in when it fails."""

    keyless: OfflineLLM


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """The keyless model without a key and without a base URL, otherwise `LESSONS_LLM_MODEL` at that server.

    Temperature 0. Retries are the client's, so that LlamaIndex's own stay off.
    """
    keyless = OfflineLLM(embedding=embedding)
    if not settings.openai_api_key and not settings.openai_base_url:
        return keyless
    access = credentials(settings)
    return ServedLLM(
        model=settings.llm_model,
        api_key=access["api_key"],
        api_base=access["base_url"],
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=settings.context_window,
        max_tokens=settings.max_output_tokens,
        temperature=0.0,
        timeout=settings.request_timeout,
        max_retries=0,
        additional_kwargs={"stream_options": {"include_usage": True}},
        openai_client=BoundedClient(settings),
        async_openai_client=AsyncOpenAI(**access, timeout=settings.request_timeout, max_retries=settings.max_retries),
        keyless=keyless,
    )


def describe(llm: LLM) -> str:
    """Which model answers, in words: 'gpt-4o-mini at api.openai.com'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    return f"{llm.metadata.model_name} at {host(getattr(llm, 'api_base', None))}"


def probe(llm: LLM) -> None:
    """Ask the model for a word; ModelError says what to do when it cannot answer. The keyless model always can."""
    if isinstance(llm, OfflineLLM):
        return
    try:
        llm.chat([ChatMessage("Answer with the word: ready")])
    except Exception as error:
        raise explain(error, llm.metadata.model_name, getattr(llm, "api_base", None)) from error
