"""LlamaIndex's node postprocessors as rerankers, and among them a cross-encoder (row C8).

A cross-encoder reads question and document together, where an embedding reads them apart (Nogueira & Cho, 2019, arXiv
1901.04085). It needs PyTorch, so it comes only with `uv sync --extra rerank`, and downloads its weights on first use.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.postprocessor import SentenceTransformerRerank
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from lessons.errors import ModelError
from lessons.retrieve.rerank.prompt import SHOWN
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.trace import Step


@dataclass(frozen=True)
class Postprocessed:
    """The documents in the order and with the scores that a node postprocessor gives them.

    What it does to their text is not taken over, and neither is a node that it invents. `top_k` None takes the query's
    own.
    """

    postprocessor: BaseNodePostprocessor
    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        known = {document.id: document for document in documents}
        found = self.postprocessor.postprocess_nodes([_node(document) for document in documents], query_str=query.text)
        first: dict[str, NodeWithScore] = {}
        for node in found:
            first.setdefault(node.node_id, node)
        kept = [known[id_].with_score(node.get_score()) for id_, node in first.items() if id_ in known]
        return kept[: self.top_k or query.top_k]


def cross_encoder(model: str | None = None, top_k: int | None = None) -> Postprocessed:
    """A cross-encoder from the Hugging Face hub or a folder; ModelError if the extra is not installed."""
    chosen = settings()
    try:
        encoder = SentenceTransformerRerank(
            model=model or chosen.cross_encoder, top_n=top_k or chosen.rerank_top_k, trust_remote_code=False
        )
    except ImportError as error:
        raise ModelError("A cross-encoder needs PyTorch; install it with `uv sync --extra rerank`.") from error
    return Postprocessed(encoder, top_k or chosen.rerank_top_k)


def _node(document: RetrievedDocument) -> NodeWithScore:
    """Its text is compared under its title and headings; the other metadata is only there to be read."""
    hidden = [key for key in document.metadata if key not in SHOWN]
    node = TextNode(
        id_=document.id,
        text=document.content,
        metadata=document.metadata,
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=document.score)
