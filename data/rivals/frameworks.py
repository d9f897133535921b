"""Hybrid search as other frameworks offer it: same chunks, same vectors, same PostgreSQL, as many candidates.

    python frameworks.py FOLDER DATABASE_URL

reads `chunks.jsonl` and `questions.jsonl` of the folder, which `compare.py` wrote, and writes `rankings.json` there.
The requirements are in `requirements.txt` beside this file; they do not go together with those of the workbook.
Each function below is what a reader would write: it stores the chunks and returns a search. No model is loaded:
vectors are looked up, so that what differs is the search.
"""

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

CANDIDATES = 100  # of each leg
WANTED = 10

Search = Callable[[str], list[str]]


class Chunk(dict):
    """`id`, `text` and `vector` of a chunk."""


def llama_index(chunks, vectors, url, mode="reciprocal_rerank") -> Search:
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever
    from llama_index.vector_stores.postgres import PGVectorStore

    class Known(BaseEmbedding):
        def _get_query_embedding(self, query):
            return vectors[query]

        _get_text_embedding = _get_query_embedding

        async def _aget_query_embedding(self, query):
            return vectors[query]

    nodes = [TextNode(id_=chunk["id"], text=chunk["text"], embedding=chunk["vector"]) for chunk in chunks]
    address = url.replace("postgresql://", "postgresql+psycopg://")
    store = PGVectorStore(
        connection_string=address,
        async_connection_string=address,
        table_name="llama",
        embed_dim=len(nodes[0].embedding),
    )
    index = VectorStoreIndex(
        nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=Known()
    )
    retriever = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=CANDIDATES),
            BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=CANDIDATES),
        ],
        llm=MockLLM(),
        mode=mode,
        num_queries=1,
        similarity_top_k=WANTED,
        use_async=False,
    )
    return lambda question: [found.node.node_id for found in retriever.retrieve(question)]


def langchain(chunks, vectors, url) -> Search:
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
    store = PGVector(Known(), connection=url.replace("postgresql://", "postgresql+psycopg://"))
    store.add_embeddings(texts, [chunk["vector"] for chunk in chunks], [{"key": id_} for id_ in ids], ids)
    words = BM25Retriever.from_texts(texts, metadatas=[{"key": id_} for id_ in ids], k=CANDIDATES)
    retriever = EnsembleRetriever(
        retrievers=[words, store.as_retriever(search_kwargs={"k": CANDIDATES})], weights=[0.5, 0.5], id_key="key"
    )
    return lambda question: [found.metadata["key"] for found in retriever.invoke(question)[:WANTED]]


def haystack(chunks, vectors, url) -> Search:
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


def txtai(chunks, vectors, url) -> Search:
    import numpy
    from txtai import Embeddings

    def known(texts):
        return numpy.array([vectors[text] for text in texts], dtype=numpy.float32)

    address = url.replace("postgresql://", "postgresql+psycopg://")
    store = Embeddings(
        method="external", transform=known, hybrid=True, backend="pgvector", pgvector={"url": address, "table": "txtai"}
    )
    store.index([(chunk["id"], chunk["text"], None) for chunk in chunks])
    return lambda question: [id_ for id_, _ in store.search(question, WANTED)]


FRAMEWORKS = {
    "LlamaIndex QueryFusionRetriever": llama_index,
    "LangChain EnsembleRetriever": langchain,
    "Haystack hybrid pipeline": haystack,
    "txtai hybrid": txtai,
}


def lines(function) -> int:
    """Lines of code, as they stand here."""
    return sum(1 for line in inspect.getsource(function).splitlines() if line.strip())


def main() -> None:
    folder, url = Path(sys.argv[1]), sys.argv[2]
    chunks = [json.loads(line) for line in (folder / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    vectors = {each["text"]: each["vector"] for each in [*chunks, *questions]}
    found = {}
    for name, build in FRAMEWORKS.items():
        began = perf_counter()
        search = build(chunks, vectors, url)
        stored = perf_counter() - began
        search(questions[0]["text"])
        rankings, times = {}, []
        for question in questions:
            began = perf_counter()
            rankings[question["id"]] = search(question["text"])
            times.append(1_000 * (perf_counter() - began))
        found[name] = {"rankings": rankings, "ms": times, "store_seconds": stored, "lines": lines(build)}
        print(name, f"{stored:.1f} s to store", f"{sorted(times)[len(times) // 2]:.1f} ms", file=sys.stderr)
    (folder / "rankings.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
