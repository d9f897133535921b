"""What the embedding model itself is asked for, beside the vectors that are kept or shipped."""

import pytest

from lessons.models.embedding_cache import CachedEmbedding


def told_embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model embeds from now on."""
    embedded: list[str] = []
    ask = CachedEmbedding._embed

    def told(self: CachedEmbedding, texts: list[str], query: bool) -> list[list[float]]:
        embedded.extend(texts)
        return ask(self, texts, query)

    monkeypatch.setattr(CachedEmbedding, "_embed", told)
    return embedded
