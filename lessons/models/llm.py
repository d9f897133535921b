"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol."""

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM

from lessons.models.keyless import OfflineLLM
from lessons.settings import Settings, settings


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """`LESSONS_LLM_MODEL` at its server; without a key and a base URL the replies on record, or the keyless model."""
    keyless = OfflineLLM(embedding=embedding)
    if not (served := settings.openai_api_key or settings.openai_base_url) and not settings.recorded:
        return keyless
    from lessons.models.served import ServedLLM, replayed  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless) if served else replayed(settings, keyless)


def for_one_answer(llm: LLM) -> LLM:
    """The model for all steps of one answer, which has an end: the keyless model does what is left after that.

    It also does the rest when the server cannot be reached for one step: each would wait as long for it as the first.
    """
    return llm.for_one_answer(settings().answer_seconds) if hasattr(llm, "for_one_answer") else llm


def name_of(llm: LLM) -> str:
    """The model's name, without asking its server for anything; of a model on record, it says so."""
    name: str = getattr(llm, "model", None) or llm.metadata.model_name
    return f"{name} (recorded)" if getattr(llm, "recorded", "") else name


def describe(llm: LLM) -> str:
    """Which model answers, in words: 'gpt-4o-mini at api.openai.com', 'qwen3:8b (recorded 2026-11-23)'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    if recorded := getattr(llm, "recorded", ""):
        return f"{getattr(llm, 'model', '')} (recorded {recorded})"
    from lessons.models.server import host

    return f"{name_of(llm)} at {host(getattr(llm, 'api_base', None))}"
