"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol."""

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, ChatMessage

from lessons.models.offline.llm import OfflineLLM
from lessons.settings import Settings


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """The keyless model without a key and without a base URL, otherwise `LESSONS_LLM_MODEL` at that server."""
    keyless = OfflineLLM(embedding=embedding)
    if not settings.openai_api_key and not settings.openai_base_url:
        return keyless
    from lessons.models.served import ServedLLM  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless)


def for_one_answer(llm: LLM) -> LLM:
    """The model for all steps of one answer: when it cannot be reached for one, the keyless model does the others.

    Each of them would wait as long for it as the first.
    """
    return llm if isinstance(llm, OfflineLLM) else llm.model_copy(update={"given_up": []})


def describe(llm: LLM) -> str:
    """Which model answers, in words: 'gpt-4o-mini at api.openai.com'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    from lessons.models.server import host

    return f"{llm.metadata.model_name} at {host(getattr(llm, 'api_base', None))}"


def probe(llm: LLM) -> None:
    """Ask the model for a word; ModelError says what to do when it cannot answer. The keyless model always can."""
    if isinstance(llm, OfflineLLM):
        return
    from lessons.models.server import explain

    try:
        llm.chat([ChatMessage("Answer with the word: ready")])
    except Exception as error:
        raise explain(error, llm.metadata.model_name, getattr(llm, "api_base", None)) from error
