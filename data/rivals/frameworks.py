"""Hybrid search as other frameworks offer it: same chunks, same vectors, same PostgreSQL, as many candidates.

    python frameworks.py FOLDER DATABASE_URL

reads `chunks.jsonl` and `questions.jsonl` of the folder, which `compare.py` wrote, and writes `rankings.json` there.
The requirements are in `requirements.txt` beside this file; they do not go together with those of the workbook.
Each function below is what a reader would write: it stores the chunks and returns a search. No model is loaded:
vectors are looked up, so that what differs is the search. `said` is what a search by words is given of a text: the text
itself, as the framework comes, or its Korean words between spaces (`kiwi`). LangChain takes such a function. The others
take stemmers, stop words and patterns for languages that part words by spaces, so their texts are parted beforehand.
PostgreSQL, whose text search Haystack asks, knows no Korean; with Kiwi Haystack searches by BM25 in memory.
"""

import inspect
import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

CANDIDATES = 100  # of each leg
WANTED = 10

Search = Callable[[str], list[str]]


class Chunk(dict):
    """`id`, `text` and `vector` of a chunk."""


def kiwi(text: str) -> str:
    """The words of a text between spaces, as a Korean analyser parts them."""
    return " ".join(token.form.lower() for token in _analyser().tokenize(text))


@cache
def _analyser():
    from kiwipiepy import Kiwi

    return Kiwi()


def llama_index(chunks, vectors, url, said) -> Search:
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.retrievers.bm25 import BM25Retriever
    from llama_index.vector_stores.postgres import PGVectorStore

    class Known(BaseEmbedding):
        def _get_query_embedding(self, query):
            return vectors[query]

        _get_text_embedding = _get_query_embedding

        async def _aget_query_embedding(self, query):
            return vectors[query]

    class Words(BM25Retriever):
        def _retrieve(self, bundle):
            found = super()._retrieve(QueryBundle(said(bundle.query_str)))
            return [NodeWithScore(node=whole[each.node.node_id], score=each.score) for each in found]

    nodes = [TextNode(id_=chunk["id"], text=chunk["text"], embedding=chunk["vector"]) for chunk in chunks]
    whole = {node.node_id: node for node in nodes}
    parted = [TextNode(id_=chunk["id"], text=said(chunk["text"])) for chunk in chunks]
    address = url.replace("postgresql://", "postgresql+psycopg://")
    store = PGVectorStore(
        connection_string=address,
        async_connection_string=address,
        table_name=f"llama_{said.__name__}",
        embed_dim=len(nodes[0].embedding),
    )
    index = VectorStoreIndex(
        nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=Known()
    )
    retriever = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=CANDIDATES),
            Words.from_defaults(nodes=parted, similarity_top_k=CANDIDATES),
        ],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=WANTED,
        use_async=False,
    )
    return lambda question: [found.node.node_id for found in retriever.retrieve(question)]


def langchain(chunks, vectors, url, said) -> Search:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.embeddings import Embeddings
    from langchain_postgres import PGVector

    class Known(Embeddings):
        def embed_query(self, text):
            return vectors[text]

        def embed_documents(self, texts):
            return [vectors[text] for text in texts]

    texts, ids = [chunk["text"] for chunk in chunks], [chunk["id"] for chunk in chunks]
    address = url.replace("postgresql://", "postgresql+psycopg://")
    store = PGVector(Known(), connection=address, pre_delete_collection=True)
    store.add_embeddings(texts, [chunk["vector"] for chunk in chunks], [{"key": id_} for id_ in ids], ids)
    words = BM25Retriever.from_texts(
        texts, [{"key": id_} for id_ in ids], k=CANDIDATES, preprocess_func=lambda text: said(text).split()
    )
    retriever = EnsembleRetriever(
        retrievers=[words, store.as_retriever(search_kwargs={"k": CANDIDATES})], weights=[0.5, 0.5], id_key="key"
    )
    return lambda question: [found.metadata["key"] for found in retriever.invoke(question)[:WANTED]]


def langchain_words(chunks, vectors, url, said) -> Search:
    from langchain_community.retrievers import BM25Retriever

    texts, keys = [chunk["text"] for chunk in chunks], [{"key": chunk["id"]} for chunk in chunks]
    words = BM25Retriever.from_texts(texts, keys, k=WANTED, preprocess_func=lambda text: said(text).split())
    return lambda question: [found.metadata["key"] for found in words.invoke(question)]


