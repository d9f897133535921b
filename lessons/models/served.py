"""Models behind a server that speaks OpenAI's protocol, with our client, whose retries are bounded."""

from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai_like import OpenAILike
from openai import AsyncOpenAI

from lessons.errors import ModelError
from lessons.models.offline.llm import OfflineLLM
from lessons.models.server import BoundedClient, credentials
from lessons.settings import Settings


class ServedLLM(OpenAILike):
    """`LESSONS_LLM_MODEL` behind a server, and the keyless model that stands in when it fails.

    Temperature 0. Retries are the client's, so that LlamaIndex's own stay off. `given_up` holds why it is no longer
    asked; None for a model that is asked again every time.
    """

    keyless: OfflineLLM
    given_up: list[ModelError] | None = None

    def __init__(self, settings: Settings, keyless: OfflineLLM) -> None:
        access = credentials(settings)
        super().__init__(
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
            async_openai_client=AsyncOpenAI(
                **access, timeout=settings.request_timeout, max_retries=settings.max_retries
            ),
            keyless=keyless,
        )


class ServedEmbedding(OpenAIEmbedding):
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
