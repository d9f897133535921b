"""One chunk before and after enhanced ETL: what the naive index has of the same words, and what is added to them."""

from collections import Counter
from collections.abc import Sequence

from llama_index.core.schema import BaseNode, MetadataMode

from lessons.ingest.split import HEADER, Chunk
from lessons.text import terms


def same_words(chunk: BaseNode, others: Sequence[BaseNode]) -> BaseNode | None:
    """The one of the other chunks that shares most words with this one, the shortest of equals; None without any."""
    wanted = Counter(terms(chunk.get_content(MetadataMode.NONE)))

    def shared(other: BaseNode) -> tuple[int, int]:
        text = other.get_content(MetadataMode.NONE)
        return (Counter(terms(text)) & wanted).total(), -len(text)

    best = max(others, key=shared, default=None)
    return best if best is not None and shared(best)[0] else None


def header(chunk: BaseNode) -> dict[str, str]:
    """What stands above the words of a chunk of the enhanced index when it is embedded, by name, in order."""
    found: dict[str, str] = {}
    for key in chunk.embedded if isinstance(chunk, Chunk) else HEADER:
        alone = Chunk(text="", metadata=chunk.metadata, embedded=(key,)).get_metadata_str(MetadataMode.EMBED)
        found |= {key: alone} if alone else {}
    return found