def haystack(chunks, vectors, url, said) -> Search:
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.utils import Secret
    from haystack_integrations.components.retrievers.pgvector import (
        PgvectorEmbeddingRetriever,
        PgvectorKeywordRetriever,
    )
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(url), embedding_dimension=len(chunks[0]["vector"]), recreate_table=True
    )
    store.write_documents([Document(id=each["id"], content=each["text"], embedding=each["vector"]) for each in chunks])
    pipeline = Pipeline()
    pipeline.add_component("meaning", PgvectorEmbeddingRetriever(document_store=store, top_k=CANDIDATES))
    pipeline.add_component("words", PgvectorKeywordRetriever(document_store=store, top_k=CANDIDATES))
    pipeline.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=WANTED))
    pipeline.connect("meaning", "joined")
    pipeline.connect("words", "joined")

    def search(question):
        asked = {"meaning": {"query_embedding": vectors[question]}, "words": {"query": question}}
        return [found.id for found in pipeline.run(asked)["joined"]["documents"]]

    return search


def haystack_in_memory(chunks, vectors, url, said) -> Search:
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.utils import Secret
    from haystack_integrations.components.retrievers.pgvector import PgvectorEmbeddingRetriever
    from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(url), embedding_dimension=len(chunks[0]["vector"]), recreate_table=True
    )
    store.write_documents([Document(id=each["id"], content=each["text"], embedding=each["vector"]) for each in chunks])
    parted = InMemoryDocumentStore()
    parted.write_documents([Document(id=each["id"], content=said(each["text"])) for each in chunks])
    pipeline = Pipeline()
    pipeline.add_component("meaning", PgvectorEmbeddingRetriever(document_store=store, top_k=CANDIDATES))
    pipeline.add_component("words", InMemoryBM25Retriever(document_store=parted, top_k=CANDIDATES))
    pipeline.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=WANTED))
    pipeline.connect("meaning", "joined")
    pipeline.connect("words", "joined")

    def search(question):
        asked = {"meaning": {"query_embedding": vectors[question]}, "words": {"query": said(question)}}
        return [found.id for found in pipeline.run(asked)["joined"]["documents"]]

    return search


def txtai(chunks, vectors, url, said) -> Search:
    import numpy
    from txtai import Embeddings

    parted = {said(text): vector for text, vector in vectors.items()}

    def known(texts):
        return numpy.array([parted[text] for text in texts], dtype=numpy.float32)

    address = url.replace("postgresql://", "postgresql+psycopg://")
    table = {"url": address, "table": f"txtai_{said.__name__}"}
    store = Embeddings(method="external", transform=known, hybrid=True, backend="pgvector", pgvector=table)
    store.index([(chunk["id"], said(chunk["text"]), None) for chunk in chunks])
    return lambda question: [id_ for id_, _ in store.search(said(question), WANTED)]


FRAMEWORKS = {
    "LlamaIndex QueryFusionRetriever": (llama_index, str),
    "LlamaIndex QueryFusionRetriever, Kiwi": (llama_index, kiwi),
    "LangChain EnsembleRetriever": (langchain, str),
    "LangChain EnsembleRetriever, Kiwi": (langchain, kiwi),
    "LangChain BM25Retriever, words only": (langchain_words, str),
    "LangChain BM25Retriever, words only, Kiwi": (langchain_words, kiwi),
    "Haystack hybrid pipeline": (haystack, str),
    "Haystack hybrid pipeline in memory, Kiwi": (haystack_in_memory, kiwi),
    "txtai hybrid": (txtai, str),
    "txtai hybrid, Kiwi": (txtai, kiwi),
}


def lines(*functions) -> int:
    """Lines of code of a whole set-up, from its imports to its search, as they stand here."""
    return sum(1 for each in functions for line in inspect.getsource(each).splitlines() if line.strip())


def main() -> None:
    folder, url = Path(sys.argv[1]), sys.argv[2]
    chunks = [json.loads(line) for line in (folder / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    vectors = {each["text"]: each["vector"] for each in [*chunks, *questions]}
    found, needed = {}, {str: (), kiwi: (kiwi, _analyser)}
    for name, (build, said) in FRAMEWORKS.items():
        search = build(chunks, vectors, url, said)
        rankings = {question["id"]: search(question["text"]) for question in questions}
        found[name] = {"rankings": rankings, "lines": lines(build, *needed[said])}
        print(name, file=sys.stderr)
    (folder / "rankings.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
