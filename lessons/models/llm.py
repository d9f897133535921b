"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol."""

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, ChatMessage

from lessons.models.keyless import OfflineLLM
from lessons.settings import Settings, settings


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """The keyless model without a key and without a base URL, otherwise `LESSONS_LLM_MODEL` at that server."""
    keyless = OfflineLLM(embedding=embedding)
    if not settings.openai_api_key and not settings.openai_base_url:
        return keyless
    from lessons.models.served import ServedLLM  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless)


def for_one_answer(llm: LLM) -> LLM:
    """The model for all steps of one answer, which has an end: the keyless model does what is left after that.

    It also does the rest when the server cannot be reached for one step: each would wait as long for it as the first.
    """
    return llm.for_one_answer(settings().answer_seconds) if hasattr(llm, "for_one_answer") else llm


def name_of(llm: LLM) -> str:
    """The model's name, without asking its server for anything."""
    return getattr(llm, "model", None) or llm.metadata.model_name


def describe(llm: LLM) -> str:
    """Which model answers, in words: 'gpt-4o-mini at api.openai.com'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    from lessons.models.server import host

    return f"{name_of(llm)} at {host(getattr(llm, 'api_base', None))}"


def probe(llm: LLM) -> None:
    """Ask the model for a word; ModelError says what to do when it cannot answer. The keyless model always can."""
    if isinstance(llm, OfflineLLM):
        return
    from lessons.models.server import explain

    try:
        llm.chat([ChatMessage("Answer with the word: ready")])
    except Exception as error:
        raise explain(error, name_of(llm), getattr(llm, "api_base", None)) from error
